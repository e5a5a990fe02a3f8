/** Secrets are taken out of everything before it is kept: what is not in the store cannot leave by any way. */
import { redact, type Hides } from '../telemetry/redact.js'
import { REDACTED, type Secrets } from '../telemetry/secrets.js'
import { beginOf } from './cut.js'
import { decoded } from './decoded.js'
import { hideJson } from './hide-json.js'
import { hideLines, hideNamed } from './named-secrets.js'
import { TOKEN_HEADER, type HeaderList } from './wire.js'

/** Values of header fields that come again and again are looked through once. */
const MOST_KNOWN = 1_000
const LONGEST_KNOWN = 300
const LONGEST_FIELD = 4_096

/** `key=value` without quotes wherever it stands: in the query of a link, or in a line of text. */
const PAIR = /([\w.[\]%-]{1,64})=(?!["'`\\])([^\s&;,"'<>#]*)/g

/** Takes secrets out. */
export class Hider {
  readonly #secrets: Secrets
  readonly #hides: Hides
  readonly #known = new Map<string, string>()
  readonly #fields = new Map<string, boolean>()

  /** @param secrets the lists of the app */
  constructor(secrets: Secrets) {
    this.#secrets = secrets
    this.#hides = { isKey: (name) => secrets.isKey(name), hide: (text) => this.text(text) }
  }

  /**
   * Tells whether the value of a name is a secret.
   *
   * @param name of a member, a parameter or a field
   * @returns true for a secret
   */
  isSecret(name: string): boolean {
    return this.#secrets.isKey(name)
  }

  /**
   * Takes secrets out of a text.
   *
   * @param text any
   * @returns the text with what looks like a secret, and what follows the name of one, replaced
   */
  text(text: string): string {
    const hidden = hideNamed(this.#secrets.hide(text), (name) => this.#secrets.isKey(name))
    if (!hidden.includes('=')) return hidden
    return hidden.replace(PAIR, (pair, name: string) =>
      this.#secrets.isKey(decoded(name)) ? `${name}=${REDACTED}` : pair,
    )
  }

  /**
   * Takes secrets out of a text that may have a form of its own, such as YAML.
   *
   * @param text any
   * @returns as `text` does; of lines that begin with the name of a secret, that name alone
   */
  lines(text: string): string {
    return this.text(hideLines(text, (name) => this.#secrets.isKey(name) || this.#secrets.isHeader(name)))
  }

  /**
   * Takes secrets out of a query or a form.
   *
   * @param query without `?`
   * @returns the query, secrets replaced; the rest as it was
   */
  query(query: string): string {
    if (query === '') return ''
    return query
      .split('&')
      .map((pair) => this.#pair(pair))
      .join('&')
  }

  #pair(pair: string): string {
    const end = pair.indexOf('=')
    if (end < 0) return this.encoded(pair)
    const name = pair.slice(0, end)
    const value = decoded(pair.slice(end + 1))
    // `user[password]` names a member, too.
    const isSecret = decoded(name)
      .split(/[[\].]/)
      .some((part) => this.#secrets.isKey(part))
    return isSecret || this.text(value) !== value ? `${name}=${REDACTED}` : pair
  }

  /**
   * Takes secrets out of a percent-encoded text.
   *
   * @param text any
   * @returns the text as it was where it holds none, else what it means, secrets replaced
   */
  encoded(text: string): string {
    const plain = decoded(text)
    const shown = this.text(plain)
    return shown === plain ? text : shown
  }

  /**
   * Takes secrets out of header fields.
   *
   * @param fields names and values
   * @returns the same, values of secrets replaced
   */
  headers(fields: Iterable<readonly [string, string | undefined]>): HeaderList {
    const list: (readonly [string, string])[] = []
    for (const [name, value] of fields) {
      if (value !== undefined) list.push([name, this.#field(name, value)])
    }
    return list
  }

  #field(name: string, value: string): string {
    return this.#isSecretField(name) ? REDACTED : this.known(beginOf(value, LONGEST_FIELD))
  }

  #isSecretField(name: string): boolean {
    const known = this.#fields.get(name)
    if (known !== undefined) return known
    const isSecret = this.#secrets.isHeader(name) || this.#secrets.isKey(name) || name === TOKEN_HEADER
    if (this.#fields.size >= MOST_KNOWN) this.#fields.clear()
    this.#fields.set(name, isSecret)
    return isSecret
  }

  /**
   * Takes secrets out of a text that is likely to come again.
   *
   * @param text any
   * @returns as `text` does
   */
  known(text: string): string {
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const shown = this.text(text)
    // Texts with a secret in them are looked through each time: none is kept, not even here.
    if (text.length > LONGEST_KNOWN || shown !== text) return shown
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    this.#known.set(text, shown)
    return shown
  }

  /**
   * Takes secrets out of a JSON text.
   *
   * @param text whole
   * @returns the text as it was where it holds none, else written anew; `null` when it is no JSON
   */
  json(text: string): string | null {
    return hideJson(text, this.#hides)
  }

  /**
   * Copies a value without its secrets: six levels, a hundred members, nothing of the author's code called.
   *
   * @param value any
   * @returns its copy, which JSON can hold
   */
  value(value: unknown): unknown {
    return redact(value, this.#hides, { deepest: 6, most: 100, longest: 300, isPassive: true })
  }

  /**
   * Takes secrets out of a path.
   *
   * @param path as sent
   * @param params of it, decoded
   * @param template that matched
   * @returns the template where a parameter is a secret by its name, or the encoded path hides one
   */
  path(path: string, params: Readonly<Record<string, string>>, template: string | null): string {
    if (template !== null && Object.keys(params).some((name) => this.#secrets.isKey(name))) return template
    if (!path.includes('%')) return this.known(path)
    const shown = this.encoded(path)
    return shown === path ? path : (template ?? shown)
  }

  /**
   * Takes secrets out of path parameters.
   *
   * @param params decoded
   * @returns the same, values of secrets replaced
   */
  params(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const entries = Object.entries(params)
    return Object.fromEntries(
      entries.map(([name, value]) => [name, this.#secrets.isKey(name) ? REDACTED : this.text(value)]),
    )
  }
}
