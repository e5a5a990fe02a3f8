/** Headers of event streams. */
import { serializedReply, type FullReply } from '../context/reply.js'
import { overlayFields, type HeaderMap } from '../http/fields.js'
import type { Payload } from '../http/payload.js'
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
