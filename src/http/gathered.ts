/** The bytes of a body while it comes, in little more memory than they need. */

/** Chunks from this size on are kept as they are; what a chunk costs beside its bytes is little then. In bytes. */
const LARGE = 1024
/** The largest block that small chunks are copied into, in bytes. */
const BLOCK = 64 * 1024
const NOTHING = Buffer.alloc(0)

/**
 * Gathers chunks. A chunk of one byte costs 190 bytes when it is kept, so a client could make 6 MB on the wire cost 190 MB. Small
 * chunks are copied together, into blocks that grow with the body. Nearly all bodies are one chunk, which is never copied.
 */
export class Gathered {
  #size = 0
  #only: Buffer | null = null
  #parts: Buffer[] | null = null
  #block: Buffer = NOTHING
  /** What of the block is among the parts already, and what of it is used. */
  #from = 0
  #used = 0

  /** Bytes that were taken. */
  get size(): number {
    return this.#size
  }

  /** Takes a chunk. */
  add(chunk: Buffer): void {
    if (this.#size === 0) this.#only = chunk
    else if (this.#parts === null) this.#begin(chunk)
    else this.#keep(this.#parts, chunk)
    this.#size += chunk.length
  }

  /** Puts all together. */
  join(): Buffer {
    if (this.#parts === null) return this.#only ?? NOTHING
    this.#cut(this.#parts)
    return Buffer.concat(this.#parts, this.#size)
  }

  #begin(second: Buffer): void {
    const parts: Buffer[] = []
    this.#parts = parts
    if (this.#only !== null) this.#keep(parts, this.#only)
    this.#only = null
    this.#keep(parts, second)
  }

  #keep(parts: Buffer[], chunk: Buffer): void {
    if (chunk.length >= LARGE) {
      this.#cut(parts)
      parts.push(chunk)
      return
    }
    const copied = chunk.copy(this.#block, this.#used)
    this.#used += copied
    if (copied === chunk.length) return
    this.#cut(parts)
    this.#block = Buffer.allocUnsafeSlow(Math.min(BLOCK, Math.max(LARGE, this.#size)))
    this.#from = 0
    this.#used = chunk.copy(this.#block, 0, copied)
  }

  /** What was copied since the last time becomes a part. */
  #cut(parts: Buffer[]): void {
    if (this.#used > this.#from) parts.push(this.#block.subarray(this.#from, this.#used))
    this.#from = this.#used
  }
}
