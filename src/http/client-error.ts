/** What a client gets whose bytes never became a request (RFC 9112 section 9.5 and 9.6). */
import type { Duplex } from 'node:stream'

/** An error of the parser, as `clientError` brings it. */
export interface ParserError extends Error {
  readonly code?: string
  readonly rawPacket?: Buffer
}

const METHOD_LIKE = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ /
const STATUS: ReadonlyMap<string, number> = new Map([
  ['HPE_HEADER_OVERFLOW', 431],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', 413],
  ['ERR_HTTP_REQUEST_TIMEOUT', 408],
  ['HPE_INVALID_TRANSFER_ENCODING', 501],
])
const TITLE: ReadonlyMap<number, string> = new Map([
  [400, 'Bad Request'],
  [408, 'Request Timeout'],
  [413, 'Content Too Large'],
  [431, 'Request Header Fields Too Large'],
  [501, 'Not Implemented'],
])

/**
 * The status for bytes that the parser refused. A method it does not know is a token and a space: 501, not 400.
 *
 * @param error of the parser
 * @returns 400, 408, 413, 431 or 501
 */
export function statusOf(error: ParserError): number {
  if (error.code === 'HPE_INVALID_METHOD')
    return METHOD_LIKE.test(error.rawPacket?.toString('latin1') ?? '') ? 501 : 400
  return STATUS.get(error.code ?? '') ?? 400
}

/**
 * Answers bytes that are no request, whole and once, and ends the connection.
 *
 * @param error of the parser
 * @param socket of the client
 */
export function answerClientError(error: ParserError, socket: Duplex): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy()
    return
  }
  const status = statusOf(error)
  const body = JSON.stringify({ type: 'about:blank', title: TITLE.get(status), status })
  const head = [
    `HTTP/1.1 ${status} ${TITLE.get(status)}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `Date: ${new Date().toUTCString()}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
