/** Actions of the console. They change only the stored data and the pages of the console. */
import { jsonResponse, consoleProblem, rejectionResponse, type ConsoleResponse } from './responses.js'
import type { ConsoleParts } from './console-parts.js'
import { WIRE_VERSION as v } from '../wire/request-types.js'
import { parseJson } from '../../http/json-body.js'
import type { NodeExchange } from '../../http/node-exchange.js'
import { isRecord, type UnknownRecord } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'

type Action = (parts: ConsoleParts, body: UnknownRecord) => ConsoleResponse

export const ACTIONS: ReadonlyMap<string, Action> = new Map([
  ['/api/clear', clearStore],
  ['/api/pin', pinRecord],
  ['/api/settings', changeSettings],
])

function clearStore(consoleParts: ConsoleParts): ConsoleResponse {
  const { store, logs, series, incidents, callFigures, recorder, feed, runFile } = consoleParts
  for (const parts of [store, logs, series, incidents, callFigures]) parts.clear()
  runFile?.clear()
  recorder.skipped = 0
  feed.send('cleared', { v })
  return jsonResponse({})
}

function pinRecord({ store, feed }: ConsoleParts, { id, pinned }: UnknownRecord): ConsoleResponse {
  if (typeof id !== 'string' || typeof pinned !== 'boolean') return badBody('{ "id": "r_…", "pinned": true }')
  if (!store.pin(id, pinned)) return consoleProblem(409, 'This request is not kept any more, or too many are pinned')
  const ids = store.pinned
  feed.send('pinned', { v, ids })
  return jsonResponse({ ids })
}

function changeSettings({ feed }: ConsoleParts, { stream, want }: UnknownRecord): ConsoleResponse {
  if (typeof stream !== 'string' || !isEventList(want)) return badBody('{ "stream": "…", "want": ["log", "open"] }')
  return feed.want(stream, new Set(want)) ? jsonResponse({}) : consoleProblem(404, 'There is no such stream')
}

function isEventList(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((event) => event === 'log' || event === 'open')
}

function badBody(expected: string): ConsoleResponse {
  return consoleProblem(400, `Send ${expected}`)
}

const MAX_BODY = 4 * 1024
const DEPTH = 8

export async function respondToJson(
  exchange: NodeExchange,
  next: (body: UnknownRecord) => ConsoleResponse,
): Promise<ConsoleResponse> {
  const type = exchange.header('content-type')?.split(';', 1).join('').trim().toLowerCase()
  if (type !== 'application/json') return rejectionResponse(415, 'Send JSON')
  const { error, bytes } = await new Promise<{ error: unknown; bytes: Buffer | undefined }>((resolve) => {
    exchange.collect(MAX_BODY, (error, bytes) => resolve({ error, bytes }))
  })
  // Proof: an error of `collect` is an HTTP error.
  if (bytes === undefined)
    return rejectionResponse(Number(Reflect.get(Object(error), 'status')), 'The body cannot be read')
  const body = valueOr<unknown>(() => parseJson(bytes, { depth: DEPTH }), undefined)
  return isRecord(body) ? next(body) : rejectionResponse(400, 'The body is no JSON object')
}
