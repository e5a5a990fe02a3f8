/** Headers that Verbena adds last, so that middleware cannot remove them. Static values are prepared when the app is created. */
import type { FullReply } from '../context/reply.js'
import type { ResponseMessage } from '../http/exchange.js'
import { applyChanges, NO_FIELDS, writeFields, type HeaderChange } from '../http/fields.js'
import type { Call } from './call.js'
import type { FrameworkHeaders } from './endpoint.js'

/** Prepares headers. No change may remove a header. */
export function frameworkHeaders(changes: readonly HeaderChange[]): FrameworkHeaders {
  const lines: string[] = []
  writeFields(applyChanges(NO_FIELDS, changes), lines)
  return { changes, lines }
}

export const NO_HEADERS: FrameworkHeaders = frameworkHeaders([])

/** Returns a change that adds to `Vary`, for caches (RFC 9110 section 12.5.5). */
export function addVary(vary: string): HeaderChange {
  return { name: 'vary', value: vary, append: true }
}

const SERVER_TIMING = 'server-timing'

/** Adds the headers of the endpoint to a response, also if it is an error. */
export function withFrameworkHeaders(call: Call, reply: FullReply): ResponseMessage {
  const { pathMatch, endpoint } = call
  const { changes, lines } = (pathMatch?.choice ?? endpoint)?.frameworkHeaders ?? NO_HEADERS
  const { status, headers, payload } = reply
  const timing = serverTiming(call)
  const dynamicChanges: HeaderChange[] = []
  // If a path has versions and none was selected, the response still depends on the requested version.
  const versions = pathMatch?.choice === null ? pathMatch.entry.versions : null
  if (versions !== null) dynamicChanges.push(addVary(versions.vary))
  else if (headers.size === 0) {
    if (timing === null) return { status, headers, payload, lines }
    return { status, headers, payload, lines: [...lines, SERVER_TIMING, timing] }
  }
  if (timing !== null) dynamicChanges.push({ name: SERVER_TIMING, value: timing, append: true })
  return reply.withFields(applyChanges(headers, [...changes, ...dynamicChanges]))
}

/** Returns the duration for `Server-Timing` (Server Timing, section 3), which is added to the author's metrics; `null` if it is off. */
function serverTiming({ endpoint, observer }: Call): string | null {
  if (endpoint === null || !endpoint.isTimed || observer === null) return null
  return `app;dur=${Math.round(observer.duration * 1000) / 1000}`
}
