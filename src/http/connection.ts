/** A connection: its requests are answered one after the other. */
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { HttpError } from '../errors/http-error.js'
import { UNIX, type ResponseMessage, type BodyListener } from './exchange.js'
import { plainAddress } from './network.js'
import { guarded, type Report } from './guarded.js'
import { RequestQueue, type HeldRequest } from './request-queue.js'
import { startLingeringClose } from './lingering-close.js'
import type { Payload } from './payload.js'
import { AnswerReader, Watch } from './slow-clients.js'

/** The limits of a server, and its time-outs in ms; 0 switches a time-out off. */
export interface ServerSettings {
  /** Bytes of a request's head. */
  readonly headerBytes: number
  /** Fields of a request's head. */
  readonly headers: number
  readonly connections: number | undefined
  readonly headersTimeout: number
  readonly keepAliveTimeout: number
  /** To the first byte of a body and between its bytes. */
  readonly bodyTimeout: number
  /** A reader must take some bytes of an answer in it, and 1 kB a second on average. */
  readonly writeTimeout: number
  readonly fastPath: boolean
  /** Reports errors of callbacks that run outside the steps of a request. */
  readonly report: Report
}

/** What `Expect` asks for: `continue` is answered with 100 when the body is wanted. */
export type Expectation = 'none' | 'continue' | 'unknown'

/** How a request is framed, and how its connection goes on. */
export interface Framing {
  /** 0 without `Content-Length`. */
  readonly contentLength: number
  readonly transferEncoding: string | undefined
  readonly hasUpgrade: boolean
}

/** An exchange over a socket, as far as its body and its answer need to know it. */
export interface SocketExchange {
  readonly request: IncomingMessage
  readonly response: ServerResponse
  readonly connection: Connection
  readonly head: Framing
  readonly expectation: Expectation
}

/** How a server takes bodies and writes heads: as Node documents it, or faster. */
export interface Transport {
  /** Collects a body whose declared length is within the limit. */
  collect(exchange: SocketExchange, limit: number, done: BodyListener, refusal: HttpError | null): void
  /** Writes the head of an answer. Returns what is left to be written. */
  writeHead(exchange: SocketExchange, answer: ResponseMessage, isLast: boolean): Payload['data']
}

/** What all connections of a server share. */
export interface ServerState {
  /** Every further answer is the last on its connection. */
  isClosing: boolean
  /** Whether the log says that another listener responds to requests of this server. */
  hasReportedDiscard: boolean
  /** Whether the size of a head is counted here, because the server was made by someone else. */
  countsHead: boolean
  /** Whether the server listens on a Unix socket. */
  isUnix: () => boolean
  readonly settings: ServerSettings
  readonly transport: Transport
  readonly bodies: Watch
  readonly readers: Watch
}

export function createServerState(settings: ServerSettings, countsHead: boolean, transport: Transport): ServerState {
  const { bodyTimeout, writeTimeout } = settings
  const watches = { bodies: new Watch(bodyTimeout), readers: new Watch(writeTimeout) }
  const flags = { isClosing: false, hasReportedDiscard: false, countsHead }
  return { ...flags, isUnix: () => false, settings, transport, ...watches }
}

/** Why the rest of a body does not come. */
export type BodyError = 'malformed' | 'incomplete'

/** Whoever takes the body of the request in work. Listeners of that request would cost 6 % of a small POST. */
export interface BodyConsumer {
  lose(why: BodyError): void
}

/** Serves one request at a time: 120 pipelined ones for 5 MB each, as Node hands them over, would fill 650 to 1,280 MB of memory. */
export class Connection {
  readonly state: ServerState
  /** `unix` for a Unix socket, empty where it is not known. Read at once: asking later changes the shape of the socket (1 µs a request). */
  readonly peer: string
  /** The rest of the body in work cannot be read: its answer is the last. */
  isBroken: boolean = false
  /** An answer has said that it is the last: no request after it is served (RFC 9112 section 9.6). */
  isOver: boolean = false
  /** Takes the body in work; `null` where nobody does, or all of it is there. */
  bodyReader: BodyConsumer | null = null
  readonly #socket: Socket
  #last: ServerResponse | null = null
  #held: RequestQueue | null = null
  #reader: AnswerReader | null = null
  /** Answers bytes that are no request, once everything before them is answered. */
  #refuse: (() => void) | null = null
  #isSpoiled = false
  #isDetached = false

  constructor(socket: Socket, state: ServerState) {
    this.#socket = socket
    this.state = state
    // A TCP socket that is closed already has none either: it must not pass for a proxy.
    this.peer = plainAddress(socket.remoteAddress ?? (state.isUnix() ? UNIX : ''))
    // What asks why finds the response closed, too.
    socket.once('close', () => process.nextTick(() => this.#guarded(() => this.bodyReader?.lose('incomplete'))))
  }

  /** Whether a request is in work or held. */
  get isBusy(): boolean {
    const last = this.#last
    return last !== null && (this.#held !== null || (!last.writableFinished && !last.destroyed))
  }

  /** Whether the client has sent more than is read: a plain end would reset its connection. */
  get isUnread(): boolean {
    return this.#held !== null || this.isBroken
  }

  /** Begins with a request. Returns `false` after the last answer and once the connection is gone: the parser goes on even then. */
  begin(response: ServerResponse): boolean {
    if (this.isOver || !this.#socket.writable) return false
    this.#last = response
    return true
  }

  /** Keeps a request until its turn comes. It is dropped when the connection ends before. */
  hold(response: ServerResponse, serve: () => void): void {
    // The last answer is on its way: nothing after it will be served.
    if (this.isOver && this.#last?.writableEnded === true) return this.startLingeringClose()
    if (this.#held === null) {
      this.#held = new RequestQueue(this.#socket)
      if (this.#isDetached) this.#held.detach()
      this.#last?.once('close', this.#advance)
    }
    this.#held.push(response, serve)
  }

  readonly #advance = (): void => this.#guarded(() => this.#serveNext())

  #serveNext(): void {
    const isAtEnd = this.isOver || !this.#socket.writable
    const next = isAtEnd ? undefined : this.#nextHeld()
    if (next === undefined) {
      this.#dropHeld()
      if (!isAtEnd) this.#refuse?.()
      return
    }
    this.#last = next.response
    if (this.#held !== null || this.#refuse !== null) next.response.once('close', this.#advance)
    next.context.runInAsyncScope(next.serve)
  }

  /** The body of the last request before bytes that are no request may be incomplete: the answer to the bytes is its answer, too. */
  #nextHeld(): HeldRequest | undefined {
    const next = this.#held?.next()
    if (this.#held?.isEmpty === true) this.#dropHeld()
    return this.#isSpoiled && next?.response.req.complete === false ? undefined : next
  }

  /** Refuses bytes that are no request, behind the answers to all requests that were read whole; one that lacks its body gets the last. */
  break(refuse: () => void): void {
    const last = this.#last
    if (this.#isSpoiled || last === null) return
    this.#isSpoiled = true
    // The parser of Node would refuse each packet that follows.
    startLingeringClose(this.#socket)
    if (last.req.complete) {
      this.#refuse = refuse
      if (this.#held === null) last.once('close', this.#advance)
      return
    }
    this.isBroken = true
    last.once('close', () => this.#guarded(() => this.#socket.end()))
    this.bodyReader?.lose('malformed')
  }

  /** The server is closing: what is in work or held is the last. */
  close(): void {
    if (this.isBusy) this.#last?.once('close', () => this.#guarded(() => this.close()))
    else this.#socket.destroySoon()
  }

  /** The parser has left the socket: no request comes until `attach`, and held requests neither pause nor resume the socket. */
  detach(): void {
    this.#isDetached = true
    this.#held?.detach()
  }

  /** A new parser reads the socket. */
  attach(): void {
    this.#isDetached = false
  }

  /** Nothing that comes is served any more. The connection ends when the answer in work is written. */
  startLingeringClose(): void {
    this.#dropHeld()
    startLingeringClose(this.#socket)
  }

  #dropHeld(): void {
    this.#held?.release()
    this.#held = null
  }

  /** Ends the connection at once, over plain TCP with a reset, so that the client cannot take half an answer for the whole. */
  cut(): void {
    if (this.#socket.remoteAddress !== undefined && !('encrypted' in this.#socket)) this.#socket.resetAndDestroy()
    else this.#socket.destroy()
  }

  /** Bytes wait for the reader: one that takes next to nothing of them for a while would hold memory, and is cut off. */
  awaitReader(): void {
    const { readers } = this.state
    readers.add((this.#reader ??= new AnswerReader(this.#socket, readers, () => this.#guarded(() => this.cut()))))
  }

  /** Goes on with an answer that waits for the socket, where Node no longer tells it. */
  drain(): void {
    this.#last?.emit('drain')
  }

  /** Forgets an answer once the kernel has taken it: what an old connection holds survives young garbage (0.7 µs a request). */
  release(response: ServerResponse): void {
    // Node 20 and 22 hand a small answer to the kernel at once, newer versions in the next tick.
    if (response.writableFinished) this.#forget()
    else process.nextTick(this.#releaseLater, response)
  }

  /**
   * Not for each answer: V8 makes lists of two listeners in old memory after a while, because those of sockets live long. Each of them
   * would keep a request and its answer until old memory is collected, which costs 1.2 µs a request on Node 24 and 26.
   */
  readonly #releaseLater = (response: ServerResponse): void => {
    if (response.writableFinished) this.#forget()
    else response.on('finish', this.#forget)
  }

  readonly #forget = (): void => {
    if (this.#held === null && this.#last?.writableFinished === true) this.#last = null
  }

  #guarded(work: () => void): void {
    guarded(this.#socket, this.state.settings.report, work)
  }
}

const connections = new WeakMap<object, Connection>()

/** The connection of a socket, made when it is asked for the first time. */
export function getOrCreateConnection(socket: Socket, state: ServerState): Connection {
  let connection = connections.get(socket)
  if (connection === undefined) connections.set(socket, (connection = new Connection(socket, state)))
  return connection
}

/** The connection of a socket; `undefined` when no request has come over it. */
export function findConnection(socket: object): Connection | undefined {
  return connections.get(socket)
}
