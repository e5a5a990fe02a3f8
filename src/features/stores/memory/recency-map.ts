/** Map of strings that expire, with a maximum number and a maximum size in bytes. */
import { stringSize } from './string-size.js'

/** An entry of a linked list. */
interface RecencyEntry {
  readonly key: string
  text: string
  /** When it expires, in ms since 1970. */
  end: number
  size: number
  isRead: boolean
  list: EntryList
  older: RecencyEntry | null
  newer: RecencyEntry | null
}

/** Entries in the order of their last read. */
class EntryList {
  oldest: RecencyEntry | null = null
  newest: RecencyEntry | null = null
  count = 0
  /** In bytes. */
  size = 0

  /** Adds an entry as the newest. */
  add(entry: RecencyEntry): void {
    entry.list = this
    entry.older = this.newest
    entry.newer = null
    if (this.newest === null) this.oldest = entry
    else this.newest.newer = entry
    this.newest = entry
    this.count++
    this.size += entry.size
  }

  findOldest(except: RecencyEntry): RecencyEntry | null {
    return this.oldest === except ? except.newer : this.oldest
  }

  remove({ older, newer, size }: RecencyEntry): void {
    if (older === null) this.oldest = newer
    else older.newer = newer
    if (newer === null) this.newest = older
    else newer.older = older
    this.count--
    this.size -= size
  }
}

/** Maximum values of a `RecencyMap`. */
interface RecencyLimits {
  readonly maxCount: number
  /** In bytes, with keys and overhead. */
  readonly maxSize: number
}

/** Bytes that an entry takes besides the characters of its strings: 185 to 230 on Node 20, because the `Map` doubles as it grows. */
const OVERHEAD = 240
/** Number of entries of each list to check for expiry each time one is added. */
const SWEEP_SIZE = 2
/** Share of both limits reserved for new entries. Without it, each new entry would remove the one before if all others were read twice. */
const RESERVE = 0.01

/**
 * Map of strings that expire. If it is full, it first removes entries that were read at most once, and then entries read more often. Both
 * groups start with the least recently read entry. A flood of entries that are rarely read does not remove entries in use.
 *
 * The lists are linked, because a `Map` skips all deleted entries before it finds its first one. That takes 27 µs instead of 1 µs for each
 * added entry.
 */
export class RecencyMap {
  readonly #entries = new Map<string, RecencyEntry>()
  /** Entries read at most once. */
  readonly #new = new EntryList()
  /** Entries read at least twice. */
  readonly #used = new EntryList()
  readonly #limits: RecencyLimits
  readonly #now: () => number

  /** @param now ms since 1970 */
  constructor(limits: RecencyLimits, now: () => number = () => Date.now()) {
    this.#limits = limits
    this.#now = now
  }

  /** Number of entries; some of them may have expired. */
  get count(): number {
    return this.#entries.size
  }

  /** Bytes of all entries. */
  get size(): number {
    return this.#new.size + this.#used.size
  }

  /** Returns the string, and counts as a read. */
  get(key: string): string | undefined {
    const entry = this.#find(key)
    if (entry === undefined) return undefined
    entry.list.remove(entry)
    const list = entry.isRead ? this.#used : this.#new
    list.add(entry)
    entry.isRead = true
    return entry.text
  }

  /**
   * Adds an entry, or replaces one.
   *
   * @param end when it expires, in ms since 1970
   * @throws RangeError if the entry is larger than the maximum size of the map
   */
  set(key: string, text: string, end: number): void {
    const size = this.#sizeOf(key, text)
    this.delete(key)
    this.#sweep()
    const entry = { key, text, end, size, list: this.#new, isRead: false, older: null, newer: null }
    this.#entries.set(key, entry)
    this.#new.add(entry)
    this.#evict(entry)
  }

  /**
   * Changes an entry. Returns `false` if it does not exist.
   *
   * @param text new string; `undefined` changes only the expiry time
   * @throws RangeError as `set`
   */
  update(key: string, text: string | undefined, end: number): boolean {
    const entry = this.#find(key)
    if (entry === undefined) return false
    const size = text === undefined ? entry.size : this.#sizeOf(key, text)
    entry.list.size += size - entry.size
    entry.size = size
    entry.end = end
    entry.text = text ?? entry.text
    this.#evict(entry)
    return true
  }

  delete(key: string): void {
    const entry = this.#entries.get(key)
    if (entry !== undefined) this.#remove(entry)
  }

  #remove(entry: RecencyEntry): void {
    this.#entries.delete(entry.key)
    entry.list.remove(entry)
  }

  #find(key: string): RecencyEntry | undefined {
    const entry = this.#entries.get(key)
    return entry === undefined || entry.end <= this.#now() ? undefined : entry
  }

  #sizeOf(key: string, text: string): number {
    const size = stringSize(key) + stringSize(text) + OVERHEAD
    const { maxSize } = this.#limits
    if (size <= maxSize) return size
    throw new RangeError(`Cannot store ${size} bytes in memory: all entries together are limited to ${maxSize} bytes`)
  }

  /** Removes expired entries. They become the oldest soon, because each read of an entry can extend it. */
  #sweep(): void {
    const now = this.#now()
    for (const list of [this.#new, this.#used]) {
      for (let swept = 0; swept < SWEEP_SIZE; swept++) {
        if (list.oldest !== null && list.oldest.end <= now) this.#remove(list.oldest)
      }
    }
  }

  /** Removes entries until the limits hold, but never the one just written. */
  #evict(written: RecencyEntry): void {
    const { maxCount, maxSize } = this.#limits
    let entry = this.#findOldest(written)
    while (entry !== null && (this.count > maxCount || this.size > maxSize)) {
      this.#remove(entry)
      entry = this.#findOldest(written)
    }
  }

  /** Returns the entry to remove next. */
  #findOldest(except: RecencyEntry): RecencyEntry | null {
    const { maxCount, maxSize } = this.#limits
    const isOverReserve = this.#new.count > maxCount * RESERVE || this.#new.size > maxSize * RESERVE
    const [first, second] = isOverReserve ? [this.#new, this.#used] : [this.#used, this.#new]
    return first.findOldest(except) ?? second.findOldest(except)
  }
}
