/** Actions of the console. They change only the stored data and the pages of the console. */
import { jsonAnswer, consoleProblem, rejectionResponse, type ConsoleAnswer } from './responses.js'
import type { ConsoleParts } from './console-parts.js'
import { WIRE_VERSION as v } from '../wire/request-types.js'
import { parseJson } from '../../http/json-body.js'
import type { NodeExchange } from '../../http/node-exchange.js'
import { isRecord, type UnknownRecord } from '../../values/objects.js'
import { valueOr } from '../../values/quietly.js'

type Action = (parts: ConsoleParts, body: UnknownRecord) => ConsoleAnswer

export const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ['/api/clear', clearStore],
  ['/api/pin', pinRecord],
  ['/api/settings', changeSettings],
])

function clearStore(consoleParts: ConsoleParts): ConsoleAnswer {
  const { store, logs, series, incidents, callFigures, recorder, feed, keep } = consoleParts
  for (const parts of [store, logs, series, incidents, callFigures]) parts.clear()
  keep?.clear()
  recorder.skipped = 0
  feed.send('cleared', { v })
  return jsonAnswer({})
}

function pinRecord({ store, feed }: ConsoleParts, { id, pinned }: UnknownRecord): ConsoleAnswer {
  if (typeof id !== 'string' || typeof pinned !== 'boolean') return badBody('{ "id": "r_…", "pinned": true }')
  if (!store.pin(id, pinned)) return consoleProblem(409, 'This request is not kept any more, or too many are pinned')
  const ids = store.pinned
  feed.send('pinned', { v, ids })
  return jsonAnswer({ ids })
}

function changeSettings({ feed }: ConsoleParts, { stream, want }: UnknownRecord): ConsoleAnswer {
  if (typeof stream !== 'string' || !isWants(want)) return badBody('{ "stream": "…", "want": ["log", "open"] }')
  return feed.want(stream, new Set(want)) ? jsonAnswer({}) : consoleProblem(404, 'There is no such stream')
}

function isWants(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((word) => word === 'log' || word === 'open')
}

function badBody(wanted: string): ConsoleAnswer {
  return consoleProblem(400, `Send ${wanted}`)
}

const MAX_BODY = 4 * 1024
const DEPTH = 8

export async function answerJson(
  exchange: NodeExchange,
  next: (body: UnknownRecord) => ConsoleAnswer,
): Promise<ConsoleAnswer> {
  const type = exchange.header('content-type')?.split(';', 1).join('').trim().toLowerCase()
  if (type !== 'application/json') return rejectionResponse(415, 'Send JSON')
  const { error, bytes } = await new Promise<{ error: unknown; bytes: Buffer | undefined }>((resolve) => {
    exchange.collect(MAX_BODY, (error, bytes) => resolve({ error, bytes }))
  })
  // The error is an HTTP error.
  if (bytes === undefined)
    return rejectionResponse(Number(Reflect.get(Object(error), 'status')), 'The body cannot be read')
  const body = valueOr<unknown>(() => parseJson(bytes, { depth: DEPTH }), undefined)
  return isRecord(body) ? next(body) : rejectionResponse(400, 'The body is no JSON object')
}
