/** Watches whether the event loop stands still. It goes on when nobody looks: what has happened by then is what one comes to see. */

/** Between two looks, in ms: 20 a second cost some 0.01 % of a core. */
const BEAT_MS = 50
/** Of a delay, what a process has of the processor at least when it works, on a machine with a lot to do. */
const MIN_WORK = 0.2

/** A time in which the event loop stood still, in ms of `performance.now()`. */
export interface Stall {
  readonly from: number
  readonly to: number
  readonly delay: number
  /** Whether the process worked in it; else it was not let work, as on a machine that sleeps. */
  readonly isBusy: boolean
}

export class StallDetector {
  readonly #limit: number
  readonly #found: (stall: Stall) => void
  #timer: NodeJS.Timeout | null = null
  #looked = 0
  #use = process.cpuUsage()

  constructor(limit: number, found: (stall: Stall) => void) {
    this.#limit = limit
    this.#found = found
  }

  /** Begins to watch; again, it goes on. It keeps no process alive. */
  start(): void {
    this.#looked = performance.now()
    this.#use = process.cpuUsage()
    this.#timer ??= setInterval(() => this.#look(), BEAT_MS).unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #look(): void {
    const from = this.#looked
    const to = performance.now()
    const delay = to - from - BEAT_MS
    this.#looked = to
    const { user, system } = process.cpuUsage(this.#use)
    this.#use = process.cpuUsage()
    if (delay >= this.#limit) this.#found({ from, to, delay, isBusy: (user + system) / 1000 >= delay * MIN_WORK })
  }
}
