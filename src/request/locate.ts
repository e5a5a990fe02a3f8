/** Locating: the head of a request is read once, and what will answer it is found. */
import { HttpError } from '../errors/http-error.js'
import { VERB_OF } from '../http/methods.js'
import { isHost, parseTarget, type Target } from '../http/target.js'
import { match, readParams } from '../router/match.js'
import type { Leaf } from '../router/router.js'
import type { PathRecord } from './endpoint.js'
import { negotiate } from './negotiate.js'
import type { ServedCall } from './served-call.js'

const NOT_FOUND = new HttpError(404, 'Nothing is found at this path')
const NOT_IMPLEMENTED = new HttpError(501, 'This server does not know the request method')

/**
 * Finds what will answer a request. Guards, middleware, log and handler hang on this one reading of its target. The
 * call is refused with 501 for its method, 404 for its path, 405 for a method that the path does not have, 400 and 406
 * for its version.
 */
export function locate(call: ServedCall): void {
  readHead(call)
  if (call.path === '*') return
  const { method } = call.exchange
  const leaf = match(call.core.router, call.path)
  call.prepared = leaf?.value.endpoints.get(method) ?? null
  // Assigned instead of thrown: catching costs 1 µs each time, and these are what a scanner sends all day.
  if (call.prepared === null && !VERB_OF.has(method)) call.refusal = NOT_IMPLEMENTED
  else if (leaf === undefined) call.refusal = NOT_FOUND
  else take(call, leaf)
}

function take(call: ServedCall, leaf: Leaf<PathRecord>): void {
  call.record = leaf.value
  call.params = readParams(call.core.router, leaf, call.path)
  if (leaf.value.versions !== null) negotiate(call, leaf.value.versions)
  if (call.prepared === null && call.exchange.method !== 'OPTIONS') call.refusal ??= leaf.value.notAllowed
}

function readHead(call: ServedCall): void {
  const { exchange, core } = call
  const { flaw } = exchange
  if (flaw !== undefined) throw new HttpError(flaw.status, flaw.detail)
  if (exchange.url.length > core.limits.url)
    throw new HttpError(414, `The request target is longer than ${core.limits.url} characters`)
  const target = parseTarget(exchange.url)
  const refusal = typeof target === 'string' ? target : flawOf(target, exchange.method)
  if (typeof target === 'string' || refusal !== undefined) throw new HttpError(400, refusal)
  call.path = target.path
  call.query = target.query
}

function flawOf({ authority, path }: Target, method: string): string | undefined {
  if (authority !== undefined && !isHost(authority)) return 'The host in the request target is malformed'
  return path === '*' && method !== 'OPTIONS' ? 'The request target "*" is for OPTIONS alone' : undefined
}
