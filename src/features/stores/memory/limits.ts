/** In-memory store for rate limits, with bounded size. */
import { startStackAtCaller } from '../../../errors/author-calls.js'
import { checkOptions, integerRule, type Rules } from '../../../errors/options.js'
import type { Charge, ChargeResult, LimitStore } from '../limit-store.js'
import { charge, lastSlotEnd, type Slots } from '../slots.js'

startStackAtCaller(memoryLimits)

/** Options of `memoryLimits`. */
export interface MemoryLimitsOptions {
  /** Maximum number of clients in memory; default 100,000. Each client takes 250 bytes, and up to 1.5 kB with a high limit. */
  readonly keys?: number
}

/** A client that has used some of its limit. */
interface LimitEntry {
  readonly slots: Slots
  /** Time at which the full limit is available again, in ms on the store's clock. */
  end: number
  /** Share of the limit that is used, from 0 to 1. */
  share: number
}

const KEYS = 100_000
/** Number of entries to check each time a client is added. */
const SWEEP_SIZE = 8
/** Maximum number of entries to check if all entries so far have used up their limit. */
const MAX_SWEEP_SIZE = 1000

type KeyedEntry = readonly [key: string, entry: LimitEntry]

/**
 * Creates a store that counts requests in the memory of this process. `rateLimit` uses one by default. Each process counts separately.
 *
 * For each new client, the store checks eight entries and removes the expired ones. If it is still full, it removes the client that has
 * used the smallest share of its limit. If all eight have used up their limit, it checks up to 1,000 before it removes one. To reset its
 * own count after five attempts, an attacker would need 1,000 other clients in a row that have made five attempts each.
 *
 * @param options `keys`: maximum number of clients in memory
 * @returns a store for `rateLimit`
 * @throws SetupError `OPTION_INVALID`
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
  checkOptions(options, RULES, 'memoryLimits()')
  return new MemoryLimits(options.keys ?? KEYS)
}

const RULES: Rules<MemoryLimitsOptions> = { keys: integerRule(1, '100_000') }

export class MemoryLimits implements LimitStore {
  readonly #entries = new Map<string, LimitEntry>()
  readonly #keys: number
  readonly #now: () => number
  /** Cycles through all entries. Each sweep continues at the entry after the last one checked. */
  #hand: MapIterator<[string, LimitEntry]> = this.#entries.entries()

  /** @param now monotonic clock in ms; not the time of day, which can be set back */
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
      this.#storeEntry(request.key, entry, now)
    }
    return charged
  }

  #storeEntry(key: string, entry: LimitEntry, now: number): void {
    if (this.#entries.has(key)) return
    do this.#sweep(now)
    while (this.#entries.size >= this.#keys)
    // A copied array has no spare capacity, which saves a third of the memory.
    this.#entries.set(key, { ...entry, slots: [...entry.slots] })
  }

  /** Checks the next entries and removes the expired ones. If the store is still full, removes the one with the smallest share. */
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

  /** Whether to check another entry. After `SWEEP_SIZE`, only if the store is full and every entry so far has used up its limit. */
  #looksOn(count: number, least: KeyedEntry | null): boolean {
    if (count < SWEEP_SIZE) return true
    const isFull = this.#entries.size >= this.#keys
    return isFull && count < MAX_SWEEP_SIZE && (least === null || least[1].share >= 1)
  }
}
