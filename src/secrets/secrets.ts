/** What no log shows: names and forms of secrets, put together for an app. */
import { detachString } from './detach-string.js'
import { decodeUrlEncoded, hideForms, hidePairs, REDACTED } from './secret-forms.js'
import { bareName, namesSecret } from './secret-names.js'

/** Additions to what is hidden, or lists in the place of it. */
export interface RedactOptions {
  /** Names of header fields whose values are hidden; any case. */
  readonly headers?: readonly string[]
  /** Names of members whose values are hidden, at any depth; case, `-` and `_` do not count. */
  readonly keys?: readonly string[]
  /** What is hidden wherever it stands in a text. */
  readonly values?: readonly RegExp[]
  /**
   * Whether the lists given here stand in the place of the usual ones, instead of adding to them; `false` unless given. A list
   * that is not given stays as it is. What the usual lists hid is shown then, to whoever reads the log or sees the console.
   */
  readonly replaceDefaults?: boolean
}

export interface KeyPlace {
  readonly in: 'header' | 'query' | 'cookie'
  readonly name: string
}

/** The rest of them have a word that names a secret. */
const HEADERS: readonly string[] = ['authorization', 'proxy-authorization', 'cookie', 'set-cookie']
/** Names whose answers are kept, and how long these may be: what a client makes up costs no more than this. */
const MAX_KNOWN = 1_000
const MAX_KNOWN_LENGTH = 64

export class Secrets {
  readonly #headers: Set<string>
  readonly #keys: ReadonlySet<string>
  readonly #queries = new Set<string>()
  readonly #cookies = new Set<string>()
  readonly #areNamesUsual: boolean
  readonly #areFormsUsual: boolean
  readonly #values: readonly RegExp[]
  readonly #known = new Map<string, boolean>()
  /** Names of the lists that stand in the place of the usual ones: `keys`. */
  readonly replaced: readonly string[]

  constructor({ headers, keys, values, replaceDefaults = false }: RedactOptions = {}) {
    const defaultHeaders = replaceDefaults && headers !== undefined ? [] : HEADERS
    this.#headers = new Set([...defaultHeaders, ...(headers ?? [])].map((name) => name.toLowerCase()))
    this.#keys = new Set((keys ?? []).map(bareName))
    this.#areNamesUsual = !replaceDefaults || keys === undefined
    this.#areFormsUsual = !replaceDefaults || values === undefined
    this.#values = (values ?? []).map(everywhere)
    const lists = Object.entries({ headers, keys, values })
    this.replaced = replaceDefaults ? lists.flatMap(([name, list]) => (list === undefined ? [] : [name])) : []
  }

  /** A security scheme of the app says where credentials stand. They are hidden whatever the lists say. */
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

  /** Whether a cookie is a credential by its name. No cookie is shown, but only these are looked for elsewhere, however short. */
  isCookie(name: string): boolean {
    return this.isKey(name) || this.#cookies.has(name.toLowerCase())
  }

  /** Hides what looks like a secret, by its form or by `name=` before it. */
  hide(text: string): string {
    return this.hidePairs(this.hideForms(text))
  }

  hideForms(text: string): string {
    const withoutForms = this.#areFormsUsual ? hideForms(text) : text
    return this.#values.reduce((all, form) => all.replace(form, REDACTED), withoutForms)
  }

  hidePairs(text: string): string {
    return hidePairs(text, (name) => this.isQuery(decodeUrlEncoded(name)))
  }
}

/** Sticky or not global, an author's expression would leave the second secret of a text. */
function everywhere({ source, flags }: RegExp): RegExp {
  return new RegExp(source, [...new Set([...flags.replace('y', ''), 'g'])].join(''))
}
