/** Stores records: the newest ones, notable ones that would otherwise be displaced by healthy ones, a sample of each incident, and pinned ones. */
import { Ring, type SizedItem } from './ring.js'
import type { BufferFacts } from '../wire/feed-types.js'
import type { RequestRecord, RequestSummary } from '../wire/request-types.js'
import { MAX_OF_GROUP, retentionGroup } from '../wire/retention.js'

export interface KeptRecord extends SizedItem {
  readonly record: RequestRecord
}

const MIB = 1024 * 1024

/** Limits of the store, in total 16 MB. */
export const BOUNDS: Readonly<Record<'recent' | 'failed' | 'rejected' | 'samples' | 'pinned', StoreBounds>> = {
  recent: { most: 500, bytes: 9 * MIB },
  failed: { most: MAX_OF_GROUP, bytes: 3 * MIB },
  rejected: { most: MAX_OF_GROUP, bytes: MIB },
  samples: { most: 100, bytes: MIB },
  pinned: { most: 20, bytes: 2 * MIB },
}

interface StoreBounds {
  readonly most: number
  readonly bytes: number
}

export const MAX_BYTES: number = Object.values(BOUNDS).reduce((sum, { bytes }) => sum + bytes, 0)
const MAX_COUNT = Object.values(BOUNDS).reduce((sum, { most }) => sum + most, 0)

export class RecordStore {
  readonly #recent = new Ring<KeptRecord>(BOUNDS.recent.most, BOUNDS.recent.bytes)
  readonly #notable = {
    failed: new Ring<KeptRecord>(BOUNDS.failed.most, BOUNDS.failed.bytes),
    rejected: new Ring<KeptRecord>(BOUNDS.rejected.most, BOUNDS.rejected.bytes),
  }
  /** The newest record of each incident, by the key of the incident; oldest first. */
  readonly #samples = new Map<string, KeptRecord>()
  readonly #pinned = new Map<string, KeptRecord>()
  /** Sequence number of the newest record. */
  seq: number = 0
  /** Records of earlier processes, newest first. Each process has its own sequence numbers. */
  earlier: readonly KeptRecord[] = []
  /** Is called after each change, with whether a notable record has changed; `null` if nothing stores the records. */
  changed: ((isNotable: boolean) => void) | null = null

  get pinned(): string[] {
    return [...this.#pinned.keys()]
  }

  next(): number {
    return ++this.seq
  }

  add(recorded: KeptRecord): void {
    const group = retentionGroup(recorded.record)
    this.#recent.add(recorded)
    if (group !== 'ordinary') this.#notable[group].add(recorded)
    this.changed?.(group !== 'ordinary')
  }

  /** Stores the newest record of an incident, so that the page can always show one. */
  addSample(incident: string, recorded: KeptRecord): void {
    this.#samples.delete(incident)
    this.#samples.set(incident, recorded)
    let bytes = [...this.#samples.values()].reduce((sum, each) => sum + each.bytes, 0)
    for (const [key, sample] of this.#samples) {
      if (this.#samples.size <= BOUNDS.samples.most && bytes <= BOUNDS.samples.bytes) break
      bytes -= sample.bytes
      this.#samples.delete(key)
    }
    this.changed?.(true)
  }

  /** Records of this process that are failed, rejected, pinned or the sample of an incident, newest first. */
  get notable(): KeptRecord[] {
    const { failed, rejected } = this.#notable
    const each = [...this.#pinned.values(), ...failed.items, ...rejected.items, ...this.#samples.values()]
    return newestFirst(each)
  }

  /** Records of this process, newest first. */
  get all(): KeptRecord[] {
    return newestFirst([...this.notable, ...this.#recent.items])
  }

  find(id: string): KeptRecord | undefined {
    return [...this.all, ...this.earlier].find(({ record }) => record.id === id)
  }

  isEarlier(recorded: KeptRecord): boolean {
    return this.earlier.includes(recorded)
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
    if (!isPinned) {
      this.changed?.(true)
      return this.#pinned.delete(id) || this.find(id) !== undefined
    }
    const recorded = this.find(id)
    if (recorded === undefined) return false
    if (this.#pinned.has(id)) return true
    const bytes = [...this.#pinned.values()].reduce((sum, each) => sum + each.bytes, recorded.bytes)
    if (this.#pinned.size >= BOUNDS.pinned.most || bytes > BOUNDS.pinned.bytes) return false
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

  summary({ record }: KeptRecord): RequestSummary {
    return { ...summarizeRecord(record), 'dev.pinned': record['dev.pinned'] || this.#pinned.has(record.id) }
  }
}

function newestFirst(records: readonly KeptRecord[]): KeptRecord[] {
  return [...new Set(records)].toSorted((a, b) => b.record.seq - a.record.seq)
}

function summarizeRecord(record: RequestRecord): Omit<RequestSummary, 'dev.pinned'> {
  return {
    id: record.id,
    'dev.requestId': record['dev.requestId'],
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
    'dev.queries': record['dev.queries'],
    'dev.logs': record['dev.logs'],
    'dev.issues': record['dev.issues'],
    'dev.flags': record['dev.flags'],
    'dev.version': record['dev.version'],
    'dev.replayOf': record['dev.replayOf'],
  }
}
