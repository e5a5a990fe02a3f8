/** Buffers the bytes of a body with little memory overhead. */
import type { IncomingMessage } from 'node:http'

/** Chunks of at least this size, in bytes, are stored without copying. */
const LARGE = 1024
/** Maximum size of a block of small chunks, in bytes. */
const BLOCK = 64 * 1024
const NO_BYTES = Buffer.alloc(0)

/** Copies small chunks into blocks that grow with the body, because a stored chunk of one byte takes 190 bytes. */
export class ChunkBuffer {
  size: number = 0
  /** The last chunk, which is not copied until the next one arrives. So a body of one chunk is never copied. */
  #last: Buffer = NO_BYTES
  readonly #parts: Buffer[] = []
  #block: Buffer = NO_BYTES
  #from = 0
  #used = 0

  add(chunk: Buffer): void {
    if (this.size > 0) this.#keep(this.#last)
    this.#last = chunk
    this.size += chunk.length
  }

  join(): Buffer {
    if (this.#last.length === this.size) return this.#last
    this.#keep(this.#last)
    this.#cut()
    return Buffer.concat(this.#parts, this.size)
  }

  #keep(chunk: Buffer): void {
    if (chunk.length >= LARGE) {
      this.#cut()
      this.#parts.push(chunk)
      return
    }
    const copied = chunk.copy(this.#block, this.#used)
    this.#used += copied
    if (copied === chunk.length) return
    this.#cut()
    this.#block = Buffer.allocUnsafeSlow(Math.min(BLOCK, Math.max(LARGE, this.size)))
    this.#from = 0
    this.#used = chunk.copy(this.#block, 0, copied)
  }

  /** Turns the bytes copied since the last cut into a part. */
  #cut(): void {
    if (this.#used > this.#from) this.#parts.push(this.#block.subarray(this.#from, this.#used))
    this.#from = this.#used
  }
}

/** Merges the chunks that Node parses in one read, because a packet can contain ten thousand HTTP chunks of one byte. */
export function joinChunks(request: IncomingMessage): void {
  const { push } = request
  let joinedBuffer: ChunkBuffer | null = null
  const handOn = (): void => {
    if (joinedBuffer === null) return
    const bytes = joinedBuffer.join()
    joinedBuffer = null
    push.call(request, bytes)
  }
  request.push = (chunk: unknown, encoding?: BufferEncoding): boolean => {
    if (!Buffer.isBuffer(chunk)) {
      handOn()
      return push.call(request, chunk, encoding)
    }
    if (joinedBuffer === null) {
      joinedBuffer = new ChunkBuffer()
      // `process.nextTick` would run too early, because Node runs ticks after each call from its native parser, so after each chunk.
      setImmediate(handOn)
    }
    joinedBuffer.add(chunk)
    return request.readableLength + joinedBuffer.size < request.readableHighWaterMark
  }
}
