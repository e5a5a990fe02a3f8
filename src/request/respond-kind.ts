/** Answers that are something else than JSON: text, bytes, streams, event streams. */
import { isAsyncIterable, keepContext, openChunks, peek } from '../http/chunks.js'
import { encodeEvent, EventChunks } from '../http/event-stream.js'
import type { Payload } from '../http/payload.js'
import { ShownIssues } from '../validation/issues.js'
import { screen } from '../validation/projection/screen.js'
import { validate, type Outcome } from '../validation/validate.js'
import { ContractBreach } from './contract-breach.js'
import type { CheckedPlan, ReturnPlan } from './endpoint.js'
import type { ServedCall } from './served-call.js'

/**
 * Makes the payload of a body that a contract declares to be of a kind. Returns the payload; of a stream when its first
 * chunk is there, of events when their source has had one turn of the event loop to begin with, so that what fails at
 * once is no half answer.
 */
export function kindPayload(call: ServedCall, plan: ReturnPlan, body: unknown): Payload | Promise<Payload> {
  const { kind, type } = plan
  if (kind === 'text' && typeof body === 'string') return { type, data: body }
  if (kind === 'bytes' && body instanceof Uint8Array) return { type, data: body }
  if (!isAsyncIterable(body)) throw new ContractBreach(`the value is not what "${kind}()" stands for`)
  const chunks = openChunks(body)
  if (kind === 'stream') return peek(chunks).then(({ all }) => ({ type, data: all }))
  if (plan.kind === 'events') return begun(type, eventChunks(call, plan, chunks))
  chunks.cancel()
  throw new ContractBreach(`a stream is not what "${kind}()" stands for`)
}

async function begun(type: string | undefined, events: EventChunks): Promise<Payload> {
  await events.begin()
  // Not only the source: the data of each event is validated, too.
  return { type, data: keepContext(events) }
}

function eventChunks(call: ServedCall, plan: CheckedPlan, source: ReturnType<typeof openChunks>): EventChunks {
  const { openStreams } = call.core
  const chunks = new EventChunks(source, {
    heartbeat: plan.heartbeat,
    encode: (event) => encode(call, plan, event),
    ended: () => openStreams.delete(stream),
  })
  const stream = {
    end: () => {
      call.abort(new DOMException('The server is closing', 'AbortError'))
      chunks.end()
    },
  }
  openStreams.add(stream)
  return chunks
}

/** Each event's data is validated and projected like any other answer. */
function encode(call: ServedCall, plan: CheckedPlan, event: unknown): string | Promise<string> {
  if (typeof event !== 'object' || event === null || !('data' in event)) {
    throw new ContractBreach('an event has no "data"')
  }
  const write = (data: unknown): string => encodeEvent({ ...event, data: jsonOf(project(plan, data)) })
  const { data } = event
  const outcome = checked(call, plan, data)
  if (outcome === null) return write(data)
  return outcome instanceof Promise
    ? outcome.then((made) => write(accepted(call, made, data)))
    : write(accepted(call, outcome, data))
}

function jsonOf(data: unknown): string {
  const text: string | undefined = JSON.stringify(data)
  if (text === undefined) throw new ContractBreach(`JSON has no form for the "data" of an event`)
  return text
}

function project(plan: ReturnPlan, data: unknown): unknown {
  return plan.project === null ? data : plan.project(data)
}

/**
 * Validates what is to be sent. Where nothing describes the schema that is the only way to keep unknown members back,
 * so it is done even in an app that does not validate answers. Returns the outcome, or a promise of it; `null` where
 * nothing is validated.
 */
export function checked({ core }: ServedCall, plan: CheckedPlan, value: unknown): Outcome | Promise<Outcome> | null {
  const { schema, isScreened } = plan
  if (isScreened) return screen(schema, value)
  return core.validateResponses ? validate(schema, value) : null
}

/** The value that a schema gave. */
export function accepted({ core }: ServedCall, { value, issues }: Outcome, given: unknown): unknown {
  if (issues === undefined) return value
  const shown = new ShownIssues(core.limits.issues)
  shown.add(issues, (issue) => issue)
  throw new ContractBreach('the value does not follow its schema', shown, given)
}
