/** Calling the author's method: one instance for each request, no promise where the method gives none. */
import { HttpError } from '../errors/http-error.js'
import { isThenable } from '../values/objects.js'
import type { Call } from './call.js'
import type { EndpointPlan, Step } from './endpoint.js'

/** Calls the method. `fail` ends the call when its time is over. */
export function callMethod(endpoint: EndpointPlan, fail: (call: Call, error: unknown) => void): Step<Call> {
  const { create, handler, around, timeout, hasServices } = endpoint
  return (call) => {
    if (timeout > 0) call.limitTime(timeout, () => timeOut(call, fail))
    const { input, observer } = call
    const instance = observer !== null && hasServices ? observer.create(create) : new create()
    const value = around === null ? handler.call(instance, input) : around(input, () => handler.call(instance, input))
    if (isThenable(value)) return value
    call.value = value
    return undefined
  }
}

/** The method and its reply are done, have failed or were too late. */
export function stopTime(call: Call): void {
  call.stopTime()
}

function timeOut(call: Call, fail: (call: Call, error: unknown) => void): void {
  const error = new HttpError(503, 'The server took too long to answer')
  call.abort(error)
  fail(call, error)
}
