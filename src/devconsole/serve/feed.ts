/** The feed: what is new, in batches, to few readers at a time. Without one nothing waits and nothing ticks. */
import { encodeEvent } from '../../http/event-stream.js'
import type { KeptLine } from '../store/log-store.js'
import { seqOf, type FeedSource } from './feed-source.js'
import { Pending } from './pending.js'
import type { RecorderObserver } from '../record/recorder.js'
import type { KeptRecord } from '../store/record-store.js'
import { Viewer } from './viewer.js'
import { Viewers } from './viewers.js'
import type { FeedEvents, Incident } from '../wire/feed-types.js'
import { WIRE_VERSION } from '../wire/request-types.js'

const FLUSH_MS = 100
const TICK_MS = 1_000
const BEAT_TICKS = 15
const OPEN_MS = 500
const MOST_ITEMS = 100
const RETRY_MS = 1_000
const v = WIRE_VERSION

export class Feed implements RecorderObserver {
  readonly #source: FeedSource
  readonly #viewers = new Viewers()
  readonly #pending = new Pending()
  #flushing: NodeJS.Timeout | null = null
  #ticking: NodeJS.Timeout | null = null
  #ticks = 0
  #hadOpen = false
  #streams = 0

  constructor(source: FeedSource) {
    this.#source = source
  }

  get hasRoom(): boolean {
    return this.#viewers.hasRoom
  }

  get size(): number {
    return this.#viewers.size
  }

  open(lastId: string | undefined, cut: () => void): Viewer {
    const { boot, hello } = this.#source
    const viewer = new Viewer(`${boot}-${++this.#streams}`, { cut, gone: () => this.#gone(viewer) })
    const last = seqOf(lastId, boot)
    const missed = last === null ? null : this.#source.since(last)
    const greeting = { v, boot, resumed: missed !== null, ...hello(), now: Date.now(), stream: viewer.id }
    viewer.write(`retry: ${RETRY_MS}\n\n`)
    // Who leaves again before it has what it missed must not pass for having it.
    viewer.send('hello', greeting, last === null || missed === null ? this.#idAt(this.#source.seq()) : this.#idAt(last))
    if (last !== null && missed === null) viewer.send('gap', { v, from: last + 1, to: this.#source.seq() })
    this.#sendAgain(viewer, missed ?? [])
    this.#viewers.add(viewer)
    if (this.#viewers.size === 1) this.#begin()
    return viewer
  }

  #sendAgain(viewer: Viewer, missed: readonly KeptRecord[]): void {
    for (let at = 0; at < missed.length; at += MOST_ITEMS) {
      const items = missed.slice(at, at + MOST_ITEMS).map((each) => this.#source.summary(each))
      const newest = Math.max(...items.map(({ seq }) => seq))
      viewer.send('req', { v, items, dropped: 0 }, this.#idAt(newest))
    }
  }

  #idAt(seq: number): string {
    return `${this.#source.boot}-${seq}`
  }

  #begin(): void {
    this.#source.watched(true)
    this.#ticking = setInterval(() => this.#tick(), OPEN_MS)
    this.#ticking.unref()
  }

  #gone(viewer: Viewer): void {
    if (!this.#viewers.delete(viewer) || this.#viewers.size > 0) return
    if (this.#ticking !== null) clearInterval(this.#ticking)
    if (this.#flushing !== null) clearTimeout(this.#flushing)
    this.#flushing = null
    this.#pending.clear()
    this.#source.watched(false)
  }

  request(recorded: KeptRecord): void {
    if (this.#viewers.size === 0) return
    this.#pending.addRequest(recorded)
    this.#schedule()
  }

  passed(): void {
    if (this.#viewers.size === 0) return
    this.#pending.passed++
    this.#schedule()
  }

  line({ line }: KeptLine): void {
    if (!this.#viewers.want('log')) return
    this.#pending.addLine(line)
    this.#schedule()
  }

  lineLost(): void {
    if (!this.#viewers.want('log')) return
    this.#pending.lostLines++
    this.#schedule()
  }

  incident(incident: Incident): void {
    if (this.#viewers.size === 0) return
    this.#pending.incidents.set(incident.key, incident)
    this.#schedule()
  }

  #schedule(): void {
    this.#flushing ??= setTimeout(() => this.#flush(), FLUSH_MS).unref()
  }

  #flush(): void {
    this.#flushing = null
    const { lines, lostLines, incidents } = this.#pending
    this.#flushRequests()
    if (lines.length > 0 || lostLines > 0) this.#viewers.tellThose('log', { v, items: lines, dropped: lostLines })
    for (const incident of incidents.values()) this.tell('problem', { v, ...incident })
    this.#pending.clear()
  }

  /** Written once for all readers. */
  #flushRequests(): void {
    const { requests, passed } = this.#pending
    const [first] = requests
    if (first === undefined && passed === 0) return
    const items = requests.map((each) => this.#source.summary(each))
    const data = JSON.stringify({ v, items, dropped: passed })
    const text = encodeEvent({ event: 'req', data, id: this.#idAt(this.#source.seq()) })
    for (const viewer of this.#viewers) viewer.sendRecords(text, first?.record.seq ?? this.#source.seq() + 1)
  }

  #tick(): void {
    this.#ticks++
    this.#tellOpen()
    if ((this.#ticks * OPEN_MS) % TICK_MS !== 0) return
    const point = this.#source.point()
    if (point !== null) this.tell('tick', { v, ...point, buffer: this.#source.buffer() })
    if (this.#ticks % (2 * BEAT_TICKS) === 0) for (const viewer of this.#viewers) viewer.write(':\n\n')
  }

  #tellOpen(): void {
    if (!this.#viewers.want('open')) return
    const items = this.#source.openFor(OPEN_MS)
    if (items.length > 0 || this.#hadOpen) this.#viewers.tellThose('open', { v, items, dropped: 0 })
    this.#hadOpen = items.length > 0
  }

  tell<Name extends keyof FeedEvents>(name: Name, data: FeedEvents[Name]): void {
    this.#viewers.tell(name, data)
  }

  /** Says what a reader wants beyond what all get. */
  want(stream: string, wants: ReadonlySet<string>): boolean {
    const viewer = this.#viewers.find(stream)
    if (viewer === undefined) return false
    viewer.wants = wants
    return true
  }

  /** The app closes: readers are told, and come back when it is there again. */
  close(): void {
    this.tell('bye', { v })
    for (const viewer of [...this.#viewers]) {
      viewer.end()
      this.#gone(viewer)
    }
  }
}
