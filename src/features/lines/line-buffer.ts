/** Divides the chunks of a body into lines. A line break is one byte that no character of UTF-8 contains, so chunks can end anywhere. */
import { Buffer } from 'node:buffer'
import { ChunkBuffer } from '../../http/body.js'

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d

const NOTHING = Buffer.alloc(0)

export class LineBuffer {
  /** Number of lines that were returned. */
  count: number = 0
  readonly #limit: number
  /** Start of a line, from earlier chunks. */
  #begun = new ChunkBuffer()
  #chunk: Buffer = NOTHING
  #start = 0

  /** @param limit maximum size of a line, in bytes */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Adds a chunk. All lines of the previous one must have been read. */
  add(chunk: Buffer): void {
    this.#chunk = chunk
    this.#start = 0
  }

  /** Returns the next line; `null` if it continues in the next chunk. */
  next(): Buffer | null {
    const chunk = this.#chunk
    const end = chunk.indexOf(LINE_FEED, this.#start)
    const part = chunk.subarray(this.#start, end < 0 ? chunk.length : end)
    if (end >= 0) {
      this.#start = end + 1
      return this.#line(part)
    }
    if (part.length > 0) this.#begun.add(part)
    return null
  }

  /** Whether the line that continues in the next chunk is too long already. Its last byte may be part of its end. */
  get isTooLong(): boolean {
    return this.#begun.size > this.#limit + 1
  }

  /** Returns the last line if it has no line break; otherwise `null`. */
  end(): Buffer | null {
    return this.#begun.size === 0 ? null : this.#line(NOTHING)
  }

  #line(part: Buffer): Buffer {
    this.count++
    const line = this.#begun.size === 0 ? part : this.#join(part)
    const lastIndex = line.length - 1
    return line[lastIndex] === CARRIAGE_RETURN ? line.subarray(0, lastIndex) : line
  }

  #join(part: Buffer): Buffer {
    const begun = this.#begun
    if (part.length > 0) begun.add(part)
    this.#begun = new ChunkBuffer()
    return begun.join()
  }
}
