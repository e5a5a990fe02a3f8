/**
 * Routing: reads the request line and headers, finds the endpoint, and rejects requests that need no further information.
 *
 * @see docs/decisions/0023-preflights.md
 */
import { redirect, serializedReply } from '../context/reply.js'
import { frameworkError } from '../errors/http-error.js'
import { preparedError } from '../errors/prepared-error.js'
import { acceptsMediaType } from '../http/media-type.js'
import { formatAllow, VERB_BY_METHOD, VERBS } from '../http/methods.js'
import { NO_PAYLOAD } from '../http/payload.js'
import { parseQuery, HOST, parseTarget } from '../http/target.js'
import { fallbackPath, hasPlainLiterals, match, NO_PARAMS, readParams, withoutSlash } from '../router/match.js'
import { countLiterals } from '../router/template.js'
import type { Leaf, Router } from '../router/router.js'
import type { Call, PathMatch } from './call.js'
import type { EndpointPlan, PathEntry, Step } from './endpoint.js'
import { negotiate } from './negotiate.js'

/** Throws if the exchange found an error in the request line or headers. Sets path and query from the request target. */
export function readHead(call: Call): void {
  const { exchange, app } = call
  const { fault } = exchange
  if (fault !== undefined) throw frameworkError(fault.status, fault.detail)
  const { url: longest } = app.limits
  if (exchange.url.length > longest) {
    throw frameworkError(414, `The request target is longer than ${longest} characters`)
  }
  const target = parseTarget(exchange.url)
  if (typeof target === 'string') throw frameworkError(400, target)
  if (target.authority !== undefined && !HOST.test(target.authority)) {
    throw frameworkError(400, 'The host in the request target is malformed')
  }
  if (target.path === '*' && exchange.method !== 'OPTIONS') {
    throw frameworkError(400, 'The request target "*" is only valid for OPTIONS')
  }
  call.path = target.path
  call.query = target.query
}

type CallRouter = Router<PathEntry<Call>>

/** Shared by all requests, because they contain no data of a request. */
const NOT_FOUND = Object.freeze({ error: preparedError(404, 'No resource matches this path') })
const NOT_IMPLEMENTED = Object.freeze({
  error: preparedError(501, 'This server does not support the request method'),
})

/** Finds the endpoint. Sets the failure instead of throwing it, because throwing costs 10 % of a 404. */
export function findEndpoint(call: Call): void {
  const { path, app } = call
  if (path === '*') return
  const leaf = match(app.router, path)
  if (leaf !== undefined) useMatch(call, app.router, leaf, path)
  else if ((app.trailingSlash === 'strict' || !findWithoutSlash(call)) && !findFallback(call)) {
    call.failure = VERB_BY_METHOD.has(call.exchange.method) ? NOT_FOUND : NOT_IMPLEMENTED
  }
}

function useMatch(call: Call, router: CallRouter, leaf: Leaf<PathEntry<Call>>, path: string): void {
  const { method } = call.exchange
  const entry = leaf.value
  call.endpoint = entry.endpoints.get(method) ?? null
  if (call.endpoint === null && !VERB_BY_METHOD.has(method)) {
    call.failure = NOT_IMPLEMENTED
    return
  }
  const pathMatch: PathMatch = { entry, params: NO_PARAMS, choice: null }
  // Set first, because the path is known even if reading its parameters throws.
  call.pathMatch = pathMatch
  pathMatch.params = readParams(router, leaf, path)
  call.input.params = pathMatch.params
  if (entry.versions !== null) pathMatch.choice = negotiate(call, entry.versions)
  if (call.endpoint !== null || call.failure !== null || method === 'OPTIONS') return
  const isUpgrade = entry.upgrade !== null && VERB_BY_METHOD.get(method) === 'get'
  call.failure = { error: isUpgrade ? entry.upgrade.required : entry.notAllowed }
}

/** Finds a mounted handler, which gets no preflights if `cors` is set, or a fallback for GET and HEAD. More literal segments decide. */
function findFallback(call: Call): boolean {
  const { router, fallbacks, handlers } = call.app
  const handler = handlers !== null && hasPlainLiterals(router, call.path) ? handlers.of(call.path) : undefined
  const path = fallbackPath(call.path)
  const isRead = VERB_BY_METHOD.get(call.exchange.method) === 'get'
  const leaf = fallbacks === null || !isRead ? undefined : match(fallbacks, path)
  if (handler !== undefined && (leaf === undefined || countLiterals(handler.path) > countLiterals(leaf.value.path))) {
    if (handler.preflightPipeline === null || !isPreflight(call)) call.endpoint = handler.mounted
    call.pathMatch = { entry: handler, params: NO_PARAMS, choice: null }
    return true
  }
  if (leaf !== undefined && fallbacks !== null) useMatch(call, fallbacks, leaf, path)
  return leaf !== undefined
}

function findWithoutSlash(call: Call): boolean {
  const { path, app } = call
  const plainPath = withoutSlash(path)
  if (plainPath === null) return false
  const leaf = match(app.router, plainPath)
  if (leaf === undefined) return false
  useMatch(call, app.router, leaf, plainPath)
  // Redirects of other methods come from `replyWithoutEndpoint`. Browsers do not follow redirects of preflights.
  if (app.trailingSlash === 'redirect') {
    call.endpoint = null
    if (call.failure !== null && call.failure.error === leaf.value.upgrade?.required) call.failure = null
  }
  return true
}

/** Whether the request is a CORS preflight (Fetch standard, section 3.2.2). `path` is empty if the request target is invalid. */
function isPreflight({ exchange, path }: Call): boolean {
  if (exchange.method !== 'OPTIONS' || path === '' || path === '*') return false
  return exchange.header('origin') !== undefined && exchange.header('access-control-request-method') !== undefined
}

/** Ends routing. Switches to the pipeline of the endpoint, the path, the mount or the app, in this order of preference. */
export function selectPipeline(call: Call): void {
  const { endpoint, failure, pathMatch, path, app } = call
  call.stage = 'handling'
  call.stepIndex = 0
  if (endpoint === null) {
    const { pipeline, preflightPipeline } = pathMatch?.entry ?? app.mounts?.of(path) ?? app
    call.pipeline = preflightPipeline !== null && isPreflight(call) ? preflightPipeline : pipeline
  } else if (failure === null) call.pipeline = endpoint.pipeline
  else call.pipeline = endpoint.errorPipeline
  call.observer?.routed()
}

const WHOLE_SERVER = { allow: formatAllow(VERBS), acceptQuery: null }

/** Redirects without the slash, or responds to OPTIONS (RFC 9110 section 9.3.7) of a path or, with `*`, of the server. */
export function replyWithoutEndpoint(call: Call): void {
  // The reply steps follow, as after a thrown error.
  if (call.failure !== null) return
  if (call.exchange.method !== 'OPTIONS') {
    const location = call.exchange.mount + call.path.slice(0, -1) + (call.query && `?${call.query}`)
    call.reply = serializedReply(308, null, NO_PAYLOAD, redirect(location, 308).headers)
    return
  }
  const { allow, acceptQuery } = call.pathMatch?.entry ?? WHOLE_SERVER
  const headers = new Map([['allow', allow]])
  if (acceptQuery !== null) headers.set('accept-query', acceptQuery)
  call.reply = serializedReply(204, null, NO_PAYLOAD, headers)
}

/** Responds with 410 after the sunset date (RFC 8594). */
export function rejectAfterSunset({ sunset }: EndpointPlan): Step<Call> | null {
  if (sunset === null) return null
  return function rejectAfterSunset() {
    if (Date.now() >= sunset) throw frameworkError(410, `This was withdrawn at ${new Date(sunset).toISOString()}`)
  }
}

/** Responds with 406 if `Accept` excludes the media type of the endpoint. */
export function rejectUnacceptable({ produces }: EndpointPlan): Step<Call> | null {
  if (produces === null) return null
  return function rejectUnacceptable({ exchange }) {
    const accept = exchange.header('accept')
    if (accept === undefined || acceptsMediaType(accept, produces)) return
    throw frameworkError(406, `This is available as ${produces}`, { available: [produces] })
  }
}

/** Sets the query of an endpoint without a contract. */
export function setRawQuery(call: Call): void {
  call.input.query = parseQuery(call.query, call.app.limits.keys)
}
