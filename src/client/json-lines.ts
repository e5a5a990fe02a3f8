/** JSON Lines, also called NDJSON: a JSON value on each line. */
import { readLines, decodeStream } from './read-lines.js'

/** Yields the values of the lines. Blank lines are heartbeats. */
export async function* readJsonItems(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void, undefined> {
  let number = 0
  for await (const lines of readLines(endLastLine(decodeStream(stream)))) {
    for (const line of lines) {
      number++
      // A CR before the LF is white space of JSON.
      if (/\S/.test(line)) yield parseItem(line, number)
    }
  }
}

/** The last LF may be missing if the response is complete. */
async function* endLastLine(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  yield* text
  yield '\n'
}

function parseItem(line: string, number: number): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    throw new SyntaxError(`Cannot read line ${number}: it is not JSON`, { cause })
  }
}

/** Values that are sent as lines. */
type Items = AsyncIterable<unknown> | Iterable<unknown>

/** Length of the lines that are sent together. Sending each line separately takes ten times as long. */
const BATCH_LENGTH = 16_384

/**
 * Creates a stream with a line for each item. It takes items when the connection can send them. Items that are ready are sent together; a
 * line waits at most 1 ms for the next one.
 */
export function toLines(items: Items, signal: AbortSignal): ReadableStream<Uint8Array> {
  const iterator = Symbol.asyncIterator in items ? items[Symbol.asyncIterator]() : items[Symbol.iterator]()
  const encoder = new TextEncoder()
  let number = 0
  let next: Promise<IteratorResult<unknown>> | IteratorResult<unknown> | undefined
  const cancel = async (): Promise<void> => void (await iterator.return?.())

  async function readBatch(): Promise<{ readonly text: string; readonly isLast: boolean }> {
    let text = ''
    let isLate: Promise<undefined> | undefined
    while (text.length < BATCH_LENGTH) {
      next ??= iterator.next()
      const isWaiting = text !== '' && next instanceof Promise
      const result = await (isWaiting ? Promise.race([next, (isLate ??= waitBriefly())]) : next)
      if (result === undefined) break
      next = undefined
      // The `fetch` of Node.js 20 reads the rest of the stream after an abort.
      signal.throwIfAborted()
      if (result.done) return { text, isLast: true }
      text += formatItem(result.value, ++number)
    }
    return { text, isLast: false }
  }

  return new ReadableStream({
    async pull(controller) {
      try {
        const { text, isLast } = await readBatch()
        if (text) controller.enqueue(encoder.encode(text))
        if (isLast) controller.close()
      } catch (error) {
        await cancel()
        throw error
      }
    },
    cancel,
  })
}

function waitBriefly(): Promise<undefined> {
  return new Promise((resolve) => setTimeout(() => resolve(undefined)))
}

function formatItem(item: unknown, number: number): string {
  // Proof: the declared type does not include the `undefined` that it returns for values such as functions.
  const text = JSON.stringify(item) as string | undefined
  if (text !== undefined) return `${text}\n`
  throw new TypeError(`Cannot send item ${number}: JSON cannot represent ${typeof item}`)
}
