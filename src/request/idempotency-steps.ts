/** The steps of endpoints whose contract has `idempotency`: they find requests that repeat another. What they call comes with the contract. */
import { FullReply } from '../context/reply.js'
import { overlayFields } from '../http/fields.js'
import type { IdempotencyKeyLock } from '../route/idempotency.js'
import { mergeHeaderChanges, ownReply } from './reply-steps.js'
import type { Call } from './call.js'
import type { EndpointPlan, Step } from './endpoint.js'

/** Behind the guards, when the bytes of the body are there. */
export function lookUpKey({
  idempotency,
  providers,
  route,
  method,
  path,
  constraint,
}: EndpointPlan): Step<Call>[] | false {
  const slot = providers?.last ?? null
  if (idempotency === null || slot === null) return false
  const endpoint = [method, path, constraint?.text ?? ''].join(' ')
  const lookUp: Step<Call> = (call) => {
    const { exchange, providers: scope, bytes, query } = call
    // An earlier step may have left its value there.
    call.value = undefined
    const looking = idempotency.lookUp({
      ...{ app: call.app, endpoint, bytes, by: scope.values[slot], field: exchange.header('idempotency-key') },
      head: [method, call.path, query, exchange.header('content-type')],
      report: (level, message, err) => call.report(level, { route, ...(err === undefined ? {} : { err }) }, message),
    })
    return looking?.then((found) => useLookup(call, found))
  }
  return [lookUp, answerAgain]
}

/** The key is held at once: a call that has left its way meanwhile lets go of it. */
function useLookup(call: Call, found: FullReply | IdempotencyKeyLock): FullReply | undefined {
  if (found instanceof FullReply) return found
  call.idempotencyKey = found
  return undefined
}

/** Where the answer is known, the way back begins. */
function answerAgain(call: Call): void {
  const { value: known } = call
  if (!(known instanceof FullReply)) return
  const headers =
    known.status < 400 ? known.headers : overlayFields(known.headers, new Map([['x-request-id', call.id]]))
  call.reply = known.withFields(headers)
  call.stepIndex = call.pipeline.onError
}

/** The method is about to be called. */
export function beginWork({ idempotencyKey }: Call): void {
  idempotencyKey?.begin()
}

/** Once the reply is settled and before it is sent: so a client that has an answer will get it again. */
export function storeReply({ idempotency }: EndpointPlan): Step<Call>[] | false {
  return idempotency !== null && [settleKey, mergeHeaderChanges]
}

function settleKey(call: Call): Promise<void> | undefined {
  const { idempotencyKey, providers, failure } = call
  return idempotencyKey?.settle(ownReply(call), providers.failure === failure)
}
