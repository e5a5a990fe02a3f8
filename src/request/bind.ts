/** Binding: from the request to the input of a handler; guards and body first, then the validation of all sources together. */
import { RequestContext } from '../context/request-context.js'
import { HttpError } from '../errors/http-error.js'
import { parseQuery } from '../http/query.js'
import { PHASE } from '../observe/trail.js'
import { CallProviders } from './call-providers.js'
import type { Endpoint } from './endpoint.js'
import { handle } from './handle.js'
import { readBody } from './read-body.js'
import { giveValues, inputAt, resolveSteps } from './resolve-providers.js'
import type { ServedCall } from './served-call.js'
import { rawOf, SourceChecks } from './source-checks.js'

/**
 * Runs the guards, reads the sources that contract and providers name into the call's input, runs the other providers,
 * and goes on to the handler.
 */
export function bind(call: ServedCall, endpoint: Endpoint): void {
  if (endpoint.providers === null) {
    bindBody(call, endpoint)
    return
  }
  call.trail?.enter(PHASE.guards)
  call.providers = new CallProviders((error, provider) =>
    call.report('error', { err: error, provider, route: endpoint.route }, 'A provider failed at its end'),
  )
  // Middleware does not see what a handler is given.
  call.input = new RequestContext(call)
  resolveSteps(call, { steps: endpoint.providers.guards, next: bindBody, value: endpoint })
}

function bindBody(call: ServedCall, endpoint: Endpoint): void {
  const { input } = call
  input.params = call.params
  if (endpoint.hasRawQuery) input.query = parseQuery(call.query, call.core.limits.keys)
  if (endpoint.body === null) {
    bindSources(call, endpoint)
    return
  }
  call.trail?.enter(PHASE.readBody)
  readBody(call, { endpoint, plan: endpoint.body, next: bindSources })
}

/** Sources are validated together, so that a client learns of all its mistakes at once. */
function bindSources(call: ServedCall, endpoint: Endpoint): void {
  const { sources, body } = endpoint
  if (sources === null && (body === null || body.validate === null)) {
    bindProviders(call, endpoint)
    return
  }
  call.trail?.enter(PHASE.validate)
  const checks = new SourceChecks()
  for (const { source, text, slot } of sources ?? []) {
    checks.take(slot === null ? call.input : inputAt(call, slot), source, text.read(rawOf(call, source)))
  }
  if (body !== null && body.validate !== null) checks.take(call.input, 'body', body.validate(call.input.body))
  const { pending } = checks
  if (pending === null) conclude(call, checks, endpoint)
  else call.runLater(Promise.all(pending), () => conclude(call, checks, endpoint))
}

function conclude(call: ServedCall, checks: SourceChecks, endpoint: Endpoint): void {
  const { refused } = checks
  if (refused.length === 0) bindProviders(call, endpoint)
  else if (!call.exchange.hasBody && refused.some(({ source }) => source === 'body')) {
    throw new HttpError(400, 'This request needs a body')
  } else throw checks.error(call.core.limits.issues)
}

function bindProviders(call: ServedCall, endpoint: Endpoint): void {
  if (endpoint.providers === null) {
    handle(call, endpoint)
    return
  }
  call.trail?.enter(PHASE.providers)
  resolveSteps(call, { steps: endpoint.providers.others, next: handleProvided, value: endpoint })
}

function handleProvided(call: ServedCall, endpoint: Endpoint): void {
  giveValues(call, call.input, endpoint.given)
  handle(call, endpoint)
}
