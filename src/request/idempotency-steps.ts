/** Steps of endpoints with `idempotency`, which detect retries. The contract provides the code that they call. */
import { FullReply } from '../context/reply.js'
import { overlayFields } from '../http/fields.js'
import type { IdempotencyKeyLock } from '../route/idempotency.js'
import { mergeHeaderChanges, ownReply } from './reply-steps.js'
import type { Call } from './call.js'
import type { EndpointPlan, Step } from './endpoint.js'

/** Returns the steps that look up the key. They run after guards, when the bytes of the body are available. */
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
    // May still contain the result of an earlier step.
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

/** Sets the lock even if the request has continued without this step, so that `endAbandoned` can release it. */
function useLookup(call: Call, found: FullReply | IdempotencyKeyLock): FullReply | undefined {
  if (found instanceof FullReply) return found
  call.idempotencyKey = found
  return undefined
}

/** If the reply is already stored, skips to the reply steps. */
function answerAgain(call: Call): void {
  const { value: known } = call
  if (!(known instanceof FullReply)) return
  const headers =
    known.status < 400 ? known.headers : overlayFields(known.headers, new Map([['x-request-id', call.id]]))
  call.reply = known.withFields(headers)
  call.stepIndex = call.pipeline.onError
}

export function beginWork({ idempotencyKey }: Call): void {
  idempotencyKey?.begin()
}

/** Stores the final reply before it is sent, so that every client that received it gets it again on a retry. */
export function storeReply({ idempotency }: EndpointPlan): Step<Call>[] | false {
  return idempotency !== null && [settleKey, mergeHeaderChanges]
}

function settleKey(call: Call): Promise<void> | undefined {
  const { idempotencyKey, providers, failure } = call
  return idempotencyKey?.settle(ownReply(call), providers.failure === failure)
}
