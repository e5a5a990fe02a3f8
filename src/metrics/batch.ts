/**
 * Calls that have ended, until there are enough to be counted together: counting touches many places in memory, which are cold
 * again at each call between all that a request touches, and cold once for a whole batch.
 */
import type { CountedCall } from '../observe/event-types.js'

/** Calls that are counted together. */
const MOST = 64

/** A call that has ended, as far as figures go. */
export interface EndedCall {
  /** Number of the endpoint that answered; -1 where none did. */
  readonly endpoint: number
  /** Request method as sent. */
  readonly method: string
  /** Status of the answer; 0 for none. */
  readonly status: number
  /** When it ended, in ms of `performance.now()`. */
  readonly end: number
  /** In ms. */
  readonly duration: number
}

/** A place for a call, used again and again. */
type Slot = { -readonly [Name in keyof EndedCall]: EndedCall[Name] }

/** Gathers calls. Who reads figures asks for what has been gathered first. */
export class Batch {
  readonly #slots: readonly Slot[] = Array.from({ length: MOST }, blank)
  readonly #count: (call: EndedCall) => void
  #filled = 0

  constructor(count: (call: EndedCall) => void) {
    this.#count = count
  }

  /** Adds a call. It allocates nothing. */
  add({ prepared, exchange, began, duration }: CountedCall, status: number): void {
    // Proof: what is full has been flushed.
    const slot = this.#slots[this.#filled++] as Slot
    slot.endpoint = prepared === null ? -1 : prepared.number
    slot.method = exchange.method
    slot.status = status
    slot.end = began + duration
    slot.duration = duration
    if (this.#filled === MOST) this.flush()
  }

  /** Counts what was added. */
  flush(): void {
    for (const slot of this.#slots.slice(0, this.#filled)) this.#count(slot)
    this.#filled = 0
  }
}

function blank(): Slot {
  // Durations are fractions: a place that began with whole numbers would change its shape.
  return { endpoint: -1, method: '', status: 0, end: NaN, duration: NaN }
}
