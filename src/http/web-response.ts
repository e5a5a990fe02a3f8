/** Web responses (WHATWG Fetch) of Node, of other libraries and of other realms. */
import { webIterator } from './chunks.js'
import { applyChanges, NO_FIELDS, toHeaderChanges, type HeaderMap } from './fields.js'
import { isObject } from '../values/objects.js'

/** Members that Verbena reads from a web response. */
export interface WebResponse {
  /** HTTP status. */
  readonly status: number
  /** Pairs of names and values; each cookie is a separate pair. */
  readonly headers: Iterable<readonly [name: string, value: string]>
  /** Web stream, Node stream or async iterable of the content; `null` without content. */
  readonly body: object | null
  /** `default` unless `fetch` has created the response. Some libraries omit it. */
  readonly type?: string
}

/** Checks the tag, because libraries and realms have other classes, and referring to Node's class loads its HTTP client (20 ms, 5 MB). */
export function isWebResponse(value: unknown): value is WebResponse {
  if (!isObject(value) || Reflect.get(value, Symbol.toStringTag) !== 'Response') return false
  return 'status' in value && 'headers' in value && 'body' in value
}

/** Throws for a status that is not final, such as the 0 of `Response.error()`. */
export function readWebResponse({ status, headers, body, type = 'default' }: WebResponse): WebParts {
  if (!(status >= 200)) throw new TypeError(`Cannot respond with ${describeResponse(type)}: its status is ${status}`)
  const isFetched = type !== 'default'
  const lines = [...headers]
  const isDecoded = isFetched && lines.some(([name]) => name === 'content-encoding')
  const connectionHeaders = isFetched ? listConnectionHeaders(lines) : NO_NAMES
  const changes = lines
    .filter(([name]) => !connectionHeaders.has(name) && !(isDecoded && CODING_HEADERS.has(name)))
    .flatMap(([name, value]) => toHeaderChanges({ [name]: value }))
  return { status, headers: applyChanges(NO_FIELDS, changes), body: body === null ? null : webBody(body, isFetched) }
}

function describeResponse(type: string): string {
  return type === 'error' ? '"Response.error()"' : 'a web response'
}

interface WebParts {
  readonly status: number
  readonly headers: HeaderMap
  readonly body: object | null
}

/** `fetch` has already decoded the content, so these headers describe other bytes. */
const CODING_HEADERS: ReadonlySet<string> = new Set(['content-encoding', 'content-length'])
const CONNECTION_HEADERS = [
  'transfer-encoding',
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'upgrade',
]
const NO_NAMES: ReadonlySet<string> = new Set()

/** Returns headers of the connection of `fetch`, including options of `Connection` (RFC 9110 section 7.6.1). */
function listConnectionHeaders(lines: readonly (readonly [name: string, value: string])[]): ReadonlySet<string> {
  const options = lines.flatMap(([name, value]) => (name === 'connection' ? value.toLowerCase().split(',') : []))
  return new Set([...CONNECTION_HEADERS, ...options.map((option) => option.trim())])
}

/** The stream of `fetch` can be canceled during a read, and must be, so that the request ends. */
function webBody(body: object, isFetched: boolean): object {
  if (!isFetched || !(body instanceof ReadableStream)) return body
  return { [Symbol.asyncIterator]: () => webIterator(body, false) }
}
