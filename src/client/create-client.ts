/** `createClient`: the typed client at run time. It contains no code of the app. Only types connect paths with contracts. */
import type { Verb } from '../http/methods.js'
import type { CallOptions, Client, HeaderValues } from './client-types.js'
import { readJsonItems, toLines } from './json-lines.js'
import { readEvents } from './read-events.js'
import { readChunks } from './read-lines.js'
import { keepConnected, type ReadResponse, type ReconnectOptions, type StreamPosition } from './reconnect.js'

/** Error of a request whose response has a status below 400 and a JSON media type, but a body that is not JSON. */
export interface UnreadableResponse extends Error {
  /** Status of the response. */
  readonly status: number
  /** Headers of the response. */
  readonly headers: Headers
  /** The body. */
  readonly text: string
  /** The `SyntaxError` of `JSON.parse`. */
  readonly cause: SyntaxError
}

/** Options of `createClient`. */
export interface ClientOptions {
  /** Function that sends requests; default: the global `fetch`. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Headers of every request. Headers of a single request replace them. */
  readonly headers?: HeaderValues
}

/**
 * Creates a typed client of an app: `createClient<typeof app>(…)`. Import `app` as a type, so that no code of the app is included.
 *
 * A request resolves to `{ ok, status, body, headers }`; `ok` is false if the status is 400 or above. Without a response, it rejects with
 * the error of `fetch`, the reason of `signal`, or a `TimeoutError`. If a successful response has invalid JSON, it rejects with an
 * `UnreadableResponse`.
 *
 * @param baseUrl URL of the API, such as `https://example.com/api`; in browsers also a path
 * @param options `fetch` function, and headers of every request
 * @returns a function that returns the endpoints of a path
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { createClient } from 'verbena/client'
 *
 * class UserById extends Route {
 *   static readonly path = '/users/{id}'
 *   static readonly get = this.contract({ errors: [404] })
 *   async get({ params }: Input<typeof UserById.get>) {
 *     return { id: params.id }
 *   }
 * }
 * await using app = createApp({ routes: { UserById }, logger: false })
 * const { url } = await app.listen()
 *
 * const api = createClient<typeof app>(url)
 * const answer = await api('/users/{id}').get({ params: { id: 'ada' } })
 * answer.ok && answer.body.id // => 'ada'
 * ```
 */
export function createClient<A>(baseUrl: string, { fetch: send, headers }: ClientOptions = {}): Client<A> {
  const endpoint =
    (target: EndpointTarget) =>
    async (options: UntypedCallOptions = {}): Promise<ReadResponse> => {
      const { as, errorEvent = 'error', reconnect, signal, timeout } = options
      const exchange = async (limit: AbortSignal, position: StreamPosition): Promise<ReadResponse> => {
        const request = makeRequest(target, headers, options, limit)
        setPosition(request.headers, position)
        const response = await (send ?? fetch)(request)
        return readClientResponse(response, as, (body) => readEvents(body, position, errorEvent))
      }
      if (reconnect) return keepConnected(exchange, { ...options, reconnect })
      return exchange(AbortSignal.any([signal ?? [], timeout ? AbortSignal.timeout(timeout) : []].flat()), { tries: 0 })
    }
  const base = baseUrl.replace(/(?<!\/)\/+$/, '')
  const endpoints = (path: string): unknown =>
    Object.fromEntries(VERBS.map((verb) => [verb, endpoint({ url: base + path, method: verb.toUpperCase() })]))
  // Proof: `Client` describes the app that you name as the type argument. It cannot be checked that this app is at the URL.
  return endpoints as Client<A>
}

// An object, so that TypeScript reports a missing verb.
const VERBS = Object.keys({ get: 0, post: 0, put: 0, patch: 0, delete: 0, query: 0 } satisfies Record<Verb, 0>)

/** An endpoint: its URL with the template of the path, and its method. */
type EndpointTarget = Readonly<Record<'url' | 'method', string>>

/** Options of a request to any endpoint. */
interface UntypedCallOptions extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly as?: 'text' | 'bytes' | 'stream'
  readonly errorEvent?: string
  readonly reconnect?: boolean | ReconnectOptions
}

/** `BodyInit` of the Fetch standard. */
type WebBody = NonNullable<ConstructorParameters<typeof Response>[0]>

/** Bodies that are sent without conversion. */
type RequestBytes = Extract<WebBody, Blob | ArrayBuffer | ArrayBufferView | ReadableStream>

const CONTENT_TYPE = 'content-type'
const LAST_EVENT_ID = 'last-event-id'
const JSON_TYPE = 'application/json'
/** JSON Lines has no registered media type. Servers use each of these. */
const LINES_TYPE = /jsonl|ndjson/

function makeRequest(
  { url, method }: EndpointTarget,
  common: HeaderValues | undefined,
  options: UntypedCallOptions,
  signal: AbortSignal,
): Request {
  const { params = {} } = options
  const headers = new Headers()
  for (const values of [common, options.headers]) {
    for (const [name, value] of Object.entries(values ?? {})) setHeader(headers, name, value)
  }
  const query = `${new URLSearchParams(toQueryEntries(options.query))}`
  const body = encodeBody(options.body, headers, signal)
  return new Request(fillPath(url, params) + (query && `?${query}`), {
    ...{ method, headers, body, signal },
    // `fetch` requires it for a body that is a stream.
    duplex: 'half',
  })
}

/** Sets `Last-Event-ID`, whose value is UTF-8. An empty id clears the last one, so the header is omitted. */
function setPosition(headers: Headers, { id }: StreamPosition): void {
  if (id === undefined) return
  headers.delete(LAST_EVENT_ID)
  if (id) headers.set(LAST_EVENT_ID, String.fromCharCode(...new TextEncoder().encode(id)))
}

/** Sets a header; separates the items of an array by commas. Throws for an item that would arrive as another list. */
function setHeader(headers: Headers, name: string, value: unknown): void {
  const items = toTexts(value)
  const wrong = items.find((item) => /,|^[\t ]|^$|[\t ]$/.test(item))
  if (Array.isArray(value) && wrong !== undefined) {
    throw new TypeError(`Cannot send "${name}": the item "${wrong}" has a comma or outer blanks, or is empty`)
  }
  if (items[0] !== undefined) headers.set(name, items.join())
}

/**
 * Fills the template of a path; separates the items of an array by commas. Throws for an empty segment or item, `.` and `..`, because
 * clients remove them from URLs.
 */
function fillPath(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replace(/{([^.{}]+)(\.*)}/g, (_, name: string, dots: string) => {
    const items = toTexts(params[name])
    const text = items.join()
    const parts = dots ? text.split('/') : items
    if (parts.every(Boolean) && (dots ? parts : [text]).every((part) => /[^.]|\.{3}/.test(part))) {
      return parts.map(encodeURIComponent).join(dots ? '/' : ',')
    }
    throw new TypeError(`Cannot fill "${name}": "${text}" is not a path segment`)
  })
}

/** Converts an object to name-value pairs: repeats names for arrays. */
function toQueryEntries(values: object = {}): [name: string, text: string][] {
  return Object.entries(values).flatMap(([name, value]) => toTexts(value).map((text): [string, string] => [name, text]))
}

/** Converts a value, or the items of an array: omits `null` and `undefined`, and formats dates as in JSON. */
function toTexts(value: unknown): string[] {
  return isPresent(value).map((each) => `${Object(each).toJSON?.() ?? each}`)
}

/** Returns a value, or the items of an array, without `null` and `undefined`. */
function isPresent<T>(value: T): NonNullable<T extends readonly (infer Item)[] ? Item : T>[] {
  return [value].flat().flatMap((each) => each ?? [])
}

/** Converts a body to JSON, unless its type or the content-type header requires another format. Sets that header. */
function encodeBody(value: unknown, headers: Headers, signal: AbortSignal): WebBody | null {
  if (value === undefined) return null
  const isParts = headers.get(CONTENT_TYPE) === 'multipart/form-data' && !(value instanceof FormData)
  const form = isParts ? toFormData(Object(value)) : value
  if (form instanceof FormData || form instanceof URLSearchParams) {
    // `Request` adds the media type, because it chooses the boundary of a form.
    headers.delete(CONTENT_TYPE)
    return form
  }
  const isRaw = isBytes(value)
  const type = headers.get(CONTENT_TYPE) ?? (isRaw ? typeOfBytes(value) : JSON_TYPE)
  headers.set(CONTENT_TYPE, type)
  if (isRaw) return value
  if (LINES_TYPE.test(type)) return toLines(Object(value), signal)
  if (type.includes('json')) return JSON.stringify(value)
  // Proof: the types require a string if the media type is neither JSON nor a form.
  return type.includes('urlencoded') ? new URLSearchParams(toQueryEntries(Object(value))) : (value as string)
}

/** Builds the form for a `multipart` body. Values that text cannot express become JSON parts. */
function toFormData({ fields = {}, files = {} }: { fields?: object; files?: Record<string, Blob | Blob[]> }): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    const isJson = [value].flat().some((each) => isStructured(each?.toJSON?.() ?? each))
    if (isJson) form.append(name, new Blob([JSON.stringify(value)], { type: JSON_TYPE }))
    else for (const text of toQueryEntries({ [name]: value })) form.append(...text)
  }
  for (const [name, value] of Object.entries(files)) for (const file of isPresent(value)) form.append(name, file)
  return form
}

function isStructured(value: unknown): boolean {
  return value === Object(value)
}

function isBytes(value: unknown): value is RequestBytes {
  return ArrayBuffer.isView(value) || [Blob, ArrayBuffer, ReadableStream].some((kind) => value instanceof kind)
}

function typeOfBytes(value: RequestBytes): string {
  return (value instanceof Blob && value.type) || 'application/octet-stream'
}

type EventReader = (body: ReadableStream<Uint8Array>) => AsyncIterable<object>

/** Reads a response. A stream is returned before it is complete. */
async function readClientResponse(
  response: Response,
  as: UntypedCallOptions['as'],
  readAsEvents: EventReader,
): Promise<ReadResponse> {
  const { status, headers, body } = response
  const type = headers.get(CONTENT_TYPE) ?? ''
  const ok = status < 400
  const kind = LINES_TYPE.test(type) ? 'lines' : /^text(\/event)?|json/.exec(type)?.[0]
  // `as` applies to successful responses. The format of an error depends on its media type.
  const form = ok ? as || kind : kind || as
  return { ok, status, body: body && type ? await readClientBody(response, body, form, readAsEvents) : null, headers }
}

async function readClientBody(
  response: Response,
  body: ReadableStream<Uint8Array>,
  form: string | undefined,
  readAsEvents: EventReader,
): Promise<unknown> {
  if (form === 'stream') return readChunks(body)
  if (form === 'text/event') return readAsEvents(body)
  if (form === 'lines') return readJsonItems(body)
  if (form === 'text') return response.text()
  if (form === 'json') return readJson(response)
  return new Uint8Array(await response.arrayBuffer())
}

/** Parses JSON. Returns an error body as a string if it is invalid, because gateways often send a page or nothing as JSON. */
async function readJson(response: Response): Promise<unknown> {
  const { status, headers } = response
  const text = await response.text()
  try {
    return JSON.parse(text)
  } catch (cause) {
    if (status > 399) return text || null
    const error = new Error(`Cannot read the response with status ${status}: its body is not JSON`, { cause })
    throw Object.assign(error, { status, headers, text })
  }
}
