/**
 * The fast path. It depends on undocumented details of Node, so it is used only after a self-check: both paths must send the same responses
 * over an in-memory connection, and the functions that it bypasses must not be patched.
 *
 * @see docs/decisions/0022-the-fast-path.md
 */
import { channel } from 'node:diagnostics_channel'
import { EventEmitter } from 'node:events'
import type { IncomingMessage, Server, ServerOptions } from 'node:http'
import { Duplex } from 'node:stream'
import { noop } from '../../values/noop.js'
import { getOrCreateConnection, createServerState, type ServerSettings, type Transport } from '../connection.js'
import type { ResponseMessage } from '../exchange.js'
import { NO_FIELDS, type HeaderMap } from '../fields.js'
import { DOCUMENTED, NodeExchange } from '../node-exchange.js'
import { http } from '../node-http.js'
import { fastTransport, LeanRequest, type KeepAlive } from './fast-transport.js'

/** The fast path of a server. Its request class is an option of `createServer`, so servers of other code use only the transport. */
export interface FastPath {
  readonly transport: (server: KeepAlive) => Transport
  readonly requests: Pick<ServerOptions, 'IncomingMessage'>
}

const REQUESTS = { IncomingMessage: LeanRequest }
const REQUESTS_OF_NODE = [channel('http.server.request.start'), channel('http.server.response.finish')]
let isChecked: boolean | undefined

/** Returns the fast path; `null` if it is disabled, if the self-check fails in this Node version or if functions of Node are patched. */
export function fastPath({ fastPath: isEnabled }: ServerSettings): FastPath | null {
  if (!isEnabled) return null
  // Subscribers would receive the requests of the self-check.
  if (isChecked === undefined && REQUESTS_OF_NODE.some(({ hasSubscribers }) => hasSubscribers)) return null
  isChecked ??= saysTheSame()
  return isChecked && !isPatched() ? { transport: fastTransport, requests: REQUESTS } : null
}

/** Functions that tracers patch. The fast path would bypass the patches. */
const RESPONSE_METHODS = ['writeHead', 'end', 'write', '_send', '_storeHeader', '_writeRaw'] as const
const STREAM_METHODS = ['push', 'read', 'on', 'addListener', 'once', 'emit', 'pipe', 'resume'] as const

/** Checks the source text, because a wrapper may have the name of the original. Node's requests inherit the functions of streams. */
function isPatched(): boolean {
  const isWrapped = RESPONSE_METHODS.some(
    (name) => !String(Reflect.get(http.ServerResponse.prototype, name)).startsWith(`function ${name}(`),
  )
  return isWrapped || STREAM_METHODS.some((name) => Object.hasOwn(http.IncomingMessage.prototype, name))
}

/** A request of the self-check, with its response. */
interface Round {
  readonly packets: readonly string[]
  /** A response, or the strings of a stream. */
  readonly reply: ResponseMessage | readonly string[]
  readonly body: string
}

const GET = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'
const POST = 'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 4\r\n\r\n'

/** Bytes that wait in the in-memory connection before it is full. */
const HIGH_WATER_MARK = 1_000

const ROUNDS: readonly Round[] = [
  { packets: [GET], reply: sampleResponse(200, 'text'), body: '' },
  { packets: [`${POST}ab`, 'cd'], reply: sampleResponse(201, 'two packets', ['etag', '"1"']), body: 'abcd' },
  {
    packets: [`${POST}abcd`],
    reply: sampleResponse(404, 't\u00e4xt', ['x-one', '1'], new Map([['x-two', '2']])),
    body: 'abcd',
  },
  // The socket does not accept more after the last string.
  { packets: [GET], reply: ['chunk', 't\u00e4xt \u20ac', 'x'.repeat(HIGH_WATER_MARK)], body: '' },
  { packets: [GET], reply: sampleResponse(200, 'the last'), body: '' },
]

function sampleResponse(
  status: number,
  data: string,
  lines?: readonly string[],
  headers: HeaderMap = NO_FIELDS,
): ResponseMessage {
  return { status, headers, payload: { type: 'text/plain', data }, ...(lines && { lines }) }
}

/**
 * Whether both paths send the same bytes in this Node version, the fast path with its own requests and with Node's. Runs synchronously
 * inside `try`, because an error in a later event would end the process.
 */
export function saysTheSame(): boolean {
  try {
    const fast = fastTransport({ keepAliveTimeout: KEEP_ALIVE, maxRequestsPerSocket: 0 })
    // Streams emit their bodies later, so requests of Node run the same rounds without bodies.
    const bodilessRounds = ROUNDS.map((round) => ({ ...round, packets: [GET], body: '' }))
    const nodeBytes = transcript({}, DOCUMENTED, bodilessRounds)
    const isSame = nodeBytes !== null && transcript(REQUESTS, fast, ROUNDS) === nodeBytes
    return isSame && transcript({}, fast, bodilessRounds) === nodeBytes && canWake()
  } catch {
    return false
  }
}

const KEEP_ALIVE = 5000
const SETTINGS: ServerSettings = {
  ...{ headerBytes: 0, headers: 100, connections: undefined, fastPath: false },
  ...{ headersTimeout: 0, keepAliveTimeout: KEEP_ALIVE, bodyTimeout: 0, writeTimeout: 0, report: noop },
}

/** An in-memory connection. `send` completes the writes of the server, so that everything after a write also runs synchronously. */
class ConnectedPair {
  readonly #socket: Duplex
  readonly #sent: Buffer[] = []
  readonly #done: (() => void)[] = []

  constructor(server: Server) {
    // Hides the self-check from a tracer that has patched `emit` of servers.
    server.emit = EventEmitter.prototype.emit
    const write = (chunk: Buffer, _encoding: string, done: () => void): void => {
      this.#sent.push(chunk)
      this.#done.push(done)
    }
    this.#socket = new Duplex({ read() {}, write, writableHighWaterMark: HIGH_WATER_MARK })
    server.emit('connection', this.#socket)
  }

  send(packet: string): void {
    this.#socket.emit('data', Buffer.from(packet))
    for (let done = this.#done.shift(); done !== undefined; done = this.#done.shift()) done()
  }

  end(): string {
    this.#socket.destroy()
    return Buffer.concat(this.#sent)
      .toString('latin1')
      .replaceAll(/Date: [^\r]*/g, 'Date')
  }
}

/** Returns the bytes that a server sends; `null` if it received a wrong body, or if the fast path fell back to a stream. */
function transcript(requests: ServerOptions, transport: Transport, rounds: readonly Round[]): string | null {
  const state = createServerState(SETTINGS, false, transport)
  let isLean = true
  let respond: (exchange: NodeExchange) => void = noop
  const server = http.createServer({ ...requests, keepAliveTimeout: KEEP_ALIVE }, (request, response) => {
    const connection = getOrCreateConnection(request.socket, state)
    connection.begin(response)
    respond(new NodeExchange(request, response, connection, 'none'))
  })
  const connected = new ConnectedPair(server)
  for (const round of rounds) {
    respond = (exchange) => {
      const send = (body: string): void => {
        sendSample(exchange, round.reply)
        const { request } = exchange
        isLean &&= body === round.body && !(request instanceof LeanRequest && request.isStream)
      }
      if (exchange.hasBody) exchange.collect(100, (_, bytes) => send(String(bytes)))
      else send('')
    }
    for (const packet of round.packets) connected.send(packet)
  }
  const sentBytes = connected.end()
  return isLean ? removeBorders(sentBytes) : null
}

/** Removes the borders between the chunks of the stream, because Node 26 joins the chunks of one turn. */
function removeBorders(sentBytes: string): string {
  let at = sentBytes.indexOf('\r\n\r\n', sentBytes.indexOf('chunked')) + 4
  let text = sentBytes.slice(0, at)
  for (;;) {
    const end = sentBytes.indexOf('\r\n', at)
    const size = sentBytes.slice(at, end)
    // Also ends at a size with an extension.
    if (size === '0' || !/^[0-9a-f]+$/.test(size)) return text + sentBytes.slice(at)
    const next = end + 2 + Number.parseInt(size, 16)
    text += sentBytes.slice(end + 2, next)
    at = next + 2
  }
}

/** Writes streams with their transport. It must also report a full socket, so the stream ends with the results. */
function sendSample(exchange: NodeExchange, message: Round['reply']): void {
  if ('status' in message) return exchange.send(message, null)
  const { response, connection } = exchange
  response.flushHeaders()
  const results = message.map((text) => connection.transport.writeText(exchange, text))
  response.end(String(results))
}

/** Whether a request becomes a readable stream if its body is not collected. */
function canWake(): boolean {
  let sampleRequest: IncomingMessage | undefined
  const connected = new ConnectedPair(http.createServer(REQUESTS, (request) => (sampleRequest = request)))
  connected.send(`${POST}abcd`)
  const firstLine = String(sampleRequest?.read())
  connected.end()
  return firstLine === 'abcd'
}
