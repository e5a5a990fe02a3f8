/** Sends a recorded request again. */
import { containsSecret, REPLAY_HEADER } from '../../devconsole/wire/request-types.js'
import type { ShownRecord } from '../../devconsole/wire/view-types.js'
import { CommandError } from '../command.js'
import { formatTarget } from '../../devconsole/wire/describe-record.js'
import { fetchReason } from './fetch-reason.js'

/** Headers that belong to the connection, or that `fetch` sets. */
const OF_CONNECTION =
  /^(?:host|connection|content-length|transfer-encoding|keep-alive|expect|accept-encoding|te|trailer|upgrade|proxy-.*|sec-.*)$/i
const TIMEOUT = 30_000
const MAX_BODY_LENGTH = 64 * 1024

/** The response to a repeated request. */
export interface ReplayResult {
  readonly id: string
  readonly status: number
  /** Status of the recorded response; 0 if none was sent. */
  readonly before: number
  /** In ms. */
  readonly duration: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: string
  /** Whether `body` is only the beginning. */
  readonly isCut: boolean
  /** Names of headers that were not sent, because their values are secrets that the console does not store. */
  readonly omitted: readonly string[]
}

/**
 * Sends a request to the app. Throws a `CommandError` if it is not recorded completely, or if there is no response.
 *
 * @param added headers that replace recorded ones
 */
export async function replayRequest(
  record: ShownRecord,
  origin: string,
  added: readonly (readonly [name: string, value: string])[],
): Promise<ReplayResult> {
  const url = formatUrl(record, origin)
  const { headers, omitted } = chooseHeaders(record, added)
  const body = recordedBody(record)
  const begin = performance.now()
  const response = await replayTo(url, { method: record['http.request.method'], headers, body })
  const text = await response.text()
  return {
    id: record.id,
    status: response.status,
    before: record['http.response.status_code'],
    duration: Math.round(performance.now() - begin),
    headers: [...response.headers],
    body: text.slice(0, MAX_BODY_LENGTH),
    isCut: text.length > MAX_BODY_LENGTH,
    omitted,
  }
}

function formatUrl(record: ShownRecord, origin: string): string {
  const target = formatTarget(record)
  const cannot = `Cannot replay "${record.id}":`
  if (containsSecret(target)) throw new CommandError(`${cannot} its URL contains a secret, which is not stored`)
  const url = new URL(`${origin}${target}`)
  if (url.pathname + url.search === target) return url.href
  throw new CommandError(`${cannot} no client that follows the URL standard can send its target`)
}

function chooseHeaders(
  { id, request }: ShownRecord,
  added: readonly (readonly [name: string, value: string])[],
): { readonly headers: Headers; readonly omitted: readonly string[] } {
  const headers = new Headers()
  const omitted: string[] = []
  for (const [name, value] of request.headers) {
    if (OF_CONNECTION.test(name)) continue
    if (containsSecret(value)) omitted.push(name)
    else headers.append(name, value)
  }
  for (const [name, value] of added) headers.set(name, value)
  headers.set(REPLAY_HEADER, id)
  return { headers, omitted: omitted.filter((name) => !headers.has(name)) }
}

function recordedBody({ id, request: { body } }: ShownRecord): string | null {
  if (body === null || body.size === 0) return null
  const cannot = `Cannot replay "${id}": its body`
  if (body.text === null || body.truncated) throw new CommandError(`${cannot} is not stored completely`)
  if (containsSecret(body.text)) throw new CommandError(`${cannot} contains a secret, which is not stored`)
  return body.text
}

async function replayTo(
  url: string,
  options: { method: string; headers: Headers; body: string | null },
): Promise<Response> {
  try {
    return await fetch(url, { ...options, redirect: 'manual', signal: AbortSignal.timeout(TIMEOUT) })
  } catch (error) {
    throw new CommandError(`Cannot replay the request: ${fetchReason(error)}`)
  }
}
