/** Sends new data to a few open pages, in batches. Without an open page, it has no queue and no timer. */
import { encodeEvent } from '../../http/event-stream.js'
import type { RecordObserver } from '../record/dev-lines.js'
import type { RecorderObserver } from '../record/recorder.js'
import type { StoredLine } from '../store/log-store.js'
import type { StoredRecord, RecordStore } from '../store/record-store.js'
import type { BufferFacts, FeedEvents, HelloEvent, Incident, MetricsPoint, OpenCall } from '../wire/feed-types.js'
import { WIRE_VERSION as v, type LogLine } from '../wire/request-types.js'
import { Viewer } from './viewer.js'

/** Maximum number of open pages. Browsers open six connections to a server, and the app needs some of them. */
export const MAX_VIEWERS = 4
const FLUSH_MS = 100
const TICK_MS = 1_000
const BEAT_TICKS = 15
const OPEN_MS = 500
const MAX_ITEMS = 100
const RETRY_MS = 1_000

export interface FeedSource {
  readonly boot: string
  readonly store: Pick<RecordStore, 'seq' | 'summary' | 'since'>
  readonly buffer: () => BufferFacts
  readonly hello: () => Omit<HelloEvent, 'v' | 'boot' | 'resumed' | 'stream' | 'now'>
  readonly point: () => MetricsPoint | null
  readonly openFor: (age: number) => OpenCall[]
  readonly watched: (isWatched: boolean) => void
}

export class Feed implements RecorderObserver {
  /** Receives the same, also without an open page. */
  observer: RecordObserver | null = null
  readonly #source: FeedSource
  readonly #viewers = new Set<Viewer>()
  readonly #requests = new Pending<StoredRecord>()
  readonly #lines = new Pending<LogLine>()
  readonly #incidents = new Map<string, Incident>()
  #flushing: NodeJS.Timeout | null = null
  #ticking: NodeJS.Timeout | null = null
  #ticks = 0
  #hadOpen = false
  #streams = 0

  constructor(source: FeedSource) {
    this.#source = source
  }

  get hasRoom(): boolean {
    return this.#viewers.size < MAX_VIEWERS
  }

  get size(): number {
    return this.#viewers.size
  }

  open(lastId: string | undefined, cut: () => void): Viewer {
    const { boot, hello, store } = this.#source
    const viewer: Viewer = new Viewer(`${boot}-${++this.#streams}`, () => this.#remove(viewer), cut)
    const lastSeq = parseLastEventId(lastId, boot)
    const missedRecords = lastSeq === null ? null : store.since(lastSeq)
    const isResumed = lastSeq !== null && missedRecords !== null
    const greeting = { v, boot, resumed: isResumed, ...hello(), now: Date.now(), stream: viewer.id }
    viewer.write(`retry: ${RETRY_MS}\n\n`)
    // This id precedes the missed events, so that a page that disconnects before it has received them requests them again.
    viewer.send('hello', greeting, this.#eventId(isResumed ? lastSeq : store.seq))
    if (lastSeq !== null && !isResumed) viewer.send('gap', { v, from: lastSeq + 1, to: store.seq })
    this.#sendMissed(viewer, missedRecords ?? [])
    this.#viewers.add(viewer)
    if (this.#viewers.size > 1) return viewer
    this.#source.watched(true)
    this.#ticking = setInterval(() => this.#tick(), OPEN_MS).unref()
    return viewer
  }

  #sendMissed(viewer: Viewer, records: readonly StoredRecord[]): void {
    for (let start = 0; start < records.length; start += MAX_ITEMS) {
      const items = records.slice(start, start + MAX_ITEMS).map((recorded) => this.#source.store.summary(recorded))
      const newest = Math.max(...items.map(({ seq }) => seq))
      viewer.send('req', { v, items, dropped: 0 }, this.#eventId(newest))
    }
  }

  #eventId(seq: number): string {
    return `${this.#source.boot}-${seq}`
  }

  #remove(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return
    if (this.#ticking !== null) clearInterval(this.#ticking)
    if (this.#flushing !== null) clearTimeout(this.#flushing)
    this.#flushing = null
    this.#requests.take()
    this.#lines.take()
    this.#incidents.clear()
    this.#source.watched(false)
  }

  request(recorded: StoredRecord): void {
    this.observer?.request(recorded)
    if (this.#schedules('req')) this.#requests.add(recorded)
  }

  passed(): void {
    if (this.#schedules('req')) this.#requests.dropped++
  }

  line(stored: StoredLine): void {
    this.observer?.line(stored)
    if (this.#schedules('log')) this.#lines.add(stored.line)
  }

  lineLost(): void {
    if (this.#schedules('log')) this.#lines.dropped++
  }

  incident(incident: Incident): void {
    this.observer?.incident(incident)
    if (this.#schedules('problem')) this.#incidents.set(incident.key, incident)
  }

  #isWanted(name: keyof FeedEvents): boolean {
    return [...this.#viewers].some((viewer) => viewer.receives(name))
  }

  /** Schedules a batch if a page receives events of this name. Returns whether it does. */
  #schedules(name: keyof FeedEvents): boolean {
    const isWanted = this.size > 0 && this.#isWanted(name)
    if (isWanted) this.#flushing ??= setTimeout(() => this.#flush(), FLUSH_MS).unref()
    return isWanted
  }

  #flush(): void {
    this.#flushing = null
    this.#flushRequests()
    const { items, dropped } = this.#lines.take()
    if (items.length > 0 || dropped > 0) this.send('log', { v, items, dropped })
    for (const incident of this.#incidents.values()) this.send('problem', { v, ...incident })
    this.#incidents.clear()
  }

  #flushRequests(): void {
    const { items, dropped } = this.#requests.take()
    const [first] = items
    if (first === undefined && dropped === 0) return
    const data = JSON.stringify({ v, items: items.map((recorded) => this.#source.store.summary(recorded)), dropped })
    const text = encodeEvent({ event: 'req', data, id: this.#eventId(this.#source.store.seq) })
    for (const viewer of this.#viewers) viewer.sendRecords(text, first?.record.seq ?? this.#source.store.seq + 1)
  }

  #tick(): void {
    this.#ticks++
    this.#sendOpen()
    if ((this.#ticks * OPEN_MS) % TICK_MS !== 0) return
    const point = this.#source.point()
    if (point !== null) this.send('tick', { v, ...point, buffer: this.#source.buffer() })
    if (this.#ticks % (2 * BEAT_TICKS) === 0) for (const viewer of this.#viewers) viewer.write(':\n\n')
  }

  #sendOpen(): void {
    if (!this.#isWanted('open')) return
    const items = this.#source.openFor(OPEN_MS)
    if (items.length > 0 || this.#hadOpen) this.send('open', { v, items, dropped: 0 })
    this.#hadOpen = items.length > 0
  }

  send<Name extends keyof FeedEvents>(name: Name, data: FeedEvents[Name]): void {
    const text = encodeEvent({ event: name, data: JSON.stringify(data) })
    for (const viewer of this.#viewers) if (viewer.receives(name)) viewer.write(text)
  }

  want(stream: string, wants: ReadonlySet<string>): boolean {
    const viewer = [...this.#viewers].find(({ id }) => id === stream)
    if (viewer === undefined) return false
    viewer.wants = wants
    return true
  }

  /** Ends all feeds because the app closes. Pages reconnect when the app is available again. */
  close(): void {
    this.send('bye', { v })
    for (const viewer of [...this.#viewers]) {
      viewer.end()
      this.#remove(viewer)
    }
  }
}

/** The newest items since the last flush, and the number of dropped ones. */
export class Pending<Item> {
  dropped: number = 0
  #items: Item[] = []

  add(item: Item): void {
    this.#items.push(item)
    if (this.#items.length <= MAX_ITEMS) return
    this.#items.shift()
    this.dropped++
  }

  take(): { readonly items: readonly Item[]; readonly dropped: number } {
    const batch = { items: this.#items, dropped: this.dropped }
    this.#items = []
    this.dropped = 0
    return batch
  }
}

/** Returns the sequence number in the id of an event; `null` if the id is malformed or belongs to another process. */
function parseLastEventId(id: string | undefined, boot: string): number | null {
  const [, idBoot, seq] = /^([a-z0-9]{1,12})-(\d{1,15})$/.exec(id ?? '') ?? []
  return idBoot === boot ? Number(seq) : null
}
