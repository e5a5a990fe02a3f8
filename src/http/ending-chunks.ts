/** A stream that the app can end before its source does. */
import type { ChunkReader, Chunks, OpenChunks } from './chunks.js'
import { DONE } from './event-stream.js'

export class EndingChunks implements Chunks, ChunkReader {
  readonly #source: OpenChunks
  /** Called once, when the stream is over. */
  readonly #over: () => void
  /** Waits for the next chunk; `null` if nothing does. */
  #reader: ChunkReader | null = null
  #isOver = false

  constructor(source: OpenChunks, over: () => void) {
    this.#source = source
    this.#over = over
  }

  next(): Promise<IteratorResult<unknown>> {
    return new Promise((taken, failed) => this.read({ taken, failed }, false))
  }

  read(reader: ChunkReader, isWithin: boolean): void {
    if (this.#isOver) return reader.taken(DONE)
    this.#reader = reader
    this.#source.read(this, isWithin)
  }

  taken(result: IteratorResult<unknown>): void {
    if (result.done === true) this.#finish()
    this.#pass(result)
  }

  failed(error: unknown): void {
    const reader = this.#reader
    this.#finish()
    this.#reader = null
    reader?.failed(error)
  }

  /** Ends the stream for its reader immediately, and cancels the source, which may first finish a read. */
  cancel(): void {
    this.#finish()
    this.#source.cancel()
    this.#pass(DONE)
  }

  #finish(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#over()
  }

  #pass(result: IteratorResult<unknown>): void {
    const reader = this.#reader
    this.#reader = null
    reader?.taken(result)
  }
}
