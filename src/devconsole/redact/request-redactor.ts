/** Hides secrets in all data of a request before the console stores it. A secret that is not stored cannot leak. */
import { detachString } from '../../secrets/detach-string.js'
import type { RecordedResponse, TrailSources } from '../../observe/request-recorder.js'
import { redact } from '../../secrets/redact.js'
import { RequestSecrets } from '../../secrets/request-secrets.js'
import { decodeUrlEncoded, REDACTED } from '../../secrets/secret-forms.js'
import { SecretValues } from '../../secrets/secret-values.js'
import type { Secrets } from '../../secrets/secrets.js'
import { isRecord } from '../../values/objects.js'
import { cutToLength, cut } from './cut.js'
import { hideLines, hideNamed } from './named-secrets.js'
import { TOKEN_HEADER, type HeaderList } from '../wire/request-types.js'

/** Maximum number and length of cached strings, such as header values that occur in many requests. */
const MAX_KNOWN = 1_000
const MAX_KNOWN_LENGTH = 300
const MAX_HEADER_NAME_LENGTH = 200
const MAX_PARAM_LENGTH = 1_000
const MAX_HEADER_LENGTH = 4_096

export class RequestRedactor extends RequestSecrets {
  readonly #known: Map<string, string>
  #hasHeaders = false
  #hasBody = false

  /** Creates the redactor that all requests share. It remembers no values. */
  constructor(names: Secrets, values: SecretValues = new SecretValues(0), known: Map<string, string> = new Map()) {
    super(names, values)
    this.#known = known
  }

  /** Creates a redactor for one request, which hides values of secret names everywhere in the request. */
  ofRequest(): RequestRedactor {
    return new RequestRedactor(this.names, new SecretValues(), this.#known)
  }

  /** Also hides the values of secret names in JSON and similar strings. The log does not, because `"token": "x"` can be part of a message. */
  override hide(text: string): string {
    const withoutNamed = hideNamed(this.names.hideForms(this.values.hide(text)), (name) => this.names.isKey(name))
    const redacted = this.names.hidePairs(withoutNamed)
    // A concatenated string would keep the original in memory.
    return redacted === text ? text : detachString(redacted)
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
    const list: (readonly [string, string])[] = []
    for (const [name, value] of headers) {
      if (value === undefined) continue
      const isSecret = this.names.isHeader(name) || name === TOKEN_HEADER
      list.push([
        cut(name, MAX_HEADER_NAME_LENGTH),
        isSecret ? REDACTED : this.known(cutToLength(value, MAX_HEADER_LENGTH)),
      ])
    }
    return list
  }

  /** Does the same as `hide`, with a cache for strings that are likely to occur again. */
  known(text: string): string {
    // All requests share the cache, so a string with a secret value of this request is not cached.
    if (this.values.hide(text) !== text) return this.hide(text)
    const cached = this.#known.get(text)
    if (cached !== undefined) return cached
    const hidden = this.hide(text)
    // Secrets must not be stored, so a string with a secret is not cached.
    if (text.length > MAX_KNOWN_LENGTH || hidden !== text) return hidden
    if (this.#known.size >= MAX_KNOWN) this.#known.clear()
    const copy = detachString(text)
    this.#known.set(copy, copy)
    return copy
  }

  /** Returns JSON unchanged if it contains no secrets, otherwise serialized without them; `null` if it is malformed. */
  json(text: string): string | null {
    try {
      const parsed: unknown = JSON.parse(text)
      const original = JSON.stringify(parsed)
      const redacted = JSON.stringify(parsed, (_key, value: unknown) => this.#redact(value))
      // If a name occurs twice, `parse` returns only the second value, so the string is also checked.
      return redacted === original && (original === text || this.hide(text) === text) ? text : redacted
    } catch {
      return null
    }
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
    return encodedPath === path ? path : (template ?? encodedPath)
  }

  params(params: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const redacted = Object.entries(params).map(([name, value]) => {
      return [name, this.names.isKey(name) ? REDACTED : cut(this.hide(value), MAX_PARAM_LENGTH)] as const
    })
    return Object.fromEntries(redacted)
  }
}
