/** Reads an open file in pieces, with only one piece in memory. */
import type { FileHandle } from 'node:fs/promises'
import type { Chunks } from '../../http/chunks.js'
import { noop } from '../../values/noop.js'

/** Maximum bytes for each read. A quarter of this costs 20 % more CPU time for a file of 5 MB. */
const PIECE = 256 * 1024

/** A byte range of a file; `end` is exclusive. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

/** Yields buffers and ranges of a file in order. Closes the file after the last one, or when canceled. */
export class FileChunks implements Chunks {
  readonly #handle: FileHandle
  readonly #pieces: Iterator<Buffer | ByteRange>

  constructor(handle: FileHandle, pieces: readonly (Buffer | ByteRange)[]) {
    this.#handle = handle
    this.#pieces = cutRange(pieces)
  }

  async next(): Promise<IteratorResult<unknown>> {
    const { done, value } = this.#pieces.next()
    if (done !== true)
      return { done: false, value: Buffer.isBuffer(value) ? value : await readSpan(this.#handle, value) }
    await this.#handle.close()
    return { done: true, value: undefined }
  }

  cancel(): void {
    this.#handle.close().catch(noop)
  }
}

function* cutRange(pieces: readonly (Buffer | ByteRange)[]): Generator<Buffer | ByteRange, void, undefined> {
  for (const piece of pieces) {
    if (Buffer.isBuffer(piece)) yield piece
    else
      for (let start = piece.start; start < piece.end; start += PIECE) {
        yield { start, end: Math.min(start + PIECE, piece.end) }
      }
  }
}

/** Reads a range of a file. Throws if the file has become shorter, so that the response is interrupted instead of silently truncated. */
export async function readSpan(handle: FileHandle, { start, end }: ByteRange): Promise<Buffer> {
  const bytes = Buffer.allocUnsafe(end - start)
  for (let filled = 0; filled < bytes.length;) {
    const { bytesRead } = await handle.read(bytes, filled, bytes.length - filled, start + filled)
    if (bytesRead === 0) throw new Error('Cannot read the file to its end: it has become shorter')
    filled += bytesRead
  }
  return bytes
}
