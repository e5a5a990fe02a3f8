/** What is done once an answer has left: the providers that end with it, then the tasks of `response.after`. */
import { clientGone } from '../context/call.js'
import type { Exchange } from '../http/exchange.js'
import type { Level } from '../logging/logger.js'
import type { CallProviders } from './call-providers.js'

/** A call that was answered. */
export interface AnsweredCall {
  readonly exchange: Exchange
  readonly providers: CallProviders
  readonly prepared: { readonly route: string } | null
  readonly answered: { readonly error?: unknown } | null
  tasks: (() => unknown)[] | null
  report(level: Level, fields: object, message: string): void
}

/**
 * Ends the providers that end with the answer. What one throws now can only be logged; tasks are dropped then.
 *
 * @param call answered
 * @param error why the answer did not leave as a whole; `undefined` when it did
 * @returns `null` when all have ended, else a promise, which never rejects
 */
export function endAfterResponse(call: AnsweredCall, error: unknown): Promise<void> | null {
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

/**
 * Runs tasks one after the other; one that fails does not keep the next from running.
 *
 * @param call answered
 * @param tasks in their order
 */
export async function runTasks(call: AnsweredCall, tasks: readonly (() => unknown)[]): Promise<void> {
  for (const task of tasks) {
    await Promise.resolve()
      .then(task)
      .catch((error: unknown) =>
        call.report('error', { err: error, route: call.prepared?.route }, 'A task after the answer failed'),
      )
  }
}
