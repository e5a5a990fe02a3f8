/** Calling the author's method: one instance for each request, no promise where the method gives none. */
import { PHASE } from '../observe/trail.js'
import { isThenable } from '../validation/validate.js'
import type { Endpoint } from './endpoint.js'
import { respond } from './respond.js'
import type { ServedCall } from './served-call.js'
import { createFollowed } from './watched.js'

/** Calls the verb method and responds with what it returns. */
export function handle(call: ServedCall, endpoint: Endpoint): void {
  if (endpoint.timeout > 0) call.limitTime(endpoint.timeout)
  const { trail } = call
  trail?.enter(PHASE.handler)
  const instance =
    trail !== null && endpoint.hasServices ? createFollowed(trail, endpoint.create) : new endpoint.create()
  const { around, handler } = endpoint
  const { input } = call
  const value = around === null ? handler.call(instance, input) : around(input, () => handler.call(instance, input))
  if (isThenable(value)) call.runLater(value, respond)
  else respond(call, value)
}
