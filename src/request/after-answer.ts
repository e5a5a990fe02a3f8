/** What is done once an answer has left: the providers that end with it, then the tasks of `response.after`. */
import { clientGone } from '../context/call.js'
import type { Exchange } from '../http/exchange.js'
import { discard, type Payload } from '../http/payload.js'
import type { Level } from '../logging/logger.js'
import { NO_PROVIDERS, type CallProviders } from './call-providers.js'

/** A call that was answered. */
export interface AnsweredCall {
  readonly exchange: Exchange
  readonly providers: CallProviders
  readonly prepared: { readonly route: string } | null
  readonly answered: { readonly error?: unknown; readonly payload: Payload } | null
  /** What the endpoint gave to the middleware around it. */
  readonly produced: Payload
  readonly core: { readonly work: { end(): void } }
  tasks: (() => unknown)[] | null
  report(level: Level, fields: object, message: string): void
  /** Takes the time. */
  stopWatch(): void
  /** Tells those who listen that it was answered. */
  tellEnd(): void
}

/** The answer has left, or the connection is gone. */
export function left(call: AnsweredCall, error: unknown): void {
  // Middleware may have streamed something else.
  if (call.answered?.payload !== call.produced) discard(call.produced)
  if (error !== undefined) call.report('error', { err: error, route: call.prepared?.route }, 'The answer broke off')
  call.stopWatch()
  conclude(call, error)
}

/** The answer has left: the providers that end with it do, then the tasks after it run. */
export function conclude(call: AnsweredCall, failure: unknown): void {
  call.tellEnd()
  if (failure !== undefined) call.tasks = null
  const waiting = call.providers === NO_PROVIDERS ? null : endAfterResponse(call, failure)
  if (waiting === null) finishTasks(call)
  else void waiting.then(() => finishTasks(call))
}

function finishTasks(call: AnsweredCall): void {
  const { tasks, core } = call
  if (tasks === null) core.work.end()
  else void runTasks(call, tasks).then(() => core.work.end())
}

/**
 * Ends the providers that end with the answer. What one throws now can only be logged; tasks are dropped then. Gives `null` when
 * all have ended, else a promise, which never rejects.
 */
function endAfterResponse(call: AnsweredCall, error: unknown): Promise<void> | null {
  const { providers, answered, exchange } = call
  const known = error ?? answered?.error ?? (exchange.aborted ? clientGone() : undefined)
  if (known !== undefined) providers.failure ??= { error: known }
  const before = providers.failure
  const check = (): void => {
    const { failure } = providers
    if (failure === before || failure === null) return
    call.tasks = null
    call.report('error', { err: failure.error, route: call.prepared?.route }, 'A provider failed after the answer')
  }
  const waiting = providers.end('after-response')
  if (waiting !== null) return waiting.then(check)
  check()
  return null
}

/** One after the other; one that fails does not keep the next from running. */
async function runTasks(call: AnsweredCall, tasks: readonly (() => unknown)[]): Promise<void> {
  for (const task of tasks) {
    await Promise.resolve()
      .then(task)
      .catch((error: unknown) =>
        call.report('error', { err: error, route: call.prepared?.route }, 'A task after the answer failed'),
      )
  }
}
