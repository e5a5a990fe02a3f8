/** Secrets are taken out of everything before it is kept: what is not in the store cannot leave by any way. */
import { redact, type Hides } from '../observe/redact.js'
import { REDACTED, type Secrets } from '../observe/secrets.js'
import { decoded } from '../observe/secret-forms.js'
import type { SecretValues } from '../observe/secret-values.js'
import { copyOf } from '../observe/copy-of.js'
import { beginOf, cut } from './cut.js'
import { hideJson } from './hide-json.js'
import { hideLines, hideNamed } from './named-secrets.js'
import { TOKEN_HEADER, type HeaderList } from './wire.js'

/** Values of header fields that come again and again are looked through once. */
const MOST_KNOWN = 1_000
const LONGEST_KNOWN = 300
const LONGEST_NAME = 64
const LONGEST_FIELD_NAME = 200
const LONGEST_PARAM = 1_000
const LONGEST_FIELD = 4_096

/** What the hiders of a console have in common. */
interface Shared {
  readonly known: Map<string, string>
  readonly fields: Map<string, boolean>
}

/** Takes secrets out. */
export class Hider {
  readonly #secrets: Secrets
  readonly #hides: Hides
  readonly #known: Map<string, string>
  readonly #fields: Map<string, boolean>
  /** The secrets of a request; `null` where it is for none. */
  readonly #values: SecretValues | null

  constructor(secrets: Secrets, values: SecretValues | null = null, shared: Shared | null = null) {
    this.#secrets = secrets
    this.#values = values
    this.#known = shared?.known ?? new Map()
    this.#fields = shared?.fields ?? new Map()
    this.#hides = { isKey: (name) => secrets.isKey(name), hide: (text) => this.text(text), values }
  }

  /** Makes a hider for one request: what is secret there by its name is hidden wherever else it stands. */
  ofRequest(values: SecretValues): Hider {
    return new Hider(this.#secrets, values, { known: this.#known, fields: this.#fields })
  }

  /** Hides a value from now on wherever it stands in the request. */
  remember(value: unknown): void {
    this.#values?.add(value)
  }

  /** Hides what is known as a secret of the request by now. */
  again(text: string): string {
    return this.#values === null ? text : this.#values.hide(text)
  }

  /** What is secret by its name. */
  get names(): Secrets {
    return this.#secrets
  }

  /** Tells whether the value of a name is a secret. */
  isSecret(name: string): boolean {
    return this.#secrets.isKey(name)
  }

  /** Takes secrets out of a text. */
  text(text: string): string {
    const hidden = hideNamed(this.#secrets.hideForms(this.again(text)), (name) => this.#secrets.isKey(name))
    const shown = this.#secrets.hidePairs(hidden)
    // It was put together of parts of the text.
    return shown === text ? text : copyOf(shown)
  }

  /**
   * Takes secrets out of a text that may have a form of its own, such as YAML. Returns as `text` does; of lines that
   * begin with the name of a secret, that name alone.
   */
  lines(text: string): string {
    return this.text(hideLines(text, (name) => this.#secrets.isHeader(name)))
  }

  /** Takes secrets out of a query or a form. */
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
    const plain = decoded(name)
    // `user[password]` names a member, too.
    const isSecret = this.#secrets.isQuery(plain) || plain.split(/[[\].]/).some((part) => this.#secrets.isKey(part))
    return isSecret || this.text(value) !== value ? `${name}=${REDACTED}` : pair
  }

  /**
   * Takes secrets out of a percent-encoded text. Returns the text as it was where it holds none, else what it means,
   * secrets replaced.
   */
  encoded(text: string): string {
    const plain = decoded(text)
    const shown = this.text(plain)
    return shown === plain ? text : shown
  }

  /** Takes secrets out of header fields. */
  headers(fields: Iterable<readonly [string, string | undefined]>): HeaderList {
    const list: (readonly [string, string])[] = []
    for (const [name, value] of fields) {
      if (value !== undefined) list.push([cut(name, LONGEST_FIELD_NAME), this.#field(name, value)])
    }
    return list
  }

  #field(name: string, value: string): string {
    return this.#isSecretField(name) ? REDACTED : this.known(beginOf(value, LONGEST_FIELD))
  }

  #isSecretField(name: string): boolean {
    const known = this.#fields.get(name)
    if (known !== undefined) return known
    const isSecret = this.#secrets.isHeader(name) || name === TOKEN_HEADER
    if (name.length > LONGEST_NAME) return isSecret
    if (this.#fields.size >= MOST_KNOWN) this.#fields.clear()
    this.#fields.set(copyOf(name), isSecret)
    return isSecret
  }

  /** Takes secrets out of a text that is likely to come again. Returns as `text` does. */
  known(text: string): string {
    // What is secret in one request may be known to be none in another.
    if (this.again(text) !== text) return this.text(text)
    const known = this.#known.get(text)
    if (known !== undefined) return known
    const shown = this.text(text)
    // Texts with a secret in them are looked through each time: none is kept, not even here.
    if (text.length > LONGEST_KNOWN || shown !== text) return shown
    if (this.#known.size >= MOST_KNOWN) this.#known.clear()
    const copy = copyOf(text)
    this.#known.set(copy, copy)
    return copy
  }

  /**
   * Takes secrets out of a JSON text. Returns the text as it was where it holds none, else written anew; `null` when it
   * is no JSON.
   */
  json(text: string): string | null {
    return hideJson(text, this.#hides)
  }

  /** Copies a value without its secrets: six levels, a hundred members, nothing of the author's code called. */
  value(value: unknown): unknown {
    return redact(value, this.#hides, { deepest: 6, most: 100, longest: 300, isPassive: true })
  }

  /** Takes secrets out of a path. */
  path(path: string, params: Readonly<Record<string, string>>, template: string | null): string {
    if (template !== null && Object.keys(params).some((name) => this.#secrets.isKey(name))) return template
    if (!path.includes('%')) return this.known(path)
    const shown = this.encoded(path)
    return shown === path ? path : (template ?? shown)
  }

  /** Takes secrets out of path parameters. */
  params(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const entries = Object.entries(params)
    return Object.fromEntries(
      entries.map(([name, value]) => [
        name,
        this.#secrets.isKey(name) ? REDACTED : cut(this.text(value), LONGEST_PARAM),
      ]),
    )
  }
}
