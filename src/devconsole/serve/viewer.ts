/** One open page that receives the feed. Events that it does not read in time are dropped. After a `gap` event, it requests them again. */
import { encodeEvent } from '../../http/event-stream.js'
import type { Chunks } from '../../http/chunks.js'
import type { FeedEvents } from '../wire/feed-types.js'

const MAX_WAITING = 256 * 1024
/** Time in ms after which a page that does not read is disconnected. */
const STALL_TIMEOUT = 10_000

export class Viewer implements Chunks {
  readonly id: string
  wants: ReadonlySet<string> = new Set()
  readonly #gone: () => void
  readonly #cut: () => void
  #waiting: string[] = []
  #bytes = 0
  #wake: (() => void) | null = null
  #isOver = false
  #missed: number | null = null
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

  /** Whether the page receives an event. It receives `log` and `open` only if it has requested them. */
  gets(name: keyof FeedEvents): boolean {
    return (name !== 'log' && name !== 'open') || this.wants.has(name)
  }

  write(text: string): boolean {
    if (this.#isOver) return false
    if (this.#bytes > MAX_WAITING) {
      const now = performance.now()
      this.#stuckSince ??= now
      if (now - this.#stuckSince > STALL_TIMEOUT) this.#cut()
      return false
    }
    this.#waiting.push(text)
    this.#bytes += text.length
    this.#wake?.()
    return true
  }

  sendRecords(text: string, first: number): void {
    if (this.#missed !== null && this.#bytes <= MAX_WAITING) {
      this.send('gap', { v: 1, from: this.#missed, to: first - 1 })
      this.#missed = null
    }
    if (!this.write(text)) this.#missed ??= first
  }

  async next(): Promise<IteratorResult<unknown>> {
    if (this.#waiting.length === 0 && !this.#isOver) await new Promise<void>((resolve) => (this.#wake = resolve))
    this.#wake = null
    if (this.#waiting.length === 0) return { done: true, value: undefined }
    const value = this.#waiting.join('')
    this.#waiting = []
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
    this.#isOver = true
    this.#wake?.()
  }
}
