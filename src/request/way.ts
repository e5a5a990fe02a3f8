/**
 * The way of a request: every step in its order, and the loop that takes them. Which of them an endpoint needs is decided when the
 * app is made. What a step throws ends the way in: the way back begins at once.
 */
import type { Middleware } from '../context/middleware.js'
import type { FullReply } from '../context/reply.js'
import type { Exchange } from '../http/exchange.js'
import { discard } from '../http/payload.js'
import { PHASE } from '../observe/trail.js'
import type { AnswerOptions } from '../route/answer-options.js'
import { conclude, couldNotSend, decideReply, handOver, leaveMiddleware, runTasks, send, settle } from './answer.js'
import { answerSteps, type AnswerSteps } from './answer-steps.js'
import type { AppState } from './app-state.js'
import { Call } from './call.js'
import { conditionsOf } from './conditions.js'
import { WAITING, type EndpointPlan, type Step, type Unanswered, type Way } from './endpoint.js'
import { decodeBody, readBody, validateSources } from './input.js'
import {
  answerWithoutEndpoint,
  findEndpoint,
  giveParams,
  isPreflight,
  readHead,
  refuseUnacceptable,
  refuseWithdrawn,
} from './locate.js'
import { abandon, endAbandoned, failedLate, leaveMethod, reportLate, stopTime } from './late.js'
import { runMiddleware, type AroundMiddleware } from './middleware.js'
import { ObservedCall } from './observed.js'
import { beginProviders, endProviders, guardSteps, otherProviders, providerSteps } from './providers.js'
import { beginWork, keepAnswer, lookUpKey } from './repeats.js'
import { callMethod, respond, tooLate } from './respond.js'
import { ofEndpoint, step, wayOf, type Around, type StepEntry } from './step-entry.js'

/** Every request begins with these. */
export const LOCATING: readonly StepEntry[] = [
  step('head', '400 414 417 431 501 505', PHASE.route, () => readHead),
  step('endpoint', '400 404 405 501; with versions also 406', null, () => findEndpoint),
  step('choice of the way', '', null, () => chooseWay),
]

/** The way in. Inside of middleware, `next()` takes the steps up to `hand over`. */
export const IN: readonly StepEntry[] = [
  step('preflight', '', null, ({ isPreflight, answers }) => isPreflight && answers.preflight),
  step('middleware', 'any', PHASE.rest, (around) => around.isWrapped && runMiddleware(around.chain, ends(around))),
  step('without an endpoint', 'those above', null, (around) => isUnanswered(around) && answerWithoutEndpoint),
  ofEndpoint('sunset', '410', null, ({ sunset }) => sunset !== null && refuseWithdrawn(sunset)),
  ofEndpoint('accept', '406', null, ({ produces }) => produces !== null && refuseUnacceptable(produces)),
  ofEndpoint('begin of providers', '', PHASE.guards, ({ providers }) => providers && beginProviders),
  ofEndpoint('guards', '401 403 422, any', null, ({ providers }) => providers && guardSteps(providers.guards)),
  ofEndpoint('params and raw query', '400', null, ({ contract }) => giveParams(contract === undefined)),
  ofEndpoint('body', '415 413 408 400', PHASE.readBody, ({ body }) => body && readBody(body, resume)),
  ofEndpoint('known answer', '400 409 422 503', PHASE.guards, lookUpKey),
  ofEndpoint('raw providers', '422, any', null, ({ providers }) => providers && providerSteps(providers.raw)),
  ofEndpoint('decoding', '400', null, ({ body }) => body && decodeBody(body)),
  ofEndpoint('validation', '422 400', PHASE.validate, validateSources),
  ofEndpoint('providers', 'any', PHASE.providers, ({ providers }) => providers && otherProviders(providers)),
  ofEndpoint('method', 'any, 503', PHASE.handler, methodSteps),
  ofEndpoint('reply', '500 503', PHASE.serialize, respond),
]

/** The way back. Success and failure both take it; an error on the way in skips what is left of that. */
export const BACK: readonly StepEntry[] = [
  ofEndpoint('end of the time limit', '', null, ({ timeout }) => timeout > 0 && stopTime),
  ofEndpoint('ends of providers', 'any', PHASE.providers, cleanUpSteps),
  step('settling', '500', null, ({ endpoint }) => (endpoint?.once ? decideReply : settle)),
  ofEndpoint('keeping', '', null, keepAnswer),
  step('hand over', '', PHASE.rest, ({ isWrapped }) => isWrapped && handOver),
]

/** The way out: it follows the way back, or the return of the outermost middleware. */
export const OUT: readonly StepEntry[] = [
  step('leave middleware', '', null, ({ isWrapped }) => isWrapped && leaveMiddleware),
  ofEndpoint('conditions', '304 412 416', null, conditionsOf),
  step('compression', '', null, (around) => isCompressible(around) && around.answers.compression),
  step('security headers', '', null, ({ answers }) => answers.securityHeaders),
  step('cross-origin headers', '', null, ({ isPreflight, answers }) => !isPreflight && answers.crossOrigin),
  step('sending', '', PHASE.send, () => send(resume)),
  step('context of the endpoint', '', null, ({ isWrapped }) => isWrapped && inContext),
  step('after the answer', '', null, () => conclude),
  step('tasks', '', null, () => runTasks),
]

const NOTHING: AnswerSteps = {
  preflight: null,
  compression: null,
  securityHeaders: null,
  crossOrigin: null,
  trustsOrigin: null,
}
const BARE: Around = { endpoint: null, chain: [], isWrapped: false, answers: NOTHING, isPreflight: false }
/** The way of every request until it is located. `choice of the way` is its way back: what `head` and `endpoint` refuse goes on there. */
const LOCATING_WAY: Way<Call> = wayOf(LOCATING.slice(0, -1), LOCATING.slice(-1), BARE)
/** The steps after a response that could not be sent: `after the answer` and `tasks`. */
const UNSENT: Way<Call> = wayOf(OUT.slice(-2), [], BARE)

function methodSteps(endpoint: EndpointPlan): Step<Call> | Step<Call>[] {
  const called = callMethod(endpoint, failInTime)
  return endpoint.once === null ? called : [beginWork, called]
}

function cleanUpSteps({ providers, around }: EndpointPlan): Step<Call>[] {
  return [...(around === null ? [] : [leaveMethod]), ...(providers === null ? [] : [endProviders])]
}

function isUnanswered({ endpoint, isPreflight }: Around): boolean {
  return endpoint === null && !isPreflight
}

function isCompressible({ endpoint }: Around): boolean {
  return endpoint?.contract?.compression !== false
}

/** The way of requests to an endpoint, or without one, with the middleware around them. */
export function wayTo(
  endpoint: EndpointPlan | null,
  chain: readonly Middleware[],
  options: AnswerOptions,
  isPreflight = false,
): Way<Call> {
  const isWrapped = chain.length > 0
  const around = { endpoint, chain, isWrapped, answers: answerSteps(options), isPreflight }
  return wayOf(IN, isWrapped ? BACK : [...BACK, ...OUT], around)
}

/** The ways of requests that no endpoint answers. A preflight is asked for by the browser: no middleware may refuse or redirect it. */
export function waysWithout(chain: readonly Middleware[], options: AnswerOptions): Unanswered<Call> {
  const preflightWay = options.cors === undefined ? null : wayTo(null, [], options, true)
  return { way: wayTo(null, chain, options), preflightWay }
}

/** Answers one request: from the socket, or from `fetch`. */
export function serve(app: AppState<Call>, exchange: Exchange, begin: (call: Call) => void = proceed): Call {
  const call = new Call(exchange, app, LOCATING_WAY)
  app.work.hold()
  app.work.add(call)
  if (app.channel.isActive) {
    call.observer = new ObservedCall(call)
    call.observer.begin()
  }
  if (call.observer === null) begin(call)
  else call.observer.run(begin, call)
  return call
}

/** Refuses a request before it is located; middleware of the app still runs. */
export function refuse(app: AppState<Call>, exchange: Exchange, error: unknown): void {
  serve(app, exchange, (call) => fail(call, error))
}

/** Takes the steps, as far as nothing has to be waited for. The only place that catches what they throw. */
function proceed(call: Call): void {
  try {
    for (let next = call.way.steps[call.at]; next !== undefined; next = call.way.steps[call.at]) {
      call.observer?.enter(call.way.phases[call.at])
      call.at++
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
  const { turn, way, at } = call
  // A thenable of another library could call back twice.
  Promise.resolve(waiting).then(
    (value) => {
      if (turn !== call.turn) return tooLate(call, turn, value, way.phases[at - 1] === PHASE.handler)
      call.value = value
      return proceed(call)
    },
    (error: unknown) => (turn === call.turn ? fail(call, error) : failedLate(call, turn, error)),
  )
}

/** Continues a call from an event of the socket, in the async context that `keepContext` has saved. */
function resume(call: Call, turn: number): void {
  call.run(() => (turn === call.turn ? proceed(call) : endAbandoned(call, turn)))
}

/** What follows the answer runs in the context of the endpoint, not in that outside of its middleware. */
function inContext(call: Call): typeof WAITING {
  resume(call, call.turn)
  return WAITING
}

/** A step has thrown, or the time of the method is over: the way back begins. Once the response is sent, an error is only logged. */
function fail(call: Call, error: unknown): void {
  if (call.stage === 'sent') return reportLate(call, error)
  if (call.stage === 'settled' || call.stage === 'sending') return endUnsent(call, error)
  if (call.stage === 'locating') call.refusal = error ?? new Error('Nothing was thrown')
  else call.failure = { error }
  call.turn++
  call.at = call.way.back
  proceed(call)
}

/** Ends a call whose response cannot be finished or written: no later step would respond. */
function endUnsent(call: Call, error: unknown): void {
  couldNotSend(call, error)
  // Middleware that waits for `next()` must still clean up.
  call.resolveInner?.(call.reply)
  call.turn++
  call.way = UNSENT
  call.at = 0
  call.run(() => proceed(call))
}

/** The time of the method is over. Middleware may have replied without it. */
function failInTime(call: Call, error: unknown): void {
  if (call.stage === 'answering') fail(call, error)
  else reportLate(call, error)
}

/** The request is located, or refused: what follows is the way of its endpoint, of its path, or of the app. */
function chooseWay(call: Call): void {
  const { endpoint, refusal } = call
  call.stage = 'answering'
  call.at = 0
  if (endpoint === null) call.way = wayWithout(call)
  else call.way = refusal === undefined ? endpoint.way : endpoint.refusalWay
  call.observer?.located()
}

/** Of its path, of the mount that it lies below, or of the app. */
function wayWithout(call: Call): Way<Call> {
  const { pathRecord, path, app } = call
  const { way, preflightWay } = pathRecord ?? app.mounts?.of(path) ?? app
  return preflightWay !== null && isPreflight(call) ? preflightWay : way
}

/** What `next()` leads to; nothing where the middleware around it has returned without waiting for it. */
function inner(call: Call): void {
  if (call.stage === 'answering') proceed(call)
}

/** What middleware stands between. */
function ends(around: Around): AroundMiddleware {
  const out = wayOf(OUT, [], around)
  return { inner, outer: (call, reply) => leave(call, reply, out) }
}

/** Goes on with the reply of middleware, also where that never called `next()` or did not wait for it. */
function leave(call: Call, reply: FullReply, out: Way<Call>): void {
  // A step after the endpoint has failed, and the client has its 500.
  if (call.stage === 'sent') return discard(reply.payload)
  if (call.stage === 'answering') {
    // The endpoint may have made its reply already, while its providers end.
    discard(call.reply.payload)
    const isReading = call.way.phases[call.at - 1] === PHASE.readBody
    if (call.resolveInner !== null) abandon(call, notAwaited(), isReading)
  }
  call.stage = 'settled'
  call.turn++
  call.reply = reply
  call.way = out
  call.at = 0
  proceed(call)
}

function notAwaited(): DOMException {
  return new DOMException('Middleware did not wait for next()', 'AbortError')
}
