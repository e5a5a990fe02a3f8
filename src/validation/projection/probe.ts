/**
 * Copies of a value with unknown members in its objects, to find out which members a validator keeps.
 *
 * @see docs/decisions/0019-undescribed-answers.md
 */
import { randomUUID } from 'node:crypto'
import { isObject, isPlainRecord, toJsonValue } from '../../values/objects.js'

interface ProbePlace {
  /** Number of objects and arrays around the value. */
  readonly depth: number
  /** Keys that lead to the value, with `*` for items. Values with the same form usually have the same schema. */
  readonly form: string
}

type ProbeShape = Record<PropertyKey, unknown>

/** A copy with unknown members. Their keys are random, so clients cannot send them. */
export class Probe {
  /** Only letters, because validators may change the case of keys. */
  readonly #word = [...randomUUID().replaceAll('-', '')].map((digit) => LETTERS[parseInt(digit, 16)]).join('')
  readonly #spared: ReadonlySet<object>
  readonly #copies = new Map<object, unknown>()
  /** Objects that have unknown members in the copy. Getters and instances are added only when they are read. */
  readonly places: Map<object, ProbePlace> = new Map()
  readonly #tasks: (() => void)[] = []
  readonly value: unknown

  constructor(value: unknown, spared: ReadonlySet<object>) {
    this.#spared = spared
    this.value = this.#copy(value, { depth: 0, form: '' })
  }

  /** Returns the keys that lead to an unknown member in the output of a validator; `undefined` if the validator kept none. */
  keptIn(output: unknown): readonly string[] | undefined {
    const seen = new Set<object>()
    const visits: ProbeVisit[] = [{ value: output, key: '', parent: null }]
    for (let visit = visits.pop(); visit !== undefined; visit = visits.pop()) {
      const text = toJsonValue(visit.value)
      if (typeof text === 'string' && text.includes(this.#word)) return pathTo(visit.parent)
      if (!isObject(text) || seen.has(text)) continue
      seen.add(text)
      for (const key of Object.keys(text)) {
        if (key.toLowerCase().includes(this.#word)) return pathTo(visit)
        visits.push({ value: text[key], key, parent: visit })
      }
    }
    return undefined
  }

  /** Uses a task list instead of recursion, because values can be nested deeper than calls. */
  #copy(value: unknown, place: ProbePlace): unknown {
    const copy = this.#standIn(value, place)
    for (let task = this.#tasks.pop(); task !== undefined; task = this.#tasks.pop()) task()
    return copy
  }

  #standIn(original: unknown, place: ProbePlace): unknown {
    const value = functionForm(original)
    if (!isObject(value)) return value
    if (this.#copies.has(value)) return this.#copies.get(value)
    const probed = this.#made(value, place)
    this.#copies.set(value, probed)
    return probed
  }

  #made(value: Readonly<ProbeShape>, place: ProbePlace): unknown {
    const standIn = (member: unknown): unknown => this.#standIn(member, isWithin(place, '*'))
    if (Array.isArray(value)) {
      return this.#filledLater(new Array<unknown>(), (copy) => {
        for (const member of value) copy.push(standIn(member))
      })
    }
    if (value instanceof Map) {
      return this.#filledLater(new Map<unknown, unknown>(), (copy) => {
        for (const [key, member] of value) copy.set(key, standIn(member))
      })
    }
    if (value instanceof Set) {
      return this.#filledLater(new Set<unknown>(), (copy) => {
        for (const member of value) copy.add(standIn(member))
      })
    }
    if (isPlainRecord(value) && typeof value['toJSON'] !== 'function') return this.#record(value, place)
    return isScalarValue(value) ? value : this.#instance(value, place)
  }

  #filledLater<Copy>(copy: Copy, fill: (copy: Copy) => void): Copy {
    this.#tasks.push(() => fill(copy))
    return copy
  }

  #record(value: object, place: ProbePlace): object {
    // Proof: a new object accepts any property.
    return this.#filledLater(Object.create(Object.getPrototypeOf(value)) as ProbeShape, (copy) => {
      for (const key of Reflect.ownKeys(value)) this.#copyMember(copy, value, key, isWithin(place, key))
      for (const [key, member] of this.#unknownIn(value, place)) copy[key] = member
    })
  }

  /** The value of a getter is copied only when it is read, because the getter may throw and may never be used. */
  #copyMember(copy: ProbeShape, owner: object, key: PropertyKey, place: ProbePlace): void {
    const { enumerable = false, value, get } = Object.getOwnPropertyDescriptor(owner, key) ?? {}
    const content =
      get === undefined
        ? { writable: true, value: this.#standIn(value, place) }
        : { get: () => this.#copy(Reflect.get(owner, key), place) }
    Object.defineProperty(copy, key, { enumerable, configurable: true, ...content })
  }

  /** Returns a proxy that reads from the instance, because private members cannot be copied. */
  #instance(value: object, place: ProbePlace): object {
    const unknown = new Map<string | symbol, unknown>(this.#unknownIn(value, place))
    const readMember = (key: string | symbol): unknown => {
      if (unknown.has(key)) return unknown.get(key)
      const member: unknown = Reflect.get(value, key, value)
      if (typeof member !== 'function' || key === 'constructor') return this.#copy(member, isWithin(place, key))
      return (...args: readonly unknown[]) => this.#copy(Reflect.apply(member, value, args), isWithin(place, key))
    }
    // A separate target, because a proxy of a frozen object could not have additional properties.
    const target: object = Object.create(Object.getPrototypeOf(value))
    return new Proxy(target, {
      get: (_, key) => readMember(key),
      has: (_, key) => unknown.has(key) || Reflect.has(value, key),
      ownKeys: () => [...Reflect.ownKeys(value), ...unknown.keys()],
      getOwnPropertyDescriptor: (_, key) => {
        const descriptor = Object.getOwnPropertyDescriptor(value, key)
        if (descriptor === undefined && !unknown.has(key)) return undefined
        return {
          value: readMember(key),
          enumerable: descriptor?.enumerable ?? true,
          configurable: true,
          writable: true,
        }
      },
    })
  }

  /** Returns a string and an object. A validator that accepts both accepts anything; a schema with one type for all values rejects one. */
  #unknownIn(value: object, place: ProbePlace): readonly (readonly [key: string, member: unknown])[] {
    if (this.#spared.has(value)) return []
    this.places.set(value, place)
    const word = this.#word
    return [
      [word, word],
      [`${word}s`, { [word]: word }],
    ]
  }
}

const LETTERS = 'abcdefghijklmnop'

/** Returns the JSON form of a function that has `toJSON`, or the unchanged value. */
export function functionForm(value: unknown): unknown {
  return typeof value === 'function' ? toJsonValue(value) : value
}

interface ProbeVisit {
  readonly value: unknown
  readonly key: string
  readonly parent: ProbeVisit | null
}

function pathTo(visit: ProbeVisit | null): string[] {
  const keys: string[] = []
  for (let at = visit; at !== null && at.parent !== null; at = at.parent) keys.unshift(at.key)
  return keys
}

function isWithin({ depth, form }: ProbePlace, key: PropertyKey): ProbePlace {
  return { depth: depth + 1, form: `${form}/${String(key)}` }
}

/**
 * Whether JSON writes an object as a scalar, such as a date, or does not write its members, such as bytes. An object with enumerable
 * properties is not a scalar, because a validator may copy these into another object that JSON writes.
 */
function isScalarValue(value: Readonly<ProbeShape>): boolean {
  if (typeof value['toJSON'] === 'function') return !isObject(toJsonValue(value)) && Object.keys(value).length === 0
  if (ArrayBuffer.isView(value)) return true
  return Object.prototype.toString.call(value) !== '[object Object]' && Object.keys(value).length === 0
}
