/** `createClient`: the typed client at run time. It knows nothing of the app: types alone lead from paths to contracts. */
import type { CallOptions, Client, HeaderValues } from './client-types.js'

/** Error of a call whose response has a status below 400, and says that it is JSON but is not. */
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

/** What a client does with every call. */
export interface ClientOptions {
  /** Sends requests; the `fetch` of the platform unless given. */
  readonly fetch?: (request: Request) => Promise<Response>
  /** Header fields of every call; those of a call replace them. */
  readonly headers?: HeaderValues
}

/**
 * Makes a typed client of an app: `createClient<typeof app>(…)`, where `app` is imported as a type. Nothing of the app comes along.
 *
 * A call gives `{ ok, status, body, headers }`; `ok` is false from status 400 on. It fails where there is no answer:
 * with what `fetch` fails with, with the reason of `signal`, or with a `TimeoutError`. A successful response whose JSON cannot be parsed
 * is an `UnreadableResponse`.
 *
 * @param baseUrl where the API is, such as `https://example.com/api`; in browsers also a path
 * @param options how requests are sent, and header fields of all of them
 * @returns a function from the paths of the app to their endpoints
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
    (url: string, method: string) =>
    async (given: UntypedCallOptions = {}) =>
      readClientResponse(await (send ?? fetch)(makeRequest(url, method, headers, given)), given.as)
  const base = baseUrl.replace(/\/+$/, '')
  const endpoints = (path: string): unknown =>
    Object.fromEntries(VERBS.map((verb) => [verb, endpoint(base + path, verb.toUpperCase())]))
  // Proof: `Client` says of this function what the app behind the URL answers; that it is this app is its user's word.
  return endpoints as Client<A>
}

const VERBS: readonly string[] = 'get post put patch delete'.split(' ')

/** What a call may be given, whatever its contract. */
interface UntypedCallOptions extends CallOptions {
  readonly params?: Readonly<Record<string, unknown>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
  readonly as?: 'text' | 'bytes' | 'stream'
}

/** Bodies of the Fetch standard. */
type WebBody = NonNullable<ConstructorParameters<typeof Response>[0]>

/** Bodies that are sent as they are. */
type RequestBytes = Extract<WebBody, Blob | ArrayBuffer | ArrayBufferView | ReadableStream>

const CONTENT_TYPE = 'content-type'
const JSON_TYPE = 'application/json'

/** The header fields of a call replace those of the client. */
function makeRequest(
  url: string,
  method: string,
  common: HeaderValues | undefined,
  given: UntypedCallOptions,
): Request {
  const { params = {}, signal, timeout } = given
  const headers = new Headers()
  for (const [name, text] of [...toQueryEntries(common), ...toQueryEntries(given.headers)]) headers.set(name, text)
  const query = `${new URLSearchParams(toQueryEntries(given.query))}`
  const body = encodeBody(given.body, headers)
  return new Request(fillPath(url, params) + (query && `?${query}`), {
    ...{ method, headers, body },
    signal: AbortSignal.any([signal ?? [], timeout ? AbortSignal.timeout(timeout) : []].flat()),
    // A stream as a body needs it.
    duplex: 'half',
  })
}

/** A segment that is empty or made of dots would be taken out of the URL, and lead to another path. */
function fillPath(template: string, params: Readonly<Record<string, unknown>>): string {
  return template.replace(/{([^.}]+)(\.*)}/g, (_, name: string, dots: string) => {
    const value = `${params[name] ?? ''}`
    const parts = dots ? value.split('/') : [value]
    if (parts.every((part) => /[^.]|\.{3}/.test(part))) return parts.map(encodeURIComponent).join('/')
    throw new TypeError(`Cannot fill "${name}": "${value}" leads elsewhere`)
  })
}

/** What is not there is left out, lists are repeated names, and dates are written as in JSON. */
function toQueryEntries(values: object = {}): [name: string, text: string][] {
  return Object.entries(values).flatMap(([name, value]) =>
    present(value).map((each): [string, string] => [name, `${each.toJSON?.() ?? each}`]),
  )
}

/** A value, or those of an array, without `null` and `undefined`. */
function present<T>(value: T): NonNullable<T extends readonly (infer Item)[] ? Item : T>[] {
  return [value].flat().flatMap((each) => each ?? [])
}

/** JSON, unless the value or the media type says something else. */
function encodeBody(value: unknown, headers: Headers): WebBody | null {
  if (value === undefined) return null
  const isParts = headers.get(CONTENT_TYPE) === 'multipart/form-data' && !(value instanceof FormData)
  const form = isParts ? toFormData(Object(value)) : value
  if (form instanceof FormData || form instanceof URLSearchParams) {
    // Only the platform knows the boundary of a form, which stands in its media type.
    headers.delete(CONTENT_TYPE)
    return form
  }
  const isRaw = isBytes(value)
  const type = headers.get(CONTENT_TYPE) ?? (isRaw ? typeOfBytes(value) : JSON_TYPE)
  headers.set(CONTENT_TYPE, type)
  if (isRaw) return value
  if (type.includes('json')) return JSON.stringify(value)
  // Proof: by its type a call gives a text where it names a media type that is neither JSON nor a form.
  return type.includes('urlencoded') ? new URLSearchParams(toQueryEntries(Object(value))) : (value as string)
}

/** Of fields and files by name, as `multipart` has them. What text cannot express is a part of JSON. */
function toFormData({ fields = {}, files = {} }: { fields?: object; files?: Record<string, Blob | Blob[]> }): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) {
    const isJson = [value].flat().some((each) => isStructured(each?.toJSON?.() ?? each))
    if (isJson) form.append(name, new Blob([JSON.stringify(value)], { type: JSON_TYPE }))
    else for (const text of toQueryEntries({ [name]: value })) form.append(...text)
  }
  for (const [name, given] of Object.entries(files)) for (const file of present(given)) form.append(name, file)
  return form
}

function isStructured(value: unknown): boolean {
  return value === Object(value)
}

function isBytes(value: unknown): value is RequestBytes {
  return ArrayBuffer.isView(value) || [Blob, ArrayBuffer, ReadableStream].some((kind) => value instanceof kind)
}

/** Files have a media type of their own. */
function typeOfBytes(value: RequestBytes): string {
  return (value instanceof Blob && value.type) || 'application/octet-stream'
}

/** Reads a response: all of it, or of a stream its beginning. */
async function readClientResponse(response: Response, as: UntypedCallOptions['as']): Promise<object> {
  const { status, headers, body } = response
  const type = headers.get(CONTENT_TYPE) ?? ''
  const ok = status < 400
  const kind = /^text(\/event)?|json/.exec(type)?.[0]
  // What a call asks for is a success: an error has a form of its own.
  const form = ok ? as || kind : kind || as
  return { ok, status, body: body && type ? await readClientBody(response, body, form) : null, headers }
}

async function readClientBody(
  response: Response,
  body: ReadableStream<Uint8Array>,
  form: string | undefined,
): Promise<unknown> {
  if (form === 'stream') return readChunks(body)
  if (form === 'text/event') return readEvents(body)
  if (form === 'text') return response.text()
  if (form === 'json') return readJson(response)
  return new Uint8Array(await response.arrayBuffer())
}

/** An error of a gateway often says that it is JSON, and is a page or empty: its status must not be lost. */
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

/** Whoever stops reading ends the stream. */
async function* readChunks<T>(stream: ReadableStream<T>): AsyncGenerator<T, void, undefined> {
  const reader = stream.getReader()
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return
      yield value
    }
  } finally {
    // Of a stream that has failed the failure is known already.
    reader.cancel().catch(() => {})
  }
}

/** Reads an event stream (WHATWG HTML section 9.2). */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<object, void, undefined> {
  let text = ''
  let event: Record<string, unknown> = {}
  for await (const chunk of readChunks(stream.pipeThrough(new TextDecoderStream()))) {
    const lines = (text + chunk).split(/\r?\n/)
    text = `${lines.pop()}`
    for (const line of lines) {
      const [, name, value = ''] = /^(\w+): ?([^]*)/.exec(line) ?? []
      if (name) event[name] = /data|retry/.test(name) ? JSON.parse(value) : value
      if (line) continue
      if ('data' in event) yield event
      event = {}
    }
  }
}
