/** What the page reads of the console and asks it to do. */
import { TOKEN_HEADER, type SourceExcerpt } from '../../wire/request-types.js'
import type {
  MetricsSnapshot,
  PinAction,
  ConsoleRefusal,
  RequestPage,
  SettingsAction,
  Snapshot,
} from '../../wire/feed-types.js'
import type { CallStats, Health, RouteList, ShownRecord } from '../../wire/view-types.js'
import { isJson, type JsonRecord } from '../../wire/json-schema.js'

/** Address of the console on this origin, without a slash at the end. */
export const BASE: string = location.pathname.replace(/(?<!\/)\/+$/, '')

/** What was refused, in the words of the console. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  /** 0 when there was no answer. */
  readonly status: number

  constructor({ status, detail }: ConsoleRefusal) {
    super(detail)
    this.status = status
  }
}

/** Reads of the console and asks it to do things. */
export const api = {
  snapshot: (): Promise<Snapshot> => readJson('snapshot'),
  record: (id: string): Promise<ShownRecord> => readJson(`requests/${encodeURIComponent(id)}`),
  search: (q: string): Promise<RequestPage> => readJson(`requests?limit=1000&q=${encodeURIComponent(q)}`),
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

/** Where an archive of requests is downloaded. */
export function harLink(q: string): string {
  return `${BASE}/api/har?q=${encodeURIComponent(q)}`
}

function readJson<Answer>(path: string): Promise<Answer> {
  return ask<Answer>(path, { headers: { accept: 'application/json' } })
}

let token = readMeta('token')
let boot = readMeta('boot')
let renewed: Promise<unknown> = Promise.resolve()

/** What the app wrote into its page. */
export function readMeta(name: string): string {
  return document.querySelector(`meta[name="dev-${name}"]`)?.getAttribute('content') ?? ''
}

/** Hears which start of the app it is that answers. */
export function knowBoot(answering: string): void {
  if (answering === boot) return
  boot = answering
  renewed = hasNewToken()
}

async function post<Answer>(path: string, body: object): Promise<Answer> {
  await renewed
  const send = () => {
    const headers = { 'content-type': 'application/json', [TOKEN_HEADER]: token }
    return ask<Answer>(path, { method: 'POST', headers, body: JSON.stringify(body) })
  }
  try {
    return await send()
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 403 || !(await hasNewToken())) throw error
  }
  return send()
}

/** The app has another token after each start; its page holds it. */
async function hasNewToken(): Promise<boolean> {
  const response = await fetch(BASE, { cache: 'no-store', redirect: 'error' }).catch(() => null)
  const newToken = /name="dev-token" content="([\w-]+)"/.exec((await response?.text()) ?? '')?.[1] ?? token
  const isNew = newToken !== token
  token = newToken
  return isNew
}

async function ask<Answer>(path: string, options: RequestInit): Promise<Answer> {
  let response: Response
  try {
    response = await fetch(`${BASE}/api/${path}`, { ...options, cache: 'no-store', redirect: 'error' })
  } catch {
    throw new ApiError({ status: 0, detail: 'The app does not respond' })
  }
  const body: unknown = await response.json().catch(() => null)
  if (!response.ok) throw new ApiError({ status: response.status, detail: problemDetail(body, response.status) })
  // Proof: the other side is built with the same types, and the page is served by it.
  return body as Answer
}

function problemDetail(body: unknown, status: number): string {
  const detail = isJson(body) ? body['detail'] : null
  return typeof detail === 'string' ? detail : `The console responded with ${status}`
}
