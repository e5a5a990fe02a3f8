/**
 * Splits a multipart body (RFC 2046 section 5.1.1) into tokens, wherever its chunks are cut. Data tokens are views of the chunks, not
 * copies. The delimiter has a CR only at its start, so the end of a chunk is scanned at most twice.
 */
import { frameworkError } from '../../errors/http-error.js'

/** `head`: header lines of a part. `data`: bytes of the part. `part-end`: end of the part. `end`: closing delimiter of the body. */
export type ScanToken =
  | { readonly kind: 'head' | 'data'; readonly bytes: Buffer }
  | { readonly kind: 'part-end' | 'end'; readonly bytes: null }

/** Maximum bytes of the headers of a part. */
const MAX_HEAD_SIZE = 8_192

const [TAB, LF, CR, SPACE, DASH] = [0x09, 0x0a, 0x0d, 0x20, 0x2d]
const NO_BYTES = Buffer.alloc(0)
const LINE_BREAK = Buffer.from('\r\n')
const END_OF_HEAD = Buffer.from('\r\n\r\n')
const PART_END: ScanToken = { kind: 'part-end', bytes: null }
const END_TOKEN: ScanToken = { kind: 'end', bytes: null }

type ScanPosition = 'preamble' | 'line' | 'head' | 'data' | 'epilogue'

export class Scanner {
  readonly #delimiter: Buffer
  #place: ScanPosition = 'preamble'
  #chunk: Buffer = NO_BYTES
  #at = 0
  /** Matched bytes of the delimiter. Starts at 2, because the first delimiter may be at the start of the body, without a line break. */
  #matched = 2
  /** Matched bytes that are not data even if the match fails, because they end the headers or precede the body. */
  #borrowed = 2
  /** Previous byte on the line of the delimiter; 0 directly after the delimiter. */
  #last = 0
  /** Headers read so far, including the line break before them. */
  #head: Buffer = NO_BYTES

  constructor(boundary: string) {
    this.#delimiter = Buffer.from(`\r\n--${boundary}`, 'latin1')
  }

  /** Sets the next chunk. Call it only after `next` has returned `null`. */
  push(chunk: Buffer): void {
    this.#chunk = chunk
    this.#at = 0
  }

  /** Returns the next token of the chunk, or `null` at its end. */
  next(): ScanToken | null {
    while (this.#at < this.#chunk.length) {
      const token = this.#step()
      if (token !== null) return token
    }
    return null
  }

  #step(): ScanToken | null {
    switch (this.#place) {
      case 'line':
        return this.#readLine()
      case 'head':
        return this.#readHead()
      case 'epilogue':
        this.#at = this.#chunk.length
        return null
      default:
        return this.#matched > 0 ? this.#matchOn() : this.#search()
    }
  }

  /** Continues a partial match of the delimiter, usually from the end of the previous chunk. */
  #matchOn(): ScanToken | null {
    const matched = this.#matched
    const length = Math.min(this.#delimiter.length - matched, this.#chunk.length - this.#at)
    const end = this.#at + length
    if (this.#delimiter.compare(this.#chunk, this.#at, end, matched, matched + length) !== 0) {
      const data = Buffer.from(this.#delimiter.subarray(this.#borrowed, matched))
      this.#matched = 0
      this.#borrowed = 0
      return this.#data(data)
    }
    this.#at = end
    this.#matched += length
    return this.#matched === this.#delimiter.length ? this.#found() : null
  }

  #search(): ScanToken | null {
    const chunk = this.#chunk
    const from = this.#at
    const index = chunk.indexOf(this.#delimiter, from)
    if (index === from) {
      this.#at += this.#delimiter.length
      return this.#found()
    }
    const end = index < 0 ? this.#tailOf(chunk, from) : index
    this.#at = index < 0 ? chunk.length : index
    this.#matched = this.#at - end
    return this.#data(chunk.subarray(from, end))
  }

  /** Returns the index of a partial delimiter at the end of the chunk; the length of the chunk if it has no partial delimiter. */
  #tailOf(chunk: Buffer, from: number): number {
    const earliest = Math.max(from, chunk.length - this.#delimiter.length + 1)
    const cr = chunk.subarray(earliest).lastIndexOf(CR)
    if (cr < 0) return chunk.length
    const start = earliest + cr
    const isBegin = this.#delimiter.compare(chunk, start, chunk.length, 0, chunk.length - start) === 0
    return isBegin ? start : chunk.length
  }

  #data(bytes: Buffer): ScanToken | null {
    return this.#place === 'preamble' || bytes.length === 0 ? null : { kind: 'data', bytes }
  }

  #found(): ScanToken | null {
    const wasPart = this.#place === 'data'
    this.#matched = 0
    this.#last = 0
    this.#place = 'line'
    return wasPart ? PART_END : null
  }

  /** Reads the line after a delimiter: `--` after the last one, otherwise optional spaces or tabs and a line break. */
  #readLine(): ScanToken | null {
    const byte = this.#chunk.readUInt8(this.#at)
    const last = this.#last
    this.#at++
    this.#last = byte
    if (last === DASH && byte === DASH) {
      this.#place = 'epilogue'
      return END_TOKEN
    }
    if (last === CR && byte === LF) {
      this.#place = 'head'
      this.#head = LINE_BREAK
      return null
    }
    const isBegin = last === 0 && byte === DASH
    const follows = isBegin || ((last === 0 || isPadding(last)) && (isPadding(byte) || byte === CR))
    if (!follows) throw frameworkError(400, 'A boundary of the body is malformed')
    return null
  }

  /** Avoids a copy in the usual case: all headers are in one chunk, directly after the line break of the delimiter. */
  #readHead(): ScanToken | null {
    const isBegin = this.#head === LINE_BREAK && this.#at >= LINE_BREAK.length
    if (isBegin) this.#at -= LINE_BREAK.length
    const before = isBegin ? NO_BYTES : this.#head
    const piece = this.#chunk.subarray(this.#at, this.#at + MAX_HEAD_SIZE - before.length)
    const head = isBegin ? piece : Buffer.concat([before, piece])
    const end = head.indexOf(END_OF_HEAD, Math.max(0, before.length - END_OF_HEAD.length + 1))
    this.#head = head
    if (end < 0) {
      this.#at += piece.length
      if (head.length < MAX_HEAD_SIZE) return null
      throw frameworkError(400, `The headers of a part are larger than ${MAX_HEAD_SIZE} bytes`)
    }
    this.#at += end + END_OF_HEAD.length - before.length
    this.#place = 'data'
    // If the part has no data, the line break after its headers also starts the delimiter.
    this.#matched = LINE_BREAK.length
    this.#borrowed = LINE_BREAK.length
    return { kind: 'head', bytes: head.subarray(LINE_BREAK.length, Math.max(LINE_BREAK.length, end)) }
  }
}

function isPadding(byte: number): boolean {
  return byte === SPACE || byte === TAB
}
