/**
 * Pipelined requests of a connection, which wait until earlier requests are done.
 *
 * @see docs/decisions/0005-one-request-per-connection.md
 */
import { AsyncResource } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** Maximum number of queued requests, and of bytes received since the first one. If one is exceeded, the socket is no longer polled. */
const BOUND = { requests: 2000, bytes: 64 * 1024 }
/** Interval at which a paused socket is polled, in ms. */
const PERIOD = 2000

export interface HeldRequest {
  readonly response: ServerResponse
  readonly serve: () => void
  /** Async context of the request event, for tracing. It costs 50 ns; `AsyncLocalStorage.snapshot` costs 8 µs on Node 20. */
  readonly context: AsyncResource
}

/** Pauses the socket while requests wait. A paused socket does not report a disconnect, so it is polled. */
export class RequestQueue {
  readonly #socket: Socket
  readonly #requests: HeldRequest[] = []
  /** Bytes that were read from the socket before the first request was queued. */
  readonly #from: number
  readonly #timer: NodeJS.Timeout
  #isReading = false
  #isDetached = false

  constructor(socket: Socket) {
    this.#socket = socket
    this.#from = socket.bytesRead
    // Node resumes the socket after each response.
    socket.on('resume', this.#pause)
    this.#timer = setInterval(() => this.#readOnce(), PERIOD).unref()
  }

  get isEmpty(): boolean {
    return this.#requests.length === 0
  }

  push(response: ServerResponse, serve: () => void): void {
    this.#requests.push({ response, serve, context: new AsyncResource('HeldRequest') })
    if (this.#isDetached) return
    // Otherwise Node would continue to read after each request.
    this.#isReading = false
    this.#socket.pause()
  }

  next(): HeldRequest | undefined {
    return this.#requests.shift()
  }

  /** Called when Node's parser is detached. The socket is parked then and only reads into its buffer. */
  detach(): void {
    this.#isDetached = true
    this.#socket.off('resume', this.#pause)
  }

  /** Drops the queued requests and resumes the socket. */
  release(): void {
    this.#requests.length = 0
    clearInterval(this.#timer)
    this.#socket.off('resume', this.#pause)
    if (!this.#isDetached) this.#socket.resume()
  }

  #readOnce(): void {
    if (this.#requests.length > BOUND.requests || this.#socket.bytesRead - this.#from > BOUND.bytes) return
    if (this.#isDetached) {
      // Node does the same when a client has ended its side.
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
