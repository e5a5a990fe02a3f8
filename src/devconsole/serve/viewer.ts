/** One open page that receives the feed. Events that it does not read in time are dropped. After a `gap` event, it requests them again. */
import { encodeEvent } from '../../http/event-stream.js'
import type { Chunks } from '../../http/chunks.js'
import type { FeedEvents } from '../wire/feed-types.js'

/** Maximum length of pending events. Above it, events are dropped. */
const MAX_PENDING = 256 * 1024
/** Time in ms after which a page that does not read is disconnected. */
const STALL_TIMEOUT = 10_000

export class Viewer implements Chunks {
  readonly id: string
  wants: ReadonlySet<string> = new Set()
  readonly #gone: () => void
  readonly #cut: () => void
  #pending: string[] = []
  #bytes = 0
  #wake: (() => void) | null = null
  #isEnded = false
  /** Sequence number of the first dropped record; `null` without one. */
  #firstDropped: number | null = null
  #stuckSince: number | null = null

  /** @param cut closes the connection of a page that does not read */
  constructor(id: string, gone: () => void, cut: () => void) {
    this.id = id
    this.#gone = gone
    this.#cut = cut
  }

  send<Name extends keyof FeedEvents>(name: Name, data: FeedEvents[Name], id?: string): void {
    this.write(encodeEvent({ event: name, data: JSON.stringify(data), id }))
  }

  /** Whether the page receives events of this name. A page receives `log` and `open` only if it has requested them. */
  receives(name: keyof FeedEvents): boolean {
    return (name !== 'log' && name !== 'open') || this.wants.has(name)
  }

  /** Returns `false` if the text was dropped. */
  write(text: string): boolean {
    if (this.#isEnded) return false
    if (this.#bytes > MAX_PENDING) {
      const now = performance.now()
      this.#stuckSince ??= now
      if (now - this.#stuckSince > STALL_TIMEOUT) this.#cut()
      return false
    }
    this.#pending.push(text)
    this.#bytes += text.length
    this.#wake?.()
    return true
  }

  sendRecords(text: string, first: number): void {
    if (this.#firstDropped !== null && this.#bytes <= MAX_PENDING) {
      this.send('gap', { v: 1, from: this.#firstDropped, to: first - 1 })
      this.#firstDropped = null
    }
    if (!this.write(text)) this.#firstDropped ??= first
  }

  async next(): Promise<IteratorResult<unknown>> {
    if (this.#pending.length === 0 && !this.#isEnded) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#wake = null
    if (this.#pending.length === 0) return { done: true, value: undefined }
    const value = this.#pending.join('')
    this.#pending = []
    this.#bytes = 0
    this.#stuckSince = null
    return { done: false, value }
  }

  cancel(): void {
    this.end()
    this.#gone()
  }

  /** Ends the feed after the pending events are sent. */
  end(): void {
    this.#isEnded = true
    this.#wake?.()
  }
}
