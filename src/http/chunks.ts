/** Chunks of a streamed answer, whatever gives them: Node and Web streams, async iterables. */
import { AsyncResource } from 'node:async_hooks'
import { noop } from '../values/ignore.js'
import { isObject } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'

/** Gives chunks one by one, and stops even while one is awaited. */
export interface Chunks {
  next(): Promise<IteratorResult<unknown>>
  /** Ends the source: nobody reads on. Never throws. */
  cancel(): void
  /**
   * After `cancel`, resolves when the source has stopped: a generator runs to its next `yield`, and then its `finally`. `null` before;
   * missing if the source does not run code of the author. Never rejects.
   */
  readonly ended?: Promise<unknown> | null | undefined
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value
}

export function openChunks(source: AsyncIterable<unknown>): Chunks {
  if (source instanceof ReadableStream) return keepContext(webChunks(source))
  // A Node stream may fail before it is read, such as for a missing file: without a listener that would end the process.
  if (isEmitter(source)) source.on('error', noop)
  const iterator = source[Symbol.asyncIterator]()
  return keepContext(new SourceChunks(source, iterator))
}

class SourceChunks implements Chunks {
  ended: Promise<unknown> | null = null
  readonly #source: object
  readonly #iterator: AsyncIterator<unknown>
  /** The last result: an iterator that is no generator may return while it still reads. */
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

/** Asks for chunks in the async context of the caller, not in that of the socket's events. */
export function keepContext(chunks: Chunks): Chunks {
  const place = new AsyncResource('verbena.stream')
  return {
    next: place.bind(() => chunks.next()),
    cancel: place.bind(() => chunks.cancel()),
    get ended() {
      return chunks.ended
    },
  }
}

/** Makes chunks what `for await` reads, and what Node and web streams can be made from. */
export function toAsyncIterable(chunks: Chunks): AsyncIterable<unknown> {
  const end = (): Promise<IteratorResult<unknown>> => {
    chunks.cancel()
    return Promise.resolve({ done: true, value: undefined })
  }
  return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next(), return: end }) }
}

/** The iterator of a web stream ends only after a pending read; its reader ends at once. */
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

/** The iterator of a Node stream ends only after a pending read, `destroy` at once. Nobody needs to know of a failure here. */
async function endQuietly(source: object, iterator: AsyncIterator<unknown>): Promise<void> {
  try {
    if (isDestroyable(source)) await destroy(source)
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

/** Resolves when a Node stream has closed: `Readable.from()` waits for its generator. */
function destroy(source: Destroyable): Promise<void> | undefined {
  const isOver = source.destroyed === true && source.closed !== false
  source.destroy()
  if (isOver || !isEmitter(source)) return undefined
  return new Promise((resolve) => source.on('close', resolve))
}

/** Reads the first chunk before the response begins. Throws if it cannot be sent. */
export async function peek(chunks: Chunks): Promise<{ first: IteratorResult<unknown>; all: Chunks }> {
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
    `Cannot stream the answer: a chunk is ${chunk === null ? 'null' : typeof chunk}, neither text nor bytes`,
  )
}
