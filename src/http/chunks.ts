/**
 * Chunks of a streamed response, from Node streams, web streams and async iterables.
 *
 * @see docs/decisions/0013-async-context.md
 */
import { AsyncResource } from 'node:async_hooks'
import { isUint8Array } from 'node:util/types'
import { noop } from '../values/noop.js'
import { isObject } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'

/** Receives a chunk, or the error instead of it. Never throws. */
export interface ChunkReader {
  taken(result: IteratorResult<unknown>): void
  failed(error: unknown): void
}

/** A source of chunks. It can be canceled even while a read is pending. */
export interface Chunks {
  next(): Promise<IteratorResult<unknown>>
  /**
   * Reads the next chunk like `next`, with fewer promises. Chunks of the app call the reader in their own async context.
   *
   * @param isWithin whether the caller already runs in that context, because it was called with the previous chunk
   */
  read?(reader: ChunkReader, isWithin: boolean): void
  /** Stops the source, because no more chunks will be read. Never throws. */
  cancel(): void
  /**
   * Resolves after `cancel`, when the source has stopped. A generator first runs to its next `yield`, and then its `finally`. `null`
   * before `cancel`; missing if the source runs no code of the app. Never rejects.
   */
  readonly ended?: Promise<unknown> | null | undefined
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value
}

/** Opens a source whose chunks are read in the async context of the caller. */
export function openChunks(source: AsyncIterable<unknown>): OpenChunks {
  if (source instanceof ReadableStream) return new OpenChunks(source, webIterator(source, isByteStream(source)))
  // A Node stream may fail before it is read, for example if a file is missing. Without a listener, this would end the process.
  if (isEmitter(source)) source.on('error', noop)
  return new OpenChunks(source, source[Symbol.asyncIterator]())
}

/** Extends `AsyncResource`, because each function of `bind` costs 2 kB on Node 20. */
export class OpenChunks extends AsyncResource implements Chunks {
  ended: Promise<unknown> | null = null
  readonly #source: object
  readonly #iterator: AsyncIterator<unknown>
  /** The last read. The `return()` of an iterator that is not a generator may resolve while this read is still pending. */
  #reading: Promise<IteratorResult<unknown>> | null = null
  #reader: ChunkReader | null = null
  /** A result that was read and put back; `null` if there is none. */
  #first: IteratorResult<unknown> | null = null

  constructor(source: object, iterator: AsyncIterator<unknown>) {
    super('verbena.stream')
    this.#source = source
    this.#iterator = iterator
  }

  next(): Promise<IteratorResult<unknown>> {
    return this.runInAsyncScope(this.#next, this)
  }

  read(reader: ChunkReader, isWithin: boolean): void {
    if (isWithin) this.#read(reader)
    else this.runInAsyncScope(this.#read, this, reader)
  }

  /** Returns a result to the source, which the next read receives again. */
  putBack(result: IteratorResult<unknown>): void {
    this.#first = result
  }

  cancel(): void {
    this.ended ??= this.runInAsyncScope(this.#end, this)
  }

  /** The promise calls the reader in the context of this call. It gets the same two functions for each chunk. */
  #read(reader: ChunkReader): void {
    this.#reader = reader
    try {
      this.#next().then(this.#taken, this.#failed)
    } catch (error) {
      reader.failed(error)
    }
  }

  readonly #taken = (result: IteratorResult<unknown>): void => this.#reader?.taken(result)

  readonly #failed = (error: unknown): void => this.#reader?.failed(error)

  #next(): Promise<IteratorResult<unknown>> {
    const first = this.#first
    if (first === null) return (this.#reading = Promise.resolve(this.#iterator.next()))
    this.#first = null
    return Promise.resolve(first)
  }

  #end(): Promise<unknown> {
    return Promise.allSettled([this.#reading, endQuietly(this.#source, this.#iterator)])
  }
}

/** Converts chunks to an async iterable, for `for await` and for creating Node and web streams. */
export function toAsyncIterable(chunks: Chunks): AsyncIterable<unknown> {
  return new ChunkIterable(chunks)
}

/** A class, because the closures of an object literal would cost 0.2 kB for each open stream. */
class ChunkIterable implements AsyncIterable<unknown> {
  readonly #chunks: Chunks

  constructor(chunks: Chunks) {
    this.#chunks = chunks
  }

  [Symbol.asyncIterator](): AsyncIterator<unknown> {
    const chunks = this.#chunks
    const end = (): Promise<IteratorResult<unknown>> => {
      chunks.cancel()
      return Promise.resolve({ done: true, value: undefined })
    }
    return { next: () => chunks.next(), return: end }
  }
}

/**
 * Reads a web stream. Its own iterator is canceled only after a pending read.
 *
 * @param waits whether to do so too. If a stream of bytes from `new Response(iterable)` is canceled during a read that then reports the end,
 *   Node throws outside of all promises, which ends the process
 */
export function webIterator(stream: ReadableStream<unknown>, waits: boolean): AsyncIterator<unknown> {
  const reader = stream.getReader()
  let reading: Promise<unknown> | undefined
  const end = (): Promise<IteratorResult<unknown>> => reader.cancel().then(() => ({ done: true, value: undefined }))
  return {
    next() {
      const result = reader.read().then(({ done, value }) => ({ done, value }))
      reading = result
      return result
    },
    return: () => (waits && reading !== undefined ? reading.then(end, end) : end()),
  }
}

function isByteStream(stream: ReadableStream<unknown>): boolean {
  try {
    // Proof: the type of `ReadableStream` does not say whether its chunks are bytes, and other streams throw here.
    ;(stream as ReadableStream<Uint8Array<ArrayBuffer>>).getReader({ mode: 'byob' }).releaseLock()
    return true
  } catch {
    return false
  }
}

function isEmitter(source: object): source is { on(event: string, listener: () => void): unknown } {
  return 'on' in source && typeof source.on === 'function'
}

/** Uses `destroy`, which stops immediately. The iterator of a Node stream stops only after a pending read. Errors are ignored. */
async function endQuietly(source: object, iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    if (isDestroyable(source)) await destroySource(source)
    else await iterator.return?.()
  } catch {}
}

interface Destroyable {
  destroy(): unknown
  readonly destroyed?: unknown
  readonly closed?: unknown
}

function isDestroyable(source: object): source is Destroyable {
  return 'destroy' in source && typeof source.destroy === 'function'
}

/** Resolves when a Node stream has closed. `Readable.from()` waits for its generator before it closes. */
function destroySource(source: Destroyable): Promise<void> | undefined {
  const isOver = source.destroyed === true && source.closed !== false
  source.destroy()
  if (isOver || !isEmitter(source)) return undefined
  return new Promise((resolve) => source.on('close', resolve))
}

/** Reads the first chunk before the response begins, and puts it back. Throws if it cannot be sent. */
export async function peekFirst(chunks: OpenChunks): Promise<{ first: IteratorResult<unknown>; all: Chunks }> {
  const first = await chunks.next()
  try {
    if (first.done !== true) checkedChunk(first.value)
  } catch (error) {
    chunks.cancel()
    throw error
  }
  chunks.putBack(first)
  return { first, all: chunks }
}

export function checkedChunk(chunk: unknown): string | Uint8Array {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return chunk
  // An array of another realm.
  if (isUint8Array(chunk)) return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
  discardPromise(chunk)
  throw new TypeError(
    `Cannot stream the response: a chunk must be a string or bytes, not ${chunk === null ? 'null' : typeof chunk}`,
  )
}
