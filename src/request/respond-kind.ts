/** Answers that are something else than JSON: text, bytes, streams, event streams. */
import { isAsyncIterable, keepContext, openChunks, peek } from '../http/chunks.js'
import { encodeEvent, EventChunks } from '../http/event-stream.js'
import type { Payload } from '../http/payload.js'
import type { Call } from './call.js'
import { checkAnswer, ContractBreach } from './check-answer.js'
import type { AnswerPlan, CheckedPlan } from './endpoint.js'

/**
 * Makes the payload of a body that a contract declares to be of a kind. Returns the payload; of a stream when its first
 * chunk is there, of events when their source has had one turn of the event loop to begin with, so that what fails at
 * once is no half answer.
 */
export function kindPayload(call: Call, plan: AnswerPlan, body: unknown): Payload | Promise<Payload> {
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

function eventChunks(call: Call, plan: CheckedPlan, source: ReturnType<typeof openChunks>): EventChunks {
  const { openStreams } = call.app
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
function encode(call: Call, plan: CheckedPlan, event: unknown): string | Promise<string> {
  if (typeof event !== 'object' || event === null || !('data' in event)) {
    throw new ContractBreach('an event has no "data"')
  }
  const data = checkAnswer(call, plan, event.data)
  const write = (checked: unknown): string => encodeEvent({ ...event, data: jsonOf(checked) })
  return data instanceof Promise ? data.then(write) : write(data)
}

function jsonOf(data: unknown): string {
  const text: string | undefined = JSON.stringify(data)
  if (text === undefined) throw new ContractBreach(`JSON has no form for the "data" of an event`)
  return text
}
