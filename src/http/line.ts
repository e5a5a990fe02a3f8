/** A line: one connection, whose requests are answered one after the other. */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Held, type HeldRequest, type Waiting } from './held.js'
import { leave } from './leave.js'
import { Reader } from './reader.js'
import type { ServerSettings } from './settings.js'

/** What all connections of a server share. */
export interface Gate {
  /** Every further answer is the last on its connection. */
  isClosing: boolean
  /** Whether the size of a head is counted here, because the server was made by someone else. */
  countsHead?: boolean
  readonly settings: ServerSettings
}

/**
 * The event of a request the rest of whose body cannot be read. It is no function that a line holds: what an old connection refers
 * to survives with all that it knows of, and so did every request with a body (12 µs each).
 */
export const BROKEN: unique symbol = Symbol('broken')

/**
 * One connection. `node:http` hands over every request it has parsed: 120 pipelined ones for 5 MB each would be answered into
 * memory all at once (650 to 1,280 MB). So the next one is held, and the socket not read from, until the one before it has left.
 */
export class Line {
  readonly gate: Gate
  /**
   * Address of the peer; empty when there is none. Read at once: a socket that is gone does not know it any more, and one that is
   * asked later becomes an object of another shape, which slows down all that handles sockets (1 µs a request).
   */
  readonly peer: string
  /** What follows cannot be read: the answer in work is the last. */
  isBroken: boolean = false
  /** An answer has said that it is the last: no request behind it is served (RFC 9112 section 9.6). */
  isOver: boolean = false
  readonly #socket: Socket
  #last: ServerResponse | null = null
  #held: Held | null = null
  #reader: Reader | null = null
  /** Answers bytes that are no request, once all that stands before them is answered. */
  #refuse: (() => void) | null = null
  #isSpoiled = false

  constructor(socket: Socket, gate: Gate) {
    this.#socket = socket
    this.gate = gate
    this.peer = socket.remoteAddress ?? ''
  }

  /** Whether a request is in work or held. */
  get isBusy(): boolean {
    const last = this.#last
    return this.#isHolding || (last !== null && !last.writableFinished && !last.destroyed)
  }

  /** Whether the client has sent more than is read: a plain end would reset its connection. */
  get isUnread(): boolean {
    return this.#isHolding || this.isBroken
  }

  get #isHolding(): boolean {
    return this.#held !== null && this.#held.size > 0
  }

  /**
   * Begins with a request, at once or when its turn has come; never behind an answer that was the last, nor once the
   * connection is gone: the parser goes on with what it has read, and Node tells none of these responses that nobody is
   * there.
   */
  take(waiting: Waiting): void {
    if (this.isBusy) this.#hold(waiting)
    else if (!this.isOver && this.#socket.writable) this.#begin(waiting)
  }

  /**
   * The bytes that follow are no request, and nothing behind them is. Requests that were read whole are answered as if
   * nothing had come, and the bytes behind them. One in work whose body they should have been is finished, and the
   * connection ended with it.
   */
  break(refuse: () => void): void {
    const last = this.#last
    if (this.#isSpoiled || last === null) return
    this.#isSpoiled = true
    // The parser of Node would find fault with each packet that follows.
    leave(this.#socket)
    if (last.req.complete) {
      this.#refuse = refuse
      if (!this.#isHolding) last.once('close', this.#advance)
      return
    }
    this.isBroken = true
    last.once('close', () => this.#socket.end())
    last.req.emit(BROKEN)
  }

  /** The server is closing: what is in work or held is the last. */
  close(): void {
    if (this.isBusy) this.#last?.once('close', () => this.close())
    else this.#socket.destroySoon()
  }

  /** Nothing that comes is served any more. Once the answer in work is written, the connection ends. */
  leave(): void {
    this.#held?.clear()
    leave(this.#socket)
  }

  /**
   * Ends the connection at once, so that the client can tell: what it has of an answer could pass for the whole. Only TCP knows a
   * reset; elsewhere bytes are missing, or the last chunk.
   */
  cut(): void {
    if (this.peer !== '' && !('encrypted' in this.#socket)) this.#socket.resetAndDestroy()
    else this.#socket.destroy()
  }

  /** Bytes wait for the reader: who takes nothing of them for a while, or next to nothing, holds memory for nothing, and is cut off. */
  awaitReader(): void {
    const { writeTimeout } = this.gate.settings
    if (writeTimeout === 0) return
    this.#reader ??= new Reader(this.#socket, writeTimeout, () => this.cut())
    this.#reader.wait()
  }

  /**
   * An answer was written: once the kernel has taken it, nothing of its request is kept, because what hangs on an old
   * connection would survive the collection of young garbage (0.7 µs a request).
   */
  release(response: ServerResponse): void {
    // Node 20 and 22 hand a small answer to the kernel at once.
    if (response.writableFinished) this.#forget()
    else response.once('finish', this.#forget)
  }

  readonly #forget = (): void => {
    if (!this.#isHolding && this.#last?.writableFinished === true) this.#last = null
  }

  #begin(waiting: Waiting): void {
    this.#last = waiting.response
    if (this.#isHolding || this.#refuse !== null) waiting.response.once('close', this.#advance)
    waiting.begin()
  }

  #hold(waiting: Waiting): void {
    // The last answer is on its way: what comes behind it is not even held.
    if (this.isOver && this.#last?.writableEnded === true) {
      this.leave()
      return
    }
    this.#held ??= new Held(this.#socket)
    if (this.#held.size === 0) this.#last?.once('close', this.#advance)
    this.#held.push(waiting)
  }

  readonly #advance = (): void => {
    const isAtEnd = this.isOver || !this.#socket.writable
    const next = isAtEnd ? undefined : this.#nextHeld()
    if (next !== undefined) next.runInAsyncScope(this.#begin, this, next.waiting)
    else {
      this.#held?.clear()
      if (!isAtEnd) this.#refuse?.()
    }
  }

  /** The last one before bytes that are no request may lack the rest of its body: what answers the bytes answers it, too. */
  #nextHeld(): HeldRequest | undefined {
    const next = this.#held?.next()
    return this.#isSpoiled && next?.waiting.response.req.complete === false ? undefined : next
  }
}

const lines = new WeakMap<object, Line>()

/** The line of a connection. */
export function lineOf(socket: Socket, gate: Gate): Line {
  const known = lines.get(socket)
  if (known !== undefined) return known
  const line = new Line(socket, gate)
  lines.set(socket, line)
  return line
}

/** The line of a connection, if a request has come over it. Returns its line, or `undefined`. */
export function knownLine(socket: object): Line | undefined {
  return lines.get(socket)
}
