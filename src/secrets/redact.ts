/** Copies values for logs: without secrets, with limited depth and size, and serializable as JSON. Never throws. */
import { isObject } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import type { RequestInput } from '../observe/event-types.js'
import { REDACTED } from './secret-forms.js'
import type { SecretValues } from './secret-values.js'

/** Limits of a copy: depth, number of values, and characters per string. */
interface CopyBounds {
  readonly deepest: number
  readonly most: number
  readonly longest: number
  /** Whether getters and `toJSON` are not called, so that no code of the app runs. */
  readonly isPassive: boolean
}

/** Decides what to hide: by name, by pattern, and by the secret values of one request. */
export interface Redaction {
  /** Secret values found so far. */
  readonly values: Pick<SecretValues, 'hide' | 'isNumber'>
  hide(text: string): string
  /** Whether the name of a value in this source is secret. */
  isSecret(source: keyof RequestInput, name: string): boolean
  /** Adds a secret value to those found so far. */
  remember(source: keyof RequestInput, name: string, value: unknown): void
}

const FOR_LOG: CopyBounds = { deepest: 8, most: 1_000, longest: 1_000, isPassive: false }
const MAX_KEY_LENGTH = 100

/** Copies a value for a log. The `source` of the value in a request decides which names are secret. */
export function redact(
  value: unknown,
  hides: Redaction,
  source: keyof RequestInput = 'body',
  bounds: CopyBounds = FOR_LOG,
): unknown {
  return new Copier(hides, source, bounds).copy(value)
}

class Copier {
  readonly #hides: Redaction
  readonly #source: keyof RequestInput
  /** Ancestors of the current value, to detect circular references. */
  readonly #around: object[] = []
  readonly #bounds: CopyBounds
  #left: number

  constructor(hides: Redaction, source: keyof RequestInput, bounds: CopyBounds) {
    this.#hides = hides
    this.#source = source
    this.#bounds = bounds
    this.#left = bounds.most
  }

  copy(value: unknown): unknown {
    if (--this.#left < 0) return '[left out]'
    if (typeof value === 'string') return shortenText(value, this.#hides, this.#bounds.longest)
    if (isObject(value)) return this.#copyQuietly(value)
    if (typeof value === 'function') return '[function]'
    if (this.#hides.values.isNumber(value)) return REDACTED
    return typeof value === 'symbol' || typeof value === 'bigint' ? String(value) : value
  }

  /** Getters and proxies can throw. */
  #copyQuietly(value: object): unknown {
    if (this.#around.includes(value)) return '[circular]'
    if (this.#around.length >= this.#bounds.deepest) return Array.isArray(value) ? '[array]' : '[object]'
    this.#around.push(value)
    const copy = valueOr<unknown>(() => this.#copyObject(value), '[cannot be read]')
    this.#around.pop()
    return copy
  }

  #copyObject(value: object): unknown {
    if (Array.isArray(value)) return this.#copyList(value)
    if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`
    return this.#bounds.isPassive ? this.#copyPassive(value) : this.#copyActive(value)
  }

  #copyActive(value: object): unknown {
    if ('toJSON' in value && typeof value.toJSON === 'function') return this.copy(value.toJSON(''))
    if (value instanceof Error) return this.#copyMembers({ ...value, type: value.name, message: value.message })
    if (value instanceof Map) return this.#copyMembers(Object.fromEntries(value))
    if (value instanceof Set) return this.#copyList([...value])
    if (Symbol.asyncIterator in value || 'getReader' in value || Symbol.iterator in value) return '[stream]'
    return this.#copyMembers(value)
  }

  /** Copies only data properties. Getters are not called. */
  #copyPassive(value: object): unknown {
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? '[invalid date]' : value.toISOString()
    if (value instanceof Error) return this.#copyMembers({ type: value.name, message: value.message })
    if (value instanceof Map) return `[map of ${value.size}]`
    if (value instanceof Set) return this.#copyList([...value])
    const all = Object.entries(Object.getOwnPropertyDescriptors(value))
    const data = all.filter(([, { enumerable, get }]) => enumerable === true && get === undefined)
    return this.#copyMembers(Object.fromEntries(data.map(([key, descriptor]) => [key, descriptor.value])))
  }

  #copyList(list: readonly unknown[]): unknown[] {
    const copies: unknown[] = []
    for (const entry of list) {
      if (this.#left <= 0) return [...copies, `[${list.length - copies.length} more]`]
      copies.push(this.copy(entry))
    }
    return copies
  }

  #copyMembers(value: object): object {
    const keys = Object.keys(value)
    const copies: [string, unknown][] = []
    for (const key of keys) {
      if (this.#left <= 0) return Object.fromEntries([...copies, ['…', `[${keys.length - copies.length} more]`]])
      const copy = this.#copyMember(value, key)
      const name = this.#hides.values.hide(key)
      copies.push([name.length > MAX_KEY_LENGTH ? `${name.slice(0, MAX_KEY_LENGTH)}…` : name, copy])
    }
    return Object.fromEntries(copies)
  }

  #copyMember(holder: object, key: string): unknown {
    if (!this.#hides.isSecret(this.#source, key)) return this.copy(Reflect.get(holder, key))
    this.#hides.remember(this.#source, key, Object.getOwnPropertyDescriptor(holder, key)?.value)
    return REDACTED
  }
}

/** Cuts at the end of a word, because half a secret would not be recognized. */
function shortenText(text: string, hides: Redaction, longest: number): string {
  if (text.length <= longest) return hides.hide(text)
  const end = Math.max(text.lastIndexOf(' ', longest), text.lastIndexOf('\n', longest), 0)
  return `${hides.hide(text.slice(0, end))}… [${text.length} characters]`
}
