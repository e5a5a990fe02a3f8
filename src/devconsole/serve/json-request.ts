/** Bodies of actions: small JSON objects. */
import { parseJson } from '../../http/json-body.js'
import type { NodeExchange } from '../../http/node-exchange.js'
import { refusal, sendAnswer, type ConsoleAnswer } from './answers.js'

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
