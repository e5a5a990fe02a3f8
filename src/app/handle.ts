/** Calling the author's method: one instance for each request, no promise where the method gives none. */
import type { Endpoint } from './endpoint.js'
import { respond } from './respond.js'
import type { ServedCall } from './served-call.js'

/**
 * Calls the verb method and responds with what it returns.
 *
 * @param call bound
 * @param endpoint that answers it
 */
export function handle(call: ServedCall, endpoint: Endpoint): void {
  if (endpoint.timeout > 0) call.limitTime(endpoint.timeout)
  const instance = new endpoint.create()
  const value = endpoint.handler.call(instance, call.context)
  if (isThenable(value)) call.runLater(value, respond)
  else respond(call, value)
}

function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}
