/** Collects the secret values of one request, and hides them in strings, copies and errors, for logs and the console. */
import { Buffer } from 'node:buffer'
import { isObject, type UnknownRecord } from '../values/objects.js'
import { valueOr } from '../values/value-or.js'
import type { RequestEnd, RequestInput } from '../observe/event-types.js'
import { hideInError } from './hide-in-error.js'
import { redact, type Redaction } from './redact.js'
import { decodeUrlEncoded } from './secret-forms.js'
import { SecretValues } from './secret-values.js'
import type { Secrets } from './secrets.js'

export interface CallCopies {
  readonly input: object
  readonly output: unknown
}

const SOURCES = ['params', 'query', 'headers', 'cookies', 'body'] as const
/** Maximum size of a body to search. */
const MAX_BODY_SIZE = 64 * 1024
/** Maximum number of objects and arrays to search in a JSON string. */
const MAX_VALUES = 10_000
const FORM = /^application\/x-www-form-urlencoded/i
const JSON_TYPE = /[/+]json/i

export class RequestSecrets implements Redaction {
  readonly names: Secrets
  readonly values: SecretValues

  constructor(names: Secrets, values: SecretValues = new SecretValues()) {
    this.names = names
    this.values = values
  }

  hide(text: string): string {
    return this.names.hide(this.values.hide(text))
  }

  error(error: unknown): unknown {
    return hideInError(error, (text) => this.hide(text))
  }

  /** Copies the input, and the output if `isWhole`. Copies again if it found secrets, because they can also be in parts copied before. */
  copy(call: Pick<RequestEnd, 'input' | 'output'>, isWhole: boolean): CallCopies {
    const copy = (): CallCopies => ({
      input: this.#copyInput(call.input),
      output: isWhole ? redact(call.output, this) : undefined,
    })
    const first = copy()
    return this.values.size === 0 ? first : copy()
  }

  #copyInput(input: RequestInput): object {
    const sources = SOURCES.filter((source) => input[source] !== undefined)
    return Object.fromEntries(sources.map((source) => [source, redact(input[source], this, source)]))
  }

  /** All cookie values are hidden, because any cookie can contain a session. */
  isSecret(source: keyof RequestInput, name: string): boolean {
    if (source === 'query') return this.names.isQuery(name)
    if (source === 'headers') return this.names.isHeader(name)
    return source === 'cookies' || this.names.isKey(name)
  }

  remember(source: keyof RequestInput, name: string, value: unknown): void {
    if (source === 'headers') this.values.addField(value)
    else if (source === 'cookies') this.values.addCookie(value, this.names.isCookie(name))
    else this.values.add(value)
  }

  #gather(source: keyof RequestInput, name: string, value: unknown): void {
    if (this.isSecret(source, name)) this.remember(source, name, value)
  }

  gatherParams(params: Readonly<Record<string, string>>): void {
    for (const [name, value] of Object.entries(params)) this.#gather('params', name, value)
  }

  /** Adds the secrets of headers. Cookies are added one by one. */
  gatherHeaders(headers: Iterable<readonly [string, unknown]>): void {
    for (const [name, value] of headers) {
      if (typeof value !== 'string') continue
      if (name === 'cookie') for (const pair of value.split(';')) this.#gatherCookie(pair)
      // Attributes of a cookie are not secret.
      else if (name === 'set-cookie') for (const [pair] of value.matchAll(/^[^;\n]*/gm)) this.#gatherCookie(pair)
      else this.#gather('headers', name, value)
    }
  }

  #gatherCookie(pair: string): void {
    const end = pair.indexOf('=')
    const name = pair.slice(0, Math.max(0, end)).trim()
    const sentValue = pair.slice(end + 1).trim()
    // The app reads the value without its quotes.
    const value = /^".*"$/.test(sentValue) ? sentValue.slice(1, -1) : sentValue
    this.#gather('cookies', name, value)
    if (value.includes('%')) this.#gather('cookies', name, decodeUrlEncoded(value))
  }

  /** Adds the secrets of a query string or a URL-encoded form. */
  gatherQuery(query: string): void {
    for (const pair of query.split('&')) {
      const end = pair.indexOf('=')
      if (end > 0) this.#gather('query', decodeUrlEncoded(pair.slice(0, end)), decodeUrlEncoded(pair.slice(end + 1)))
    }
  }

  /** Adds the secrets of a form or JSON of at most 64 kB. Ignores other bodies. */
  gatherBody(type: string | undefined, data: unknown): void {
    if (type === undefined || (typeof data !== 'string' && !(data instanceof Uint8Array))) return
    if (data.length > MAX_BODY_SIZE) return
    if (FORM.test(type)) this.gatherQuery(decodeData(data))
    else if (JSON_TYPE.test(type)) this.#gatherJson(decodeData(data))
  }

  /** Adds the secrets of a JSON string, at any depth. Ignores malformed JSON. */
  #gatherJson(text: string): void {
    // A list instead of recursion, because deeply nested JSON would overflow the stack.
    const open = [valueOr<unknown>(() => JSON.parse(text), undefined)].filter(isObject)
    for (const [index, holder] of open.entries()) {
      if (index >= MAX_VALUES) return
      if (Array.isArray(holder)) for (const entry of holder.filter(isObject)) open.push(entry)
      else this.#gatherMembers(holder, open)
    }
  }

  #gatherMembers(holder: UnknownRecord, open: UnknownRecord[]): void {
    for (const key of Object.keys(holder)) {
      const value = holder[key]
      if (this.isSecret('body', key)) this.remember('body', key, value)
      else if (isObject(value)) open.push(value)
    }
  }
}

function decodeData(data: string | Uint8Array): string {
  return typeof data === 'string' ? data : Buffer.from(data.buffer, data.byteOffset, data.byteLength).toString()
}
