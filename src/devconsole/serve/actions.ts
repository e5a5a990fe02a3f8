/** The actions of the console. They change what it keeps and shows, and nothing else. */
import { jsonAnswer, type ConsoleAnswer } from './answers.js'
import type { ConsoleParts } from './console-parts.js'
import type { ActionBody } from './json-request.js'
import { WIRE_VERSION } from '../wire/request-types.js'

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
  feed.tell('cleared', { v })
  return jsonAnswer({})
}

function pin({ store, feed }: ConsoleParts, { id, pinned }: ActionBody): ConsoleAnswer {
  if (typeof id !== 'string' || typeof pinned !== 'boolean') return badBody('{ "id": "r_…", "pinned": true }')
  if (!store.pin(id, pinned)) {
    return jsonAnswer({ status: 409, detail: 'This request is not kept any more, or too many are pinned' }, 409)
  }
  const ids = store.pinned
  feed.tell('pinned', { v, ids })
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
