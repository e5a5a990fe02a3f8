/** Responses to bytes that Node cannot parse as a request (RFC 9112 sections 9.5 and 9.6). */
import type { Duplex } from 'node:stream'
import { statusTitle } from '../errors/status.js'
import { findConnection } from './connection.js'
import { TOKEN } from './fields.js'
import { ensureErrorListener } from './guarded.js'
import { isLingering, limitLingering, startLingeringClose } from './lingering-close.js'

export interface ParserError extends Error {
  readonly code?: string
  readonly reason?: string
  /** The packet that caused the error. The request may have begun in an earlier packet. */
  readonly rawPacket?: Buffer
  /** Number of bytes of `rawPacket` that were parsed before the error. */
  readonly bytesParsed?: number
}

const NO_BYTES = Buffer.alloc(0)
const METHOD_LIKE = new RegExp(`^${TOKEN} `)
const LF = 0x0a
const STATUS: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_PAUSED_H2_UPGRADE', 505],
])

/** Returns 501 for an unknown method (a token and a space) and 505 for an unknown version (RFC 9112 section 2.3). The default is 400. */
export function parserErrorStatus({ code = '', reason, rawPacket = NO_BYTES, bytesParsed = 0 }: ParserError): number {
  if (code === 'HPE_INVALID_VERSION' && reason === 'Invalid HTTP version') {
    // The parser reports this after a digit, a dot and a digit. The line ending that must follow may arrive in the next packet.
    if ('\r\n'.startsWith(rawPacket.toString('latin1', bytesParsed, bytesParsed + 2))) return 505
  }
  if (code === 'HPE_INVALID_METHOD') {
    // The packet may begin with requests that were parsed successfully.
    const start = rawPacket.subarray(0, bytesParsed).lastIndexOf(LF) + 1
    if (METHOD_LIKE.test(rawPacket.toString('latin1', start))) return 501
  }
  return STATUS.get(code) ?? 400
}

/** Sends one error response after the responses to all earlier requests, and ends the connection. */
export function respondToClientError(error: ParserError, socket: Duplex): void {
  ensureErrorListener(socket)
  const connection = findConnection(socket)
  // The connection is already closing, and its input is dropped. An error in this input must not affect the response.
  if (isLingering(socket) && !isGone(error)) return
  // The last response has announced the end of the connection. Input after it is not handled.
  const isAfterLast = connection?.isOver === true || error.code === 'HPE_CLOSED_CONNECTION'
  if (!socket.writable || isGone(error)) socket.destroy()
  else if (isAfterLast && connection?.isBusy !== true) endSoon(socket)
  else sendClientError(socket, parserErrorStatus(error))
}

/** Whether a response is impossible, because the client has disconnected or the TLS handshake has timed out. */
function isGone({ code }: ParserError): boolean {
  return code === 'ECONNRESET' || code === 'ERR_TLS_HANDSHAKE_TIMEOUT'
}

/** Responds 501 to CONNECT, because Verbena is not a proxy (RFC 9110 section 9.3.6). */
export function rejectConnect(socket: Duplex): void {
  ensureErrorListener(socket)
  socket.resume()
  if (!isLingering(socket)) sendClientError(socket, 501)
}

/** Responds after the responses to all earlier requests, and ends the connection. */
export function sendClientError(socket: Duplex, status: number): void {
  const connection = findConnection(socket)
  if (connection?.isBusy === true) connection.break(() => writeConnectionProblem(socket, status))
  else writeConnectionProblem(socket, status)
}

function writeConnectionProblem(socket: Duplex, status: number): void {
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

function endSoon(socket: Duplex, bytes = ''): void {
  startLingeringClose(socket)
  limitLingering(socket)
  socket.end(bytes)
}
