/** What is held of one connection: requests that have come while another is in work, and wait for their turn. */
import { AsyncResource } from 'node:async_hooks'
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { Watch, type Watched } from './watch.js'

/** A request that waits for its turn. */
export interface Waiting {
  readonly response: ServerResponse
  /** Called once, or never when the connection ends before. */
  begin(): void
}

/** What may be held while the socket is still read from, now and then: requests, and bytes that came after the first of them. */
const BOUND = { requests: 2000, bytes: 64 * 1024 }
/** How often an unread socket is read from, in ms. A client that leaves is noticed at the second time at the latest. */
const PERIOD = 2000

const watch = new Watch<Held>(PERIOD)

/**
 * A request that is held. Requests begin in the context of their own event, which is that of their traces. It is kept in this form because
 * `AsyncLocalStorage.snapshot` costs 8 µs on Node 20, and this 50 ns.
 */
export class HeldRequest extends AsyncResource {
  readonly waiting: Waiting

  constructor(waiting: Waiting) {
    super('HeldRequest')
    this.waiting = waiting
  }
}

/**
 * The requests of one connection that wait. As long as there are any its socket is paused; Node resumes it by itself when an
 * answer has left, so it is paused again. But an unread socket tells nothing of a client that leaves. So it is read for one turn
 * now and then, until more is held than the bound.
 */
export class Held implements Watched<Held> {
  /** Its place among those that are looked at. */
  older: Held | null = null
  newer: Held | null = null
  isListed: boolean = false
  readonly #socket: Socket
  #requests: HeldRequest[] = []
  /** What had been read when the first of them was held. */
  #from = 0
  /** Whether the watch has seen that something is held: short waits need no look. */
  #isSeen = false
  #isReading = false

  constructor(socket: Socket) {
    this.#socket = socket
  }

  /** How many requests wait. */
  get size(): number {
    return this.#requests.length
  }

  /** Holds a request. */
  push(waiting: Waiting): void {
    if (this.#requests.length === 0) {
      this.#from = this.#socket.bytesRead
      this.#isSeen = false
      this.#socket.on('resume', this.#pause)
      watch.add(this)
    }
    this.#requests.push(new HeldRequest(waiting))
    // Node would read on behind each request.
    this.#isReading = false
    this.#socket.pause()
  }

  /**
   * Takes the next request; the socket is read from again when it was the last. Returns the request, or `undefined`.
   */
  next(): HeldRequest | undefined {
    const request = this.#requests.shift()
    if (request !== undefined && this.#requests.length === 0) this.#release()
    return request
  }

  /** Drops all that wait. */
  clear(): void {
    if (this.#requests.length === 0) return
    this.#requests = []
    this.#release()
  }

  /** Reads for one turn, unless too much is held. */
  check(): void {
    const bytes = this.#socket.bytesRead - this.#from
    if (!this.#isSeen) this.#isSeen = true
    else if (this.#requests.length <= BOUND.requests && bytes <= BOUND.bytes) this.#readOnce()
  }

  #readOnce(): void {
    this.#isReading = true
    this.#socket.resume()
    setImmediate(() => {
      this.#isReading = false
      if (this.#requests.length > 0) this.#socket.pause()
    })
  }

  #release(): void {
    watch.delete(this)
    this.#socket.off('resume', this.#pause)
    this.#socket.resume()
  }

  readonly #pause = (): void => {
    if (!this.#isReading) this.#socket.pause()
  }
}
