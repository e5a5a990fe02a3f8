/** Limits in the memory of this process: bounded, and hard to make forget. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkMembers, rule } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
import { isWhole } from '../../values/numbers.js'
import type { Charge, ChargeResult, LimitStore } from './store-types.js'
import { charge, lastSlotEnd, type Slots } from './window.js'

startStackAtCaller(memoryLimits)

/** How much memory limits may take. */
export interface MemoryLimitsOptions {
  /** How many clients are remembered; 100,000 unless given. Each takes 250 bytes, and up to 1.5 kB with a high limit. */
  readonly keys?: number
}

/** Of whom something is known. */
interface LimitEntry {
  readonly slots: Slots
  /** When nothing of it counts any more, in ms of the clock. */
  end: number
  /** What part of the limit is used. */
  share: number
}

const KEYS = 100_000
/** How many entries each new one looks at. */
const SWEEP_SIZE = 8
/** How many where all of these have used up their limit. */
const MAX_SWEEP_SIZE = 1000

type KeyedEntry = readonly [key: string, entry: LimitEntry]

/**
 * Counts in this process's memory. A limit without a store does the same. Other processes count for themselves.
 *
 * When there is no room for one more client, eight entries are looked at, and up to a thousand where all of these have used up their
 * limit: those that have ended go, or else the one that has used the least. Whoever wants to be forgotten after five attempts must make
 * a thousand other clients in a row use five attempts each.
 *
 * @param options `keys`: how many clients are remembered
 * @returns the store, for `rateLimit`
 * @throws SetupError `PROVIDER_INVALID`
 *
 * @example
 * ```ts
 * import { memoryLimits, rateLimit } from 'verbena/limits'
 *
 * const store = memoryLimits({ keys: 1_000_000 })
 * const daily = rateLimit({ by: ({ request }) => request.ip, limit: 10_000, window: 86_400_000, store })
 * ```
 */
export function memoryLimits(options: MemoryLimitsOptions = {}): LimitStore {
  checkMembers(options, RULES, memoryLimitsError)
  return new MemoryLimits(options.keys ?? KEYS)
}

const RULES = {
  keys: rule((value) => isWhole(value, 1), '"keys" is no whole number from 1 up. Write "keys: 100_000"'),
}

function memoryLimitsError(why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot count in memory: ${why}`)
}

export class MemoryLimits implements LimitStore {
  readonly #entries = new Map<string, LimitEntry>()
  readonly #keys: number
  readonly #now: () => number
  /** Goes round all entries. */
  #hand: MapIterator<[string, LimitEntry]> = this.#entries.entries()

  /** @param now ms; must never go back, as the time of day does when somebody sets it */
  constructor(keys: number, now: () => number = () => performance.now()) {
    this.#keys = keys
    this.#now = now
  }

  get size(): number {
    return this.#entries.size
  }

  take(request: Charge): ChargeResult {
    const now = this.#now()
    const entry = this.#entries.get(request.key) ?? { slots: [], end: 0, share: 0 }
    const charged = charge(entry.slots, now, request)
    if (charged.allowed && request.cost > 0) {
      entry.end = lastSlotEnd(entry.slots, request.window)
      entry.share = 1 - charged.remaining / request.limit
      this.#keep(request.key, entry, now)
    }
    return charged
  }

  #keep(key: string, entry: LimitEntry, now: number): void {
    if (this.#entries.has(key)) return
    do this.#sweep(now)
    while (this.#entries.size >= this.#keys)
    // A list that has grown has room for more; a copy has none, which saves a third of the memory.
    this.#entries.set(key, { ...entry, slots: [...entry.slots] })
  }

  /** Lets go of what has ended, and of one more where there is no room: the one that has used the least of its limit. */
  #sweep(now: number): void {
    let least: KeyedEntry | null = null
    for (let count = 0; this.#looksOn(count, least); count++) {
      const { value } = this.#hand.next()
      if (value === undefined) this.#hand = this.#entries.entries()
      else if (value[1].end <= now) this.#entries.delete(value[0])
      else if (least === null || value[1].share < least[1].share) least = value
    }
    if (least !== null && this.#entries.size >= this.#keys) this.#entries.delete(least[0])
  }

  /** Where there is no room, those that have used up their limit are passed by. */
  #looksOn(count: number, least: KeyedEntry | null): boolean {
    if (count < SWEEP_SIZE) return true
    const isFull = this.#entries.size >= this.#keys
    return isFull && count < MAX_SWEEP_SIZE && (least === null || least[1].share >= 1)
  }
}
