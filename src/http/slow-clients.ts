/** Clients that are too slow: bodies that do not come, and readers that do not take their answer (the rule of Apache's mod_reqtimeout). */
import type { Socket } from 'node:net'
import { performance } from 'node:perf_hooks'

/** Bytes a second that a body must bring on average once its first time-out is over, and that a reader must take over each of its. */
const MINIMUM_RATE = 1000
/** Not looked at yet: nearly all bodies and answers are through before the watch first asks the clock. */
const UNSEEN = -1

interface WatchedClient {
  /** In the list of its watch; -1 for none. */
  place: number
  check(now: number): void
}

/** Looks at clients with a time limit; 0 for none. A timer for each body would cost 6 % of a small POST, a `Set` of them 4 %. */
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
    // The connection keeps the process alive as long as it is needed; this timer must not, for a period after.
    this.#timer ??= setInterval(() => this.#look(), Math.max(10, Math.min(1000, this.limit / 4))).unref()
  }

  delete(watched: WatchedClient): void {
    const { place } = watched
    if (place < 0) return
    watched.place = -1
    const last = this.#watched.pop()
    if (last === undefined || last === watched) return
    this.#watched[place] = last
    last.place = place
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
  /** ms spent waiting for bytes so far: a handler that takes them slowly on purpose is no slow client. */
  #waited = 0
  #since = UNSEEN
  #last = UNSEEN

  /** Begins to wait for bytes; `late` is called when none have come for the limit. */
  constructor(watch: Watch, late: () => void) {
    this.#watch = watch
    this.#late = late
    watch.add(this)
  }

  /** Takes note of bytes. Returns `false` when they come too slowly. */
  count(bytes: number): boolean {
    this.bytes += bytes
    if (this.#since === UNSEEN) return true
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
    if (this.#since !== UNSEEN) this.#waited += performance.now() - this.#since
    this.#watch.delete(this)
  }

  /** What came before the first look counts as if it had come with it. */
  check(now: number): void {
    if (this.#since === UNSEEN) this.#since = this.#last = now
    if (now - this.#last < this.#watch.limit) return
    this.stop()
    this.#late()
  }
}

/** The reader of a connection, checked only while bytes wait for it: slow production of an answer is not its fault. */
export class AnswerReader implements WatchedClient {
  place: number = -1
  readonly #socket: Socket
  readonly #watch: Watch
  readonly #late: () => void
  /** When the period began over which its rate is measured, and how many bytes it had taken before. */
  #since = UNSEEN
  #from = 0
  /** When it was last seen to have taken bytes, and how many in all. */
  #last = UNSEEN
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
    const acknowledged = countAcknowledged(this.#socket)
    if (this.#since === UNSEEN) this.#begin(now, acknowledged)
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

/** How many bytes the kernel has taken: a socket counts what it was given, and Node's time-out looks at the wrong queue over TLS. */
function countAcknowledged(socket: Socket): number {
  const handle: object = Object(Reflect.get(socket, '_handle'))
  // Over TLS, that of the connection below.
  const lowest: object = Object(Reflect.get(handle, '_parent') ?? handle)
  const bytesWritten: unknown = Reflect.get(lowest, 'bytesWritten')
  const queued: unknown = Reflect.get(lowest, 'writeQueueSize')
  if (typeof bytesWritten === 'number' && typeof queued === 'number') return bytesWritten - queued
  return socket.bytesWritten - socket.writableLength
}
