/** Reads event streams (WHATWG HTML section 9.2). */
import { readLines, decodeStream } from './read-lines.js'
import type { StreamPosition } from './reconnect.js'
import { createStreamFailure } from './stream-failure.js'

/** Fields of an event that have been read so far. */
interface PartialEvent {
  data?: string
  id?: string
  event?: string
  retry?: number
}

/**
 * Yields the events of a stream, each with the last id, and updates the position. Discards an incomplete event. Throws a `StreamFailure`
 * if the server sends the error event.
 */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  position: StreamPosition,
  errorEvent: string,
): AsyncGenerator<object, void, undefined> {
  let fields: PartialEvent = {}
  for await (const lines of readLines(toLineFeeds(decodeStream(stream)))) {
    for (const line of lines) {
      readField(line, fields, position)
      if (line) continue
      const { data, id, event } = fields
      position.id = id ?? position.id
      if (data !== undefined && event === errorEvent) throw readFailure(data)
      if (data !== undefined) yield toEvent(data, fields, position)
      fields = {}
    }
  }
}

/** Replaces each CR and CRLF by LF. A CR ends its line immediately, so the next chunk can begin with an LF that is not another end. */
async function* toLineFeeds(text: AsyncIterable<string>): AsyncGenerator<string, void, undefined> {
  let isAfterReturn = false
  for await (const chunk of text) {
    yield (isAfterReturn ? chunk.replace(/^\n/, '') : chunk).replace(/\r\n?/g, '\n')
    isAfterReturn = chunk.endsWith('\r')
  }
}

function readField(line: string, fields: PartialEvent, position: StreamPosition): void {
  const [name, value = ''] = line.split(/: ?([^]*)/)
  if (name === 'data') fields.data = fields.data === undefined ? value : `${fields.data}\n${value}`
  else if (name === 'event') fields.event = value
  else if (name === 'id' && !value.includes('\0')) fields.id = value
  else if (name === 'retry' && /^\d+$/.test(value)) position.retry = fields.retry = Number(value)
}

function toEvent(data: string, { event, retry }: PartialEvent, position: StreamPosition): object {
  const { id } = position
  position.tries = 0
  // An empty name means `message`, as no name does.
  const optional = { ...(event && { event }), ...(retry !== undefined && { retry }), ...(id !== undefined && { id }) }
  return { ...optional, data: JSON.parse(data) }
}

/** Servers other than Verbena may send text that is not JSON. */
function readFailure(data: string): Error {
  let body: unknown = data
  try {
    body = JSON.parse(data)
  } catch {
    // The body is the text.
  }
  const { status } = Object(body)
  return createStreamFailure(Number.isInteger(status) ? status : 500, body)
}
