/** The pace of a body: how long it may keep us waiting, and how slow it may be (the rule of Apache's mod_reqtimeout). */
import { clock, watches, type Watch, type Watched } from './watch.js'

/** Bytes a second that a body must bring on average, once its first time-out is over. */
const MINIMUM_RATE = 1000

const watchOf = watches<Pace>()

/** Not looked at yet. */
const UNSEEN = -1

/**
 * How fast a body comes. Nobody looks at the clock until the watch does for the first time: nearly all bodies are there by then,
 * and three looks cost 0.1 µs.
 */
export class Pace implements Watched<Pace> {
  /** Bytes that have come. */
  bytes: number = 0
  /** Its place among those that are looked at. */
  older: Pace | null = null
  newer: Pace | null = null
  isListed: boolean = false
  readonly #limit: number
  readonly #late: () => void
  readonly #watch: Watch<Pace> | null
  /** ms spent waiting for bytes so far: who takes them slowly on purpose is no slow client. */
  #waited = 0
  #since = UNSEEN
  #last = UNSEEN

  /** Begins to wait. */
  constructor(limit: number, late: () => void) {
    this.#limit = limit
    this.#late = late
    this.#watch = limit > 0 ? watchOf(limit) : null
    this.#watch?.add(this)
  }

  /** Takes note of bytes. */
  count(bytes: number): boolean {
    this.bytes += bytes
    if (this.#watch === null || this.#since === UNSEEN) return true
    this.#last = clock.now()
    const elapsed = this.#waited + this.#last - this.#since
    return elapsed <= this.#limit || this.bytes * 1000 >= elapsed * MINIMUM_RATE
  }

  /** Waits on. */
  resume(): void {
    if (this.#watch === null) return
    this.#since = clock.now()
    this.#last = this.#since
    this.#watch.add(this)
  }

  /** Waits no more. */
  stop(): void {
    if (this.#watch === null) return
    if (this.#since !== UNSEEN) this.#waited += clock.now() - this.#since
    this.#watch.delete(this)
  }

  /** Looks whether the limit is over. What came before the first look counts as if it had come with it. */
  check(now: number): void {
    if (this.#since === UNSEEN) {
      this.#since = now
      this.#last = now
    }
    if (now - this.#last < this.#limit) return
    this.stop()
    this.#late()
  }
}
