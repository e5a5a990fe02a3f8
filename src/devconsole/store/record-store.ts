/** Stores records: the newest, notable ones that successful requests would displace, a sample of each incident, and pinned ones. */
import { Ring, type SizedItem } from './ring.js'
import type { BufferFacts } from '../wire/feed-types.js'
import type { RequestRecord, RequestSummary } from '../wire/request-types.js'
import { pickSummary } from '../wire/summary.js'
import { MAX_OF_GROUP, retentionGroup } from '../wire/retention.js'

export interface StoredRecord extends SizedItem {
  readonly record: RequestRecord
}

const MIB = 1024 * 1024

/** Limits of the store, in total 16 MB. */
export const BOUNDS: Readonly<Record<'recent' | 'failed' | 'rejected' | 'samples' | 'pinned', StoreBounds>> = {
  recent: { count: 500, bytes: 9 * MIB },
  failed: { count: MAX_OF_GROUP, bytes: 3 * MIB },
  rejected: { count: MAX_OF_GROUP, bytes: MIB },
  samples: { count: 100, bytes: MIB },
  pinned: { count: 20, bytes: 2 * MIB },
}

interface StoreBounds {
  readonly count: number
  readonly bytes: number
}

export const MAX_BYTES: number = Object.values(BOUNDS).reduce((sum, { bytes }) => sum + bytes, 0)
const MAX_COUNT = Object.values(BOUNDS).reduce((sum, { count }) => sum + count, 0)

export class RecordStore {
  readonly #recent = new Ring<StoredRecord>(BOUNDS.recent.count, BOUNDS.recent.bytes)
  readonly #notable = {
    failed: new Ring<StoredRecord>(BOUNDS.failed.count, BOUNDS.failed.bytes),
    rejected: new Ring<StoredRecord>(BOUNDS.rejected.count, BOUNDS.rejected.bytes),
  }
  /** The newest record of each incident, by the key of the incident; oldest first. */
  readonly #samples = new Map<string, StoredRecord>()
  readonly #pinned = new Map<string, StoredRecord>()
  /** Sequence number of the newest record. */
  seq: number = 0
  /** Records of earlier processes, newest first. Each process has its own sequence numbers. */
  earlier: readonly StoredRecord[] = []
  /** Called after each change. `isNotable`: whether a notable record has changed. `null` without the file of `devConsole.keep`. */
  changed: ((isNotable: boolean) => void) | null = null

  get pinned(): string[] {
    return [...this.#pinned.keys()]
  }

  next(): number {
    return ++this.seq
  }

  add(recorded: StoredRecord): void {
    const group = retentionGroup(recorded.record)
    this.#recent.add(recorded)
    if (group !== 'ordinary') this.#notable[group].add(recorded)
    this.changed?.(group !== 'ordinary')
  }

  /** Stores the newest record of an incident, so that the page can always show one. */
  addSample(incident: string, recorded: StoredRecord): void {
    this.#samples.delete(incident)
    this.#samples.set(incident, recorded)
    let bytes = [...this.#samples.values()].reduce((sum, sample) => sum + sample.bytes, 0)
    for (const [key, sample] of this.#samples) {
      if (this.#samples.size <= BOUNDS.samples.count && bytes <= BOUNDS.samples.bytes) break
      bytes -= sample.bytes
      this.#samples.delete(key)
    }
    this.changed?.(true)
  }

  /** Records of this process that are failed, rejected, pinned or the sample of an incident, newest first. */
  get notable(): StoredRecord[] {
    const { failed, rejected } = this.#notable
    return newestFirst([...this.#pinned.values(), ...failed.items, ...rejected.items, ...this.#samples.values()])
  }

  /** Records of this process, newest first. */
  get all(): StoredRecord[] {
    return newestFirst([...this.notable, ...this.#recent.items])
  }

  find(id: string): StoredRecord | undefined {
    return [...this.all, ...this.earlier].find(({ record }) => record.id === id)
  }

  isEarlier(recorded: StoredRecord): boolean {
    return this.earlier.includes(recorded)
  }

  /** Returns the records after a sequence number, oldest first; `null` if some of them are no longer stored. */
  since(seq: number): StoredRecord[] | null {
    const later = this.after(seq)
    return later.length === this.seq - seq ? later : null
  }

  after(seq: number): StoredRecord[] {
    return this.#recent.items.filter(({ record }) => record.seq > seq)
  }

  pin(id: string, isPinned: boolean): boolean {
    if (!isPinned) {
      this.changed?.(true)
      return this.#pinned.delete(id) || this.find(id) !== undefined
    }
    const recorded = this.find(id)
    if (recorded === undefined) return false
    if (this.#pinned.has(id)) return true
    const bytes = [...this.#pinned.values()].reduce((sum, pinned) => sum + pinned.bytes, recorded.bytes)
    if (this.#pinned.size >= BOUNDS.pinned.count || bytes > BOUNDS.pinned.bytes) return false
    this.#pinned.set(id, recorded)
    this.changed?.(true)
    return true
  }

  /** Deletes all records that are not pinned. */
  clear(): void {
    this.#recent.clear()
    this.#notable.failed.clear()
    this.#notable.rejected.clear()
    this.#samples.clear()
    this.earlier = []
  }

  facts(total: number, skipped: number = 0): BufferFacts {
    const { all } = this
    const bytes = all.reduce((sum, recorded) => sum + recorded.bytes, 0)
    return { count: all.length, maxCount: MAX_COUNT, bytes, maxBytes: MAX_BYTES, total, skipped }
  }

  summary({ record }: StoredRecord): RequestSummary {
    const summary = pickSummary(record)
    return this.#pinned.has(record.id) ? { ...summary, 'dev.pinned': true } : summary
  }
}

function newestFirst(records: readonly StoredRecord[]): StoredRecord[] {
  return [...new Set(records)].toSorted((a, b) => b.record.seq - a.record.seq)
}
