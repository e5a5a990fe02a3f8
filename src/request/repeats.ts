/** The steps of endpoints whose contract has `idempotency`: they find requests that repeat another. What they call comes with the contract. */
import { FullReply } from '../context/reply.js'
import { overlayFields } from '../http/fields.js'
import type { HeldKey } from '../route/idempotency.js'
import { joinChanges, ownReply } from './answer.js'
import type { Call } from './call.js'
import type { EndpointPlan, Step } from './endpoint.js'

/** Behind the guards, when the bytes of the body are there. */
export function lookUpKey({ once, providers, route, method, path, constraint }: EndpointPlan): Step<Call>[] | false {
  const slot = providers?.last ?? null
  if (once === null || slot === null) return false
  const endpoint = [method, path, constraint?.text ?? ''].join(' ')
  const lookUp: Step<Call> = (call) => {
    const { exchange, providers: scope, bytes, query } = call
    // An earlier step may have left its value there.
    call.value = undefined
    const looking = once.lookUp({
      ...{ app: call.app, endpoint, bytes, by: scope.values[slot], field: exchange.header('idempotency-key') },
      head: [method, call.path, query, exchange.header('content-type')],
      report: (level, message, err) => call.report(level, { route, ...(err === undefined ? {} : { err }) }, message),
    })
    return looking?.then((found) => hold(call, found))
  }
  return [lookUp, answerAgain]
}

/** The key is held at once: a call that has left its way meanwhile lets go of it. */
function hold(call: Call, found: FullReply | HeldKey): FullReply | undefined {
  if (found instanceof FullReply) return found
  call.held = found
  return undefined
}

/** Where the answer is known, the way back begins. */
function answerAgain(call: Call): void {
  const { value: known } = call
  if (!(known instanceof FullReply)) return
  const own = known.status < 400 ? known.headers : overlayFields(known.headers, new Map([['x-request-id', call.id]]))
  call.reply = known.withFields(own)
  call.at = call.way.back
}

/** The method is about to be called. */
export function beginWork({ held }: Call): void {
  held?.begin()
}

/** Once the reply is settled and before it is sent: so a client that has an answer will get it again. */
export function keepAnswer({ once }: EndpointPlan): Step<Call>[] | false {
  return once !== null && [settleKey, joinChanges]
}

function settleKey(call: Call): Promise<void> | undefined {
  const { held, providers, failure } = call
  return held?.settle(ownReply(call), providers.failure === failure)
}
