/** Server-Sent Events (WHATWG HTML section 9.2): encodes events, and sends heartbeats between them. */
import { setImmediate as turn } from 'node:timers/promises'
import { noop } from '../values/ignore.js'
import { isWhole } from '../values/numbers.js'
import type { Chunks } from './chunks.js'

export interface EventFields {
  readonly data: string
  readonly id?: string | undefined
  readonly event?: string | undefined
  readonly retry?: number | undefined
}

const LINE_END = /\r\n|\r|\n/
// oxlint-disable-next-line no-control-regex -- these characters would end the field
const LINE_BREAK = /[\0\r\n]|[^\0-\xff]/
/** Ids that clients return unchanged in `Last-Event-ID`. Node reads their UTF-8 as Latin-1, and removes spaces around the value. */
const EVENT_ID = /^(?:[!-~](?:[ -~]*[!-~])?)?$/

/** Error messages for invalid values. */
const FLAWS = {
  id: 'must be a string of visible ASCII characters, with spaces only between them',
  event: 'must be a string of Latin-1 characters, without line breaks and NUL',
  retry: 'must be a non-negative integer of milliseconds',
} as const

function isFit(name: keyof typeof FLAWS, value: unknown): boolean {
  if (name === 'retry') return isWhole(value, 0)
  return typeof value === 'string' && (name === 'id' ? EVENT_ID.test(value) : !LINE_BREAK.test(value))
}

export function encodeEvent(event: EventFields): string {
  const lines: string[] = []
  for (const name of ['id', 'event', 'retry'] as const) {
    if (event[name] === undefined) continue
    if (!isFit(name, event[name])) throw new TypeError(`Cannot write an event: its "${name}" ${FLAWS[name]}`)
    lines.push(`${name}: ${event[name]}`)
  }
  for (const line of event.data.split(LINE_END)) lines.push(`data: ${line}`)
  return `${lines.join('\n')}\n\n`
}

interface EventStreamOptions {
  readonly encode: (event: unknown) => string | Promise<string>
  /** Time without an event before a heartbeat is sent, in ms. */
  readonly heartbeat: number
  readonly ended: () => void
}

export class EventChunks implements Chunks {
  readonly #source: Chunks
  readonly #options: EventStreamOptions
  #pending: Promise<IteratorResult<unknown>> | null = null
  #isEnded = false
  /** Resolves the last promise of `next`. */
  #resolve: (result: IteratorResult<unknown>) => void = noop
  #timer: NodeJS.Timeout | null = null

  constructor(source: Chunks, options: EventStreamOptions) {
    this.#source = source
    this.#options = options
  }

  /** Starts the source before the response, because most failures are immediate. The first event may take an hour, so it is not awaited. */
  async begin(): Promise<void> {
    if (this.#isEnded) return
    this.#pending = this.#take()
    try {
      await Promise.race([this.#pending, turn()])
    } catch (error) {
      if (this.#isEnded) return
      this.cancel()
      throw error
    }
  }

  async next(): Promise<IteratorResult<unknown>> {
    if (this.#isEnded) return DONE
    const result = await this.#resultOrBeat((this.#pending ??= this.#take()))
    // After a heartbeat, the next call continues to wait for the same event.
    if (result !== BEAT_RESULT) this.#pending = null
    return result
  }

  #resultOrBeat(pending: Promise<IteratorResult<unknown>>): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#startTimer()
      const settle = (result: IteratorResult<unknown>): void => {
        if (result.done === true) this.#stopTimer()
        resolve(result)
      }
      pending.then(settle, (error: unknown) => {
        this.#stopTimer()
        // The error aborts the connection. The delay lets Node send the earlier events first.
        setImmediate(reject, error)
      })
    })
  }

  /** Uses one timer for the whole stream. A timer for each event costs twice as much. */
  #startTimer(): void {
    if (this.#timer === null) this.#timer = setTimeout(() => this.#resolve(BEAT_RESULT), this.#options.heartbeat)
    else this.#timer.refresh()
  }

  #stopTimer(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  get ended(): Chunks['ended'] {
    return this.#source.ended
  }

  cancel(): void {
    this.#isEnded = true
    this.#stopTimer()
    this.#options.ended()
    this.#source.cancel()
    this.#resolve(DONE)
  }

  async #take(): Promise<IteratorResult<unknown>> {
    const { done, value } = await this.#source.next()
    if (done !== true) return { done: false, value: await this.#options.encode(value) }
    this.#options.ended()
    return DONE
  }
}

/** A heartbeat. It is a comment, which clients ignore. */
const BEAT_RESULT: IteratorResult<unknown> = { done: false, value: ':\n\n' }
const DONE: IteratorResult<unknown> = { done: true, value: undefined }
