/** Steps of endpoints with `idempotency`, which detect retries. The contract provides the code that they call. */
import { FullReply } from '../context/reply.js'
import { applyChanges, NO_FIELDS, overlayFields } from '../http/fields.js'
import type { IdempotencyKeyLock } from '../route/idempotency.js'
import type { Call } from './call.js'
import type { EndpointPlan, Step } from './endpoint.js'
import { openScope } from './input.js'

/** Returns the step that looks up the key. It runs after guards, when the bytes of the body are available. */
export function lookUpKey({
  idempotency,
  providers,
  route,
  method,
  path,
  constraint,
}: EndpointPlan): Step<Call> | false {
  const slot = providers?.last ?? null
  if (idempotency === null || slot === null) return false
  const endpoint = [method, path, constraint?.text ?? ''].join(' ')
  return function lookUpKey(call) {
    const { exchange, body, query, generation } = call
    const by = openScope(call).values[slot]
    const looking = idempotency.lookUp({
      ...{ app: call.app, endpoint, bytes: body?.bytes ?? null, by, field: exchange.header('idempotency-key') },
      head: [method, call.path, query, exchange.header('content-type')],
      report: (level, message, err) => call.report(level, { route, ...(err === undefined ? {} : { err }) }, message),
    })
    return looking?.then((found) => useLookup(call, generation, found))
  }
}

/** If the reply is already stored, skips to the reply steps. */
function useLookup(call: Call, generation: number, found: FullReply | IdempotencyKeyLock): void {
  // Set even if the request has continued without this step, so that `endAbandoned` can release it.
  if (!(found instanceof FullReply)) call.idempotencyKey = found
  else if (generation === call.generation) {
    const { status, headers } = found
    call.reply = found.withFields(status < 400 ? headers : overlayFields(headers, new Map([['x-request-id', call.id]])))
    call.stepIndex = call.pipeline.onError
  }
}

export function beginWork({ idempotencyKey }: Call): void {
  idempotencyKey?.begin()
}

/** Stores the final reply before it is sent, so that every client that received it gets it again on a retry. */
export function storeReply(call: Call): Promise<void> | undefined {
  const { idempotencyKey, providers, failure, reply, changes } = call
  if (idempotencyKey === null) return undefined
  // Without the header changes of middleware and guards.
  const ownChanges = (changes ?? []).filter(({ survives }) => !survives)
  const ownReply = reply.withFields(overlayFields(applyChanges(NO_FIELDS, ownChanges), reply.headers))
  return idempotencyKey.settle(ownReply, (providers?.failure ?? null) === failure)
}
