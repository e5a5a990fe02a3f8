/** Server-Sent Events (WHATWG HTML section 9.2): encodes events, and sends heartbeats between them. */
import { performance } from 'node:perf_hooks'
import { isWhole } from '../values/is-whole.js'
import { thenSync } from '../values/promises.js'
import type { ChunkReader, Chunks, OpenChunks } from './chunks.js'

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
const RULES = {
  id: 'must be a string of visible ASCII characters, with spaces only between them',
  event: 'must be a string of Latin-1 characters, without line breaks and NUL',
  retry: 'must be a non-negative integer of milliseconds',
} as const

function isFit(name: keyof typeof RULES, value: unknown): boolean {
  if (name === 'retry') return isWhole(value, 0)
  return typeof value === 'string' && (name === 'id' ? EVENT_ID.test(value) : !LINE_BREAK.test(value))
}

/** Whether events that report failures can have this name. Clients would not distinguish `message` from events without a name. */
export function isErrorEvent(name: string): boolean {
  return name !== '' && name !== 'message' && isFit('event', name)
}

/** @param data data to write instead of the data of the event */
export function encodeEvent(event: EventFields, data: string = event.data): string {
  const fields = writeField(event, 'id') + writeField(event, 'event') + writeField(event, 'retry')
  // JSON contains no line breaks.
  if (!data.includes('\n') && !data.includes('\r')) return `${fields}data: ${data}\n\n`
  const lines = data.split(LINE_END).map((line) => `data: ${line}\n`)
  return `${fields}${lines.join('')}\n`
}

function writeField(event: EventFields, name: keyof typeof RULES): string {
  const value = event[name]
  if (value === undefined) return ''
  if (!isFit(name, value)) throw new TypeError(`Cannot write an event: its "${name}" ${RULES[name]}`)
  return `${name}: ${value}\n`
}

export interface EventSource {
  /** Time without an event before a heartbeat is sent, in ms; 0 for none. */
  readonly heartbeat: number
  /** The heartbeat; default: a comment, which clients of events ignore. */
  readonly beat?: string
  encode(event: unknown): string | Promise<string>
  /** Returns the last event, which reports an error; `null` if the client cannot receive it. Never throws. */
  fail(error: unknown): string | Promise<string> | null
  ended(): void
}

/** Encodes events as soon as they arrive, and sends heartbeats to a reader that waits for the next one. */
export class EventChunks implements Chunks, ChunkReader {
  /** Index in the list of the clock; -1 if the stream is not in the list. */
  place: number = -1
  readonly #chunks: OpenChunks
  readonly #source: EventSource
  readonly #clock: BeatClock | null
  readonly #beat: IteratorResult<unknown>
  /** Time of the last read, up to one interval of the clock too early. */
  #since = 0
  /** Waits for the next event; `null` if nothing does. */
  #reader: ChunkReader | null = null
  /** The last result of `next`; `null` before the first. */
  #last: Promise<IteratorResult<unknown>> | null = null
  /** The next event or the error instead of it, if it arrived while no reader waited. */
  #result: IteratorResult<unknown> | null = null
  #failure: { readonly error: unknown } | null = null
  #isReading = false
  #isBeginning = false
  #isEnded = false

  constructor(chunks: OpenChunks, source: EventSource) {
    this.#chunks = chunks
    this.#source = source
    this.#clock = source.heartbeat === 0 ? null : findClock(source.heartbeat)
    this.#beat = source.beat === undefined ? BEAT : { done: false, value: source.beat }
  }

  /**
   * Starts the source before the response, because most failures are immediate. The first event may take an hour, so it is not awaited.
   *
   * @param isAwaited whether to wait for the first event or heartbeat nevertheless
   */
  async begin(isAwaited: boolean = false): Promise<void> {
    if (this.#isEnded) return
    this.#isBeginning = true
    try {
      await new Promise<void>((resolve, failed) => {
        if (!isAwaited) setImmediate(resolve)
        this.read({ taken: (result) => resolve(void (this.#result = result)), failed }, true)
      })
    } catch (error) {
      this.cancel()
      throw error
    } finally {
      this.#reader = null
      this.#isBeginning = false
    }
  }

  next(): Promise<IteratorResult<unknown>> {
    const readNext = (): Promise<IteratorResult<unknown>> =>
      new Promise((taken, failed) => this.read({ taken, failed }, false))
    // The stream has one reader at a time.
    this.#last = this.#last === null ? readNext() : this.#last.then(readNext, readNext)
    return this.#last
  }

  read(reader: ChunkReader, isWithin: boolean): void {
    if (this.#isEnded) return reader.taken(DONE)
    this.#reader = reader
    if (this.#failure !== null) return this.#fail(this.#failure.error)
    if (this.#clock !== null) {
      if (this.place < 0) this.#clock.add(this)
      this.#since = this.#clock.now
    }
    const result = this.#result
    if (result !== null) {
      this.#result = null
      this.#chunks.runInAsyncScope(this.#deliver, this, result)
    } else if (!this.#isReading) {
      this.#isReading = true
      this.#chunks.read(this, isWithin)
    }
  }

  taken(result: IteratorResult<unknown>): void {
    try {
      if (result.done === true) return this.#finish()
      const text = this.#source.encode(result.value)
      if (typeof text === 'string') this.#deliver({ done: false, value: text })
      else {
        text.then(
          (value) => this.#deliver({ done: false, value }),
          (error: unknown) => this.failed(error),
        )
      }
    } catch (error) {
      this.failed(error)
    }
  }

  failed(error: unknown): void {
    this.#failure = { error }
    this.#clock?.delete(this)
    if (this.#reader !== null) this.#fail(error)
  }

  /** Sends a heartbeat if the last read was before `due`. The next read continues to wait for the same event. */
  beat(due: number): void {
    // The clock must not keep a stream that is no longer read. The next read adds it again.
    if (this.#reader === null) this.#clock?.delete(this)
    else if (this.#since <= due) this.#pass(this.#beat)
  }

  get ended(): Chunks['ended'] {
    return this.#chunks.ended
  }

  cancel(): void {
    this.#finish()
    this.#chunks.cancel()
  }

  #finish(): void {
    this.#isEnded = true
    this.#clock?.delete(this)
    this.#source.ended()
    this.#deliver(DONE)
  }

  #deliver(result: IteratorResult<unknown>): void {
    this.#isReading = false
    if (this.#reader === null) this.#result = result
    else this.#pass(result)
  }

  #pass(result: IteratorResult<unknown>): void {
    const reader = this.#reader
    this.#reader = null
    reader?.taken(result)
  }

  /** Before the response begins, the error becomes its problem. Later it becomes the last event, unless the client has disconnected. */
  #fail(error: unknown): void {
    const last = this.#isBeginning ? null : this.#source.fail(error)
    if (last === null) this.#reader?.failed(error)
    else void thenSync(last, (text) => this.#sendLast(text))
  }

  #sendLast(value: string): void {
    const reader = this.#reader
    this.#reader = null
    this.cancel()
    reader?.taken({ done: false, value })
  }
}

/** A heartbeat. It is a comment, which clients ignore. */
const BEAT: IteratorResult<unknown> = { done: false, value: ':\n\n' }
/** Result of a read after the end. */
export const DONE: IteratorResult<unknown> = { done: true, value: undefined }

/** Intervals of the clock in one heartbeat. A heartbeat is up to 2.25 of them early, so that a late timer does not delay it. */
const PRECISION = 25

/** One timer for all streams with the same heartbeat. A timer for each stream would cost 0.2 kB, and 40 ns for each event. */
class BeatClock {
  /** Time of the last interval in ms. Reading the clock for each event would cost 60 ns. */
  now: number = 0
  readonly #heartbeat: number
  readonly #streams: EventChunks[] = []
  #timer: NodeJS.Timeout | undefined = undefined

  constructor(heartbeat: number) {
    this.#heartbeat = heartbeat
  }

  add(stream: EventChunks): void {
    if (this.#streams.length === 0) {
      this.now = performance.now()
      this.#timer = setInterval(() => this.#look(), this.#heartbeat / PRECISION)
    }
    stream.place = this.#streams.push(stream) - 1
  }

  /** Stops the timer with the last stream, because a timer keeps the process alive. */
  delete(stream: EventChunks): void {
    const { place } = stream
    if (place < 0) return
    stream.place = -1
    const last = this.#streams.pop()
    if (last !== undefined && last !== stream) {
      this.#streams[place] = last
      last.place = place
    }
    if (this.#streams.length === 0) clearInterval(this.#timer)
  }

  #look(): void {
    this.now = performance.now()
    const due = this.now - this.#heartbeat * (1 - 1.25 / PRECISION)
    for (const stream of [...this.#streams]) stream.beat(due)
  }
}

const clocks = new Map<number, BeatClock>()

function findClock(heartbeat: number): BeatClock {
  let clock = clocks.get(heartbeat)
  if (clock === undefined) clocks.set(heartbeat, (clock = new BeatClock(heartbeat)))
  return clock
}

/** Open event streams of an app, each as the function that ends it. */
export class OpenStreams {
  readonly #open = new Set<() => void>()
  /** Whether the app is closing, or closed. */
  isEnded: boolean = false

  /** Ends the stream immediately if the app is closing. */
  add(end: () => void): void {
    if (this.isEnded) end()
    else this.#open.add(end)
  }

  delete(end: () => void): void {
    this.#open.delete(end)
  }

  end(): void {
    this.isEnded = true
    for (const end of this.#open) end()
  }
}
