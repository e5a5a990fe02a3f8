/** The bytes of a body while it comes, in little more memory than they need. */
import type { IncomingMessage } from 'node:http'

/** Larger chunks are kept as they are, in bytes. */
const LARGE = 1024
/** The largest block that small chunks are copied into, in bytes. */
const BLOCK = 64 * 1024
const NOTHING = Buffer.alloc(0)

/** Copies small chunks into blocks that grow with the body: a chunk of one byte costs 190 bytes when it is kept. */
export class ChunkBuffer {
  size: number = 0
  /** Kept as it is until another comes: one that is alone is not copied. */
  #last: Buffer = NOTHING
  readonly #parts: Buffer[] = []
  #block: Buffer = NOTHING
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

  /** What was copied since the last time becomes a part. */
  #cut(): void {
    if (this.#used > this.#from) this.#parts.push(this.#block.subarray(this.#from, this.#used))
    this.#from = this.#used
  }
}

/** Hands the chunks that one read of a request brings on as one: a packet may frame ten thousand chunks of one byte. */
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
      // Not the next tick: the parser calls back for each chunk from outside of JavaScript, and ticks run behind each.
      setImmediate(handOn)
    }
    joinedBuffer.add(chunk)
    return request.readableLength + joinedBuffer.size < request.readableHighWaterMark
  }
}
