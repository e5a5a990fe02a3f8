/**
 * Servers for W1 on `node:net`, which show the cost of the layers of `node:http`. `PARSER` selects how they read requests: `llhttp`, the
 * parser of Node.js; `strict`, a parser in JavaScript that checks each character; or `line`, which only finds the end of a request.
 */
import { createServer } from 'node:net'
import { STATUS } from '../data.mjs'
import { lastLines } from './last-lines.mjs'

/** Starts the server on a free port. */
export function start() {
  const read = READERS[process.env['PARSER'] ?? 'line']
  const server = createServer({ noDelay: true }, (socket) => {
    socket.on('error', () => socket.destroy())
    socket.on('data', read(socket))
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address().port)))
}

const READERS = { llhttp: readWithLlhttp, strict: readStrictly, line: readLine }

function readWithLlhttp(socket) {
  // An undocumented module, because the parser of Node.js has no public API.
  const { HTTPParser, methods } = process.getBuiltinModule('_http_common')
  const parser = new HTTPParser()
  parser.initialize(HTTPParser.REQUEST, {})
  let request
  parser[HTTPParser.kOnHeadersComplete | 0] = (_major, _minor, headers, method, url) => {
    request = { method: methods[method], url, headers }
  }
  parser[HTTPParser.kOnMessageComplete | 0] = () => respond(socket, request)
  return (bytes) => {
    if (parser.execute(bytes) instanceof Error) socket.destroy()
  }
}

/** Characters of a token (RFC 9110 section 5.6.2), of a request target, and of a field value, by code. */
const TOKEN = createTable("!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
const TARGET = Uint8Array.from({ length: 256 }, (_, code) => Number(code > 0x20 && code < 0x7f))
const VALUE = Uint8Array.from({ length: 256 }, (_, code) => Number((code >= 0x20 && code !== 0x7f) || code === 0x09))
const [SPACE, COLON, CR, LF] = Buffer.from(' :\r\n')

function createTable(characters) {
  const table = new Uint8Array(256)
  for (const code of Buffer.from(characters)) table[code] = 1
  return table
}

function readStrictly(socket) {
  return (bytes) => {
    for (let at = 0; at < bytes.length;) {
      const request = parseHead(bytes, at)
      if (request === null) return socket.destroy()
      respond(socket, request)
      at = request.end
    }
  }
}

/** Parses the head of a request without a body, as RFC 9112 section 3 and RFC 9110 section 5.5 define it; `null` if it is malformed. */
function parseHead(bytes, from) {
  const methodEnd = skip(bytes, from, TOKEN)
  const targetEnd = skip(bytes, methodEnd + 1, TARGET)
  const version = bytes.latin1Slice(targetEnd, targetEnd + 11)
  if (bytes[methodEnd] !== SPACE || version !== ' HTTP/1.1\r\n') return null
  const headers = []
  let at = targetEnd + version.length
  while (bytes[at] !== CR) {
    const nameEnd = skip(bytes, at, TOKEN)
    if (nameEnd === at || bytes[nameEnd] !== COLON) return null
    const valueEnd = skip(bytes, nameEnd + 1, VALUE)
    if (bytes[valueEnd] !== CR || bytes[valueEnd + 1] !== LF) return null
    headers.push(bytes.latin1Slice(at, nameEnd), bytes.latin1Slice(nameEnd + 1, valueEnd).trim())
    at = valueEnd + 2
  }
  if (bytes[at + 1] !== LF) return null
  const method = bytes.latin1Slice(from, methodEnd)
  return { method, url: bytes.latin1Slice(methodEnd + 1, targetEnd), headers, end: at + 2 }
}

function skip(bytes, from, table) {
  let at = from
  while (table[bytes[at]] === 1) at++
  return at
}

function readLine(socket) {
  const request = { method: 'GET', url: '/status' }
  return (bytes) => {
    for (let at = bytes.indexOf('\r\n\r\n'); at >= 0; at = bytes.indexOf('\r\n\r\n', at + 4)) respond(socket, request)
  }
}

function respond(socket, { method, url }) {
  if (method !== 'GET' || url !== '/status') return socket.end('HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n')
  const body = JSON.stringify(STATUS)
  const size = Buffer.byteLength(body)
  const head = `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\nx-content-type-options: nosniff\r\n`
  return socket.write(head + lastLines() + body, 'latin1')
}
