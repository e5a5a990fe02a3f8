/** Hides secrets in the log lines of one request: by the names and patterns of the app, and by the secret values of the request. */
import { isObject } from '../values/objects.js'
import { valueOr } from '../values/quietly.js'
import type { RequestEnd, RequestInput, SentHead } from '../observe/event-types.js'
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

export class SecretCollector implements Redaction {
  readonly values: SecretValues = new SecretValues()
  readonly names: Secrets

  constructor(names: Secrets) {
    this.names = names
  }

  hide(text: string): string {
    return this.names.hide(this.values.hide(text))
  }

  gather({ exchange, query }: SentHead): void {
    gatherFields(Object.entries(exchange.headers()), this)
    gatherQuery(query, this)
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

  error(error: unknown): unknown {
    return hideInError(error, (text) => this.hide(text))
  }
}

/** Maximum number of objects and arrays to search in a JSON string. */
const MAX_VALUES = 10_000
type SecretGathering = Pick<Redaction, 'names' | 'values'>

/** Adds the secrets of headers. Cookies are added one by one. */
export function gatherFields(fields: Iterable<readonly [string, unknown]>, { names, values }: SecretGathering): void {
  for (const [name, value] of fields) {
    if (typeof value !== 'string') continue
    if (name === 'cookie') for (const pair of value.split(';')) gatherCookie(pair, { names, values })
    // Attributes of a cookie are not secret.
    else if (name === 'set-cookie')
      for (const [pair] of value.matchAll(/^[^;\n]*/gm)) gatherCookie(pair, { names, values })
    else if (names.isHeader(name)) values.addField(value)
  }
}

function gatherCookie(pair: string, { names, values }: SecretGathering): void {
  const end = pair.indexOf('=')
  const isNamed = names.isCookie(pair.slice(0, Math.max(0, end)).trim())
  const value = pair.slice(end + 1).trim()
  values.addCookie(value, isNamed)
  if (value.includes('%')) values.addCookie(decodeUrlEncoded(value), isNamed)
}

/** Adds the secrets of a query string or a URL-encoded form. */
export function gatherQuery(query: string, { names, values }: SecretGathering): void {
  for (const pair of query.split('&')) {
    const end = pair.indexOf('=')
    if (end > 0 && names.isQuery(decodeUrlEncoded(pair.slice(0, end))))
      values.add(decodeUrlEncoded(pair.slice(end + 1)))
  }
}

/** Adds the secrets of a JSON string, at any depth. Ignores malformed JSON. */
export function gatherJson(text: string, gathering: SecretGathering): void {
  // A list instead of recursion, because deeply nested JSON would overflow the stack.
  const open = [valueOr<unknown>(() => JSON.parse(text), undefined)].filter(isObject)
  for (const [index, holder] of open.entries()) if (index < MAX_VALUES) gatherMembers(holder, open, gathering)
}

function gatherMembers(holder: object, open: object[], { names, values }: SecretGathering): void {
  const isList = Array.isArray(holder)
  for (const [key, value] of Object.entries(holder)) {
    if (!isList && names.isKey(key)) values.add(value)
    else if (isObject(value)) open.push(value)
  }
}
