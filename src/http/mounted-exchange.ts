/** Requests that another server passes to the app, such as Express or Connect, and responses that it shares with other middleware. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { SocketExchange, Transport } from './connection.js'
import type { ResponseMessage } from './exchange.js'
import { applyChanges, NO_FIELDS, type HeaderChange } from './fields.js'
import { DOCUMENTED, NodeExchange } from './node-exchange.js'
import { http } from './node-http.js'
import { EVENTS_TYPE, isChunks, type Payload } from './payload.js'
import { headLines, reasonPhrase, writeHead } from './send.js'
import { readRawPath } from './target.js'

export class MountedExchange extends NodeExchange {
  readonly #mount: string

  constructor(...parts: ConstructorParameters<typeof NodeExchange>) {
    super(...parts)
    this.#mount = readMount(parts[0])
  }

  override get mount(): string {
    return this.#mount
  }
}

/**
 * Reads the path at which a server has mounted the app: `baseUrl` of Express, or `originalUrl` of Connect without the end that is in `url`.
 * It starts with only one slash, because browsers read `//name` in a `Location` as a host.
 */
function readMount(request: IncomingMessage): string {
  const base: unknown = Reflect.get(request, 'baseUrl')
  const mount = typeof base === 'string' ? base : withoutUrl(Reflect.get(request, 'originalUrl'), String(request.url))
  return mount.startsWith('/') ? mount.replace(/^[/\\]+/, '/').replace(/\/$/, '') : ''
}

/** Connect adds the slash of `/` to `url` if the path is the mount itself. */
function withoutUrl(original: unknown, url: string): string {
  if (typeof original !== 'string') return ''
  const wholePath = readRawPath(original)
  const end = readRawPath(url)
  if (wholePath.endsWith(end)) return wholePath.slice(0, wholePath.length - end.length)
  return end === '/' ? wholePath : ''
}

/** Transport for responses on which other middleware may have set headers. */
export const SHARED: Transport = { ...DOCUMENTED, writeHead: writeSharedHead }

const { writeHead: usualHead } = http.ServerResponse.prototype

/**
 * Sets each header, because packages such as `on-headers` before 1.1.0 misread the array of headers that `writeHead` accepts. If that
 * throws, restores the headers for the response that is sent instead.
 */
function writeSharedHead(exchange: SocketExchange, message: ResponseMessage, isLast: boolean): Payload['data'] {
  const { request, response } = exchange
  const isUntouched = response.writeHead === usualHead && response.getHeaderNames().length === 0
  // If a header was set and removed, Node 20 writes only the last of several cookies.
  const hasCookies = message.headers.get('set-cookie')?.includes('\n') === true
  if (isUntouched && !hasCookies) return writeHead(exchange, message, isLast)
  const before = { ...response.getHeaders() }
  try {
    removeFraming(exchange, message)
    // The default of Verbena does not replace the header of another server.
    const isDefault = response.hasHeader(CACHING) && !message.headers.has(CACHING)
    setHeaders(response, headLines(message, isLast), isDefault ? CACHING : '')
    response.writeHead(message.status, reasonPhrase(message.status))
    flushEvents(response)
  } catch (error) {
    if (!response.headersSent) restoreHeaders(response, before)
    throw error
  }
  const { data } = message.payload
  if (request.method === 'HEAD') return null
  // Node would write a string together with the headers as UTF-8.
  return typeof data === 'string' ? Buffer.from(data) : data
}

/**
 * Removes headers that describe another body. After `removeHeader`, even of a header that is not set, Node frames the response differently:
 * it never sends a stream in chunks, so the end of the stream is the end of the connection.
 */
function removeFraming({ request, response }: SocketExchange, { headers, payload }: ResponseMessage): void {
  if (response.hasHeader('content-length')) response.removeHeader('content-length')
  if (!response.hasHeader('transfer-encoding')) return
  const isChunked = isChunks(payload.data) && !headers.has('content-length') && request.method !== 'HEAD'
  if (isChunked && request.httpVersionMinor > 0) response.setHeader('transfer-encoding', 'chunked')
  else response.removeHeader('transfer-encoding')
}

/** Makes middleware that compresses send each event immediately: `compression` adds `flush`, and otherwise waits for more bytes. */
function flushEvents(response: ServerResponse & { flush?: unknown }): void {
  const { flush } = response
  if (typeof flush !== 'function' || !String(response.getHeader('content-type')).startsWith(EVENTS_TYPE)) return
  const write: (...parts: never[]) => boolean = response.write
  response.write = (...parts: never[]) => {
    const isFree = write.apply(response, parts)
    flush.call(response)
    return isFree
  }
}

/** Headers to which several parts of a server may add values. */
const ADDED: ReadonlySet<string> = new Set(['set-cookie', 'vary'])
const CACHING = 'cache-control'

/** @param unchanged name of a header that stays as it is */
function setHeaders(response: ServerResponse, lines: readonly string[], unchanged: string): void {
  const changes: HeaderChange[] = []
  for (const name of ADDED) {
    for (const value of [response.getHeader(name) ?? []].flat())
      changes.push({ name, value: String(value), append: true })
  }
  for (let at = 0; at < lines.length; at += 2) {
    // Proof: names and values alternate.
    const [name, value] = lines.slice(at, at + 2) as [string, string]
    if (name !== unchanged) changes.push({ name, value, append: ADDED.has(name) })
  }
  for (const [name, value] of applyChanges(NO_FIELDS, changes)) {
    response.setHeader(name, name === 'set-cookie' ? value.split('\n') : value)
  }
}

function restoreHeaders(response: ServerResponse, before: ReturnType<ServerResponse['getHeaders']>): void {
  const { sendDate } = response
  for (const name of response.getHeaderNames()) response.removeHeader(name)
  // Node no longer adds a `Date` that was removed.
  response.sendDate = sendDate
  for (const [name, value] of Object.entries(before)) if (value !== undefined) response.setHeader(name, value)
}
