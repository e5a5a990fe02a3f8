/** Headers that keep shared caches from sending the response of one client to another (RFC 9111 sections 3.5 and 4.1). */
import type { ResponseMessage } from '../../http/exchange.js'
import { applyChanges, formatLines, overlayFields, toHeaderChanges, type HeaderMap } from '../../http/fields.js'
import type { Call } from '../../request/call.js'
import type { CredentialHeaders } from '../../request/endpoint.js'

/** A directive that allows shared caches to store a response. */
const SHARED = /(?:^|,)[ \t]*(?:public[ \t]*(?:,|$)|s-maxage=)/i

/** Lines to add to a response, as `ResponseMessage` has them. */
type HeaderLines = Required<Pick<ResponseMessage, 'lines' | 'text'>>

/** Lines for responses without one of the headers, or without both. */
interface HeaderDefaults {
  readonly both: HeaderLines
  readonly vary: HeaderLines
  readonly caching: HeaderLines
}

/**
 * Adds `Vary` and a default of `Cache-Control` to the responses of an endpoint that reads credentials. Any other `Cache-Control` has
 * precedence.
 *
 * @param vary names of the request headers that the guards may read; empty for a key in the query
 */
export function credentialHeaders(vary: string): CredentialHeaders<Call> {
  const [success, failure] = [prepareDefaults(vary, 'private'), prepareDefaults(vary, 'no-store')]
  const merge = vary === '' ? (present: string) => present : mergeVary(vary)
  let hasWarned = false
  const warnOnce = (call: Call, value: string): void => {
    if (hasWarned || !SHARED.test(value)) return
    hasWarned = true
    call.report('warn', { route: call.endpoint?.route }, sharedText(call.label, value))
  }
  const add = (call: Call, message: ResponseMessage): ResponseMessage => {
    // Before the guards run, such as for a 415, a response does not depend on credentials.
    if (call.providers === null) return message
    const { status, headers, payload } = message
    const defaults = status < 400 ? success : failure
    if (headers.size === 0 && message.lines === undefined) {
      const { lines, text } = defaults.both
      return { status, headers, payload, lines, text }
    }
    const fields = message.lines === undefined ? headers : overlayFields(headers, toHeaderFields(message.lines))
    const cacheControl = fields.get('cache-control')
    const present = fields.get('vary')
    if (cacheControl !== undefined) warnOnce(call, cacheControl)
    if (present === undefined) {
      const { lines, text } = cacheControl === undefined ? defaults.both : defaults.vary
      return { status, headers: fields, payload, lines, text }
    }
    const merged = merge(present)
    const varying = merged === present ? fields : new Map(fields).set('vary', merged)
    const { lines, text } = cacheControl === undefined ? defaults.caching : NONE
    return { status, headers: varying, payload, lines, text }
  }
  return { varyWithOrigin: toHeaderChanges({ vary: vary === '' ? 'origin' : `origin, ${vary}` }), add }
}

const NONE: HeaderLines = prepare([])

function prepareDefaults(vary: string, value: string): HeaderDefaults {
  const [varyLines, caching] = [vary === '' ? [] : ['vary', vary], ['cache-control', value]]
  return { both: prepare([...varyLines, ...caching]), vary: prepare(varyLines), caching: prepare(caching) }
}

/** Formats the lines once, because this would cost 0.1 µs for each response. */
function prepare(lines: readonly string[]): HeaderLines {
  return { lines, text: formatLines(lines) }
}

/** Remembers the last result, because to merge two lists costs 1 µs, and most responses of an endpoint have the same list. */
function mergeVary(vary: string): (present: string) => string {
  const changes = toHeaderChanges({ vary })
  let [last, merged] = ['', vary]
  return (present) => {
    if (present === last) return merged
    last = present
    merged = String(applyChanges(new Map([['vary', present]]), changes).get('vary'))
    return merged
  }
}

function sharedText(label: string, value: string): string {
  const fix = 'Remove "public" and "s-maxage", or move the response to an endpoint without credentials'
  return `The response of ${label} depends on credentials, but "Cache-Control: ${value}" lets shared caches store it. ${fix}`
}

/** @param lines alternating names and values */
function toHeaderFields(lines: readonly string[]): HeaderMap {
  const fields = new Map<string, string>()
  for (const [at, text] of lines.entries()) if (at % 2 === 1) fields.set(String(lines[at - 1]), text)
  return fields
}
