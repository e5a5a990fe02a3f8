/** Secrets are taken out of everything before it is kept: what is not in the store cannot leave by any way. */
import { redact, type Hides } from '../../observe/redact.js'
import { REDACTED, type Secrets } from '../../observe/secrets.js'
import { decoded } from '../../observe/secret-forms.js'
import type { SecretValues } from '../../observe/secret-values.js'
import { copyOf } from '../../observe/copy-of.js'
import { beginOf, cut } from './cut.js'
import { hideLines, hideNamed } from './named-secrets.js'
import { TOKEN_HEADER, type HeaderList } from '../wire/request-types.js'

/** Values of header fields that come again and again are looked through once. */
const MOST_KNOWN = 1_000
const LONGEST_KNOWN = 300
const LONGEST_NAME = 64
const LONGEST_FIELD_NAME = 200
const LONGEST_PARAM = 1_000
const LONGEST_FIELD = 4_096

interface Shared {
  readonly known: Map<string, string>
  readonly fields: Map<string, boolean>
}

export class Hider {
  readonly #secrets: Secrets
  readonly #hides: Hides
  readonly #known: Map<string, string>
  readonly #fields: Map<string, boolean>
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

  get names(): Secrets {
    return this.#secrets
  }

  isSecret(name: string): boolean {
    return this.#secrets.isKey(name)
  }

  text(text: string): string {
    const hidden = hideNamed(this.#secrets.hideForms(this.again(text)), (name) => this.#secrets.isKey(name))
    const shown = this.#secrets.hidePairs(hidden)
    // It was put together of parts of the text.
    return shown === text ? text : copyOf(shown)
  }

  /** As `text`, and of lines that begin with the name of a secret, as in YAML, only that name stays. */
  lines(text: string): string {
    return this.text(hideLines(text, (name) => this.#secrets.isHeader(name)))
  }

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

  /** Of a percent-encoded text: the text itself where it holds no secret, else what it means, secrets replaced. */
  encoded(text: string): string {
    const plain = decoded(text)
    const shown = this.text(plain)
    return shown === plain ? text : shown
  }

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

  /** As `text`, remembered for texts that are likely to come again. */
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

  json(text: string): string | null {
    return hideJson(text, this.#hides)
  }

  /** Copies a value without its secrets: six levels, a hundred members, nothing of the author's code called. */
  value(value: unknown): unknown {
    return redact(value, this.#hides, { deepest: 6, most: 100, longest: 300, isPassive: true })
  }

  path(path: string, params: Readonly<Record<string, string>>, template: string | null): string {
    if (template !== null && Object.keys(params).some((name) => this.#secrets.isKey(name))) return template
    if (!path.includes('%')) return this.known(path)
    const shown = this.encoded(path)
    return shown === path ? path : (template ?? shown)
  }

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

/** Returns the text itself where it holds no secret, else the same JSON written again; `null` when it is no JSON. */
function hideJson(text: string, hides: Hides): string | null {
  try {
    const parsed: unknown = JSON.parse(text)
    if (!holdsSecret(parsed, hides) && isAllOf(text, parsed, hides)) return text
    return JSON.stringify(parsed, (key, value: unknown) => member(key, value, hides))
  } catch {
    return null
  }
}

function holdsSecret(value: unknown, hides: Hides): boolean {
  if (typeof value === 'string') return hides.hide(value) !== value
  if (typeof value === 'number') return hides.values?.isNumber(value) === true
  if (typeof value !== 'object' || value === null) return false
  if (Array.isArray(value)) return value.some((each) => holdsSecret(each, hides))
  return Object.entries(value).some(
    ([key, each]) => hides.isKey(key) || shownName(key, hides) !== key || holdsSecret(each, hides),
  )
}

/** Of two members with one name only the second was looked at: it tells of the first that the text written anew is another. */
function isAllOf(text: string, parsed: unknown, hides: Hides): boolean {
  return JSON.stringify(parsed) === text || hides.hide(text) === text
}

function member(key: string, value: unknown, hides: Hides): unknown {
  if (key !== '' && hides.isKey(key)) return REDACTED
  if (typeof value === 'number' && hides.values?.isNumber(value) === true) return REDACTED
  if (typeof value === 'string') return hides.hide(value)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([name, each]) => [shownName(name, hides), each] as const)
  return Object.fromEntries(entries)
}

/** A client may send a secret as the name of a member. */
function shownName(name: string, { values }: Hides): string {
  return values?.hide(name) ?? name
}
