/** Hides secrets in all data of a request before the console stores it. A secret that is not stored cannot leak. */
import { detachString } from '../../secrets/detach-string.js'
import type { RecordedResponse, TrailSources } from '../../observe/request-recorder.js'
import { redact } from '../../secrets/redact.js'
import { RequestSecrets } from '../../secrets/request-secrets.js'
import { decodeUrlEncoded, REDACTED } from '../../secrets/secret-forms.js'
import { SecretValues } from '../../secrets/secret-values.js'
import type { Secrets } from '../../secrets/secrets.js'
import { isObject, isRecord } from '../../values/objects.js'
import { cutToLength, cut } from './cut.js'
import { hideLines, hideNamed } from './named-secrets.js'
import { TOKEN_HEADER, type HeaderList } from '../wire/request-types.js'

/** Maximum number and length of cached strings, such as header values that occur in many requests. */
const MAX_KNOWN = 1_000
const MAX_KNOWN_LENGTH = 300
const MAX_HEADER_NAME_LENGTH = 200
const MAX_PARAM_LENGTH = 1_000
const MAX_HEADER_LENGTH = 4_096
const MAX_SHARED_LINES = 30
const NO_PARAMS = {}

type Header = HeaderList[number]

interface KnownHeader {
  readonly isSecret: boolean
  readonly line: Header
}

/** Caches of all requests. They contain no secrets. Most requests have the same headers, which their records share to use less memory. */
interface Caches {
  readonly texts: Map<string, string>
  /** The last line of each name. */
  readonly headers: Map<string, KnownHeader>
  /** The last lines of each count. */
  readonly lists: Map<number, HeaderList>
}

export class RequestRedactor extends RequestSecrets {
  readonly #caches: Caches
  #hasHeaders = false
  #hasBody = false

  /** Creates the redactor that all requests share. It remembers no values. */
  constructor(
    names: Secrets,
    values: SecretValues = new SecretValues(0),
    caches: Caches = { texts: new Map(), headers: new Map(), lists: new Map() },
  ) {
    super(names, values)
    this.#caches = caches
  }

  /** Creates a redactor for one request, which hides values of secret names everywhere in the request. */
  ofRequest(): RequestRedactor {
    return new RequestRedactor(this.names, new SecretValues(), this.#caches)
  }

  /** Also hides the values of secret names in JSON and similar strings. The log does not, because `"token": "x"` can be part of a message. */
  override hide(text: string): string {
    const withoutValues = this.values.hide(text)
    const redacted = this.names.mayContain(withoutValues) ? this.#hideNamed(withoutValues) : withoutValues
    // A concatenated string would keep the original in memory.
    return redacted === text ? text : detachString(redacted)
  }

  #hideNamed(text: string): string {
    const withoutNamed = hideNamed(this.names.hideForms(text), (name) => this.names.isKey(name))
    return this.names.hidePairs(withoutNamed)
  }

  /** Collects the secrets of headers and query once, and the secrets of the body when it is available. */
  gather({ params, headers, query, body }: TrailSources): void {
    this.gatherParams(params)
    if (!this.#hasHeaders) {
      this.#hasHeaders = true
      this.gatherHeaders(Object.entries(headers))
      this.gatherQuery(query)
    }
    if (this.#hasBody || body === null) return
    this.#hasBody = true
    this.gatherBody(headers['content-type'], body)
  }

  /** Collects the secrets of the response, such as new tokens and cookies. */
  gatherResponse({ headers, payload }: RecordedResponse): void {
    this.gatherHeaders(headers)
    this.gatherBody(headers.get('content-type') ?? payload.type, payload.data)
  }

  /** Does the same as `hide`, and also hides the rest of lines that start with a secret name, as in YAML. */
  lines(text: string): string {
    return this.hide(hideLines(text, (name) => this.names.isHeader(name)))
  }

  query(query: string): string {
    const pairs = query.split('&').map((pair) => this.#pair(pair))
    return pairs.join('&')
  }

  #pair(pair: string): string {
    const end = pair.indexOf('=')
    if (end < 0) return this.encoded(pair)
    const name = pair.slice(0, end)
    const value = decodeUrlEncoded(pair.slice(end + 1))
    const plain = decodeUrlEncoded(name)
    // Each part of `user[password]` can be a secret name.
    const isSecret = this.names.isQuery(plain) || plain.split(/[[\].]/).some((part) => this.names.isKey(part))
    return isSecret || this.hide(value) !== value ? `${name}=${REDACTED}` : pair
  }

  /** Returns a percent-encoded string unchanged if it contains no secrets, otherwise decoded and with the secrets replaced. */
  encoded(text: string): string {
    const plain = decodeUrlEncoded(text)
    const hidden = this.hide(plain)
    return hidden === plain ? text : hidden
  }

  headers(headers: Iterable<readonly [string, string | undefined]>): HeaderList {
    const list: Header[] = []
    for (const [name, value] of headers) if (value !== undefined) list.push(this.#header(name, value))
    return this.#shared(list)
  }

  /** Does the same for names and values that alternate. */
  headerLines(lines: readonly string[]): HeaderList {
    const list: Header[] = []
    for (let index = 1; index < lines.length; index += 2) {
      // Proof: the index is below the length.
      list.push(this.#header(lines[index - 1] as string, lines[index] as string))
    }
    return this.#shared(list)
  }

  /** Returns the lines of the last request if they are the same. */
  #shared(list: readonly Header[]): HeaderList {
    const { lists } = this.#caches
    const before = lists.get(list.length)
    if (before?.every((line, index) => line === list[index]) === true) return before
    // A list that has grown has room for more lines, but its copy has not.
    const copy = [...list]
    if (list.length <= MAX_SHARED_LINES) lists.set(list.length, copy)
    return copy
  }

  #header(name: string, value: string): Header {
    const before = this.#caches.headers.get(name)
    if (before?.isSecret === true || (before?.line[1] === value && this.values.hide(value) === value))
      return before.line
    const isSecret = this.names.isHeader(name) || name === TOKEN_HEADER
    const hidden = isSecret ? REDACTED : this.known(value, MAX_HEADER_LENGTH)
    const line = [cut(name, MAX_HEADER_NAME_LENGTH), hidden] as const
    // A value that was changed contained a secret, or is too long.
    if (isSecret || hidden === value) this.#keep(name, { isSecret, line })
    return line
  }

  #keep(name: string, header: KnownHeader): void {
    const { headers } = this.#caches
    if (name !== header.line[0] || header.line[1].length > MAX_KNOWN_LENGTH) return
    if (headers.size >= MAX_KNOWN) headers.clear()
    headers.set(header.line[0], header)
  }

  /** Cuts a string and hides its secrets, with a cache for strings that are likely to occur again. Returns a copy. */
  known(whole: string, maxLength: number = Infinity): string {
    const text = whole.length <= maxLength ? whole : cutToLength(whole, maxLength)
    // All requests share the cache, so a string with a secret value of this request is not cached.
    if (this.values.hide(text) !== text) return this.hide(text)
    const { texts } = this.#caches
    const cached = texts.get(text)
    if (cached !== undefined) return cached
    const hidden = this.hide(text)
    // Secrets must not be stored, so a string with a secret is not cached.
    if (hidden !== text) return hidden
    const copy = detachString(text)
    if (text.length > MAX_KNOWN_LENGTH) return copy
    if (texts.size >= MAX_KNOWN) texts.clear()
    texts.set(copy, copy)
    return copy
  }

  /** Returns JSON unchanged if it contains no secrets, otherwise serialized without them; `null` if it is malformed. */
  json(text: string): string | null {
    try {
      const parsed: unknown = JSON.parse(text)
      const original = JSON.stringify(parsed)
      // Serializing it with a function calls it for each value, so it is used only if there is a secret.
      const redacted = this.#isPublic(parsed)
        ? original
        : JSON.stringify(parsed, (_key, value: unknown) => this.#redact(value))
      // If a name occurs twice, `parse` returns only the second value, so the string is also checked.
      return redacted === original && (original === text || this.hide(text) === text) ? text : redacted
    } catch {
      return null
    }
  }

  /** Whether `#redact` would return an equal value. */
  #isPublic(value: unknown): boolean {
    if (typeof value === 'string') return this.hide(value) === value
    if (!isObject(value)) return !this.values.isNumber(value)
    if (Array.isArray(value)) return value.every((entry) => this.#isPublic(entry))
    for (const name of Object.keys(value)) {
      if (this.names.isKey(name) || this.values.hide(name) !== name || !this.#isPublic(value[name])) return false
    }
    return true
  }

  #redact(value: unknown): unknown {
    if (this.values.isNumber(value)) return REDACTED
    if (typeof value === 'string') return this.hide(value)
    if (!isRecord(value)) return value
    // A client can send a secret as a property name.
    const members = Object.entries(value).map(([name, member]) => {
      return [this.values.hide(name), this.names.isKey(name) ? REDACTED : member] as const
    })
    return Object.fromEntries(members)
  }

  /** Copies a value without its secrets, up to 6 levels and 100 values. Runs no code of the app. */
  value(value: unknown): unknown {
    return redact(value, this, 'body', { deepest: 6, most: 100, longest: 300, isPassive: true })
  }

  path(path: string, params: Readonly<Record<string, string>>, template: string | null): string {
    if (template !== null && Object.keys(params).some((name) => this.names.isKey(name))) return template
    if (!path.includes('%')) return this.known(path)
    const encodedPath = this.encoded(path)
    return encodedPath === path ? detachString(path) : (template ?? encodedPath)
  }

  params(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const entries = Object.entries(params)
    if (entries.length === 0) return NO_PARAMS
    const redacted = entries.map(([name, value]) => {
      return [name, this.names.isKey(name) ? REDACTED : cut(this.hide(value), MAX_PARAM_LENGTH)] as const
    })
    return Object.fromEntries(redacted)
  }
}
