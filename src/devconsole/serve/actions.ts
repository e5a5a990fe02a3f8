/** The actions of the console. They change what it keeps and shows, and nothing else. */
import { jsonAnswer, type ConsoleAnswer, refusal, sendAnswer } from './answers.js'
import type { ConsoleParts } from './console-parts.js'
import { WIRE_VERSION } from '../wire/request-types.js'
import { parseJson } from '../../http/json-body.js'
import type { NodeExchange } from '../../http/node-exchange.js'

export type Action = (parts: ConsoleParts, body: ActionBody) => ConsoleAnswer

const v = WIRE_VERSION

export const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ['/api/clear', clear],
  ['/api/pin', pin],
  ['/api/settings', settings],
])

function clear({ store, logs, series, incidents, feed }: ConsoleParts): ConsoleAnswer {
  store.clear()
  logs.clear()
  series.clear()
  incidents.clear()
  feed.send('cleared', { v })
  return jsonAnswer({})
}

function pin({ store, feed }: ConsoleParts, { id, pinned }: ActionBody): ConsoleAnswer {
  if (typeof id !== 'string' || typeof pinned !== 'boolean') return badBody('{ "id": "r_…", "pinned": true }')
  if (!store.pin(id, pinned)) {
    return jsonAnswer({ status: 409, detail: 'This request is not kept any more, or too many are pinned' }, 409)
  }
  const ids = store.pinned
  feed.send('pinned', { v, ids })
  return jsonAnswer({ ids })
}

function settings({ feed }: ConsoleParts, { stream, want }: ActionBody): ConsoleAnswer {
  if (typeof stream !== 'string' || !isWants(want)) return badBody('{ "stream": "…", "want": ["log", "open"] }')
  if (!feed.want(stream, new Set(want))) return jsonAnswer({ status: 404, detail: 'There is no such stream' }, 404)
  return jsonAnswer({})
}

function isWants(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => word === 'log' || word === 'open')
}

function badBody(wanted: string): ConsoleAnswer {
  return jsonAnswer({ status: 400, detail: `Send ${wanted}` }, 400)
}

const MOST_BODY = 4 * 1024
const DEPTH = 8

export type ActionBody = Readonly<Record<string, unknown>>

export function answerJson(exchange: NodeExchange, next: (body: ActionBody) => ConsoleAnswer): void {
  const type = exchange.header('content-type')?.split(';', 1).join('').trim().toLowerCase()
  if (type !== 'application/json') {
    sendAnswer(exchange, refusal(415, 'Send JSON'))
    return
  }
  exchange.collect(MOST_BODY, (error, bytes) => {
    if (bytes === undefined) sendAnswer(exchange, refusal(statusOf(error), 'The body cannot be read'))
    else {
      const body = recordIn(bytes)
      sendAnswer(exchange, body === undefined ? refusal(400, 'The body is no JSON object') : next(body))
    }
  })
}

function recordIn(bytes: Buffer): ActionBody | undefined {
  try {
    const value = parseJson(bytes, DEPTH)
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
    // Proof: it is a record that JSON made.
    return value as ActionBody
  } catch {
    return undefined
  }
}

/** What a body is refused with is an HTTP error. */
function statusOf(error: unknown): number {
  return Number(Reflect.get(Object(error), 'status'))
}
