/**
 * The loop that runs the steps of a request, which `steps.ts` lists. An error skips the remaining request steps and continues with the
 * reply steps.
 */
import type { Exchange } from '../http/exchange.js'
import { DIAGNOSTICS } from '../observe/channel.js'
import { PHASE } from '../observe/request-recorder.js'
import type { AppState } from './app-state.js'
import { Call, type Flow } from './call.js'
import { WAITING } from './endpoint.js'
import { endAbandoned, failedLate, reportLate } from './late.js'
import { selectPipeline } from './locate.js'
import { couldNotSend } from './reply-steps.js'
import { tooLate } from './respond.js'
import { ROUTING } from './steps.js'

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
  const isMethod = pipeline.phases[stepIndex - 1] === PHASE.handler
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
