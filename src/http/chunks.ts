/** Chunks of a streamed answer, whatever gives them: Node and Web streams, async iterables. */
import { AsyncResource } from 'node:async_hooks'
import { ignore } from '../values/ignore.js'
import { isObject } from '../values/objects.js'

/** Gives chunks one by one, and stops even while one is awaited. */
export interface Chunks {
  next(): Promise<IteratorResult<unknown>>
  /** Ends the source: nobody reads on. Never throws. */
  cancel(): void
}

export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return isObject(value) && Symbol.asyncIterator in value
}

export function openChunks(source: AsyncIterable<unknown>): Chunks {
  if (source instanceof ReadableStream) return keepContext(webChunks(source))
  // A Node stream may fail before it is read, such as for a missing file: without a listener that would end the process.
  if (isEmitter(source)) source.on('error', ignore)
  const iterator = source[Symbol.asyncIterator]()
  return keepContext({ next: () => iterator.next(), cancel: () => endQuietly(source, iterator) })
}

/** Asks for chunks in the async context of the caller, not in that of the socket's events. */
export function keepContext(chunks: Chunks): Chunks {
  const place = new AsyncResource('verbena.stream')
  return { next: place.bind(() => chunks.next()), cancel: place.bind(() => chunks.cancel()) }
}

/** Makes chunks what `for await` reads, and what Node and web streams can be made from. */
export function iterableOf(chunks: Chunks): AsyncIterable<unknown> {
  const end = (): Promise<IteratorResult<unknown>> => {
    chunks.cancel()
    return Promise.resolve({ done: true, value: undefined })
  }
  return { [Symbol.asyncIterator]: () => ({ next: () => chunks.next(), return: end }) }
}

/** The iterator of a web stream ends only after a pending read; its reader ends at once. */
function webChunks(stream: ReadableStream<unknown>): Chunks {
  const reader = stream.getReader()
  return {
    next: () => reader.read().then(({ done, value }) => ({ done, value })),
    cancel: () => void reader.cancel().catch(ignore),
  }
}

function isEmitter(source: object): source is { on(event: 'error', listener: () => void): unknown } {
  return 'on' in source && typeof source.on === 'function'
}

/** The iterator of a Node stream ends only after a pending read, `destroy` at once. Nobody needs to know of a failure here. */
function endQuietly(source: object, iterator: AsyncIterator<unknown>): void {
  try {
    if ('destroy' in source && typeof source.destroy === 'function') source.destroy()
    else Promise.resolve(iterator.return?.()).catch(ignore)
  } catch {}
}

/** Takes the first chunk, so that it can be looked at before the answer begins. */
export async function peek(chunks: Chunks): Promise<{ first: IteratorResult<unknown>; all: Chunks }> {
  const first = await chunks.next()
  let taken = false
  const next = (): Promise<IteratorResult<unknown>> => {
    if (taken) return chunks.next()
    taken = true
    return Promise.resolve(first)
  }
  return { first, all: { next, cancel: () => chunks.cancel() } }
}

export function checkedChunk(chunk: unknown): string | Uint8Array {
  if (typeof chunk === 'string' || chunk instanceof Uint8Array) return chunk
  throw new TypeError(
    `Cannot stream the answer: a chunk is ${chunk === null ? 'null' : typeof chunk}, neither text nor bytes`,
  )
}
