/** Locating: the head of a request is read once, and what will answer it is found. What the head alone decides is refused here, too. */
import { redirect, serializedReply } from '../context/reply.js'
import { frameworkError, preparedError, type HttpError } from '../errors/http-error.js'
import { acceptsMediaType } from '../http/media-type.js'
import { formatAllow, VERB_BY_METHOD, VERBS } from '../http/methods.js'
import { NO_PAYLOAD } from '../http/payload.js'
import { parseQuery } from '../http/query.js'
import { isHost, parseTarget } from '../http/target.js'
import { match, readParams, withoutSlash } from '../router/match.js'
import type { Leaf, Router } from '../router/router.js'
import type { Call } from './call.js'
import type { PathEntry, Step } from './endpoint.js'
import { negotiate } from './negotiate.js'

/** Refuses a head that the exchange has found faulty, and takes path and query from the target. */
export function readHead(call: Call): void {
  const { exchange, app } = call
  const { flaw } = exchange
  if (flaw !== undefined) throw frameworkError(flaw.status, flaw.detail)
  const { url: longest } = app.limits
  if (exchange.url.length > longest) {
    throw frameworkError(414, `The request target is longer than ${longest} characters`)
  }
  const target = parseTarget(exchange.url)
  if (typeof target === 'string') throw frameworkError(400, target)
  if (target.authority !== undefined && !isHost(target.authority)) {
    throw frameworkError(400, 'The host in the request target is malformed')
  }
  if (target.path === '*' && exchange.method !== 'OPTIONS') {
    throw frameworkError(400, 'The request target "*" is for OPTIONS alone')
  }
  call.path = target.path
  call.query = target.query
}

type CallRouter = Router<PathEntry<Call>>

const NOT_FOUND = preparedError(404, 'Nothing is found at this path')
const NOT_IMPLEMENTED = preparedError(501, 'This server does not know the request method')

/** Finds what will answer. A refusal is kept for `answerWithoutEndpoint`, so that middleware sees it. */
export function findEndpoint(call: Call): void {
  const { path, app } = call
  if (path === '*') return
  const leaf = match(app.router, path)
  if (leaf !== undefined) useMatch(call, app.router, leaf, path)
  else if ((app.trailingSlash === 'strict' || !findWithoutSlash(call)) && !findFallback(call)) {
    call.refusal = VERB_BY_METHOD.has(call.exchange.method) ? NOT_FOUND : NOT_IMPLEMENTED
  }
}

function useMatch(call: Call, router: CallRouter, leaf: Leaf<PathEntry<Call>>, path: string): void {
  const { method } = call.exchange
  const record = leaf.value
  const endpoint = record.endpoints.get(method) ?? null
  call.endpoint = endpoint
  if (endpoint === null && !VERB_BY_METHOD.has(method)) call.refusal = NOT_IMPLEMENTED
  else {
    call.pathRecord = record
    call.params = readParams(router, leaf, path)
    if (record.versions !== null) negotiate(call, record.versions)
    if (call.endpoint === null && method !== 'OPTIONS') call.refusal ??= methodError(record, method)
  }
}

function methodError({ notAllowed, upgrade }: PathEntry<Call>, method: string): HttpError {
  return upgrade !== null && VERB_BY_METHOD.get(method) === 'get' ? upgrade.required : notAllowed
}

/**
 * Fallbacks answer GET and HEAD alone: to other methods their paths do not exist. A slash at the end makes no other path of theirs: folders
 * of files have one.
 */
function findFallback(call: Call): boolean {
  const { fallbacks } = call.app
  if (fallbacks === null || VERB_BY_METHOD.get(call.exchange.method) !== 'get') return false
  const path = call.path.length > 1 && call.path.endsWith('/') ? call.path.slice(0, -1) : call.path
  const leaf = match(fallbacks, path)
  if (leaf !== undefined) useMatch(call, fallbacks, leaf, path)
  return leaf !== undefined
}

function findWithoutSlash(call: Call): boolean {
  const { path, app } = call
  const plainPath = withoutSlash(path)
  if (plainPath === null) return false
  const leaf = match(app.router, plainPath)
  if (leaf === undefined) return false
  useMatch(call, app.router, leaf, plainPath)
  // What would be answered is sent there. Without an endpoint, OPTIONS is answered as usual: browsers follow no redirect of a preflight.
  if (app.trailingSlash === 'redirect') call.endpoint = null
  return true
}

/** Tells whether it is a browser that asks what a page may ask for (Fetch standard, section 3.2.2). The path is empty where the head is refused. */
export function isPreflight({ exchange, path }: Call): boolean {
  if (exchange.method !== 'OPTIONS' || path === '' || path === '*') return false
  return exchange.header('origin') !== undefined && exchange.header('access-control-request-method') !== undefined
}

/** Refuses the call, sends it to its path without a slash, or answers OPTIONS (RFC 9110 section 9.3.7) of a path or, with `*`, of the server. */
export function answerWithoutEndpoint(call: Call): void {
  // Not thrown, which would cost 10 % of a 404: this is the last step on the way in.
  if (call.refusal !== undefined) {
    call.failure = { error: call.refusal }
    return
  }
  if (call.exchange.method !== 'OPTIONS') {
    const location = call.path.slice(0, -1) + (call.query && `?${call.query}`)
    call.reply = serializedReply(308, null, NO_PAYLOAD, redirect(location, 308).headers)
    return
  }
  const allow = call.pathRecord?.allow ?? formatAllow(VERBS)
  call.reply = serializedReply(204, null, NO_PAYLOAD, new Map([['allow', allow]]))
}

/** Refuses requests for what has been withdrawn (RFC 8594). */
export function rejectAfterSunset(sunset: number): Step<Call> {
  return () => {
    if (Date.now() >= sunset) throw frameworkError(410, `This was withdrawn at ${new Date(sunset).toISOString()}`)
  }
}

/** Refuses clients whose `Accept` admits nothing that the endpoint sends. */
export function refuseUnacceptable(produces: string): Step<Call> {
  return ({ exchange }) => {
    const accept = exchange.header('accept')
    if (accept === undefined || acceptsMediaType(accept, produces)) return
    throw frameworkError(406, `This is available as ${produces}`, { available: [produces] })
  }
}

/** Gives the handler what the path says, and the query where no contract describes it. */
export function setParams(hasRawQuery: boolean): Step<Call> {
  return (call) => {
    call.input.params = call.params
    if (hasRawQuery) call.input.query = parseQuery(call.query, call.app.limits.keys)
  }
}
