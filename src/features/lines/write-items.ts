/** Writes the items of a response as JSON Lines. */
import { Buffer } from 'node:buffer'
import { reportedError } from '../../errors/http-error.js'
import { EventChunks } from '../../http/event-stream.js'
import { serverClosing } from '../../http/exchange.js'
import type { ItemWriter, StreamRequest } from '../../http/item-writer.js'
import { LINES_TYPES, toJson } from '../../http/payload.js'
import { thenSync } from '../../values/promises.js'

/**
 * @param line maximum size of a line, in bytes
 * @param heartbeat time without items before an empty line is sent, in ms; 0 for none
 */
export function itemWriter(line: number, heartbeat: number): ItemWriter {
  return async function writeItems(items, check, request) {
    const { openStreams } = request.app
    let hasBegun = false
    /** Cuts the response because the app closes. A clean end would look complete. */
    const end = (): void => {
      if (!hasBegun) return chunks.failed(reportedError(503, 'The server is closing'))
      // Without an error, the response is not logged as interrupted.
      request.sendError = serverClosing()
      request.abort(request.sendError)
      chunks.failed(undefined)
    }
    const chunks = new EventChunks(items, {
      heartbeat,
      beat: '\n',
      encode: (item) => thenSync(check(item), (value) => encodeItem(request, value, line)),
      fail: () => null,
      ended: () => openStreams.delete(end),
    })
    openStreams.add(end)
    await chunks.begin(true)
    hasBegun = true
    return { type: LINES_TYPES[0], data: chunks }
  }
}

function encodeItem({ label }: StreamRequest, value: unknown, line: number): string {
  const text = toJson(value, true)
  if (text === undefined)
    throw new TypeError(`Cannot send a line of ${label}: JSON cannot represent ${typeof value}. Yield a JSON value`)
  // A character has at most three bytes.
  const size = text.length * 3 > line ? Buffer.byteLength(text) : 0
  if (size <= line) return `${text}\n`
  const fix = 'Yield smaller items, or raise "line" of jsonLines()'
  throw new RangeError(`Cannot send a line of ${label}: it has ${size} bytes, but "line" is ${line}. ${fix}`)
}
