/** Event streams, Server-Sent Events (WHATWG HTML section 9.2): what is written, and a sign of life while nothing happens. */
import type { Chunks } from './chunks.js'

/** One event as it is written. */
export interface EventFields {
  /** The data, a line of its own for each line. */
  readonly data: string
  /** Sent back as `Last-Event-ID` when the client connects again. */
  readonly id?: string | undefined
  /** Name of the event; `message` unless given. */
  readonly event?: string | undefined
  /** How long the client waits before it connects again, in ms. */
  readonly retry?: number | undefined
}

/** A comment, which clients ignore. */
const HEARTBEAT = ':\n\n'
const LINE_END = /\r\n|\r|\n/
// oxlint-disable-next-line no-control-regex -- these characters would end the field
const BREAKING = /[\0\r\n]|[^\0-\xff]/

/**
 * Writes one event.
 *
 * @param event its fields
 * @returns the text, with the empty line that ends it
 * @throws TypeError when a field other than `data` holds a line ending, NUL or a character outside Latin-1, or `retry` is no whole number
 */
export function encodeEvent({ data, id, event, retry }: EventFields): string {
  const lines = [...field('id', id), ...field('event', event), ...retryField(retry)]
  for (const line of data.split(LINE_END)) lines.push(`data: ${line}`)
  return `${lines.join('\n')}\n\n`
}

function field(name: string, value: string | undefined): string[] {
  if (value === undefined) return []
  if (typeof value !== 'string' || BREAKING.test(value)) {
    throw new TypeError(
      `Cannot write an event: its "${name}" is no text, or holds a line ending, NUL or a character outside Latin-1`,
    )
  }
  return [`${name}: ${value}`]
}

function retryField(retry: number | undefined): string[] {
  if (retry === undefined) return []
  if (Number.isSafeInteger(retry) && retry >= 0) return [`retry: ${retry}`]
  throw new TypeError(`Cannot write an event: its "retry" is not a whole number of milliseconds`)
}

/** What an event stream is made of. */
export interface EventStreamOptions {
  /** Turns what the source gives into text; later where that takes time. */
  readonly encode: (event: unknown) => string | Promise<string>
  /** ms of silence after which a sign of life is sent, so that nobody on the way takes the connection for dead. */
  readonly heartbeat: number
  /** Told once when the stream is over. */
  readonly ended: () => void
}

/** The chunks of an event stream. */
export class EventChunks implements Chunks {
  readonly #source: Chunks
  readonly #options: EventStreamOptions
  #pending: Promise<IteratorResult<unknown>> | undefined = undefined
  #isEnded = false
  #wake: (() => void) | undefined = undefined

  /**
   * @param source gives events
   * @param options how they are written
   */
  constructor(source: Chunks, options: EventStreamOptions) {
    this.#source = source
    this.#options = options
  }

  next(): Promise<IteratorResult<unknown>> {
    if (this.#isEnded) return Promise.resolve(DONE)
    const pending = (this.#pending ??= this.#take())
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => resolve({ done: false, value: HEARTBEAT }), this.#options.heartbeat)
      const settle = (result: IteratorResult<unknown>): void => {
        clearTimeout(timer)
        resolve(result)
      }
      this.#wake = () => settle(DONE)
      pending.then(settle, (error: unknown) => {
        clearTimeout(timer)
        reject(error)
      })
    })
  }

  cancel(): void {
    this.#options.ended()
    this.#source.cancel()
    this.#wake?.()
  }

  /** Ends the stream cleanly, because the server is closing: its client will connect again. */
  end(): void {
    this.#isEnded = true
    this.cancel()
  }

  async #take(): Promise<IteratorResult<unknown>> {
    try {
      const { done, value } = await this.#source.next()
      if (done === true) this.#options.ended()
      return done === true ? DONE : { done: false, value: await this.#options.encode(value) }
    } finally {
      this.#pending = undefined
    }
  }
}

const DONE: IteratorResult<unknown> = { done: true, value: undefined }
