/** Reads the console of a running app over HTTP, with the paths of its page. */
import { BASE } from '../../devconsole/host/console-state.js'
import type { Snapshot } from '../../devconsole/wire/feed-types.js'
import type { ShownRecord } from '../../devconsole/wire/view-types.js'
import { readVariables } from '../../values/mode.js'
import { CommandError } from '../command.js'
import { fetchReason } from './fetch-reason.js'
import { parseWhere } from './filter-requests.js'
import type { RecordSource } from './record-source.js'

const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
const TIMEOUT = 10_000
/** Time between two reads of the log, in ms. */
const FOLLOW_PAUSE = 500
/** As many as `verbena dev` stores. */
const MAX_REQUESTS = 200

/** Opens the console of an app. Signs in with the token in `VERBENA_TOKEN`, which is only sent to this address. */
export async function openConsole(url: string, allowsRemote: boolean): Promise<RecordSource> {
  const origin = parseOrigin(url, allowsRemote)
  const readConsole = await signInToConsole(origin)
  const readSnapshot = async (): Promise<Snapshot> => readConsole<Snapshot>('/api/snapshot')
  await readSnapshot()
  return {
    runs: [],
    isRunning: true,
    origin,
    async requests(where) {
      await parseWhere(where)
      const query = new URLSearchParams({ q: where, limit: String(MAX_REQUESTS) })
      const { items } = await readConsole<{ items: Snapshot['requests'] }>(`/api/requests?${query}`)
      return items.map((item) => ({ ...item, run: null }))
    },
    async request(id) {
      const record = await readConsole<ShownRecord | null>(`/api/requests/${encodeURIComponent(id)}`, true)
      return record === null ? null : { ...record, run: null }
    },
    lines: async () => (await readSnapshot()).logs.map((line) => ({ ...line, run: null })).toReversed(),
    async follow(onLine) {
      let { logs } = await readSnapshot()
      for (;;) {
        const lastNumber = Math.max(0, ...logs.map(({ seq }) => seq))
        await new Promise((resolve) => setTimeout(resolve, FOLLOW_PAUSE))
        logs = (await readSnapshot()).logs
        for (const line of logs.toReversed()) if (line.seq > lastNumber) onLine({ ...line, run: null })
      }
    },
  }
}

function parseOrigin(url: string, allowsRemote: boolean): string {
  const parsed = URL.canParse(url) ? new URL(url) : null
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new CommandError(`Cannot read "${url}": it is not a URL such as http://127.0.0.1:3000`)
  }
  if (allowsRemote || LOOPBACK.test(parsed.hostname)) return parsed.origin
  throw new CommandError(
    `Cannot read "${url}": it is another machine. Add "--allow-remote" if you trust the connection`,
  )
}

type Read = <Result>(path: string, mayMiss?: boolean) => Promise<Result>

async function signInToConsole(origin: string): Promise<Read> {
  const { VERBENA_TOKEN: token } = readVariables()
  const headers: Record<string, string> = {}
  if (token !== undefined && token !== '') {
    const body = JSON.stringify({ token })
    const response = await fetchPath(origin, '/session', {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
    })
    if (!response.ok) throw new CommandError(`Cannot read ${origin}: the console rejects the token in VERBENA_TOKEN`)
    headers['cookie'] = response.headers
      .getSetCookie()
      .map((cookie) => cookie.split(';', 1).join(''))
      .join('; ')
  }
  return async <Result>(path: string, mayMiss = false) => {
    const response = await fetchPath(origin, path, { headers })
    // Proof: a caller with `mayMiss` accepts `null`.
    if (response.status === 404 && mayMiss) return null as Result
    if (response.ok) return parseResponse<Result>(origin, response)
    throw new CommandError(`Cannot read ${origin}: ${describeStatus(response.status)}`)
  }
}

async function parseResponse<Result>(origin: string, response: Response): Promise<Result> {
  try {
    // Proof: the console of this version has written it.
    return (await response.json()) as Result
  } catch {
    throw new CommandError(`Cannot read ${origin}: its response is not from a console of Verbena`)
  }
}

async function fetchPath(origin: string, path: string, options: RequestInit): Promise<Response> {
  try {
    return await fetch(`${origin}${BASE}${path}`, {
      ...options,
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT),
    })
  } catch (error) {
    throw new CommandError(`Cannot read ${origin}: ${fetchReason(error)}`)
  }
}

function describeStatus(status: number): string {
  if (status === 401) return 'the console requires a token. Set VERBENA_TOKEN'
  if (status === 404) return 'it has no console, or does not show it to this machine'
  return `the console responded ${status}`
}
