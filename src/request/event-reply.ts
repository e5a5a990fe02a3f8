/** Headers and end of event streams. */
import { serializedReply, type FullReply } from '../context/reply.js'
import { OpenChunks } from '../http/chunks.js'
import { EndingChunks } from '../http/ending-chunks.js'
import { serverClosing } from '../http/exchange.js'
import { overlayFields, type HeaderMap } from '../http/fields.js'
import { EVENTS_TYPE, type Payload } from '../http/payload.js'
import type { Call } from './call.js'

/** Prevents caches and proxies from delaying an event stream. HAProxy's compression would send each event with the next one. */
const EVENT_FIELDS: HeaderMap = new Map([
  ['cache-control', 'no-store, no-transform'],
  ['x-accel-buffering', 'no'],
])

/** Creates the reply of an event stream, with defaults for the headers that its author has not set. */
export function eventReply(call: Call, status: number, payload: Payload, headers: HeaderMap): FullReply {
  const defaults = eventFields(call)
  const reply = serializedReply(status, null, payload, overlayFields(defaults, headers))
  reply.hasEventCaching = defaults.has('cache-control') && !headers.has('cache-control')
  return reply
}

/** Without the headers that were set through `response`. */
function eventFields({ changes }: Call): HeaderMap {
  if (changes === null) return EVENT_FIELDS
  const named = new Set(changes.map(({ name }) => name))
  return new Map([...EVENT_FIELDS].filter(([name]) => !named.has(name)))
}

/** Makes an event stream that is not from `events()`, such as one in a web response, end when the app closes. */
export function endEventsWithApp(call: Call): void {
  const { status, headers, payload } = call.reply
  const { type, data } = payload
  const contentType = headers.get('content-type') ?? type
  if (!(data instanceof OpenChunks) || contentType?.startsWith(EVENTS_TYPE) !== true) return
  const { openStreams } = call.app
  const end = (): void => {
    call.abort(serverClosing())
    chunks.cancel()
  }
  const chunks = new EndingChunks(data, () => openStreams.delete(end))
  call.reply = serializedReply(status, null, { type, data: chunks }, headers)
  openStreams.add(end)
}
