/**
 * The steps of a request, in order. `createApp` builds one pipeline per endpoint, with only the steps that this endpoint needs. Every
 * request runs `ROUTING_STEPS`, then the pipeline of its endpoint. An error skips the remaining steps of `request`.
 */
import type { Middleware } from '../context/middleware.js'
import { readMode } from '../values/mode.js'
import type { Call } from './call.js'
import { conditionalStep } from './conditional-step.js'
import type { EndpointPlan, Pipeline, Step } from './endpoint.js'
import { beginWork, lookUpKey, storeReply, storeWithin } from './idempotency-steps.js'
import { decodeBody, readBody, validateInput } from './input.js'
import { leaveMethod, stopTimer } from './late.js'
import {
  replyWithoutEndpoint,
  findEndpoint,
  readHead,
  rejectUnacceptable,
  rejectAfterSunset,
  selectPipeline,
  setRawQuery,
} from './locate.js'
import { returnToMiddleware, runMiddleware } from './middleware.js'
import { endProviders, guardSteps, otherProviders, rawBodyProviders } from './providers.js'
import { addRequestId, decideReply, finishResponse, mergeHeaderChanges, runTasks, send } from './reply-steps.js'
import { callMethod, respond } from './respond.js'
import { warnOfSecureCookie } from './secure-cookies.js'
import { buildPipeline, type PipelineTarget, type ResponseSteps, type StepEntry } from './step-entry.js'

export const ROUTING_STEPS: readonly StepEntry[] = [
  { part: 'route', name: 'head', phase: 'route', statuses: '400 414 417 431 501 505', makeAny: () => readHead },
  { name: 'endpoint', statuses: '400 404 405 501; with versions also 406', makeAny: () => findEndpoint },
  { name: 'pipeline', makeAny: () => selectPipeline },
]

export const PIPELINE_STEPS: readonly StepEntry[] = [
  // These steps produce the reply. With middleware, `next()` runs the steps after `middleware`, up to `return to middleware`.
  { part: 'request', name: 'preflight', when: 'for preflights', makeAny: ({ preflight }) => preflight },
  { name: 'middleware', when: 'with middleware', phase: 'rest', statuses: 'any', makeAny: runMiddleware },
  { name: 'no endpoint', when: 'without an endpoint', statuses: 'any of the above', makeAny: noEndpoint },
  { name: 'sunset', when: 'with a sunset', statuses: '410', make: rejectAfterSunset },
  { name: 'accept', when: 'with one media type', statuses: '406', make: rejectUnacceptable },
  { name: 'guards', when: 'with providers', phase: 'guards', statuses: '401 403 422, any', make: guardSteps },
  { name: 'raw query', when: 'without a contract', statuses: '400', make: ({ contract }) => !contract && setRawQuery },
  { name: 'body', when: 'with a body', phase: 'readBody', statuses: '415 413 408 400', make: readBody },
  { name: 'idempotency key', when: 'with idempotency', phase: 'guards', statuses: '400 409 422 503', make: lookUpKey },
  { name: 'raw body providers', when: 'with rawBody', statuses: '422, any', make: rawBodyProviders },
  { name: 'body decoding', when: 'with a body', statuses: '400', make: decodeBody },
  { name: 'validation', when: 'with schemas', phase: 'validate', statuses: '422 400', make: validateInput },
  { name: 'providers', when: 'with providers', phase: 'providers', statuses: 'any', make: otherProviders },
  { name: 'method', when: 'with an endpoint', phase: 'handler', statuses: 'any, 503', make: methodSteps },
  { name: 'reply', when: 'with an endpoint', phase: 'serialize', statuses: '500 503', make: respond },
  { name: 'reply within', when: 'in transactions', phase: 'providers', statuses: '409, any', make: storeWithin },
  // These steps finalize the reply, or turn an error into a problem. They run whether or not the request failed.
  { part: 'reply', name: 'clear timeout', when: 'with a timeout', make: ({ timeout }) => timeout > 0 && stopTimer },
  { name: 'provider cleanup', when: 'with providers or decorators', phase: 'providers', statuses: 'any', make: endAll },
  { name: 'final reply', statuses: '500', makeAny: () => decideReply },
  { name: 'idempotent reply', when: 'with idempotency', make: ({ idempotency }) => idempotency && storeReply },
  { name: 'header changes', makeAny: () => mergeHeaderChanges },
  { name: 'return to middleware', when: 'with middleware', phase: 'rest', makeAny: returnStep },
  // These steps send the response. With middleware, they run after the outermost middleware has returned.
  { part: 'send', name: 'middleware headers', when: 'with middleware', makeAny: outerHeaders },
  { name: 'conditional request', when: 'with etag or files', statuses: '304 412 416', make: conditionalStep },
  { name: 'compression', when: 'with compression', makeAny: ({ compression }) => compression },
  { name: 'security headers', when: 'with securityHeaders', makeAny: ({ securityHeaders }) => securityHeaders },
  { name: 'CORS headers', when: 'with cors', makeAny: ({ crossOrigin }) => crossOrigin },
  { name: 'request id', when: 'with requestId', makeAny: ({ hasRequestId }) => hasRequestId && addRequestId },
  { name: 'send', phase: 'send', makeAny: sendSteps },
  // These steps also run if the response could not be sent.
  { part: 'end', name: 'response sent', makeAny: () => finishResponse },
  { name: 'tasks', makeAny: () => runTasks },
]

/** The first pipeline of every request. */
export const ROUTING: Pipeline<Call> = buildPipeline(ROUTING_STEPS, {
  endpoint: null,
  chain: [],
  isPreflight: false,
  preflight: null,
  compression: null,
  securityHeaders: null,
  crossOrigin: null,
  trustsOrigin: null,
  hasRequestId: false,
})

function noEndpoint({ endpoint, isPreflight }: PipelineTarget): Step<Call> | false {
  return endpoint === null && !isPreflight && replyWithoutEndpoint
}

function methodSteps(endpoint: EndpointPlan): Step<Call> | Step<Call>[] {
  const callStep = callMethod(endpoint)
  return endpoint.idempotency === null ? callStep : [beginWork, callStep]
}

/** Returns the steps that end the method and the providers. */
function endAll({ providers, wrapper }: EndpointPlan): Step<Call>[] {
  return [...(wrapper === null ? [] : [leaveMethod]), ...(providers === null ? [] : [endProviders])]
}

function returnStep({ chain }: PipelineTarget): Step<Call> | false {
  return chain.length > 0 && returnToMiddleware
}

function outerHeaders({ chain }: PipelineTarget): Step<Call> | false {
  return chain.length > 0 && mergeHeaderChanges
}

function sendSteps(): Step<Call> | Step<Call>[] {
  return readMode() === 'development' ? [warnOfSecureCookie, send] : send
}

/** Builds the pipeline of an endpoint. If `endpoint` is `null`, builds the pipeline of requests that match no endpoint. */
export function pipelineFor(
  endpoint: EndpointPlan | null,
  chain: readonly Middleware[],
  responses: ResponseSteps,
  isPreflight = false,
): Pipeline<Call> {
  return buildPipeline(PIPELINE_STEPS, {
    ...responses,
    endpoint,
    chain,
    isPreflight,
    preflight: isPreflight ? responses.preflight : null,
    compression: endpoint?.contract?.compression === false ? null : responses.compression,
    crossOrigin: isPreflight ? null : responses.crossOrigin,
  })
}
