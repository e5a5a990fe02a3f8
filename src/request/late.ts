/**
 * Methods that outlive their request: after a timeout, or because middleware or a decorator did not wait for them. The client gets its
 * response; providers, the idempotency key and the files of an upload are kept until the method has settled.
 */
import { frameworkError } from '../errors/http-error.js'
import { NO_SCOPE } from '../injection/scope.js'
import { NO_TURN, type Call } from './call.js'
import { logFields } from './failure.js'
import { endAfterAnswer, reportCleanupError } from './providers.js'

/** Ends a request with an error. */
export type Fail = (call: Call, error: unknown) => void

export function stopTime(call: Call): void {
  clearTimeout(call.timer)
}

/** Responds with 503. If the method does not settle within `timeouts.close` after that, its providers are cleaned up anyway. */
export function timeOut(call: Call, fail: Fail): void {
  const error = frameworkError(503, 'The server took too long to respond')
  if (call.answeredByMiddleware) call.abort(error)
  else {
    call.idempotencyKey?.holdAfterTimeout()
    abandonMethod(call, error)
  }
  fail(call, error)
  noteFailure(call, error)
  call.timer = setTimeout(() => void giveUp(call), call.app.closeTimeout)
}

/** Cleanup waits for the pending step, unless that step reads the body, because then no method runs. */
export function abandonMethod(call: Call, reason: unknown, isReadingBody: boolean = false): void {
  if (!isReadingBody) call.abandonedTurn = call.generation
  leaveCall(call, reason)
  cleanUpSettled(call)
}

/** Continues the request without its method if a decorator returned or threw before the method settled. */
export function leaveMethod(call: Call): void {
  const { failure, runningMethods } = call
  if (runningMethods === 0 || call.answeredByMiddleware) return
  if (failure !== null) noteFailure(call, failure.error)
  leaveCall(call, new DOMException('A decorator did not wait for the method', 'AbortError'))
}

function leaveCall(call: Call, reason: unknown): void {
  call.answeredByMiddleware = true
  call.app.work.hold()
  call.abort(reason)
}

/** Called when a promise that `runningMethods` counts has settled. */
export function methodSettled(call: Call): void {
  call.runningMethods--
  cleanUpSettled(call)
}

/** Called when a step has settled after the request continued without it. `turn` is the generation of the step. */
export function endAbandoned(call: Call, turn: number): void {
  if (turn !== call.abandonedTurn || !call.answeredByMiddleware) return call.idempotencyKey?.release()
  call.abandonedTurn = NO_TURN
  cleanUpSettled(call)
}

function cleanUpSettled(call: Call): void {
  const { answeredByMiddleware, abandonedTurn, runningMethods, idempotencyKey } = call
  if (answeredByMiddleware && abandonedTurn === NO_TURN && runningMethods === 0)
    void cleanUp(call).then(() => idempotencyKey?.release())
}

export function failedLate(call: Call, turn: number, error: unknown): void {
  reportLate(call, error)
  if (call.answeredByMiddleware) noteFailure(call, error)
  endAbandoned(call, turn)
}

/** Passes an error to the providers that have not ended. Only the first error counts. */
function noteFailure(call: Call, error: unknown): void {
  const { providers } = call
  call.failure ??= { error }
  if (providers !== NO_SCOPE) providers.failure ??= call.failure
}

/** Logs an error that can no longer change the response. */
export function reportLate(call: Call, error: unknown): void {
  call.report('warn', { err: error }, 'Handler failed after the response')
}

/** Cleans up after a late method. If the response is not sent yet, the cleanup after the response follows as for every request. */
async function cleanUp(call: Call): Promise<void> {
  const { providers, app } = call
  if (call.isCleaningUp) return
  call.isCleaningUp = true
  stopTime(call)
  await providers.end('before-response')
  reportCleanupError(call, call.failure)
  call.answeredByMiddleware = false
  if (call.isConcluded) {
    await endAfterAnswer(call)
    await call.cleanUp?.().catch((error: unknown) => call.reportError(error, 'Cleanup of the request body failed'))
    app.work.remove(call)
  }
  app.work.release()
}

/** Names of providers that were cleaned up without their method, by request. */
const unended = new WeakMap<Call, readonly string[]>()

/** Returns the names of providers that have not ended, or that were cleaned up while the method was still running. */
export function unendedProviders(call: Call): readonly string[] {
  return unended.get(call) ?? call.providers.unended
}

/** Logs a method that has not settled, and cleans up its providers to release resources that other requests need. */
export async function giveUp(call: Call): Promise<void> {
  const { providers } = call
  unended.set(call, providers.unended)
  reportRunning(call)
  if (call.answeredByMiddleware) return cleanUp(call)
  if (providers === NO_SCOPE) return
  providers.failure ??= { error: frameworkError(503, 'The server is closing') }
  await providers.end('before-response')
  await providers.end('after-response')
}

/** Waits until the generator of a canceled stream has stopped, up to `timeouts.close`. */
export function untilStreamEnds(call: Call, ended: Promise<unknown>): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      reportRunning(call)
      resolve()
    }
    const timer = setTimeout(end, call.app.closeTimeout)
    void ended.finally(() => {
      clearTimeout(timer)
      resolve()
    })
  })
}

function reportRunning(call: Call): void {
  call.report('error', logFields(call), 'Endpoint still running; its providers are cleaned up without it')
}
