/** The requests of one connection that have come while another is in work, and wait for their turn. */
import { AsyncResource } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What may be held while the socket is still read now and then: requests, and bytes that came after the first of them. */
const BOUND = { requests: 2000, bytes: 64 * 1024 }
/** How often an unread socket is read, in ms. */
const PERIOD = 2000

/** Begins in the async context of its own event, for its trace; `AsyncLocalStorage.snapshot` costs 8 µs on Node 20, this 50 ns. */
export class HeldRequest extends AsyncResource {
  readonly response: ServerResponse
  readonly serve: () => void

  constructor(response: ServerResponse, serve: () => void) {
    super('HeldRequest')
    this.response = response
    this.serve = serve
  }
}

/**
 * The socket is paused while requests wait; Node resumes it when an answer has left, so it is paused again. An unread socket does not
 * show that its client has left, so it is read for one turn now and then, until more is held than the bound.
 */
export class HeldRequests {
  readonly #socket: Socket
  #requests: HeldRequest[] = []
  /** What had been read when the first of them was held. */
  #from = 0
  #isReading = false
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(socket: Socket) {
    this.#socket = socket
  }

  get size(): number {
    return this.#requests.length
  }

  push(response: ServerResponse, serve: () => void): void {
    if (this.#requests.length === 0) {
      this.#from = this.#socket.bytesRead
      this.#socket.on('resume', this.#pause)
      this.#timer = setInterval(() => this.#readOnce(), PERIOD).unref()
    }
    this.#requests.push(new HeldRequest(response, serve))
    // Node would read on behind each request.
    this.#isReading = false
    this.#socket.pause()
  }

  /** Takes the next request. The socket is read again after the last one. */
  next(): HeldRequest | undefined {
    const request = this.#requests.shift()
    if (request !== undefined && this.#requests.length === 0) this.#release()
    return request
  }

  clear(): void {
    if (this.#requests.length === 0) return
    this.#requests = []
    this.#release()
  }

  #readOnce(): void {
    if (this.#requests.length > BOUND.requests || this.#socket.bytesRead - this.#from > BOUND.bytes) return
    this.#isReading = true
    this.#socket.resume()
    setImmediate(() => {
      this.#isReading = false
      if (this.#requests.length > 0) this.#socket.pause()
    })
  }

  #release(): void {
    clearInterval(this.#timer)
    this.#socket.off('resume', this.#pause)
    this.#socket.resume()
  }

  readonly #pause = (): void => {
    if (!this.#isReading) this.#socket.pause()
  }
}
