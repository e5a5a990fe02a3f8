/** Helpers of the tests: a database for an app, a separate client to observe and lock it, and a log in memory. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Logger } from 'verbena'
import type { DatabaseOptions } from '../database.js'
import { PostgresServer } from './postgres-server.js'

/** A response with its body. */
export interface TextResponse {
  readonly status: number
  readonly body: string
}

export interface Line {
  readonly level: string
  readonly fields: object
  readonly message: string | undefined
}

/** Creates a logger that stores its lines. */
export function keepLog(): { readonly logger: Logger; readonly lines: Line[] } {
  const lines: Line[] = []
  const write = (level: string) => (fields: object, message?: string) => void lines.push({ level, fields, message })
  const logger = { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') }
  return { logger, lines }
}

/** A running server, with the options for an app. */
export interface TestDatabase {
  readonly server: PostgresServer
  readonly options: DatabaseOptions
  /** Reported errors of idle connections. */
  readonly reported: Error[]
}

/** Starts a separate database. */
export async function startDatabase(): Promise<TestDatabase> {
  const server = new PostgresServer()
  try {
    await server.start()
  } catch (error) {
    await server.remove()
    throw error
  }
  const reported: Error[] = []
  const report = (error: Error): void => void reported.push(error)
  return { server, reported, options: { connectionString: server.url, application_name: 'bank', report } }
}

/** Connects a client that observes or locks the database, independent of the app. */
export async function openControl({ server }: TestDatabase): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: server.url, application_name: 'control' })
  await client.connect()
  return client
}

/** Returns the state of each connection of the app, such as `idle` or `active, waits for Lock`. */
export async function readStates(control: pg.Client): Promise<string[]> {
  const { rows } = await control.query<{ state: string | null; wait: string | null }>(
    "select state, wait_event_type as wait from pg_stat_activity where application_name = 'bank' order by pid",
  )
  return rows.map(({ state, wait }) => (wait === 'Lock' ? `${state}, waits for Lock` : String(state)))
}

/** Returns the committed balance of an account. */
export async function readBalance(control: pg.Client, id: number): Promise<number | undefined> {
  const { rows } = await control.query<{ balance: number }>('select balance from accounts where id = $1', [id])
  return rows[0]?.balance
}

/** Resets the accounts to `count` accounts with ids from 1 and this balance. */
export async function setAccounts(control: pg.Client, count: number, balance: number): Promise<void> {
  await control.query('truncate accounts, transfers restart identity')
  await control.query("insert into accounts (owner, balance) select 'Ada', $2 from generate_series(1, $1)", [
    count,
    balance,
  ])
}

/**
 * Records errors that would end the process of an app. The test runner only reports them beside the results if they happen in the context of a
 * hook, such as a connection that was opened there.
 */
export function recordUncaught(): unknown[] {
  const errors: unknown[] = []
  process.on('uncaughtException', (error) => errors.push(error))
  return errors
}

/** Waits until a condition is true; fails after 30 s. */
export async function until(condition: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = Date.now() + 30_000
  while (!(await condition())) {
    assert.ok(Date.now() < deadline, `It did not come to be: ${what}`)
    await sleep(5)
  }
}

/** Sends a request with `fetch`: a JSON POST if it has a body, otherwise a GET. */
export async function ask(url: string, body?: unknown): Promise<TextResponse> {
  const posted = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  const response = await fetch(url, body === undefined ? {} : posted)
  return { status: response.status, body: await response.text() }
}

/** Sends a JSON POST, and returns the socket, so that a test can disconnect. */
export function send(url: string, body: unknown): Socket {
  const { hostname, port, pathname } = new URL(url)
  const text = JSON.stringify(body)
  const head = `POST ${pathname} HTTP/1.1\r\nHost: ${hostname}\r\nContent-Type: application/json\r\n`
  const socket = connect(Number(port), hostname)
  socket.on('error', () => {})
  socket.write(`${head}Content-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`)
  return socket
}
