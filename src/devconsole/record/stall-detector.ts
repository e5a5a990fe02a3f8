/** Detects when the event loop is blocked. Runs even if no page is open, because users open the console after a problem. */

/** Time between two checks, in ms. 20 checks per second use about 0.01 % of a core. */
const BEAT_MS = 50
/** Minimum share of a delay for which the process uses the processor if it is busy, even on a loaded machine. */
const MIN_WORK = 0.2

/** A period in which the event loop was blocked, in ms of `performance.now()`. */
export interface LoopStall {
  readonly from: number
  readonly to: number
  readonly delay: number
  /** Whether the process was busy. If not, it was suspended, as on a machine that sleeps. */
  readonly isBusy: boolean
}

export class StallDetector {
  readonly #limit: number
  readonly #found: (stall: LoopStall) => void
  #timer: NodeJS.Timeout | null = null
  #lastCheck = 0
  #use = process.cpuUsage()

  constructor(limit: number, found: (stall: LoopStall) => void) {
    this.#limit = limit
    this.#found = found
  }

  /** Starts the checks. Further calls have no effect. The timer does not keep the process alive. */
  start(): void {
    this.#lastCheck = performance.now()
    this.#use = process.cpuUsage()
    this.#timer ??= setInterval(() => this.#check(), BEAT_MS).unref()
  }

  stop(): void {
    if (this.#timer !== null) clearInterval(this.#timer)
    this.#timer = null
  }

  #check(): void {
    const from = this.#lastCheck
    const to = performance.now()
    const delay = to - from - BEAT_MS
    this.#lastCheck = to
    const { user, system } = process.cpuUsage(this.#use)
    this.#use = process.cpuUsage()
    if (delay >= this.#limit) this.#found({ from, to, delay, isBusy: (user + system) / 1000 >= delay * MIN_WORK })
  }
}
