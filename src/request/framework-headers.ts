/**
 * Header fields that answers have whatever their author says: of the version, of the end of an endpoint, of the time that was
 * taken. They come last, so that no middleware loses them. What of them is known when the app is made is prepared.
 */
import type { FullReply } from '../context/reply.js'
import type { ResponseMessage } from '../http/exchange.js'
import { applyChanges, NO_FIELDS, writeFields, type HeaderChange } from '../http/fields.js'
import type { Call } from './call.js'
import type { FrameworkHeaders } from './endpoint.js'

/** Prepares fields; no change takes one away. */
export function frameworkHeaders(changes: readonly HeaderChange[]): FrameworkHeaders {
  const lines: string[] = []
  writeFields(applyChanges(NO_FIELDS, changes), lines)
  return { changes, lines }
}

const NO_HEADERS = frameworkHeaders([])

/** What of the request an answer depends on, for caches (RFC 9110 section 12.5.5). */
export function variesBy(vary: string): HeaderChange {
  return { name: 'vary', value: vary, append: true }
}

const SERVER_TIMING = 'server-timing'

/** Adds the fields of its endpoint to an answer: those of an error, too. */
export function withFrameworkHeaders(call: Call, reply: FullReply): ResponseMessage {
  const { changes, lines } = (call.choice ?? call.endpoint)?.frameworkHeaders ?? NO_HEADERS
  // On a path with versions, an answer of none of them depends on the version that was asked for, too.
  const undecided = call.choice === null ? call.pathRecord?.versions : null
  const { status, headers, payload } = reply
  const time = serverTiming(call)
  if (!undecided && headers.size === 0) {
    return { status, headers, payload, lines: time === null ? lines : [...lines, SERVER_TIMING, time] }
  }
  const vary = undecided ? [variesBy(undecided.vary)] : []
  const timing = time === null ? [] : [{ name: SERVER_TIMING, value: time, append: true }]
  return reply.withFields(applyChanges(headers, [...changes, ...vary, ...timing]))
}

/** How long the call took (Server Timing, section 3), beside what its author measured. */
function serverTiming({ endpoint, observer }: Call): string | null {
  if (endpoint === null || !endpoint.isTimed || observer === null) return null
  return `app;dur=${Math.round(observer.duration * 1000) / 1000}`
}
