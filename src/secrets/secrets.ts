/** The secrets of an app: names and patterns of values that logs and the console hide. */
import { detachString } from './detach-string.js'
import { hideDatabaseValues } from './database-messages.js'
import { decodeUrlEncoded, hideForms, hidePairs, REDACTED } from './secret-forms.js'
import { bareName, namesSecret } from './secret-names.js'

/** Option `redact`: names and patterns of secrets. They extend the default lists, or replace them with `replaceDefaults`. */
export interface RedactOptions {
  /** Names of headers whose values are hidden; case is ignored. */
  readonly headers?: readonly string[]
  /** Names of properties whose values are hidden, at any depth; case, `-` and `_` are ignored. */
  readonly keys?: readonly string[]
  /** Patterns of secrets. Every match in a string is hidden. */
  readonly values?: readonly RegExp[]
  /**
   * Whether these lists replace the default lists instead of extending them; default `false`. A list that is not set keeps its
   * default. Values that only a replaced default would hide are visible in the log and in the console.
   */
  readonly replaceDefaults?: boolean
}

export interface KeyPlace {
  readonly in: 'header' | 'query' | 'cookie'
  readonly name: string
}

/** Other secret headers are recognized by a word in their names. */
const HEADERS: readonly string[] = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie']
/** Maximum number and length of cached names, so that names invented by a client cannot fill the memory. */
const MAX_KNOWN = 1_000
const MAX_KNOWN_LENGTH = 64
/** Matches a part of each pattern and each name with a value. Most strings contain none, and one check is cheaper than six. */
const HINT = /[:=]|<\/|bearer |basic |eyJ|-----BEGIN |(?:row contains|key value is) \(|duplicate entry '/i

export class Secrets {
  readonly #headers: Set<string>
  readonly #keys: ReadonlySet<string>
  readonly #queries = new Set<string>()
  readonly #cookies = new Set<string>()
  readonly #areNamesUsual: boolean
  readonly #areFormsUsual: boolean
  readonly #values: readonly RegExp[]
  readonly #known = new Map<string, boolean>()
  /** Names of the default lists that are replaced, such as `keys`. */
  readonly replaced: readonly string[]

  constructor({ headers, keys, values, replaceDefaults = false }: RedactOptions = {}) {
    const defaultHeaders = replaceDefaults && headers !== undefined ? [] : HEADERS
    this.#headers = new Set([...defaultHeaders, ...(headers ?? [])].map((name) => name.toLowerCase()))
    this.#keys = new Set((keys ?? []).map(bareName))
    this.#areNamesUsual = !replaceDefaults || keys === undefined
    this.#areFormsUsual = !replaceDefaults || values === undefined
    this.#values = (values ?? []).map(isHiddenEverywhere)
    const lists = Object.entries({ headers, keys, values })
    this.replaced = replaceDefaults ? lists.flatMap(([name, list]) => (list === undefined ? [] : [name])) : []
  }

  /** Hides the credentials of a security scheme, independently of the lists. */
  addPlace({ in: where, name }: KeyPlace): void {
    const names = { header: this.#headers, query: this.#queries, cookie: this.#cookies }
    names[where].add(name.toLowerCase())
  }

  isHeader(name: string): boolean {
    return this.#headers.has(name.toLowerCase()) || this.isKey(name)
  }

  isKey(name: string): boolean {
    const isSecret = this.#known.get(name)
    if (isSecret !== undefined) return isSecret
    const isKey = (this.#areNamesUsual && namesSecret(name)) || this.#keys.has(bareName(name))
    if (name.length > MAX_KNOWN_LENGTH) return isKey
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    this.#known.set(detachString(name), isKey)
    return isKey
  }

  isQuery(name: string): boolean {
    return this.isKey(name) || this.#queries.has(name.toLowerCase())
  }

  /** Whether a cookie name is secret. All cookies are hidden, but a short value is also hidden elsewhere only if its name is secret. */
  isCookie(name: string): boolean {
    return this.isKey(name) || this.#cookies.has(name.toLowerCase())
  }

  /** Whether a string may contain a secret that can be recognized. If not, no function of this class changes it. */
  mayContain(text: string): boolean {
    return this.#values.length > 0 || HINT.test(text)
  }

  /** Hides secrets in a string, by their pattern or by `name=` before them. */
  hide(text: string): string {
    return this.hidePairs(this.hideForms(text))
  }

  hideForms(text: string): string {
    const withoutForms = this.#areFormsUsual ? hideForms(text) : text
    return this.#values.reduce((all, form) => all.replace(form, REDACTED), withoutForms)
  }

  /** Hides values by the names before them, also in messages of databases. */
  hidePairs(text: string): string {
    const withoutPairs = hidePairs(text, (name) => this.isQuery(decodeUrlEncoded(name)))
    return hideDatabaseValues(withoutPairs, (name) => this.isKey(name))
  }
}

/** Makes a pattern global and not sticky. Otherwise it would hide only the first secret in a string. */
function isHiddenEverywhere({ source, flags }: RegExp): RegExp {
  return new RegExp(source, [...new Set([...flags.replace('y', ''), 'g'])].join(''))
}
