/** The requests of one connection that have come while another is in work, and wait for their turn. */
import { AsyncResource } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What may be held while the socket is still read now and then: requests, and bytes that came after the first of them. */
const BOUND = { requests: 2000, bytes: 64 * 1024 }
/** How often an unread socket is read, in ms. */
const PERIOD = 2000

export interface HeldRequest {
  readonly response: ServerResponse
  readonly serve: () => void
  /** The async context of its event, for its trace; `AsyncLocalStorage.snapshot` costs 8 µs on Node 20, this 50 ns. */
  readonly context: AsyncResource
}

/** Pauses the socket while requests wait. A paused socket does not show that its client has gone, so it is read now and then. */
export class RequestQueue {
  readonly #socket: Socket
  readonly #requests: HeldRequest[] = []
  /** What had been read when the first of them was held. */
  readonly #from: number
  readonly #timer: NodeJS.Timeout
  #isReading = false
  #isDetached = false

  constructor(socket: Socket) {
    this.#socket = socket
    this.#from = socket.bytesRead
    // Node resumes the socket when an answer has left.
    socket.on('resume', this.#pause)
    this.#timer = setInterval(() => this.#readOnce(), PERIOD).unref()
  }

  get isEmpty(): boolean {
    return this.#requests.length === 0
  }

  push(response: ServerResponse, serve: () => void): void {
    this.#requests.push({ response, serve, context: new AsyncResource('HeldRequest') })
    if (this.#isDetached) return
    // Node would read on behind each request.
    this.#isReading = false
    this.#socket.pause()
  }

  next(): HeldRequest | undefined {
    return this.#requests.shift()
  }

  /** The parser has left the socket, which is parked now: it is only read into its buffer. */
  detach(): void {
    this.#isDetached = true
    this.#socket.off('resume', this.#pause)
  }

  /** Drops what is held; the socket is read again. */
  release(): void {
    this.#requests.length = 0
    clearInterval(this.#timer)
    this.#socket.off('resume', this.#pause)
    if (!this.#isDetached) this.#socket.resume()
  }

  #readOnce(): void {
    if (this.#requests.length > BOUND.requests || this.#socket.bytesRead - this.#from > BOUND.bytes) return
    if (this.#isDetached) {
      // As Node does when a client has ended its side.
      if (this.#socket.readableEnded) this.#socket.end()
      return
    }
    this.#isReading = true
    this.#socket.resume()
    setImmediate(() => {
      this.#isReading = false
      if (!this.isEmpty) this.#socket.pause()
    })
  }

  readonly #pause = (): void => {
    if (!this.#isReading) this.#socket.pause()
  }
}
