/** Locating: the head of a request is read once, and what will answer it is found. */
import { HttpError } from '../errors/http-error.js'
import { isHost } from '../http/host.js'
import { VERB_OF } from '../http/methods.js'
import { parseTarget, type Target } from '../http/target.js'
import { match, readParams } from '../router/match.js'
import type { ServedCall } from './served-call.js'

const NOT_FOUND = new HttpError(404, 'Nothing is found at this path')
const NOT_IMPLEMENTED = new HttpError(501, 'This server does not know the request method')

/**
 * Finds what will answer a request. Guards, middleware, log and handler hang on this one reading of its target.
 *
 * @param call just begun
 * @throws HttpError 400 for the head, 501 for the method, 404 for the path, 405 for a method that the path does not have
 */
export function locate(call: ServedCall): void {
  const { exchange, core } = call
  readHead(call)
  if (!VERB_OF.has(exchange.method)) throw NOT_IMPLEMENTED
  if (call.path === '*') return
  const leaf = match(core.router, call.path)
  if (leaf === undefined) throw NOT_FOUND
  call.record = leaf.value
  call.params = readParams(core.router, leaf, call.path)
  call.prepared = leaf.value.endpoints.get(exchange.method) ?? null
  if (call.prepared === null && exchange.method !== 'OPTIONS') throw leaf.value.notAllowed
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
