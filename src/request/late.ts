/** What comes when its call has gone on without it: after a time-out, or after middleware that did not wait for `next()`. */
import type { FullReply } from '../context/reply.js'
import { NO_SCOPE } from '../injection/scope.js'
import type { Call } from './call.js'
import { reportEnds } from './providers.js'
import { drop, makerOf, stopTime } from './respond.js'

/** What was awaited is there. What a method returned becomes a reply, so that its streams end, and is dropped. */
export function tooLate(call: Call, value: unknown, isResult: boolean): void {
  const { endpoint } = call
  if (isResult && endpoint !== null) {
    new Promise<FullReply>((resolve) => resolve(makerOf(endpoint)(call, value))).then(
      (reply) => drop(call, reply),
      (error: unknown) => reportLate(call, error),
    )
  }
  endAbandoned(call)
}

export function failedLate(call: Call, error: unknown): void {
  reportLate(call, error)
  if (call.isAbandoned && call.providers !== NO_SCOPE) call.providers.failure ??= { error }
  endAbandoned(call)
}

/** Something has failed that nobody waits for any more. */
export function reportLate(call: Call, error: unknown): void {
  call.report('warn', { err: error }, 'A handler failed after the request was answered')
}

/** Middleware has returned without waiting for `next()`: what providers have opened ends once nobody uses it any more. */
export function endAbandoned(call: Call): void {
  if (!call.isAbandoned) return call.held?.free()
  stopTime(call)
  void endOpen(call)
}

/** Those that end with the answer are left to it, as long as it is on its way. */
async function endOpen(call: Call): Promise<void> {
  const { providers } = call
  const before = providers.failure
  await providers.end('before-response')
  if (call.isConcluded) await providers.end('after-response')
  reportEnds(call, before)
  call.held?.free()
}
