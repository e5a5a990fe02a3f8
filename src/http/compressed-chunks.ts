/** Compresses chunks of a stream. Each chunk is flushed before the next one is read, so that clients receive events without delay. */
import { checkedChunk, type Chunks } from './chunks.js'
import { noop } from '../values/noop.js'
import type { Coder } from './codings.js'

export class CompressedChunks implements Chunks {
  readonly #source: Chunks
  readonly #coder: Coder
  #isDone = false

  constructor(source: Chunks, coder: Coder) {
    this.#source = source
    this.#coder = coder
    // The callback of `write` reports errors. Without this listener, they would also end the process.
    coder.on('error', noop)
  }

  async next(): Promise<IteratorResult<unknown>> {
    while (!this.#isDone) {
      const { done, value } = await this.#source.next()
      this.#isDone = done === true
      const bytes = await this.#written(this.#isDone ? null : checkedChunk(value))
      if (bytes.length > 0) return { done: false, value: bytes }
    }
    return { done: true, value: undefined }
  }

  cancel(): void {
    this.#source.cancel()
    this.#coder.destroy()
  }

  /** Compresses a chunk, or ends the stream for `null`. Reads while writing, because a coder with a full output buffer stops. */
  #written(chunk: string | Uint8Array | null): Promise<Buffer> {
    const coder = this.#coder
    const parts: Buffer[] = []
    const take = (): void => {
      for (let part: unknown = coder.read(); part !== null; part = coder.read()) parts.push(part as Buffer)
    }
    return new Promise((resolve, reject) => {
      const end = (error?: Error | null): void => {
        coder.off('readable', take).off('end', end)
        if (error) return reject(error)
        take()
        resolve(Buffer.concat(parts))
      }
      coder.on('readable', take)
      if (chunk !== null) coder.write(chunk, end)
      else coder.on('end', end).end()
    })
  }
}
