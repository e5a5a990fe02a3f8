/** Stores records: the newest ones, notable ones that would otherwise be displaced by healthy ones, and pinned ones. */
import { Ring, type SizedItem } from './ring.js'
import type { BufferFacts } from '../wire/feed-types.js'
import type { RequestRecord, RequestSummary } from '../wire/request-types.js'

export interface KeptRecord extends SizedItem {
  readonly record: RequestRecord
}

const MIB = 1024 * 1024

/** Limits of the store, in total 16 MB. */
export const BOUNDS: Readonly<Record<'recent' | 'notable' | 'pinned', { most: number; bytes: number }>> = {
  recent: { most: 500, bytes: 11 * MIB },
  notable: { most: 100, bytes: 3 * MIB },
  pinned: { most: 20, bytes: 2 * MIB },
}

export const MAX_BYTES: number = BOUNDS.recent.bytes + BOUNDS.notable.bytes + BOUNDS.pinned.bytes
const MAX_COUNT = BOUNDS.recent.most + BOUNDS.notable.most + BOUNDS.pinned.most

export class RecordStore {
  readonly #recent = new Ring<KeptRecord>(BOUNDS.recent.most, BOUNDS.recent.bytes)
  readonly #notable = new Ring<KeptRecord>(BOUNDS.notable.most, BOUNDS.notable.bytes)
  readonly #pinned = new Map<string, KeptRecord>()
  /** Sequence number of the newest record. */
  seq: number = 0

  get pinned(): string[] {
    return [...this.#pinned.keys()]
  }

  next(): number {
    return ++this.seq
  }

  add(recorded: KeptRecord): void {
    const { record } = recorded
    this.#recent.add(recorded)
    if (record['http.response.status_code'] >= 500 || record['dev.flags'].length > 0) this.#notable.add(recorded)
  }

  get all(): KeptRecord[] {
    const each = new Set([...this.#pinned.values(), ...this.#notable.items, ...this.#recent.items])
    return [...each].toSorted((a, b) => b.record.seq - a.record.seq)
  }

  find(id: string): KeptRecord | undefined {
    return this.all.find(({ record }) => record.id === id)
  }

  /** Returns the records after a sequence number, oldest first; `null` if some of them are no longer stored. */
  since(seq: number): KeptRecord[] | null {
    const later = this.after(seq)
    return later.length === this.seq - seq ? later : null
  }

  after(seq: number): KeptRecord[] {
    return this.#recent.items.filter(({ record }) => record.seq > seq)
  }

  pin(id: string, isPinned: boolean): boolean {
    if (!isPinned) return this.#pinned.delete(id) || this.find(id) !== undefined
    const recorded = this.find(id)
    if (recorded === undefined) return false
    if (this.#pinned.has(id)) return true
    const bytes = [...this.#pinned.values()].reduce((sum, each) => sum + each.bytes, recorded.bytes)
    if (this.#pinned.size >= BOUNDS.pinned.most || bytes > BOUNDS.pinned.bytes) return false
    this.#pinned.set(id, recorded)
    return true
  }

  /** Deletes all records that are not pinned. */
  clear(): void {
    this.#recent.clear()
    this.#notable.clear()
  }

  facts(total: number): BufferFacts {
    const { all } = this
    const bytes = all.reduce((sum, recorded) => sum + recorded.bytes, 0)
    return { count: all.length, maxCount: MAX_COUNT, bytes, maxBytes: MAX_BYTES, total }
  }

  summary({ record }: KeptRecord): RequestSummary {
    return { ...summarizeRecord(record), 'dev.pinned': this.#pinned.has(record.id) }
  }
}

function summarizeRecord(record: RequestRecord): Omit<RequestSummary, 'dev.pinned'> {
  return {
    id: record.id,
    seq: record.seq,
    boot: record.boot,
    time: record.time,
    'http.request.method': record['http.request.method'],
    'url.path': record['url.path'],
    'url.query': record['url.query'],
    'http.route': record['http.route'],
    'http.response.status_code': record['http.response.status_code'],
    'code.function.name': record['code.function.name'],
    'process.pid': record['process.pid'],
    'client.address': record['client.address'],
    'http.request.body.size': record['http.request.body.size'],
    'http.response.body.size': record['http.response.body.size'],
    'error.type': record['error.type'],
    'dev.duration': record['dev.duration'],
    'dev.phases': record['dev.phases'],
    'dev.db': record['dev.db'],
    'dev.logs': record['dev.logs'],
    'dev.issues': record['dev.issues'],
    'dev.flags': record['dev.flags'],
    'dev.version': record['dev.version'],
    'dev.replayOf': record['dev.replayOf'],
  }
}
