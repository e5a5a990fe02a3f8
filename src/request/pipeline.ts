/**
 * The steps of a request, in order, and the loop that runs them.
 *
 * `createApp` builds one pipeline per endpoint, with only the steps that this endpoint needs. Every request runs `ROUTING_STEPS`, then the
 * pipeline of its endpoint. An error skips the remaining request steps and continues with `REPLY_STEPS`.
 */
import type { Middleware } from '../context/middleware.js'
import type { Exchange } from '../http/exchange.js'
import { DIAGNOSTICS } from '../observe/channel.js'
import { PHASE } from '../observe/request-recorder.js'
import {
  addRequestId,
  couldNotSend,
  decideReply,
  finishResponse,
  mergeHeaderChanges,
  runTasks,
  send,
} from './reply-steps.js'
import type { AppState } from './app-state.js'
import { Call, type Flow } from './call.js'
import { conditionalStep } from './conditional-step.js'
import {
  WAITING,
  type EndpointlessSettings,
  type EndpointPlan,
  type FormatPlan,
  type Pipeline,
  type Step,
} from './endpoint.js'
import { decodeBody, readBody, validateSources } from './input.js'
import {
  answerWithoutEndpoint,
  findEndpoint,
  isPreflight,
  readHead,
  refuseUnacceptable,
  rejectAfterSunset,
  setRawQuery,
} from './locate.js'
import { endAbandoned, failedLate, leaveMethod, reportLate, stopTimer } from './late.js'
import { returnToMiddleware, runMiddleware } from './middleware.js'
import { endProviders, guardSteps, otherProviders, providerSteps } from './providers.js'
import { beginWork, lookUpKey, storeReply, storeWithin } from './idempotency-steps.js'
import { callMethod, respond, tooLate } from './respond.js'
import {
  begin,
  buildPipeline,
  endpointStep,
  step,
  type PipelineTarget,
  type ResponseSteps,
  type StepEntry,
} from './step-entry.js'

const head = () => readHead

/** Steps that find the endpoint. A name is followed by the condition of its step. */
export const ROUTING_STEPS: readonly StepEntry[] = [
  begin(PHASE.route, step('head', '→ path query', '400 414 417 431 501 505', head)),
  step(
    'endpoint',
    'endpoint failure input path → endpoint failure pathMatch',
    '400 404 405 501; with versions also 406',
    () => findEndpoint,
  ),
  step('pipeline', 'endpoint failure path pathMatch →', '', () => selectPipeline),
]

const preflight = ({ isPreflight, answers }: PipelineTarget) => isPreflight && answers.preflight
const middleware = ({ hasMiddleware, chain }: PipelineTarget) => hasMiddleware && runMiddleware(chain)
const noEndpoint = ({ endpoint, isPreflight }: PipelineTarget) => !endpoint && !isPreflight && answerWithoutEndpoint
const sunsetStep = ({ sunset }: EndpointPlan) => sunset !== null && rejectAfterSunset(sunset)
const acceptStep = ({ produces }: EndpointPlan) => produces !== null && refuseUnacceptable(produces)
const guards = ({ providers }: EndpointPlan) => providers && guardSteps(providers.guards)
const rawQuery = ({ contract }: EndpointPlan) => contract === undefined && setRawQuery
const bodyStep = ({ body }: EndpointPlan) => body && readBody(body)
const rawProviders = ({ providers }: EndpointPlan) => providers && providerSteps(providers.raw)
const decoding = ({ body }: EndpointPlan) => body && decodeBody(body)
const others = ({ providers }: EndpointPlan) => providers && otherProviders(providers)

/** Steps that produce the reply. With middleware, `next()` runs the steps after `middleware`, up to `return to middleware`. */
export const REQUEST_STEPS: readonly StepEntry[] = [
  step('preflight (for preflights)', 'pathMatch → failure reply', '', preflight),
  begin(
    PHASE.rest,
    step(
      'middleware (with middleware)',
      'changes endpoint idempotencyKey inner overrun path pathMatch reply → failure inner overrun reply tasks',
      'any',
      middleware,
    ),
  ),
  step('no endpoint (without an endpoint)', 'failure path pathMatch query → reply', 'any of the above', noEndpoint),
  endpointStep('sunset (with a sunset)', '→', '410', sunsetStep),
  endpointStep('accept (with one media type)', '→', '406', acceptStep),
  begin(
    PHASE.guards,
    endpointStep('guards (with providers)', 'input providers query → providers', '401 403 422, any', guards),
  ),
  endpointStep('raw query (without a contract)', 'input query →', '400', rawQuery),
  begin(PHASE.readBody, endpointStep('body (with a body)', 'body input → body', '415 413 408 400', bodyStep)),
  begin(
    PHASE.guards,
    endpointStep(
      'idempotency key (with idempotency)',
      'body path providers query → idempotencyKey reply',
      '400 409 422 503',
      lookUpKey,
    ),
  ),
  endpointStep('raw body providers (with rawBody)', 'body providers →', '422, any', rawProviders),
  endpointStep('body decoding (with a body)', 'body input →', '400', decoding),
  begin(PHASE.validate, endpointStep('validation (with schemas)', 'body input query →', '422 400', validateSources)),
  begin(PHASE.providers, endpointStep('providers (with providers)', 'input providers →', 'any', others)),
  begin(
    PHASE.handler,
    endpointStep(
      'method (with an endpoint)',
      'body failure idempotencyKey input overrun providers → overrun result',
      'any, 503',
      methodSteps,
    ),
  ),
  begin(PHASE.serialize, endpointStep('reply (with an endpoint)', 'changes result → reply stream', '500 503', respond)),
  begin(
    PHASE.providers,
    endpointStep('reply within (in transactions)', 'changes idempotencyKey providers reply →', '409, any', storeWithin),
  ),
]

const finalReply = () => decideReply
const stopTimeout = ({ timeout }: EndpointPlan) => timeout > 0 && stopTimer
const storedReply = ({ idempotency }: EndpointPlan) => idempotency !== null && storeReply
const returnStep = ({ hasMiddleware }: PipelineTarget) => hasMiddleware && returnToMiddleware

/** Steps that finalize the reply, or turn an error into a problem. They run whether or not the request failed. */
export const REPLY_STEPS: readonly StepEntry[] = [
  endpointStep('clear timeout (with a timeout)', 'overrun →', '', stopTimeout),
  begin(
    PHASE.providers,
    endpointStep('provider cleanup (with providers or decorators)', 'failure overrun providers →', 'any', cleanUpSteps),
  ),
  step(
    'final reply',
    'changes endpoint failure path pathMatch providers stream → changes reply tasks',
    '500',
    finalReply,
  ),
  endpointStep(
    'idempotent reply (with idempotency)',
    'changes failure idempotencyKey providers reply →',
    '',
    storedReply,
  ),
  step('header changes', 'changes reply → changes reply', '', () => mergeHeaderChanges),
  begin(PHASE.rest, step('return to middleware (with middleware)', 'inner providers reply tasks →', '', returnStep)),
]

const crossOrigin = ({ isPreflight, answers }: PipelineTarget) => !isPreflight && answers.crossOrigin
const outerHeaders = ({ hasMiddleware }: PipelineTarget) => hasMiddleware && mergeHeaderChanges
const compression = ({ endpoint, answers }: PipelineTarget) =>
  endpoint?.contract?.compression !== false && answers.compression

/** Steps that send the response. With middleware, they run after the outermost middleware has returned. */
export const SEND_STEPS: readonly StepEntry[] = [
  step('middleware headers (with middleware)', 'changes reply → changes reply', '', outerHeaders),
  endpointStep('conditional request (with etag or files)', 'reply → reply', '304 412 416', conditionalStep),
  step('compression (with compression)', 'reply → reply', '', compression),
  step(
    'security headers (with securityHeaders)',
    'endpoint providers reply → reply',
    '',
    ({ answers }) => answers.securityHeaders,
  ),
  step('CORS headers (with cors)', 'endpoint providers reply → reply', '', crossOrigin),
  step('request id (with requestId)', 'reply → reply', '', ({ answers }) => answers.hasRequestId && addRequestId),
  begin(
    PHASE.send,
    step('send', 'endpoint inner pathMatch providers reply tasks → sendError', '', () => send),
  ),
]

/** Steps after the response. They also run if it could not be sent. */
export const END_STEPS: readonly StepEntry[] = [
  step('response sent', 'body overrun providers reply sendError stream → tasks', '', () => finishResponse),
  step('tasks', 'body overrun tasks →', '', () => runTasks),
]

const NOTHING: ResponseSteps = {
  preflight: null,
  compression: null,
  securityHeaders: null,
  crossOrigin: null,
  trustsOrigin: null,
  hasRequestId: false,
}
const NO_TARGET: PipelineTarget = {
  endpoint: null,
  chain: [],
  hasMiddleware: false,
  answers: NOTHING,
  isPreflight: false,
}
/** The first pipeline of every request. */
export const ROUTING: Pipeline<Call> = buildPipeline(
  { request: ROUTING_STEPS, reply: [], send: [], end: [] },
  NO_TARGET,
)

function methodSteps(endpoint: EndpointPlan): Step<Call> | Step<Call>[] {
  const callStep = callMethod(endpoint)
  return endpoint.idempotency === null ? callStep : [beginWork, callStep]
}

function cleanUpSteps({ providers, wrapper }: EndpointPlan): Step<Call>[] {
  return [...(wrapper === null ? [] : [leaveMethod]), ...(providers === null ? [] : [endProviders])]
}

/** Builds the pipeline of an endpoint. If `endpoint` is `null`, builds the pipeline of requests that match no endpoint. */
export function pipelineFor(
  endpoint: EndpointPlan | null,
  chain: readonly Middleware[],
  answers: ResponseSteps,
  isPreflight = false,
): Pipeline<Call> {
  const target = { endpoint, chain, hasMiddleware: chain.length > 0, answers, isPreflight }
  return buildPipeline({ request: REQUEST_STEPS, reply: REPLY_STEPS, send: SEND_STEPS, end: END_STEPS }, target)
}

/** Builds the settings of requests without an endpoint. Preflights skip middleware, which could reject or redirect them. */
export function endpointlessSettings(
  chain: readonly Middleware[],
  answers: ResponseSteps,
  errorFormat: FormatPlan | null,
): EndpointlessSettings<Call> {
  const preflightPipeline = answers.preflight && pipelineFor(null, [], answers, true)
  return { pipeline: pipelineFor(null, chain, answers), preflightPipeline, errorFormat }
}

/** Handles one request, from a socket or from `app.fetch`. Without an observer, no code of `observe` runs for it. */
export function serve(app: AppState<Call>, exchange: Exchange, start: (call: Call) => void = runSteps): Call {
  const call = new Call(exchange, app, FLOW, ROUTING)
  app.work.add(call)
  const { channel } = app
  const { start: started, routed, end, error } = DIAGNOSTICS
  const isDiagnosed = started.hasSubscribers || routed.hasSubscribers || end.hasSubscribers || error.hasSubscribers
  if (isDiagnosed || channel.isSubscribed || channel.timer !== null || channel.observer !== null) {
    call.observer = app.observe(call)
    call.observer.begin()
    call.observer.run(start, call)
  } else start(call)
  return call
}

/**
 * Returns a function that handles requests. Those that arrive before the services are created go to `later`. `starter.start` runs the first
 * steps of the others, if it is set.
 */
export function serveAfter(
  startup: { readonly isDone: boolean },
  app: AppState<Call>,
  starter: { readonly start: ((call: Call) => void) | undefined },
  later: (exchange: Exchange) => void,
): (exchange: Exchange) => void {
  return (exchange) => {
    if (startup.isDone) serve(app, exchange, starter.start)
    else later(exchange)
  }
}

/** Responds with an error, without routing. App middleware still runs. */
export function rejectRequest(app: AppState<Call>, exchange: Exchange, error: unknown): void {
  serve(app, exchange, (call) => fail(call, error))
}

/** Runs steps until one has to wait. This is the only place that catches errors thrown by steps. */
export function runSteps(call: Call): void {
  try {
    for (
      let next = call.pipeline.steps[call.stepIndex];
      next !== undefined;
      next = call.pipeline.steps[call.stepIndex]
    ) {
      call.observer?.enter(call.pipeline.entries[call.stepIndex]?.phase)
      call.stepIndex++
      const waiting = next(call)
      if (waiting === undefined) continue
      if (waiting !== WAITING) continueAfter(call, waiting)
      return
    }
  } catch (error) {
    fail(call, error)
  }
}

function continueAfter(call: Call, waiting: PromiseLike<unknown>): void {
  const { generation, pipeline, stepIndex } = call
  const isMethod = pipeline.entries[stepIndex - 1]?.phase === PHASE.handler
  // `Promise.resolve`, because a thenable that is not a native promise may call its callbacks twice.
  Promise.resolve(waiting).then(
    (value) => {
      if (generation !== call.generation) return tooLate(call, generation, value, isMethod)
      if (isMethod) call.result = value
      return runSteps(call)
    },
    (error: unknown) => (generation === call.generation ? fail(call, error) : failedLate(call, generation, error)),
  )
}

/** Skips to the reply steps after a step throws or the method times out. Once the response is sent, only logs the error. */
function fail(call: Call, error: unknown): void {
  if (call.isSent) return reportLate(call, error)
  if (call.stage === 'replied' || call.stage === 'sending') {
    couldNotSend(call, error)
    call.generation++
    call.stepIndex = call.pipeline.onSent
    return call.resume(call.generation)
  }
  call.failure = { error }
  call.generation++
  if (call.stage === 'routing') selectPipeline(call)
  else call.stepIndex = call.pipeline.onError
  runSteps(call)
}

const FLOW: Flow = { run: runSteps, abandon: endAbandoned, fail }

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
