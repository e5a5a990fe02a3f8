/** Reads event streams (WHATWG HTML section 9.2). */
import { readLines } from './read-lines.js'

/** Position in an event stream, with which the next request continues. */
export interface StreamPosition {
  /** Last id of the server; `undefined` before the first. */
  id?: string | undefined
  /** Time that the server wants before the next request, in ms. */
  retry?: number | undefined
}

/** Yields the events of a stream, and updates the position. Each event has the last id. An incomplete event is discarded. */
export async function* readEvents(
  stream: ReadableStream<Uint8Array>,
  position: StreamPosition,
): AsyncGenerator<object, void, undefined> {
  let { id } = position
  let event: { data?: string; event?: string; retry?: number } = {}
  for await (const lines of readLines(stream)) {
    for (const line of lines) {
      const [, name, value = ''] = /^([^:]*)(?:: ?([^]*))?/.exec(line) ?? []
      if (name === 'data') event.data = event.data === undefined ? value : `${event.data}\n${value}`
      else if (name === 'event') event.event = value
      else if (name === 'id' && !value.includes('\0')) id = value
      else if (name === 'retry' && /^\d+$/.test(value)) position.retry = event.retry = Number(value)
      if (line) continue
      position.id = id
      const { data, event: type, ...times } = event
      // Without a name, or with an empty one, the standard calls the event `message`.
      if (data !== undefined)
        yield { ...times, ...(type && { event: type }), ...(id !== undefined && { id }), data: JSON.parse(data) }
      event = {}
    }
  }
}
