/** Transport of the fast path: reads bodies directly from the parser, and writes headers and content in one write. */
import { ServerResponse, type Server } from 'node:http'
import type { Socket } from 'node:net'
import { BodyCollector, collectBody } from '../body.js'
import type { SocketExchange, Transport } from '../connection.js'
import type { ResponseMessage } from '../exchange.js'
import { isToken, type HeaderMap } from '../fields.js'
import { headLines, reasonPhrase, writeHead } from '../send.js'
import { LeanRequest } from './light-request.js'

/** Headers that change which headers Node adds. */
const SPECIAL: ReadonlySet<string> = new Set([
  ...['date', 'connection', 'keep-alive', 'expect', 'trailer', 'proxy-connection', 'te'],
])
/** Headers that replace the headers of the payload. */
const CONTENT_HEADERS: ReadonlySet<string> = new Set(['content-type', 'content-length', 'transfer-encoding'])
const SNIFFING = 'x-content-type-options'
/** Node rejects other values, or writes them in another encoding. */
const PLAIN = /^[\t\x20-\x7e]*$/
const { writeHead: usualHead, end: usualEnd, write: usualWrite } = ServerResponse.prototype

/** Properties of a server that change the headers that Node adds. Code can set them at any time. */
export type KeepAlive = Pick<Server, 'keepAliveTimeout' | 'maxRequestsPerSocket'>

/** Creates the transport of a server. */
export function fastTransport(server: KeepAlive): Transport {
  let timeout = NaN
  let date = ''
  let end = ''
  return {
    collect(exchange, limit, done, refusal) {
      const { request } = exchange
      // The parser does not call a collector after a request is complete. As a stream, the request emits its end.
      const isLean = request instanceof LeanRequest && !request.isStream && !request.complete
      if (isLean) request.collector = new BodyCollector(exchange, limit, done, refusal)
      else collectBody(exchange, limit, done, refusal)
    },
    writeHead(exchange, answer, isLast) {
      const { data } = answer.payload
      const isFast = !isLast && typeof data === 'string' && server.maxRequestsPerSocket === 0 && isUsual(exchange)
      if (!isFast) return writeHead(exchange, answer, isLast)
      const { status } = answer
      const reason = (reasons[status] ??= reasonPhrase(status))
      const size = Buffer.byteLength(data)
      const fields = formatHeaders(answer, reason, size)
      if (fields === null) return writeHead(exchange, answer, isLast)
      if (second === '') beginSecond()
      if (date !== second || timeout !== server.keepAliveTimeout) {
        date = second
        timeout = server.keepAliveTimeout
        end = formatEnd(date, timeout)
      }
      // Proof: `writeHead` sets this property, and the self-check has verified that Node sends it.
      const response = exchange.response as ServerResponse & { _header: string }
      response.statusCode = status
      response.statusMessage = reason
      const isAscii = size === data.length
      response._header = isAscii ? fields + end + data : fields + end
      return isAscii ? '' : data
    },
    writeText({ response }, text) {
      const { socket } = response
      if (socket === null || !isChunked(response, socket)) return response.write(text)
      const size = Buffer.byteLength(text)
      const chunk = `${size.toString(16)}\r\n${text}\r\n`
      // An empty write returns `false` as well, and makes the response emit `drain`.
      return socket.write(chunk, size === text.length ? 'latin1' : 'utf8') || response.write('')
    },
  }
}

/** Formats the headers that Node adds, and the empty line. The timeout is in ms. */
function formatEnd(date: string, timeout: number): string {
  const keepAliveLine = timeout > 0 ? `Keep-Alive: timeout=${Math.floor(timeout / 1000)}\r\n` : ''
  return `Date: ${date}\r\nConnection: keep-alive\r\n${keepAliveLine}\r\n`
}

/** Whether Node would write a chunk of a response to its socket immediately, in four writes, which cost 4.5 µs per chunk instead of 2.8. */
function isChunked(response: ServerResponse, socket: Socket): boolean {
  // Proof: the self-check has verified that Node keeps these properties.
  const { chunkedEncoding, outputData } = response as ServerResponse & { readonly outputData: readonly unknown[] }
  return chunkedEncoding && outputData.length === 0 && response.write === usualWrite && socket.writable
}

/** Whether Node would add only the default headers, and its functions are not patched on this response. */
function isUsual({ request, response, expectation }: SocketExchange): boolean {
  if (request.httpVersionMinor !== 1 || request.method === 'HEAD' || expectation !== 'none') return false
  if (!response.shouldKeepAlive || !response.sendDate || response.getHeaderNames().length > 0) return false
  return response.constructor === ServerResponse && response.writeHead === usualHead && response.end === usualEnd
}

/** Reason phrases by status. */
const reasons: string[] = []
/** Status lines and first headers, up to the value of `content-length`, by media type and status. */
const starts = new Map<string, string[]>()

/** Returns the status line and headers; `null` if Node must write them. */
function formatHeaders(answer: ResponseMessage, reason: string, size: number): string | null {
  const { status, headers, payload, lines } = answer
  const ownHeaders = headers.size === 0 ? '' : ownText(headers)
  if (payload.type === undefined || ownHeaders === null) {
    const text = checkedText(headLines(answer, false))
    return text && `HTTP/1.1 ${status} ${reason}\r\n${text}`
  }
  let beginning = starts.get(payload.type)
  if (beginning === undefined) starts.set(payload.type, (beginning = []))
  const start = (beginning[status] ??=
    `HTTP/1.1 ${status} ${reason}\r\ncontent-type: ${payload.type}\r\ncontent-length: `)
  const sniffing = headers.size > 0 && headers.has(SNIFFING) ? '' : `${SNIFFING}: nosniff\r\n`
  return `${start}${size}\r\n${sniffing}${ownHeaders}${lines === undefined ? '' : formatLines(lines)}`
}

/** Formats the headers of a reply. Returns `null` if they replace headers of the payload or require Node's checks. */
function ownText(headers: HeaderMap): string | null {
  let text = ''
  for (const [name, value] of headers) {
    if (CONTENT_HEADERS.has(name) || !isUsualField(name, value)) return null
    text += `${name}: ${value}\r\n`
  }
  return text
}

function checkedText(lines: readonly string[]): string | null {
  for (let at = 0; at < lines.length; at += 2) {
    // Proof: names and values alternate.
    if (!isUsualField(lines[at] as string, lines[at + 1] as string)) return null
  }
  return formatLines(lines)
}

function formatLines(lines: readonly string[]): string {
  let text = ''
  for (let at = 0; at < lines.length; at += 2) text += `${lines[at]}: ${lines[at + 1]}\r\n`
  return text
}

/** Checks the headers again, because code can change the headers of a reply after they were checked. */
function isUsualField(name: string, value: string): boolean {
  return (usualNames.has(name) || isUsualName(name)) && typeof value === 'string' && PLAIN.test(value)
}

/** Names that have passed `isUsualName`, which costs 60 ns per call. */
const usualNames = new Set<string>()
const MAX_NAMES = 1_000

function isUsualName(name: string): boolean {
  const isUsual = isToken(name) && !SPECIAL.has(name.toLowerCase())
  if (isUsual && usualNames.size < MAX_NAMES) usualNames.add(name)
  return isUsual
}

/** `Date` header of the current second, shared by all responses. Empty after the second has passed. */
let second = ''

function beginSecond(): void {
  const date = new Date()
  second = date.toUTCString()
  setTimeout(() => (second = ''), 1000 - date.getMilliseconds()).unref()
}
