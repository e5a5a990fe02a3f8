/** What a client gets whose bytes never became a request (RFC 9112 section 9.5 and 9.6). */
import type { Duplex } from 'node:stream'
import { statusTitle } from '../errors/status.js'
import { knownLine } from './line.js'

/** An error of the parser, as `clientError` brings it. */
export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
  /** How much of `rawPacket` was read until it failed. */
  readonly bytesParsed?: number
}

/** ms for the client to read its answer and close. */
const LINGER = 2000
const METHOD_LIKE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ /
const BARE_LINE_FEED = / HTTP\/1\.[01]\n/
const STATUS: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_INVALID_TRANSFER_ENCODING', 501],
  ['HPE_INVALID_VERSION', 505],
  ['HPE_PAUSED_H2_UPGRADE', 505],
])

/**
 * The status for bytes that the parser refused. A method it does not know is a token and a space: 501, not 400.
 *
 * @param error of the parser
 * @returns 400, 408, 413, 431, 501 or 505
 */
export function statusOf(error: ParserError): number {
  const { rawPacket = Buffer.alloc(0), bytesParsed = 0 } = error
  // The version may be known and its line ending wrong.
  if (error.code === 'HPE_INVALID_VERSION' && BARE_LINE_FEED.test(rawPacket.toString('latin1'))) return 400
  if (error.code !== 'HPE_INVALID_METHOD') return STATUS.get(error.code ?? '') ?? 400
  // Requests that were read before it may stand in the same packet.
  const start = bytesParsed === 0 ? 0 : rawPacket.lastIndexOf(0x0a, bytesParsed - 1) + 1
  return METHOD_LIKE.test(rawPacket.toString('latin1', start)) ? 501 : 400
}

/**
 * Answers bytes that are no request, whole and once, and ends the connection. While a request is in work on it nothing is
 * written, because it would be taken for that request's answer: that one is finished, and the connection ended behind it.
 *
 * @param error of the parser
 * @param socket of the client
 */
export function answerClientError(error: ParserError, socket: Duplex): void {
  const line = knownLine(socket)
  if (!socket.writable || isGone(error)) socket.destroy()
  else if (line?.isBusy === true) line.break()
  // The last answer has left by now: what follows gets none.
  else if (line?.isOver === true || error.code === 'HPE_CLOSED_CONNECTION') endSoon(socket)
  else writeProblem(socket, statusOf(error))
}

/** Nobody to answer: the client has left, or there is no TLS to answer by. */
function isGone({ code }: ParserError): boolean {
  return code === 'ECONNRESET' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT'
}

/**
 * Answers CONNECT, which this server does not do (RFC 9110 section 9.3.6).
 *
 * @param socket of the client
 */
export function refuseConnect(socket: Duplex): void {
  // Node hands the socket over without a listener for errors.
  socket.on('error', () => socket.destroy()).resume()
  const line = knownLine(socket)
  if (line?.isBusy === true) line.break()
  else writeProblem(socket, 501)
}

function writeProblem(socket: Duplex, status: number): void {
  const title = statusTitle(status)
  const body = JSON.stringify({ type: 'about:blank', title, status })
  const head = [
    `HTTP/1.1 ${status} ${title}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  endSoon(socket, `${head.join('\r\n')}\r\n\r\n${body}`)
}

/** Who does not close its side too would keep the connection for ever. */
function endSoon(socket: Duplex, bytes = ''): void {
  const timer = setTimeout(() => socket.destroy(), LINGER)
  socket.once('close', () => clearTimeout(timer)).end(bytes)
}
