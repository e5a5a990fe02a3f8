/**
 * The smallest server on `node:http`: the handlers of `raw.mjs`. On Node.js 24 and later, a request without a body is not read as a stream.
 * Each response is one write with a prepared head, for which it sets `_header`, an undocumented property. It has no limits and no checks.
 */
import { lastLines } from './last-lines.mjs'
import { startApp } from './raw.mjs'

const REASONS = {
  200: 'OK',
  201: 'Created',
  404: 'Not Found',
  415: 'Unsupported Media Type',
  422: 'Unprocessable Content',
}

/** Starts one of the apps on a free port. */
export function start(app) {
  return startApp(app, { optimizeEmptyRequests: true, keepAliveTimeout: 65_000 }, write)
}

function write(response, status, type, body, id) {
  const size = Buffer.byteLength(body)
  const own = id === undefined ? '' : `x-request-id: ${id}\r\n`
  const head = `HTTP/1.1 ${status} ${REASONS[status]}\r\ncontent-type: ${type}\r\n${own}content-length: ${size}\r\nx-content-type-options: nosniff\r\n${lastLines()}`
  const isAscii = size === body.length
  response.statusCode = status
  // oxlint-disable-next-line no-underscore-dangle -- the name is from Node.js
  response._header = isAscii ? head + body : head
  response.end(isAscii ? '' : body)
}
