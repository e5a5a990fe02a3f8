/** Queue of password hashes, which limits their number and the time that a request waits. */
import { frameworkError } from '../../errors/http-error.js'

/** Maximum number of hashes at a time. Each occupies one of the four threads that Node also uses for files and DNS. */
const MAX_RUNNING = 2
/** In ms. */
const MAX_WAIT = 5_000
/** Limits the memory if the last hashes were cheap. */
const MAX_WAITING = 100
/** Weight of the last hash in the average. */
const WEIGHT = 0.25

/** Runs `MAX_RUNNING` hashes at a time, in order. */
export class HashQueue {
  readonly #now: () => number
  #running = 0
  /** Moving average of the time that a place is occupied, in ms. */
  #average = 500
  /** Functions that start the work, in order. */
  readonly #waiting = new Set<() => void>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** Rejects with the reason of the signal if it is aborted before the work has started. */
  async run<T>(work: () => Promise<T>, signal: AbortSignal | undefined): Promise<T> {
    signal?.throwIfAborted()
    await this.#enter(signal)
    const start = this.#now()
    try {
      return await work()
    } finally {
      this.#average += (this.#now() - start - this.#average) * WEIGHT
      this.#leave()
    }
  }

  #enter(signal: AbortSignal | undefined): Promise<void> | undefined {
    if (this.#running < MAX_RUNNING) {
      this.#running++
      return undefined
    }
    const wait = ((this.#waiting.size + 1) * this.#average) / MAX_RUNNING
    if (wait > MAX_WAIT || this.#waiting.size >= MAX_WAITING) throw overloadError(wait)
    return new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener('abort', leave)
        resolve()
      }
      const leave = (): void => {
        this.#waiting.delete(start)
        reject(signal?.reason)
      }
      this.#waiting.add(start)
      signal?.addEventListener('abort', leave)
    })
  }

  /** Passes the place to the next one that waits. */
  #leave(): void {
    const [next] = this.#waiting
    if (next === undefined) this.#running--
    else {
      this.#waiting.delete(next)
      next()
    }
  }
}

function overloadError(wait: number): Error {
  const seconds = Math.max(1, Math.ceil(wait / 1000))
  return frameworkError(503, 'Too many passwords are being verified. Try again later', {
    headers: { 'retry-after': String(seconds) },
  })
}
