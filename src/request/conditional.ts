/** An answer to GET or HEAD is judged by the conditions of its request, and becomes the part that it asks for. */
import { createHash } from 'node:crypto'
import { serializedReply, type FullReply } from '../context/reply.js'
import { frameworkError } from '../errors/http-error.js'
import { evaluateConditions } from '../http/conditions.js'
import { overlayFields, type HeaderMap } from '../http/fields.js'
import { discard, isChunks, NO_PAYLOAD, type PayloadPart } from '../http/payload.js'
import type { Call } from './call.js'
import { failureReply } from './failure.js'

/** Makes a tag where the answer has none, and answers 304, 412, 206 and 416. Never throws, nor does its promise reject. */
export function applyConditions(call: Call, isTagged: boolean): Promise<void> | undefined {
  const { exchange } = call
  const reply = isTagged ? addETag(call.reply) : call.reply
  call.reply = reply
  const { headers, payload } = reply
  const state = { exists: true, etag: headers.get('etag'), lastModified: headers.get('last-modified') }
  const verdict = evaluateConditions(exchange, state, true)
  if (verdict === 304) return notModified(call)
  if (verdict === 412) return rejectPrecondition(call, frameworkError(412, 'This has changed, or is gone'))
  if (payload.part === undefined) return undefined
  return payload.part(exchange, headers).then(
    (part) => take(call, part),
    (error: unknown) => rejectPrecondition(call, error),
  )
}

/** A tag of the bytes that are sent is strong (RFC 9110 section 8.8.3). That of a part would stand for another whole. */
function addETag(reply: FullReply): FullReply {
  const { status, headers, payload } = reply
  const { data } = payload
  if (status === 206 || data === null || isChunks(data) || headers.has('etag')) return reply
  const tag = createHash('sha256').update(data).digest('base64url').slice(0, 27)
  return reply.withFields(new Map(headers).set('etag', `"${tag}"`))
}

/** Fields that tell of the content, which another answer does not have. */
const OF_CONTENT = [
  ...['content-type', 'content-length', 'content-encoding', 'content-language', 'content-disposition'],
  ...['content-range', 'accept-ranges'],
]
/** Fields that tell of what is there, and how long that may be kept. */
const OF_STATE = ['content-location', 'etag', 'last-modified', 'cache-control', 'expires']

function withoutHeaders(headers: HeaderMap, names: readonly string[]): HeaderMap {
  return new Map([...headers].filter(([name]) => !names.includes(name)))
}

/** Says what caches need (RFC 9110 section 15.4.5), and what middleware said. */
function notModified(call: Call): undefined {
  const { headers, payload } = call.reply
  discard(payload)
  const dropped = headers.has('etag') ? [...OF_CONTENT, 'last-modified'] : OF_CONTENT
  call.reply = serializedReply(304, null, NO_PAYLOAD, withoutHeaders(headers, dropped))
}

/** What middleware said stays, such as what makes an answer readable to other origins. */
function rejectPrecondition(call: Call, error: unknown): Promise<void> | undefined {
  const { headers, payload } = call.reply
  discard(payload)
  const remaining = withoutHeaders(headers, [...OF_CONTENT, ...OF_STATE])
  const answer = (problem: FullReply): undefined => {
    call.reply = problem.withFields(overlayFields(remaining, problem.headers))
  }
  const problem = failureReply(call, error)
  return problem instanceof Promise ? problem.then(answer) : answer(problem)
}

function take(call: Call, { status, headers, payload }: PayloadPart): void {
  call.reply = serializedReply(status, null, payload, headers)
}
