/** An HTTP/1.1 connection, which handles its requests one after the other. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpError } from '../errors/http-error.js'
import { UNIX, type ResponseMessage, type BodyListener } from './exchange.js'
import { plainAddress } from './network.js'
import { ensureErrorListener, guarded, type Report } from './guarded.js'
import { RequestQueue, type HeldRequest } from './request-queue.js'
import { startLingeringClose } from './lingering-close.js'
import type { Payload } from './payload.js'
import { ResponseReader, Watch } from './slow-clients.js'
import { completeSocket } from './stand-in-socket.js'

/** Limits and timeouts of a server. Timeouts are in ms; 0 disables a timeout. */
export interface ServerSettings {
  /** Maximum size of the request headers in bytes. */
  readonly headerBytes: number
  /** Maximum number of request headers. */
  readonly headers: number
  readonly connections: number | undefined
  readonly headersTimeout: number
  readonly keepAliveTimeout: number
  /** Maximum time before the first byte of a body and between its bytes. */
  readonly bodyTimeout: number
  /** Maximum time without progress while a client receives a response. In each such period, it must also accept 1 kB/s on average. */
  readonly writeTimeout: number
  readonly fastPath: boolean
  /** Reports errors of callbacks that run outside the steps of a request. */
  readonly report: Report
}

/** Parsed `Expect` header. For `continue`, Verbena sends 100 as soon as something reads the body. */
export type Expectation = 'none' | 'continue' | 'unknown'

/** Parts of an exchange over a socket that are used to read its body and write its response. */
export interface SocketExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: Connection
  /** Value of `Content-Length`; 0 if the header is missing. */
  readonly contentLength: number
  readonly transferEncoding: string | undefined
  readonly hasUpgrade: boolean
  readonly expectation: Expectation
}

/** Reads bodies and writes headers, with Node's documented API or with the fast path. */
export interface Transport {
  /** Collects a body that can still arrive, and whose declared length is within the limit. */
  collect(exchange: SocketExchange, limit: number, done: BodyListener, rejection: HttpError | null): void
  /** Writes the headers of a response. Returns the content that remains to be written. */
  writeHead(exchange: SocketExchange, message: ResponseMessage, isLast: boolean): Payload['data']
  /** Writes a string of a stream. Returns `false` if the response will emit `drain`. */
  writeText(exchange: SocketExchange, text: string): boolean
}

/** State that all connections of a server share. */
export interface ServerState {
  /** Whether every further response closes its connection. */
  isClosing: boolean
  /** Whether the log already reports that another listener responds to requests of this server. */
  hasReportedDiscard: boolean
  /** Whether Verbena counts the size of request headers, because the app created the server and Node's limit is unknown. */
  countsHead: boolean
  /** Whether the server listens on a Unix socket. */
  isUnix: () => boolean
  /** Returns the transport of a new connection. */
  chooseTransport: () => Transport
  readonly settings: ServerSettings
  readonly bodies: Watch
  readonly readers: Watch
}

export function createServerState(settings: ServerSettings, countsHead: boolean, transport: Transport): ServerState {
  const { bodyTimeout, writeTimeout } = settings
  // Without a timeout, the watch still finds lost connections.
  const readers = new Watch(writeTimeout === 0 ? Infinity : writeTimeout)
  const watches = { bodies: new Watch(bodyTimeout), readers }
  const flags = { isClosing: false, hasReportedDiscard: false, countsHead }
  return { ...flags, isUnix: () => false, chooseTransport: () => transport, settings, ...watches }
}

/** Reason why the rest of a body is missing. */
export type BodyError = 'malformed' | 'incomplete'

/** Reader of the current body. It is notified of errors by a method, because event listeners would cost 6 % of a small POST. */
export interface BodyConsumer {
  lose(why: BodyError): void
}

/**
 * Serves one request at a time. Node emits pipelined requests without waiting, and the responses to 120 requests for 5 MB each would take
 * 650 to 1,280 MB of memory.
 */
export class Connection {
  readonly state: ServerState
  readonly transport: Transport
  /**
   * Address of the client; `unix` for a Unix socket, empty if unknown. Read in the constructor, because reading it later would change the
   * hidden class of the socket (1 µs per request).
   */
  readonly peer: string
  /** Whether the rest of the current body cannot be read. The current response is then the last one. */
  isBroken: boolean = false
  /** Whether a response has announced the end of the connection. Later requests are not served (RFC 9112 section 9.6). */
  isOver: boolean = false
  /** Reader of the current body; `null` if the body is not being read or is complete. */
  bodyReader: BodyConsumer | null = null
  readonly #socket: Socket
  #last: ServerResponse | null = null
  #held: RequestQueue | null = null
  #reader: ResponseReader | null = null
  /** Responds to malformed bytes, after the responses to all requests before them. */
  #rejectMalformed: (() => void) | null = null
  #isSpoiled = false
  #isDetached = false

  constructor(socket: Socket, state: ServerState) {
    // `server.emit('connection', stream)` accepts any duplex stream.
    if (!('destroySoon' in socket)) completeSocket(socket)
    this.#socket = socket
    this.state = state
    this.transport = state.chooseTransport()
    // A closed TCP socket has no address either. It must not count as a Unix socket, which may be a trusted proxy.
    const address = socket.remoteAddress ?? (state.isUnix() ? UNIX : '')
    this.peer = address.includes(':') ? plainAddress(address) : address
    ensureErrorListener(socket)
    // A listener of `once` would cost 0.2 kB more.
    socket.on('close', () => {
      // In the next tick, the response is closed as well, so the error handler sees that the client has disconnected.
      if (this.bodyReader !== null) process.nextTick(() => this.#guarded(() => this.bodyReader?.lose('incomplete')))
    })
  }

  /** Whether a request is in progress or queued. */
  get isBusy(): boolean {
    const lastResponse = this.#last
    return lastResponse !== null && (this.#held !== null || (!lastResponse.writableFinished && !lastResponse.destroyed))
  }

  /** Whether the client has sent bytes that Verbena has not read. The kernel would reset the connection if it were closed now. */
  get isUnread(): boolean {
    return this.#held !== null || this.isBroken
  }

  /** Starts a request. Returns `false` after the last response and after a disconnect, because the parser continues even then. */
  begin(response: ServerResponse): boolean {
    if (this.isOver || !this.#socket.writable) return false
    this.#last = response
    return true
  }

  /** Queues a request. It is dropped if the connection ends first. */
  hold(response: ServerResponse, serve: () => void): void {
    // The last response is being sent. Later requests will not be served.
    if (this.isOver && this.#last?.writableEnded === true) return this.startLingeringClose()
    if (this.#held === null) {
      this.#held = new RequestQueue(this.#socket)
      if (this.#isDetached) this.#held.detach()
      this.#advanceAfter(this.#last)
    }
    this.#held.push(response, serve)
  }

  #advanceAfter(response: ServerResponse | null): void {
    response?.once('close', () => this.#guarded(() => this.#serveNext()))
  }

  #serveNext(): void {
    const isAtEnd = this.isOver || !this.#socket.writable
    const next = isAtEnd ? undefined : this.#nextHeld()
    if (next === undefined) {
      this.#dropHeld()
      if (!isAtEnd) this.#rejectMalformed?.()
      return
    }
    this.#last = next.response
    if (this.#held !== null || this.#rejectMalformed !== null) this.#advanceAfter(next.response)
    next.context.runInAsyncScope(next.serve)
  }

  /** Skips a request if malformed bytes interrupted its body. The error response to these bytes is also its response. */
  #nextHeld(): HeldRequest | undefined {
    const next = this.#held?.next()
    if (this.#held?.isEmpty === true) this.#dropHeld()
    return this.#isSpoiled && next?.response.req.complete === false ? undefined : next
  }

  /**
   * Handles malformed bytes. Calls `rejectMalformed` after the responses to all complete requests. If the bytes interrupt the body of the
   * current request, its body reader fails instead, and its response is the last one.
   */
  break(rejectMalformed: () => void): void {
    const lastResponse = this.#last
    if (this.#isSpoiled || lastResponse === null) return
    this.#isSpoiled = true
    // Otherwise Node's parser would report an error for each further packet.
    startLingeringClose(this.#socket)
    if (lastResponse.req.complete) {
      this.#rejectMalformed = rejectMalformed
      if (this.#held === null) this.#advanceAfter(lastResponse)
      return
    }
    this.isBroken = true
    lastResponse.once('close', () => this.#guarded(() => this.#socket.end()))
    this.bodyReader?.lose('malformed')
  }

  /** Closes the connection after the current and queued requests, because the server is closing. */
  close(): void {
    if (this.isBusy) this.#last?.once('close', () => this.#guarded(() => this.close()))
    else this.#socket.destroySoon()
  }

  /**
   * Called when Node detaches its parser from the socket. No request arrives until `attach`, and queued requests neither pause nor resume
   * the socket.
   */
  detach(): void {
    this.#isDetached = true
    this.#held?.detach()
  }

  /** Called when a new parser reads the socket. */
  attach(): void {
    this.#isDetached = false
  }

  /**
   * Drops queued requests and all further input. The connection ends after the current response.
   *
   * @param hasUnreadBody whether the client may still send the body of the current request
   */
  startLingeringClose(hasUnreadBody: boolean = false): void {
    this.#dropHeld()
    startLingeringClose(this.#socket, hasUnreadBody)
  }

  #dropHeld(): void {
    this.#held?.release()
    this.#held = null
  }

  /** Ends the connection immediately. Plain TCP is reset, so that the client cannot mistake a partial response for a complete one. */
  cut(): void {
    const socket = this.#socket
    // Node fails to reset a socket that is ending, and would never close it.
    const isEnding = socket.writableEnded && socket.writableLength === 0
    if (socket.remoteAddress !== undefined && !('encrypted' in socket) && !isEnding) socket.resetAndDestroy()
    else socket.destroy()
  }

  /** Starts to monitor the client because bytes wait to be sent. A client that accepts too few of them is disconnected to free memory. */
  awaitReader(): void {
    const { readers } = this.state
    readers.add((this.#reader ??= new ResponseReader(this.#socket, readers, () => this.#guarded(() => this.cut()))))
  }

  /** Resumes a response that waits for the socket. Node no longer emits `drain` on the response after it has detached the parser. */
  drain(): void {
    this.#last?.emit('drain')
  }

  /**
   * Drops the reference to a response as soon as the kernel has accepted it. A response referenced by an old connection would survive minor
   * garbage collections (0.7 µs per request).
   */
  release(response: ServerResponse): void {
    // Newer versions of Node set `writableFinished` only in the next tick. To wait for it would cost 0.1 µs and 0.3 kB per request.
    if (response.writableLength > 0) response.on('finish', () => this.release(response))
    else if (this.#held === null && this.#last === response) this.#last = null
  }

  #guarded(work: () => void): void {
    guarded(this.#socket, this.state.settings.report, work)
  }
}

const connections = new WeakMap<object, Connection>()

/** Returns the connection of a socket. Creates it for the first request. */
export function getOrCreateConnection(socket: Socket, state: ServerState): Connection {
  let connection = connections.get(socket)
  if (connection === undefined) connections.set(socket, (connection = new Connection(socket, state)))
  return connection
}

/** Returns the connection of a socket; `undefined` if the socket has not received a request. */
export function findConnection(socket: object): Connection | undefined {
  return connections.get(socket)
}
