/**
 * The steps of a request, in order, and the loop that runs them.
 *
 * `createApp` builds one pipeline per endpoint, with only the steps that this endpoint needs. Every request runs `ROUTING_STEPS`, then the
 * pipeline of its endpoint. An error skips the remaining request steps and continues with `REPLY_STEPS`.
 */
import type { Middleware } from '../context/middleware.js'
import type { FullReply } from '../context/reply.js'
import type { Exchange } from '../http/exchange.js'
import { discard } from '../http/payload.js'
import { PHASE } from '../observe/request-recorder.js'
import type { ResponseSettings } from '../route/answer-options.js'
import {
  finishResponse,
  couldNotSend,
  decideReply,
  returnToMiddleware,
  leaveMiddleware,
  runTasks,
  send,
  finalizeReply,
} from './reply-steps.js'
import { answerSteps, type AnswerSteps } from './response-steps.js'
import type { AppState } from './app-state.js'
import { Call } from './call.js'
import { conditionalStep } from './conditional-step.js'
import { WAITING, type EndpointPlan, type Step, type EndpointlessPipelines, type Pipeline } from './endpoint.js'
import { decodeBody, readBody, validateSources } from './input.js'
import {
  answerWithoutEndpoint,
  findEndpoint,
  setParams,
  isPreflight,
  readHead,
  refuseUnacceptable,
  rejectAfterSunset,
} from './locate.js'
import { abandonMethod, endAbandoned, failedLate, leaveMethod, reportLate, stopTime } from './late.js'
import { runMiddleware, type AroundMiddleware } from './middleware.js'
import { beginProviders, endProviders, guardSteps, otherProviders, providerSteps } from './providers.js'
import { beginWork, storeReply, lookUpKey } from './idempotency-steps.js'
import { callMethod, respond, tooLate } from './respond.js'
import { endpointStep, step, buildPipeline, type PipelineTarget, type StepEntry } from './step-entry.js'

/** Steps that find the endpoint. */
export const ROUTING_STEPS: readonly StepEntry[] = [
  step('head', '400 414 417 431 501 505', PHASE.route, () => readHead),
  step('endpoint', '400 404 405 501; with versions also 406', null, () => findEndpoint),
  step('pipeline', '', null, () => selectPipeline),
]

/** Steps that produce the reply. With middleware, `next()` runs the steps after `middleware`, up to `return to middleware`. */
export const REQUEST_STEPS: readonly StepEntry[] = [
  step('preflight', '', null, ({ isPreflight, answers }) => isPreflight && answers.preflight),
  step('middleware', 'any', PHASE.rest, (around) => around.hasMiddleware && runMiddleware(around.chain, ends(around))),
  step('no endpoint', 'any of the above', null, (around) => isUnanswered(around) && answerWithoutEndpoint),
  endpointStep('sunset', '410', null, ({ sunset }) => sunset !== null && rejectAfterSunset(sunset)),
  endpointStep('accept', '406', null, ({ produces }) => produces !== null && refuseUnacceptable(produces)),
  endpointStep('provider scope', '', PHASE.guards, ({ providers }) => providers && beginProviders),
  endpointStep('guards', '401 403 422, any', null, ({ providers }) => providers && guardSteps(providers.guards)),
  endpointStep('params and raw query', '400', null, ({ contract }) => setParams(contract === undefined)),
  endpointStep('body', '415 413 408 400', PHASE.readBody, ({ body }) => body && readBody(body, resume)),
  endpointStep('idempotency key', '400 409 422 503', PHASE.guards, lookUpKey),
  endpointStep('raw body providers', '422, any', null, ({ providers }) => providers && providerSteps(providers.raw)),
  endpointStep('body decoding', '400', null, ({ body }) => body && decodeBody(body)),
  endpointStep('validation', '422 400', PHASE.validate, validateSources),
  endpointStep('providers', 'any', PHASE.providers, ({ providers }) => providers && otherProviders(providers)),
  endpointStep('method', 'any, 503', PHASE.handler, methodSteps),
  endpointStep('reply', '500 503', PHASE.serialize, respond),
]

/** Steps that finalize the reply, or turn an error into a problem. They run whether or not the request failed. */
export const REPLY_STEPS: readonly StepEntry[] = [
  endpointStep('clear timeout', '', null, ({ timeout }) => timeout > 0 && stopTime),
  endpointStep('provider cleanup', 'any', PHASE.providers, cleanUpSteps),
  step('final reply', '500', null, ({ endpoint }) => (endpoint?.idempotency ? decideReply : finalizeReply)),
  endpointStep('idempotent reply', '', null, storeReply),
  step('return to middleware', '', PHASE.rest, ({ hasMiddleware }) => hasMiddleware && returnToMiddleware),
]

/** Steps that send the response. With middleware, they run after the outermost middleware has returned. */
export const SEND_STEPS: readonly StepEntry[] = [
  step('middleware reply', '', null, ({ hasMiddleware }) => hasMiddleware && leaveMiddleware),
  endpointStep('conditional request', '304 412 416', null, conditionalStep),
  step('compression', '', null, (around) => allowsCompression(around) && around.answers.compression),
  step('security headers', '', null, ({ answers }) => answers.securityHeaders),
  step('CORS headers', '', null, ({ isPreflight, answers }) => !isPreflight && answers.crossOrigin),
  step('send', '', PHASE.send, () => send(resume)),
  step('async context', '', null, ({ hasMiddleware }) => hasMiddleware && restoreContext),
  step('response sent', '', null, () => finishResponse),
  step('tasks', '', null, () => runTasks),
]

const NOTHING: AnswerSteps = {
  preflight: null,
  compression: null,
  securityHeaders: null,
  crossOrigin: null,
  trustsOrigin: null,
}
const NO_TARGET: PipelineTarget = {
  endpoint: null,
  chain: [],
  hasMiddleware: false,
  answers: NOTHING,
  isPreflight: false,
}
/** The first pipeline of every request. Its last step, `pipeline`, also runs after an error, so that middleware sees the error. */
const LOCATING_WAY: Pipeline<Call> = buildPipeline(ROUTING_STEPS.slice(0, -1), ROUTING_STEPS.slice(-1), NO_TARGET)
/** Steps after a response that could not be sent: `response sent` and `tasks`. */
const UNSENT_PIPELINE: Pipeline<Call> = buildPipeline(SEND_STEPS.slice(-2), [], NO_TARGET)

function methodSteps(endpoint: EndpointPlan): Step<Call> | Step<Call>[] {
  const callStep = callMethod(endpoint, failInTime)
  return endpoint.idempotency === null ? callStep : [beginWork, callStep]
}

function cleanUpSteps({ providers, wrapper }: EndpointPlan): Step<Call>[] {
  return [...(wrapper === null ? [] : [leaveMethod]), ...(providers === null ? [] : [endProviders])]
}

function isUnanswered({ endpoint, isPreflight }: PipelineTarget): boolean {
  return endpoint === null && !isPreflight
}

function allowsCompression({ endpoint }: PipelineTarget): boolean {
  return endpoint?.contract?.compression !== false
}

/** Builds the pipeline of an endpoint. If `endpoint` is `null`, builds the pipeline of requests that match no endpoint. */
export function pipelineFor(
  endpoint: EndpointPlan | null,
  chain: readonly Middleware[],
  options: ResponseSettings,
  isPreflight = false,
): Pipeline<Call> {
  const hasMiddleware = chain.length > 0
  const around = { endpoint, chain, hasMiddleware, answers: answerSteps(options), isPreflight }
  return buildPipeline(REQUEST_STEPS, hasMiddleware ? REPLY_STEPS : [...REPLY_STEPS, ...SEND_STEPS], around)
}

/** Builds the pipelines of requests without an endpoint. Preflights skip middleware, which could reject or redirect them. */
export function endpointlessPipelines(
  chain: readonly Middleware[],
  options: ResponseSettings,
): EndpointlessPipelines<Call> {
  const preflightPipeline = options.cors === undefined ? null : pipelineFor(null, [], options, true)
  return { pipeline: pipelineFor(null, chain, options), preflightPipeline }
}

/** Handles one request, from a socket or from `app.fetch`. */
export function serve(app: AppState<Call>, exchange: Exchange, begin: (call: Call) => void = runSteps): Call {
  const call = new Call(exchange, app, LOCATING_WAY)
  app.work.hold()
  app.work.add(call)
  if (app.channel.isActive) {
    call.observer = app.observe(call)
    call.observer.begin()
  }
  if (call.observer === null) begin(call)
  else call.observer.run(begin, call)
  return call
}

/** Responds with an error, without routing. App middleware still runs. */
export function rejectRequest(app: AppState<Call>, exchange: Exchange, error: unknown): void {
  serve(app, exchange, (call) => fail(call, error))
}

/** Runs steps until one has to wait. This is the only place that catches errors thrown by steps. */
function runSteps(call: Call): void {
  try {
    for (
      let next = call.pipeline.steps[call.stepIndex];
      next !== undefined;
      next = call.pipeline.steps[call.stepIndex]
    ) {
      call.observer?.enter(call.pipeline.phases[call.stepIndex])
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
  // `Promise.resolve`, because a thenable that is not a native promise may call its callbacks twice.
  Promise.resolve(waiting).then(
    (value) => {
      if (generation !== call.generation)
        return tooLate(call, generation, value, pipeline.phases[stepIndex - 1] === PHASE.handler)
      call.value = value
      return runSteps(call)
    },
    (error: unknown) => (generation === call.generation ? fail(call, error) : failedLate(call, generation, error)),
  )
}

/** Continues after a socket event, in the async context saved by `keepContext`. */
function resume(call: Call, turn: number): void {
  call.run(() => (turn === call.generation ? runSteps(call) : endAbandoned(call, turn)))
}

/** Runs the remaining steps in the async context of the endpoint. Outside it, `AsyncLocalStorage` values set by middleware are lost. */
function restoreContext(call: Call): typeof WAITING {
  resume(call, call.generation)
  return WAITING
}

/** Skips to `onError` of the pipeline after a step throws or the method times out. Once the response is sent, only logs the error. */
function fail(call: Call, error: unknown): void {
  if (call.stage === 'sent') return reportLate(call, error)
  if (call.stage === 'replied' || call.stage === 'sending') return endUnsent(call, error)
  if (call.stage === 'routing') call.refusal = error ?? new Error('Nothing was thrown')
  else call.failure = { error }
  call.generation++
  call.stepIndex = call.pipeline.onError
  runSteps(call)
}

/** Ends a request whose response cannot be finalized or sent. */
function endUnsent(call: Call, error: unknown): void {
  couldNotSend(call, error)
  // Middleware that awaits `next()` must still clean up.
  call.resolveInner?.(call.reply)
  call.generation++
  call.pipeline = UNSENT_PIPELINE
  call.stepIndex = 0
  call.run(() => runSteps(call))
}

/** Fails after a timeout. Only logs the error if middleware has already replied. */
function failInTime(call: Call, error: unknown): void {
  if (call.stage === 'handling') fail(call, error)
  else reportLate(call, error)
}

/** Ends routing. Switches to the pipeline of the endpoint, or to a pipeline for requests without an endpoint. */
function selectPipeline(call: Call): void {
  const { endpoint, refusal } = call
  call.stage = 'handling'
  call.stepIndex = 0
  if (endpoint === null) call.pipeline = wayWithout(call)
  else call.pipeline = refusal === undefined ? endpoint.pipeline : endpoint.errorPipeline
  call.observer?.routed()
}

/** Returns the pipeline of the path, the mount or the app, in that order of preference. */
function wayWithout(call: Call): Pipeline<Call> {
  const { pathRecord, path, app } = call
  const { pipeline, preflightPipeline } = pathRecord ?? app.mounts?.of(path) ?? app
  return preflightPipeline !== null && isPreflight(call) ? preflightPipeline : pipeline
}

/** Runs the inner steps when middleware calls `next()`. Does nothing if that middleware has already returned. */
function runInnerSteps(call: Call): void {
  if (call.stage === 'handling') runSteps(call)
}

function ends(around: PipelineTarget): AroundMiddleware {
  const out = buildPipeline(SEND_STEPS, [], around)
  return { inner: runInnerSteps, outer: (call, reply) => sendMiddlewareReply(call, reply, out) }
}

/** Sends the reply of the outermost middleware, whether or not it called or awaited `next()`. */
function sendMiddlewareReply(call: Call, reply: FullReply, out: Pipeline<Call>): void {
  // A step after the endpoint failed, and the client already has a 500.
  if (call.stage === 'sent') return discard(reply.payload)
  if (call.stage === 'handling') {
    // The endpoint may already have a reply if its providers are still cleaning up.
    discard(call.reply.payload)
    const isReading = call.pipeline.phases[call.stepIndex - 1] === PHASE.readBody
    if (call.resolveInner !== null) abandonMethod(call, notAwaited(), isReading)
  }
  call.stage = 'replied'
  call.generation++
  call.reply = reply
  call.pipeline = out
  call.stepIndex = 0
  runSteps(call)
}

function notAwaited(): DOMException {
  return new DOMException('Middleware did not wait for next()', 'AbortError')
}
