/** Chunks of a streamed response, from Node streams, web streams and async iterables. */
import { AsyncResource } from 'node:async_hooks'
import { noop } from '../values/ignore.js'
import { isObject } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'

/** A source of chunks. It can be canceled even while a read is pending. */
export interface Chunks {
  next(): Promise<IteratorResult<unknown>>
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
export function openChunks(source: AsyncIterable<unknown>): Chunks {
  return keepContext(readChunks(source))
}

/** Opens a source whose chunks are read in the context of each read. */
export function readChunks(source: AsyncIterable<unknown>): Chunks {
  if (source instanceof ReadableStream) return webChunks(source)
  // A Node stream may fail before it is read, for example if a file is missing. Without a listener, this would end the process.
  if (isEmitter(source)) source.on('error', noop)
  const iterator = source[Symbol.asyncIterator]()
  return new SourceChunks(source, iterator)
}

class SourceChunks implements Chunks {
  ended: Promise<unknown> | null = null
  readonly #source: object
  readonly #iterator: AsyncIterator<unknown>
  /** The last read. The `return()` of an iterator that is not a generator may resolve while this read is still pending. */
  #reading: Promise<IteratorResult<unknown>> | undefined = undefined

  constructor(source: object, iterator: AsyncIterator<unknown>) {
    this.#source = source
    this.#iterator = iterator
  }

  next(): Promise<IteratorResult<unknown>> {
    this.#reading = this.#iterator.next()
    return this.#reading
  }

  cancel(): void {
    this.ended ??= Promise.allSettled([this.#reading, endQuietly(this.#source, this.#iterator)])
  }
}

/** Reads chunks in the async context of the caller instead of the context of socket events. */
export function keepContext(chunks: Chunks): Chunks {
  return new ScopedChunks(chunks)
}

/** Uses `runInAsyncScope`, because each function of `bind` costs 2 kB on Node 20. */
class ScopedChunks implements Chunks {
  readonly #chunks: Chunks
  readonly #place = new AsyncResource('verbena.stream')

  constructor(chunks: Chunks) {
    this.#chunks = chunks
  }

  next(): Promise<IteratorResult<unknown>> {
    return this.#place.runInAsyncScope(nextChunk, undefined, this.#chunks)
  }

  cancel(): void {
    this.#place.runInAsyncScope(cancelChunks, undefined, this.#chunks)
  }

  get ended(): Chunks['ended'] {
    return this.#chunks.ended
  }
}

function nextChunk(chunks: Chunks): Promise<IteratorResult<unknown>> {
  return chunks.next()
}

function cancelChunks(chunks: Chunks): void {
  chunks.cancel()
}

/** Converts chunks to an async iterable, for `for await` and for creating Node and web streams. */
export function toAsyncIterable(chunks: Chunks): AsyncIterable<unknown> {
  const end = (): Promise<IteratorResult<unknown>> => {
    chunks.cancel()
    return Promise.resolve({ done: true, value: undefined })
  }
  return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next(), return: end }) }
}

/** Uses a reader, which stops immediately. The iterator of a web stream stops only after a pending read. */
function webChunks(stream: ReadableStream<unknown>): Chunks {
  const reader = stream.getReader()
  let ended: Promise<void> | null = null
  return {
    next: () => reader.read().then(({ done, value }) => ({ done, value })),
    cancel: () => void (ended ??= reader.cancel().catch(noop)),
    get ended() {
      return ended
    },
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

/** Reads the first chunk before the response begins. Throws if it cannot be sent. */
export async function peekFirst(chunks: Chunks): Promise<{ first: IteratorResult<unknown>; all: Chunks }> {
  const first = await chunks.next()
  try {
    if (first.done !== true) checkedChunk(first.value)
  } catch (error) {
    chunks.cancel()
    throw error
  }
  let isTaken = false
  const next = (): Promise<IteratorResult<unknown>> => {
    if (isTaken) return chunks.next()
    isTaken = true
    return Promise.resolve(first)
  }
  const cancel = (): void => chunks.cancel()
  const all = {
    next,
    cancel,
    get ended() {
      return chunks.ended
    },
  }
  return { first, all }
}

export function checkedChunk(chunk: unknown): string | Uint8Array {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return chunk
  discardPromise(chunk)
  throw new TypeError(
    `Cannot stream the response: a chunk must be a string or bytes, not ${chunk === null ? 'null' : typeof chunk}`,
  )
}
