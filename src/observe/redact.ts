/** Copies of values for a log: without secrets, of bounded depth and size, made of what JSON can hold. Nothing here throws. */
import type { SecretValues } from './secret-values.js'
import { REDACTED, type Secrets } from './secrets.js'

/** How much of a value is copied. */
interface CopyBounds {
  /** Levels of nesting. */
  readonly deepest: number
  /** Values in all. */
  readonly most: number
  /** Characters of a text. */
  readonly longest: number
  /** Whether nothing of the author's code may run: getters are passed over, and `toJSON` of all but dates. */
  readonly isPassive: boolean
}

/** Knows what is hidden. */
export interface Hides extends Pick<Secrets, 'isKey' | 'hide'> {
  /** Takes the secrets that are found, and knows those that were; `null` where nobody asks for them. */
  readonly values?: SecretValues | null
}

/** Knows what is hidden of all sources of a request. */
export type HidesSources = Hides & Pick<Secrets, 'isHeader' | 'isQuery' | 'isCookie'>

const FOR_LOG: CopyBounds = { deepest: 8, most: 1_000, longest: 1_000, isPassive: false }
const LONGEST_KEY = 100

/** Copies a value for a log. */
export function redact(value: unknown, secrets: Hides, bounds: CopyBounds = FOR_LOG): unknown {
  const isHidden = (key: string): boolean => secrets.isKey(key)
  return new Copier(secrets, { isHidden, found: (_key, secret) => secrets.values?.add(secret) }, bounds).copy(value)
}

export function redactQuery(query: unknown, secrets: HidesSources): unknown {
  const isHidden = (key: string): boolean => secrets.isQuery(key)
  return new Copier(secrets, { isHidden, found: (_key, secret) => secrets.values?.add(secret) }).copy(query)
}

export function redactHeaders(headers: unknown, secrets: HidesSources): unknown {
  const isHidden = (name: string): boolean => secrets.isHeader(name)
  return new Copier(secrets, { isHidden, found: (_name, secret) => secrets.values?.addField(secret) }).copy(headers)
}

/** Only their names are shown, since each cookie may hold a session. */
export function redactCookies(cookies: unknown, secrets: HidesSources): unknown {
  const found = (name: string, secret: unknown): void => secrets.values?.addCookie(secret, secrets.isCookie(name))
  return new Copier(secrets, { isHidden: () => true, found }).copy(cookies)
}

/** What is done with members by their name. */
interface Naming {
  readonly isHidden: (key: string) => boolean
  /** Takes what is hidden. */
  readonly found: (key: string, value: unknown) => void
}

class Copier {
  readonly #secrets: Hides
  readonly #naming: Naming
  /** The values around the one that is copied. */
  readonly #around: object[] = []
  readonly #bounds: CopyBounds
  #left: number

  constructor(secrets: Hides, naming: Naming, bounds: CopyBounds = FOR_LOG) {
    this.#secrets = secrets
    this.#naming = naming
    this.#bounds = bounds
    this.#left = bounds.most
  }

  copy(value: unknown): unknown {
    if (--this.#left < 0) return '[left out]'
    if (typeof value === 'string') return shortened(value, this.#secrets, this.#bounds.longest)
    if (typeof value === 'object' && value !== null) return this.#copyQuietly(value)
    if (typeof value === 'function') return '[function]'
    if (typeof value === 'number' || typeof value === 'bigint') return this.#copyNumber(value)
    return typeof value === 'symbol' ? String(value) : value
  }

  #copyNumber(value: number | bigint): unknown {
    if (this.#secrets.values?.isNumber(value) === true) return REDACTED
    return typeof value === 'bigint' ? String(value) : value
  }

  /** A getter may throw, and so may anything that is asked of a proxy. */
  #copyQuietly(value: object): unknown {
    if (this.#around.includes(value)) return '[circular]'
    if (this.#around.length >= this.#bounds.deepest) return Array.isArray(value) ? '[array]' : '[object]'
    this.#around.push(value)
    try {
      return this.#copyObject(value)
    } catch {
      return '[cannot be read]'
    } finally {
      this.#around.pop()
    }
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

  /** Data alone: what a getter would give is not asked for. */
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
      if (this.#left <= 0) {
        copies.push(['…', `[${keys.length - copies.length} more]`])
        break
      }
      const copy = this.#copyMember(value, key)
      const name = this.#secrets.values?.hide(key) ?? key
      copies.push([name.length > LONGEST_KEY ? `${name.slice(0, LONGEST_KEY)}…` : name, copy])
    }
    return Object.fromEntries(copies)
  }

  #copyMember(holder: object, key: string): unknown {
    if (!this.#naming.isHidden(key)) return this.copy(Reflect.get(holder, key))
    this.#naming.found(key, Object.getOwnPropertyDescriptor(holder, key)?.value)
    return REDACTED
  }
}

/** Cut where a word ends: half a secret is not known as one. */
function shortened(text: string, secrets: Hides, longest: number): string {
  if (text.length <= longest) return secrets.hide(text)
  const end = Math.max(text.lastIndexOf(' ', longest), text.lastIndexOf('\n', longest), 0)
  return `${secrets.hide(text.slice(0, end))}… [${text.length} characters]`
}
