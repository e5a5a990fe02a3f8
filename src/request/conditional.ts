/** Evaluation of preconditions and ranges for successful responses. */
import { createHash } from 'node:crypto'
import { serializedReply, type FullReply } from '../context/reply.js'
import { frameworkError } from '../errors/http-error.js'
import {
  CONTENT_HEADERS,
  evaluateConditions,
  failsAsWeak,
  STATE_HEADERS,
  WEAK_TAG,
  withoutHeaders,
} from '../http/conditions.js'
import { overlayFields } from '../http/fields.js'
import { discard, isChunks } from '../http/payload.js'
import type { Call } from './call.js'
import { failureReply } from './failure.js'
import { thenSync } from '../values/promises.js'

/** Responds with 304, 412, 206 or 416 if the request requires it. Adds a missing ETag if `isTagged`. Never throws or rejects. */
export function applyConditions(call: Call, isTagged: boolean): Promise<void> | undefined {
  const { exchange } = call
  const reply = isTagged ? addETag(call.reply) : call.reply
  call.reply = reply
  const { headers, payload } = reply
  const [etag, lastModified] = [headers.get('etag'), headers.get('last-modified')]
  const state = { exists: true, etag, lastModified, isOwnETag: isTagged }
  const verdict = evaluateConditions(exchange, state, true)
  if (verdict === 304) return notModified(call)
  if (verdict === 412) {
    const detail = failsAsWeak(exchange, state) ? WEAK_TAG : 'This resource has changed or no longer exists'
    return rejectPrecondition(call, frameworkError(412, detail))
  }
  if (payload.part === undefined) return undefined
  return payload.part(exchange, headers).then(
    (part) => void (call.reply = serializedReply(part.status, null, part.payload, part.headers)),
    (error: unknown) => rejectPrecondition(call, error),
  )
}

/** An ETag of the sent bytes is strong (RFC 9110 section 8.8.3). Verbena adds no ETag to a 206, because it would identify only a part. */
function addETag(reply: FullReply): FullReply {
  const { status, headers, payload } = reply
  const { data } = payload
  if (status === 206 || data === null || isChunks(data) || headers.has('etag')) return reply
  const tag = createHash('sha256').update(data).digest('base64url').slice(0, 27)
  return reply.withFields(new Map(headers).set('etag', `"${tag}"`))
}

/** Keeps the headers that caches need (RFC 9110 section 15.4.5), the headers set by middleware, and the media type for later steps. */
function notModified(call: Call): undefined {
  const { headers, payload } = call.reply
  discard(payload)
  const dropped = headers.has('etag') ? [...CONTENT_HEADERS, 'last-modified'] : CONTENT_HEADERS
  const type = headers.get('content-type') ?? payload.type
  call.reply = serializedReply(304, null, { type, data: null }, withoutHeaders(headers, dropped))
}

/** Keeps headers set by middleware, such as CORS headers. */
function rejectPrecondition(call: Call, error: unknown): Promise<void> | undefined {
  const { headers, payload } = call.reply
  discard(payload)
  const remaining = withoutHeaders(headers, [...CONTENT_HEADERS, ...STATE_HEADERS])
  const setReply = (problem: FullReply): undefined => {
    call.reply = problem.withFields(overlayFields(remaining, problem.headers))
  }
  const problem = failureReply(call, error)
  return thenSync(problem, setReply)
}
