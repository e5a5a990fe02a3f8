/** Event streams, Server-Sent Events (WHATWG HTML section 9.2): what is written, and a sign of life while nothing happens. */
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
const BREAKING = /[\0\r\n]|[^\0-\xff]/
/** What comes back in a header as it was sent: clients send UTF-8, which is read as Latin-1, and spaces around a value get lost. */
const RETURNING = /^(?:[!-~](?:[ -~]*[!-~])?)?$/

/** What is said of a value that may not stand in a field. */
const FLAWS = {
  id: 'would not come back as it is. Give a text of visible ASCII characters, with spaces in between at most',
  event: 'is no text, or holds a line ending, NUL or a character outside Latin-1',
  retry: 'is not a whole number of milliseconds',
} as const

function isFit(name: keyof typeof FLAWS, value: unknown): boolean {
  if (name === 'retry') return isWhole(value, 0)
  return typeof value === 'string' && (name === 'id' ? RETURNING.test(value) : !BREAKING.test(value))
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
  /** ms of silence after which a sign of life is sent. */
  readonly heartbeat: number
  readonly ended: () => void
}

export class EventChunks implements Chunks {
  readonly #source: Chunks
  readonly #options: EventStreamOptions
  #pending: Promise<IteratorResult<unknown>> | null = null
  #isEnded = false
  #wake = noop

  constructor(source: Chunks, options: EventStreamOptions) {
    this.#source = source
    this.#options = options
  }

  /** Starts the source before the answer begins: a first event may come in an hour, but a source that fails mostly does so at once. */
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
    // An event that comes while a sign of life is being written waits for its turn.
    if (result !== BEAT) this.#pending = null
    return result
  }

  #resultOrBeat(pending: Promise<IteratorResult<unknown>>): Promise<IteratorResult<unknown>> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve(BEAT), this.#options.heartbeat)
      const settle = (result: IteratorResult<unknown>): void => {
        clearTimeout(timer)
        resolve(result)
      }
      this.#wake = () => settle(DONE)
      pending.then(settle, (error: unknown) => {
        clearTimeout(timer)
        // The connection will be broken off: the events before this failure have left by then.
        setImmediate(reject, error)
      })
    })
  }

  get ended(): Chunks['ended'] {
    return this.#source.ended
  }

  cancel(): void {
    this.#options.ended()
    this.#source.cancel()
    this.#wake()
  }

  /** Ends the stream cleanly, because the server is closing: its client will connect again. */
  end(): void {
    this.#isEnded = true
    this.cancel()
  }

  async #take(): Promise<IteratorResult<unknown>> {
    const { done, value } = await this.#source.next()
    if (done !== true) return { done: false, value: await this.#options.encode(value) }
    this.#options.ended()
    return DONE
  }
}

/** A comment, which clients ignore. */
const BEAT: IteratorResult<unknown> = { done: false, value: ':\n\n' }
const DONE: IteratorResult<unknown> = { done: true, value: undefined }
