/** Client of the console's HTTP API. */
import { TOKEN_HEADER, type SourceExcerpt } from '../../../src/devconsole/wire/request-types.js'
import type {
  MetricsSnapshot,
  PinAction,
  ConsoleRefusal,
  RequestPage,
  SettingsAction,
  Snapshot,
} from '../../../src/devconsole/wire/feed-types.js'
import type { CallStats, Health, RouteList, ShownRecord } from '../../../src/devconsole/wire/view-types.js'
import { isJson, type JsonRecord } from '../../../src/devconsole/wire/json-schema.js'

/** Path of the console, without a trailing slash. */
export const BASE: string = location.pathname.replace(/(?<!\/)\/+$/, '')

/** A request that the console rejected, or that has no response. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0 without a response. */
  readonly status: number

  constructor({ status, detail }: ConsoleRefusal) {
    super(detail)
    this.status = status
  }
}

export const api = {
  snapshot: (): Promise<Snapshot> => readJson('snapshot'),
  record: (id: string): Promise<ShownRecord> => readJson(`requests/${encodeURIComponent(id)}`),
  search: (q: string): Promise<RequestPage> => readJson(`requests?limit=1000&${filterQuery(q)}`),
  metrics: (): Promise<MetricsSnapshot> => readJson('metrics'),
  routes: (): Promise<RouteList> => readJson('routes'),
  openapi: (): Promise<JsonRecord> => readJson('openapi'),
  calls: (): Promise<CallStats> => readJson('calls'),
  health: (): Promise<Health> => readJson('health'),
  source: (frame: string): Promise<SourceExcerpt> => readJson(`source?frame=${encodeURIComponent(frame)}`),
  clear: (): Promise<object> => post('clear', {}),
  pin: (action: PinAction): Promise<{ readonly ids: readonly string[] }> => post('pin', action),
  settings: (action: SettingsAction): Promise<object> => post('settings', action),
}

/** Returns the URL of the HAR file of all requests that match a filter. */
export function harLink(q: string): string {
  return `${BASE}/api/har?${filterQuery(q)}`
}

function filterQuery(q: string): string {
  return `zone=${new Date().getTimezoneOffset()}&q=${encodeURIComponent(q)}`
}

function readJson<Value>(path: string): Promise<Value> {
  return send<Value>(path, { headers: { accept: 'application/json' } })
}

let token = readMeta('token')
let boot = readMeta('boot')
let tokenRenewal: Promise<unknown> = Promise.resolve()

/** Reads a value that the app wrote into the page. */
export function readMeta(name: string): string {
  return document.querySelector(`meta[name="dev-${name}"]`)?.getAttribute('content') ?? ''
}

/** Receives the boot of the app with each snapshot and stream. If the app has restarted, its token is read again. */
export function noteBoot(currentBoot: string): void {
  if (currentBoot === boot) return
  boot = currentBoot
  tokenRenewal = renewToken()
}

async function post<Value>(path: string, body: object): Promise<Value> {
  await tokenRenewal
  const sendOnce = () => {
    const headers = { 'content-type': 'application/json', [TOKEN_HEADER]: token }
    return send<Value>(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  try {
    return await sendOnce()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403 || !(await renewToken())) throw error
  }
  return sendOnce()
}

/** Reads the token from the page, because the app has a new one after each start. Returns whether the token has changed. */
async function renewToken(): Promise<boolean> {
  const response = await fetch(BASE, { cache: 'no-store', redirect: 'error' }).catch(() => null)
  const newToken = /name="dev-token" content="([\w-]+)"/.exec((await response?.text()) ?? '')?.[1] ?? token
  const isNew = newToken !== token
  token = newToken
  return isNew
}

async function send<Value>(path: string, options: RequestInit): Promise<Value> {
  let response: Response
  try {
    response = await fetch(`${BASE}/api/${path}`, { ...options, cache: 'no-store', redirect: 'error' })
  } catch {
    throw new ApiError({ status: 0, detail: 'The app does not respond' })
  }
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw new ApiError({ status: response.status, detail: problemDetail(body, response.status) })
  // Proof: the app that serves this page is built with the same types.
  return body as Value
}

function problemDetail(body: unknown, status: number): string {
  const detail = isJson(body) ? body['detail'] : null
  return typeof detail === 'string' ? detail : `The console responded with ${status}`
}
