/**
 * Detects clients that send a body or read a response too slowly, by the rule of Apache's mod_reqtimeout.
 *
 * @see docs/decisions/0048-lost-connections.md
 */
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/** Minimum average rate in bytes per second. It applies to a body after its first timeout, and to a response in each timeout period. */
const MINIMUM_RATE = 1000
/** Time of a client that was not checked yet. Nearly all bodies and responses are done before the first check reads the clock. */
const UNSEEN_BYTES = -1

interface WatchedClient {
  /** Index in the list of the watch; -1 if the client is not in the list. */
  place: number
  check(now: number): void
}

/** Checks clients at intervals. The limit is in ms; 0 disables it. A timer per body would cost 6 % of a small POST, a `Set` 4 %. */
export class Watch {
  readonly limit: number
  readonly #watched: WatchedClient[] = []
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(limit: number) {
    this.limit = limit
  }

  add(watched: WatchedClient): void {
    if (this.limit === 0 || watched.place >= 0) return
    watched.place = this.#watched.push(watched) - 1
    // Open connections keep the process alive. The timer must not keep it alive after them.
    this.#timer ??= setInterval(() => this.#look(), Math.max(10, Math.min(1000, this.limit / 4))).unref()
  }

  delete(watched: WatchedClient): void {
    const { place } = watched
    if (place < 0) return
    watched.place = -1
    const lastWatched = this.#watched.pop()
    if (lastWatched === undefined || lastWatched === watched) return
    this.#watched[place] = lastWatched
    lastWatched.place = place
  }

  #look(): void {
    const now = performance.now()
    for (const watched of [...this.#watched]) if (watched.place >= 0) watched.check(now)
    if (this.#watched.length > 0) return
    clearInterval(this.#timer)
    this.#timer = undefined
  }
}

export class BodyRate implements WatchedClient {
  bytes: number = 0
  place: number = -1
  readonly #watch: Watch
  readonly #late: () => void
  /** Total time spent waiting for bytes, in ms. It excludes the time of a handler that reads slowly on purpose. */
  #waited = 0
  #since = UNSEEN_BYTES
  #last = UNSEEN_BYTES

  /** Starts to wait for bytes. Calls `late` if no bytes arrive within the limit. */
  constructor(watch: Watch, late: () => void) {
    this.#watch = watch
    this.#late = late
    watch.add(this)
  }

  /** Counts received bytes. Returns `false` if they arrive too slowly. */
  count(bytes: number): boolean {
    this.bytes += bytes
    if (this.#since === UNSEEN_BYTES) return true
    this.#last = performance.now()
    const elapsed = this.#waited + this.#last - this.#since
    return elapsed <= this.#watch.limit || this.bytes * 1000 >= elapsed * MINIMUM_RATE
  }

  resume(): void {
    if (this.#watch.limit === 0) return
    this.#since = this.#last = performance.now()
    this.#watch.add(this)
  }

  stop(): void {
    if (this.#since !== UNSEEN_BYTES) this.#waited += performance.now() - this.#since
    this.#watch.delete(this)
  }

  /** Bytes that arrived before the first check count as received at its time. */
  check(now: number): void {
    if (this.#since === UNSEEN_BYTES) this.#since = this.#last = now
    if (now - this.#last < this.#watch.limit) return
    this.stop()
    this.#late()
  }
}

/** The client as reader of responses. Checked only while bytes wait to be sent, because a slow handler is not the client's fault. */
export class ResponseReader implements WatchedClient {
  place: number = -1
  readonly #socket: Socket
  readonly #watch: Watch
  readonly #late: () => void
  /** Start time of the current measuring period, and the bytes acknowledged before it. */
  #since = UNSEEN_BYTES
  #from = 0
  /** Time of the last progress, and the total bytes acknowledged at that time. */
  #last = UNSEEN_BYTES
  #taken = 0

  constructor(socket: Socket, watch: Watch, late: () => void) {
    this.#socket = socket
    this.#watch = watch
    this.#late = late
  }

  check(now: number): void {
    if (this.#socket.writableLength === 0 || this.#socket.destroyed) {
      this.#stop()
      return
    }
    if (isConnectionLost(this.#socket)) {
      this.#stop()
      this.#late()
      return
    }
    const acknowledged = countAcknowledged(this.#socket)
    if (this.#since === UNSEEN_BYTES) this.#begin(now, acknowledged)
    if (acknowledged !== this.#taken) {
      this.#taken = acknowledged
      this.#last = now
    }
    const elapsed = now - this.#since
    const isOver = elapsed >= this.#watch.limit
    const isSlow = (acknowledged - this.#from) * 1000 < elapsed * MINIMUM_RATE
    if (now - this.#last >= this.#watch.limit || (isOver && isSlow)) {
      this.#stop()
      this.#late()
    } else if (isOver) this.#begin(now, acknowledged)
  }

  #begin(now: number, taken: number): void {
    if (this.#since === UNSEEN_BYTES) this.#last = now
    this.#since = now
    this.#from = taken
    this.#taken = taken
  }

  #stop(): void {
    this.#since = UNSEEN_BYTES
    this.#watch.delete(this)
  }
}

/**
 * Whether the TCP connection below a TLS socket is lost. After `end()`, Node ignores the error of a pending write, so that the socket never
 * finishes or closes.
 */
export function isConnectionLost(socket: Socket): boolean {
  const handle: object = Object(Reflect.get(Object(Reflect.get(socket, '_handle')), '_parent'))
  const getPeer: unknown = Reflect.get(handle, 'getpeername')
  return typeof getPeer === 'function' && getPeer.call(handle, {}) !== 0
}

/**
 * Returns the number of bytes that the kernel has accepted. `socket.bytesWritten` also counts queued bytes, and for TLS, Node's socket
 * timeout checks the wrong queue.
 */
function countAcknowledged(socket: Socket): number {
  const handle: object = Object(Reflect.get(socket, '_handle'))
  // For TLS, uses the handle of the underlying TCP connection.
  const lowest: object = Object(Reflect.get(handle, '_parent') ?? handle)
  const bytesWritten: unknown = Reflect.get(lowest, 'bytesWritten')
  const queued: unknown = Reflect.get(lowest, 'writeQueueSize')
  if (typeof bytesWritten === 'number' && typeof queued === 'number') return bytesWritten - queued
  return socket.bytesWritten - socket.writableLength
}
