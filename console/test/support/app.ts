/** An app with a console, and one request of each kind that the console distinguishes. Import `#test/development.js` first. */
import { setTimeout as wait } from 'node:timers/promises'
import type { TestContext } from 'node:test'
import { createApp, type DevConsoleOptions, type Logger } from 'verbena'
import { onCleanup } from '#test/cleanup.js'
import { Database, routes } from './routes.js'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'

/** Duration in ms from which the console marks a request as slow. */
const SLOW_MS = 150

export interface BrowserApp {
  readonly url: string
  readonly port: number
  /** Messages that the app has logged. */
  readonly lines: string[]
  readonly db: Database
  /** Sends a request of every kind, in the order of `VISITS`, and waits until the console has recorded them. */
  visit(): Promise<void>
  /** Fetches the console's snapshot of the app. */
  snapshot(): Promise<Snapshot>
  close(): Promise<void>
}

export type Visit = readonly [method: string, path: string, init?: { body?: unknown; headers?: Record<string, string> }]

const LONG_PATH = `/users/${'a-very-long-name-without-an-end-'.repeat(10)}`
const COOKIE = { cookie: 'session=hunter2; theme=dark', authorization: 'Bearer hunter2' }

/** Requests that `visit` sends. It sends one more, which the client aborts. */
export const VISITS: readonly Visit[] = [
  ['GET', '/users?term=ada&limit=5', { headers: COOKIE }],
  ['GET', '/users/1'],
  ['GET', '/users/404'],
  ['GET', '/users/Zo%C3%AB%20%E2%98%83%20%F0%9F%A6%8A'],
  ['GET', LONG_PATH],
  [
    'POST',
    '/users',
    { body: { name: 'Linus', email: 'linus@example.org', role: 'author', password: 'hunter2-hunter2' } },
  ],
  ['POST', '/users', { body: { name: 'L', email: 'nowhere', role: 'king', age: -1, addresses: [{ street: '' }] } }],
  ['GET', '/users?limit=many&archived=perhaps'],
  ['DELETE', '/users/2'],
  ['PATCH', '/users/2'],
  ['GET', '/nowhere/at/all'],
  ['GET', '/orders'],
  ['GET', '/orders'],
  ['POST', '/invoices/7', { body: { sum: 12.5 } }],
  ['GET', '/invoices/7'],
  ['GET', '/reports/2026'],
  ['GET', '/editions', { headers: { 'accept-version': '1.4.0' } }],
  ['GET', '/editions', { headers: { 'accept-version': 'newest' } }],
  ['GET', '/editions', { headers: { 'accept-version': '2.0.0' } }],
  ['GET', '/mismatches'],
  ['GET', '/letters'],
  ['PUT', '/letters', { body: { text: 'Dear Ada, ☃ שלום — …'.repeat(20) } }],
  ['GET', '/moved'],
  ['GET', '/rows/40'],
  ['GET', '/scores'],
  ['GET', '/big/30000'],
  ['GET', '/pixel'],
  ['HEAD', '/users/1'],
]

/**
 * Starts the app.
 *
 * @param t closes the app at the end of this test; without it the caller must close the app
 * @param devConsole settings of the console
 */
export async function openBrowserApp(t?: TestContext, devConsole: DevConsoleOptions = {}): Promise<BrowserApp> {
  const lines: string[] = []
  const write = (_fields: object, message = ''): void => void lines.push(message)
  const logger: Logger = { debug: write, info: write, warn: write, error: write }
  const db = new Database()
  const app = createApp({
    name: 'bookshop',
    version: '2.4.0',
    services: { db },
    routes,
    logger,
    devConsole: { slow: SLOW_MS, ...devConsole },
    signals: false,
  })
  const { url, port } = await app.listen()
  const close = async (): Promise<void> => {
    db.release()
    await app.close()
  }
  if (t !== undefined) onCleanup(t, close)
  const snapshot = () => takeSnapshot(url)
  return { url, port, lines, db, visit: () => visit(url, db), snapshot, close }
}

/**
 * Sends a request.
 *
 * @param url origin of the app
 * @param visited method, path, and optional body and headers
 * @returns the response, after its body was read
 */
export async function send(url: string, [method, path, { body, headers = {} } = {}]: Visit): Promise<Response> {
  const json = body === undefined ? {} : { body: JSON.stringify(body) }
  const type: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
  const response = await fetch(`${url}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...type, ...headers },
    ...json,
  })
  await response.arrayBuffer()
  return response
}

async function visit(url: string, db: Database): Promise<void> {
  const { total } = (await takeSnapshot(url)).buffer
  for (const visited of VISITS) await send(url, visited)
  await abandon(url, db)
  for (;;) {
    const { buffer } = await takeSnapshot(url)
    if (buffer.total >= total + VISITS.length + 1) return
    await wait(10)
  }
}

/** Sends a request and aborts it before the response. */
async function abandon(url: string, db: Database): Promise<void> {
  const held = db.holding()
  const leaving = new AbortController()
  const left = fetch(`${url}/held`, { signal: leaving.signal }).catch(() => {})
  while (db.holding() === held) await wait(5)
  leaving.abort()
  await left
}

async function takeSnapshot(url: string): Promise<Snapshot> {
  // Proof: this URL responds with a snapshot.
  return (await (await fetch(`${url}/__dev__/api/snapshot`)).json()) as Snapshot
}
