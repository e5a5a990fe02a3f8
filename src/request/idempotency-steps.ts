/**
 * Steps of endpoints with `idempotency`, which detect retries. The contract provides the code that they call.
 *
 * @see docs/decisions/0044-responses-in-transactions.md
 */
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
    replay(call, found)
    call.stepIndex = call.pipeline.onError
  }
}

function replay(call: Call, stored: FullReply): void {
  const { status, headers } = stored
  call.reply = stored.withFields(status < 400 ? headers : overlayFields(headers, new Map([['x-request-id', call.id]])))
}

export function beginWork({ idempotencyKey }: Call): void {
  idempotencyKey?.begin()
}

/** Returns the step that stores the reply in the transaction of the request, so that both are committed or neither is. */
export function storeWithin({ providers }: EndpointPlan): Step<Call> | false {
  const slot = providers?.within ?? null
  if (slot === null) return false
  return function storeWithin(call) {
    return call.idempotencyKey?.storeWithin(ownReply(call), openScope(call).values[slot])
  }
}

/** Stores the final reply before it is sent, so that every client that received it gets it again on a retry. */
export function storeReply(call: Call): Promise<void> | undefined {
  const { idempotencyKey, providers, failure, generation } = call
  const settling = idempotencyKey?.settle(ownReply(call), (providers?.failure ?? null) === failure)
  return settling?.then((stored) => void (stored && generation === call.generation && replay(call, stored)))
}

/** Returns the reply without the header changes of middleware and guards. */
function ownReply({ reply, changes }: Call): FullReply {
  const ownChanges = (changes ?? []).filter(({ survives }) => !survives)
  return reply.withFields(overlayFields(applyChanges(NO_FIELDS, ownChanges), reply.headers))
}
