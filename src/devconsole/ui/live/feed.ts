/**
 * Keeps what the page knows up to date: by the stream while it can be had, by asking from time to time where it is refused.
 * The stream is given up a minute after the page was hidden.
 */
import type { RequestSummary } from '../../wire/request-types.js'
import type { FeedEvents, Snapshot } from '../../wire/feed-types.js'
import { learnTitles } from '../dom/titles.js'
import { applyEvent, applyMetrics, applySnapshot, withLink } from '../pure/reduce.js'
import type { Link } from '../pure/state.js'
import { api, ApiError, knowBoot } from './api.js'
import { lead, tabs, tell, type Leadership, type TabMessage } from './leader.js'
import { openStream, type FeedMessage } from './stream.js'
import type { Store } from './store.js'
import { Wants } from './wants.js'
import { learnNow, serverNow } from '../pure/server-clock.js'

const HIDDEN_MS = 60_000
const POLL_MS = 3_000
/** After a refusal the stream is tried again. */
const RETRY_MS = 30_000
/** Between readings of what the feed has left out. */
const MISSING_MS = 1_000

/** Keeps what the page knows up to date. */
export class FeedClient {
  readonly #store: Store
  readonly wants: Wants = new Wants()
  #leadership: Leadership | null = null
  #hiding: ReturnType<typeof setTimeout> | undefined
  #polling: ReturnType<typeof setTimeout> | undefined
  #isMissing = false
  #isReading = false
  /** Whether it was asked for while it was read: what is on its way may be from before. */
  #isAskedAgain = false
  /** Number of the newest record heard of; `null` before anything was read of this process. */
  #seq: number | null = null
  #isSaidBye = false
  /** Why nothing could be read; `null` when it could. */
  #failure: Link | null = null

  constructor(store: Store) {
    this.#store = store
  }

  /** Whether this tab reads the feed, instead of another tab of this browser. */
  get isReader(): boolean {
    return this.wants.leads || this.#store.state.link === 'polling'
  }

  /** Begins. */
  start(): void {
    // Proof: only this page speaks on the channel of its name and origin.
    tabs.addEventListener('message', (event) => this.#heard(event.data as TabMessage))
    document.addEventListener('visibilitychange', () => this.#seen())
    addEventListener('pagehide', () => this.wants.set([]))
    tell({ kind: 'who' })
    this.#join()
    void this.refresh()
  }

  /** Reads all anew. */
  async refresh(): Promise<void> {
    if (this.#isReading) {
      this.#isAskedAgain = true
      return
    }
    this.#isReading = true
    try {
      do {
        this.#isAskedAgain = false
        this.#takeSnapshot(await api.snapshot())
        this.#failure = null
      } while (this.#isAskedAgain)
    } catch (error) {
      this.#failure = error instanceof ApiError && error.status === 401 ? 'locked' : 'lost'
      if (error instanceof ApiError && this.#store.state.link !== 'restarting') this.#link(this.#failure)
    } finally {
      this.#isReading = false
    }
  }

  #takeSnapshot(snapshot: Snapshot): void {
    learnTitles(snapshot.titles)
    learnNow(snapshot.now)
    knowBoot(snapshot.boot)
    this.#seq = Math.max(this.#seq ?? 0, snapshot.seq)
    this.#store.update((state) => applySnapshot(state, snapshot))
    if (this.#store.state.link === 'connecting' && this.#leadership === null) this.#link('polling')
  }

  /** Reads the figures anew. */
  async refreshMetrics(): Promise<void> {
    // A failure shows at the stream; the figures that are there stay.
    const metrics = await api.metrics().catch(() => null)
    if (metrics !== null) this.#store.update((state) => applyMetrics(state, metrics))
  }

  #join(): void {
    this.#leadership ??= lead(() => this.#lead())
  }

  #lead(): () => void {
    let close = () => {}
    let retry: ReturnType<typeof setTimeout> | undefined
    const open = () => {
      clearTimeout(retry)
      close = openStream({
        message: (message) => {
          this.#share(message)
          if (message.name === 'hello') this.wants.lead(message.data.stream)
        },
        broken: () => this.#announce(this.#isSaidBye ? 'restarting' : 'lost'),
        refused: () => {
          void this.#poll(open)
          retry = setTimeout(open, RETRY_MS)
        },
      })
    }
    open()
    return () => {
      clearTimeout(retry)
      clearTimeout(this.#polling)
      this.wants.follow()
      close()
    }
  }

  /** Asks from time to time, until a stream is open again. Who must sign in first has a stream at once then. */
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
    tell({ kind: 'feed', message })
    this.#take(message)
  }

  #take(message: FeedMessage): void {
    if (message.name === 'bye') {
      this.#isSaidBye = true
      this.#link('restarting')
    }
    if (message.name === 'hello') {
      this.#isSaidBye = false
      knowBoot(message.data.boot)
      learnNow(message.data.now)
      this.#link('live')
      if (!message.data.resumed) {
        this.#seq = null
        void this.refresh()
      }
    }
    if (message.name === 'req') this.#count(message.data.items)
    if (message.name === 'gap') void this.refresh()
    // Proof: name and data of a message belong together.
    const data = message.data as FeedEvents[typeof message.name]
    this.#store.update((state) => applyEvent(state, message.name, data))
  }

  /** Of many at once the feed brings the newest alone; the others can be read. */
  #count(items: readonly RequestSummary[]): void {
    const [first] = items
    const last = items.at(-1)
    if (first === undefined || last === undefined) return
    if (this.#seq !== null && first.seq > this.#seq + 1) this.#readMissing()
    this.#seq = this.#seq === null ? null : Math.max(this.#seq, last.seq)
  }

  #readMissing(): void {
    if (this.#isMissing) return
    this.#isMissing = true
    setTimeout(() => {
      this.#isMissing = false
      void this.refresh()
    }, MISSING_MS)
  }

  #announce(link: Link): void {
    tell({ kind: 'link', link })
    this.#link(link)
  }

  #link(link: Link): void {
    this.#store.update((state) => withLink(state, link, serverNow()))
  }

  #heard(message: TabMessage): void {
    if (message.kind === 'want') this.wants.heard(message.tab, message.want)
    // Proof: both come from a tab with this page, which sends what it takes itself.
    if (message.kind === 'feed') this.#take(message.message as FeedMessage)
    // Proof: as above.
    if (message.kind === 'link') this.#link(message.link as Link)
    if (message.kind === 'who' && this.wants.leads) tell({ kind: 'link', link: this.#store.state.link })
  }

  #seen(): void {
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
