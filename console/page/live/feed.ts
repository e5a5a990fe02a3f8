/**
 * Updates the state of the page from the event stream of the app. If the app refuses a stream, the page polls instead. A hidden page
 * closes its stream after a minute.
 */
import type { RequestSummary } from '../../../src/devconsole/wire/request-types.js'
import type { FeedEvents, Snapshot } from '../../../src/devconsole/wire/feed-types.js'
import { setTitles } from '../dom/titles.js'
import { applyEvent, applyMetrics, applySnapshot, withLink } from '../pure/reduce.js'
import type { Link } from '../pure/state.js'
import { api, ApiError, noteBoot } from './api.js'
import { requestLead, tabs, broadcast, type Leadership, type TabMessage } from './leader.js'
import { openStream, type FeedMessage } from './stream.js'
import type { Store } from './store.js'
import { OptionalEvents } from './optional-events.js'
import { setServerNow, serverNow } from '../pure/server-clock.js'

const HIDDEN_MS = 60_000
const POLL_MS = 3_000
/** Delay before a refused stream is opened again. */
const RETRY_MS = 30_000
/** Minimum delay between snapshots that are read because the feed skipped requests. */
const MISSING_MS = 1_000

export class FeedClient {
  readonly #store: Store
  readonly optionalEvents: OptionalEvents = new OptionalEvents()
  #leadership: Leadership | null = null
  #hiding: ReturnType<typeof setTimeout> | undefined
  #polling: ReturnType<typeof setTimeout> | undefined
  #isReadScheduled = false
  #isReading = false
  /** Whether `refresh` was called during a read. The snapshot of that read can be older than the call. */
  #mustReadAgain = false
  /** Sequence number of the newest known record; `null` until a snapshot of the current process is read. */
  #seq: number | null = null
  /** Whether the app has announced that it closes. */
  #isClosing = false
  /** Link after the last snapshot failed; `null` if it succeeded. */
  #failure: Link | null = null

  constructor(store: Store) {
    this.#store = store
  }

  /** Whether this tab reads the feed, instead of another tab of this browser. */
  get isReader(): boolean {
    return this.optionalEvents.isLeader || this.#store.state.link === 'polling'
  }

  start(): void {
    // Proof: only this page uses the channel of its name and origin.
    tabs.addEventListener('message', (event) => this.#handleTabMessage(event.data as TabMessage))
    document.addEventListener('visibilitychange', () => this.#handleVisibility())
    addEventListener('pagehide', () => this.optionalEvents.set([]))
    broadcast({ kind: 'who' })
    this.#join()
    void this.refresh()
  }

  /** Reads a snapshot. */
  async refresh(): Promise<void> {
    if (this.#isReading) {
      this.#mustReadAgain = true
      return
    }
    this.#isReading = true
    try {
      do {
        this.#mustReadAgain = false
        this.#applySnapshot(await api.snapshot())
        this.#failure = null
      } while (this.#mustReadAgain)
    } catch (error) {
      this.#failure = error instanceof ApiError && error.status === 401 ? 'locked' : 'lost'
      if (error instanceof ApiError && this.#store.state.link !== 'restarting') this.#setLink(this.#failure)
    } finally {
      this.#isReading = false
    }
  }

  #applySnapshot(snapshot: Snapshot): void {
    setTitles(snapshot.titles)
    setServerNow(snapshot.now)
    noteBoot(snapshot.boot)
    this.#seq = Math.max(this.#seq ?? 0, snapshot.seq)
    this.#store.update((state) => applySnapshot(state, snapshot))
    if (this.#store.state.link === 'connecting' && this.#leadership === null) this.#setLink('polling')
  }

  /** Reads the metrics. If that fails, the last metrics stay, and the stream reports that the app is unavailable. */
  async refreshMetrics(): Promise<void> {
    const metrics = await api.metrics().catch(() => null)
    if (metrics !== null) this.#store.update((state) => applyMetrics(state, metrics))
  }

  #join(): void {
    this.#leadership ??= requestLead(() => this.#lead())
  }

  #lead(): () => void {
    let close = () => {}
    let retry: ReturnType<typeof setTimeout> | undefined
    const open = () => {
      clearTimeout(retry)
      close = openStream({
        message: (message) => {
          this.#share(message)
          if (message.name === 'hello') this.optionalEvents.lead(message.data.stream)
        },
        broken: () => this.#announce(this.#isClosing ? 'restarting' : 'lost'),
        rejected: () => {
          void this.#poll(open)
          retry = setTimeout(open, RETRY_MS)
        },
      })
    }
    open()
    return () => {
      clearTimeout(retry)
      clearTimeout(this.#polling)
      this.optionalEvents.follow()
      close()
    }
  }

  /** Reads a snapshot every three seconds until a stream is open. While a sign-in is required, it also tries to open the stream. */
  async #poll(open: () => void): Promise<void> {
    clearTimeout(this.#polling)
    await this.refresh()
    this.#announce(this.#failure ?? 'polling')
    this.#polling = setTimeout(() => {
      const { link } = this.#store.state
      if (link === 'locked') open()
      else if (link !== 'live') void this.#poll(open)
    }, POLL_MS)
  }

  #share(message: FeedMessage): void {
    broadcast({ kind: 'feed', message })
    this.#handleMessage(message)
  }

  #handleMessage(message: FeedMessage): void {
    if (message.name === 'bye') {
      this.#isClosing = true
      this.#setLink('restarting')
    }
    if (message.name === 'hello') {
      this.#isClosing = false
      noteBoot(message.data.boot)
      setServerNow(message.data.now)
      this.#setLink('live')
      if (!message.data.resumed) {
        this.#seq = null
        void this.refresh()
      }
    }
    // Corrects the clock after sleep of the computer. The time of a point is up to 3 s old.
    if (message.name === 'tick') setServerNow(message.data.time, 3_000)
    if (message.name === 'req') this.#checkSequence(message.data.items)
    if (message.name === 'gap') void this.refresh()
    // Proof: `FeedMessage` pairs each name with its data.
    const data = message.data as FeedEvents[typeof message.name]
    this.#store.update((state) => applyEvent(state, message.name, data))
  }

  /** If many requests end at the same time, the feed sends only the newest, and the snapshot has the others. */
  #checkSequence(items: readonly RequestSummary[]): void {
    const [oldest] = items
    const newest = items.at(-1)
    if (oldest === undefined || newest === undefined || this.#seq === null) return
    if (oldest.seq > this.#seq + 1) this.#scheduleRead()
    this.#seq = Math.max(this.#seq, newest.seq)
  }

  #scheduleRead(): void {
    if (this.#isReadScheduled) return
    this.#isReadScheduled = true
    setTimeout(() => {
      this.#isReadScheduled = false
      void this.refresh()
    }, MISSING_MS)
  }

  #announce(link: Link): void {
    broadcast({ kind: 'link', link })
    this.#setLink(link)
  }

  #setLink(link: Link): void {
    this.#store.update((state) => withLink(state, link, serverNow()))
  }

  #handleTabMessage(message: TabMessage): void {
    if (message.kind === 'want') this.optionalEvents.setOther(message.tab, message.want)
    // Proof: the sender is a tab with this page, which sends the type that it accepts itself.
    if (message.kind === 'feed') this.#handleMessage(message.message as FeedMessage)
    // Proof: as above.
    if (message.kind === 'link') this.#setLink(message.link as Link)
    if (message.kind === 'who' && this.optionalEvents.isLeader)
      broadcast({ kind: 'link', link: this.#store.state.link })
  }

  #handleVisibility(): void {
    clearTimeout(this.#hiding)
    if (document.visibilityState === 'visible') {
      this.#join()
      void this.refresh()
    } else {
      this.#hiding = setTimeout(() => {
        this.#leadership?.leave()
        this.#leadership = null
      }, HIDDEN_MS)
    }
  }
}
