/**
 * Methods that outlive their request: after a timeout, or because middleware or a decorator did not wait for them. The client gets its
 * response; providers, the idempotency key and the files of an upload are kept until the method has settled.
 *
 * @see docs/decisions/0037-methods-that-outlive-their-request.md
 */
import { frameworkError } from '../errors/http-error.js'
import type { Call } from './call.js'
import { logFields } from './failure.js'
import { NO_GENERATION, Overrun } from './overrun.js'
import { endAfterResponse, reportCleanupError } from './providers.js'

function getOrCreateOverrun(call: Call): Overrun {
  return (call.overrun ??= new Overrun())
}

/** Ends the request with 503 if the method does not settle in time. */
export function startTimer(call: Call, timeout: number): void {
  getOrCreateOverrun(call).timer = setTimeout(() => timeOut(call), timeout)
}

export function stopTimer({ overrun }: Call): void {
  clearTimeout(overrun?.timer)
}

/** If the method does not settle within `timeouts.close` after the timeout, its providers are cleaned up anyway. */
function timeOut(call: Call): void {
  const error = frameworkError(503, 'The server took too long to respond')
  const overrun = getOrCreateOverrun(call)
  if (overrun.isLate) call.abort(error)
  else {
    call.idempotencyKey?.holdAfterTimeout()
    abandonMethod(call, error)
  }
  // Middleware may have replied already.
  if (call.stage === 'handling') call.fail(error)
  else reportLate(call, error)
  noteFailure(call, error)
  overrun.timer = setTimeout(() => void giveUp(call), call.app.closeTimeout)
}

/** Continues the request without its pending step. Cleanup waits for the step, unless it reads the body, because then no method runs. */
export function abandonMethod(call: Call, reason: unknown, isReadingBody: boolean = false): void {
  if (!isReadingBody) getOrCreateOverrun(call).generation = call.generation
  leaveCall(call, reason)
  cleanUpSettled(call)
}

/** Counts only promises, because `then` of another thenable, such as a query builder, would run its query again. */
export function countRunning(call: Call, value: unknown): unknown {
  if (!(value instanceof Promise)) return value
  const overrun = getOrCreateOverrun(call)
  const settle = (): void => {
    overrun.running--
    cleanUpSettled(call)
  }
  overrun.running++
  value.then(settle, settle)
  return value
}

/** Continues the request without its method if a decorator returned or threw before the method settled. */
export function leaveMethod(call: Call): void {
  const { failure, overrun } = call
  if (overrun === null || overrun.running === 0 || overrun.isLate) return
  if (failure !== null) noteFailure(call, failure.error)
  leaveCall(call, new DOMException('A decorator did not wait for the method', 'AbortError'))
}

function leaveCall(call: Call, reason: unknown): void {
  getOrCreateOverrun(call).isLate = true
  call.abort(reason)
}

/** Called when a step has settled after the request continued without it. `generation` is the generation of the step. */
export function endAbandoned(call: Call, generation: number): void {
  const { overrun } = call
  if (overrun === null || overrun.generation !== generation || !overrun.isLate) return call.idempotencyKey?.release()
  overrun.generation = NO_GENERATION
  cleanUpSettled(call)
}

function cleanUpSettled(call: Call): void {
  const { overrun, idempotencyKey } = call
  if (overrun?.isLate === true && overrun.generation === NO_GENERATION && overrun.running === 0)
    void cleanUp(call, overrun).then(() => idempotencyKey?.release())
}

export function failedLate(call: Call, generation: number, error: unknown): void {
  reportLate(call, error)
  if (call.overrun?.isLate === true) noteFailure(call, error)
  endAbandoned(call, generation)
}

/** Passes an error to the providers that have not ended. Only the first error counts. */
function noteFailure(call: Call, error: unknown): void {
  call.failure ??= { error }
  if (call.providers !== null) call.providers.failure ??= call.failure
}

/** Logs an error that can no longer change the response. */
export function reportLate(call: Call, error: unknown): void {
  call.report('warn', { err: error }, 'Handler failed after the response')
}

/** Cleans up after a late method. If the response is not sent yet, the cleanup after the response follows as for every request. */
async function cleanUp(call: Call, overrun: Overrun): Promise<void> {
  const { providers, app } = call
  if (overrun.isCleaningUp) return
  overrun.isCleaningUp = true
  stopTimer(call)
  await providers?.end('before-response')
  reportCleanupError(call, call.failure)
  overrun.isLate = false
  if (call.stage === 'concluded') {
    await endAfterResponse(call)
    await call.body
      ?.cleanUp?.()
      .catch((error: unknown) => call.reportError(error, 'Cleanup of the request body failed'))
    app.work.remove(call)
  }
}

/** Names of providers that were cleaned up without their method, by request. */
const unended = new WeakMap<Call, readonly string[]>()

/** Returns the names of providers that have not ended, or that were cleaned up while the method was still running. */
export function unendedProviders(call: Call): readonly string[] {
  return unended.get(call) ?? call.providers?.unended ?? []
}

/** Logs a method that has not settled, and cleans up its providers to release resources that other requests need. */
export async function giveUp(call: Call): Promise<void> {
  const { providers } = call
  unended.set(call, providers?.unended ?? [])
  reportRunning(call)
  if (call.overrun?.isLate === true) return cleanUp(call, call.overrun)
  if (providers === null) return
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
