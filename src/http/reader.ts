/** Who reads an answer: how long it may take nothing of it, and how slow it may be. */
import type { Socket } from 'node:net'
import { watches, type Watch, type Watched } from './watch.js'

/** Bytes a second that a reader must take on average, over each time of its limit. */
const MINIMUM_RATE = 1000
/** Not looked at yet. */
const UNSEEN = -1

const watchOf = watches<Reader>()

/**
 * The reader of a connection. It is looked at only while bytes wait for it: who produces an answer slowly is no slow reader.
 * Nobody looks at the clock before the watch does: nearly all answers have left by then.
 */
export class Reader implements Watched<Reader> {
  /** Its place among those that are looked at. */
  older: Reader | null = null
  newer: Reader | null = null
  isListed: boolean = false
  readonly #socket: Socket
  readonly #limit: number
  readonly #late: () => void
  readonly #watch: Watch<Reader>
  /** When the time began over which its rate is looked at, and what it had taken until then. */
  #since = UNSEEN
  #from = 0
  /** When it was last seen to have taken something, and what it had taken by then. */
  #last = UNSEEN
  #taken = 0

  constructor(socket: Socket, limit: number, late: () => void) {
    this.#socket = socket
    this.#limit = limit
    this.#late = late
    this.#watch = watchOf(limit)
  }

  /** Bytes wait for it. */
  wait(): void {
    this.#watch.add(this)
  }

  /** Looks whether it is too slow. */
  check(now: number): void {
    if (this.#socket.writableLength === 0 || this.#socket.destroyed) {
      this.#stop()
      return
    }
    const taken = takenFrom(this.#socket)
    if (this.#since === UNSEEN) this.#begin(now, taken)
    if (taken !== this.#taken) {
      this.#taken = taken
      this.#last = now
    }
    const elapsed = now - this.#since
    if (now - this.#last >= this.#limit || (elapsed >= this.#limit && isSlow(taken - this.#from, elapsed))) {
      this.#stop()
      this.#late()
    } else if (elapsed >= this.#limit) this.#begin(now, taken)
  }

  #begin(now: number, taken: number): void {
    if (this.#since === UNSEEN) this.#last = now
    this.#since = now
    this.#from = taken
    this.#taken = taken
  }

  #stop(): void {
    this.#since = UNSEEN
    this.#watch.delete(this)
  }
}

function isSlow(bytes: number, ms: number): boolean {
  return bytes * 1000 < ms * MINIMUM_RATE
}

/**
 * How many bytes the kernel has taken. A socket itself counts what it was given: of an answer that was written in one piece it
 * knows nothing until the whole has left. Node looks at the queue of its handle for its own time-out, but over TLS at the
 * wrong one, so that this time-out cuts readers that do read.
 */
function takenFrom(socket: Socket): number {
  const handle: unknown = Reflect.get(socket, '_handle')
  // Over TLS, that of the connection below.
  const own: object = Object(handle)
  const lowest: object = Object(Reflect.get(own, '_parent') ?? own)
  const given: unknown = Reflect.get(lowest, 'bytesWritten')
  const queued: unknown = Reflect.get(lowest, 'writeQueueSize')
  if (typeof given === 'number' && typeof queued === 'number') return given - queued
  return socket.bytesWritten - socket.writableLength
}
