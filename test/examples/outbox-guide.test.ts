/** The outbox guide, with its provider and worker on a PostgreSQL database in this process, and receivers on sockets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, type App, type Route, type Service } from 'verbena'
import { signWebhook } from 'verbena/auth'
import { createDatabase, type Database } from '#test/postgres.js'
import { importGuide } from '#test/guide-code.js'

interface Db {
  query(sql: string, values?: unknown[]): Promise<{ command?: string; rows: unknown[] }>
}
interface Client extends Db {
  on(event: 'error', listener: () => void): unknown
  off(event: 'error', listener: () => void): this
  release(isBroken: boolean): void
}
interface Pool extends Db {
  connect(): Promise<Client>
}
interface Config {
  readonly warehouseUrl: string
  readonly webhookSecret: string
}
interface Worker {
  close(): Promise<void>
}
const SCHEMA = `
  create table outbox (
    id uuid primary key default gen_random_uuid(), url text not null, body jsonb not null, attempts int not null default 0,
    due_at timestamptz not null default now(), sent_at timestamptz
  );
  create table teas (name text primary key);
  create table orders (
    id int generated always as identity primary key, tea text not null references teas deferrable initially deferred
  );
  insert into teas values ('Assam');
  create table received (id text primary key, at timestamptz not null default now());
  create table parcels (order_id int not null)`

/** Lets one user after the other use the connection, as a pool with one client does. */
function poolOf(database: Database): Pool {
  let last: Promise<unknown> = Promise.resolve()
  const connect = async (): Promise<Client> => {
    const earlier = last
    let release = (): void => {}
    last = new Promise<void>((resolve) => (release = resolve))
    await earlier
    const query: Db['query'] = async (sql, values) => {
      const { rows } = await database.query(sql, values)
      return { rows: [...rows], command: sql.toUpperCase() }
    }
    const client: Client = { query, release, on: () => {}, off: () => client }
    return client
  }
  const query: Db['query'] = async (sql, values) => {
    const client = await connect()
    return client.query(sql, values).finally(() => client.release(false))
  }
  return { connect, query }
}

interface Receiver {
  readonly url: string
  readonly ids: string[]
  readonly bodies: string[]
  close(): void
}

type Respond = (response: ServerResponse, count: number) => void

async function startReceiver(respond: Respond): Promise<Receiver> {
  const [ids, bodies]: [string[], string[]] = [[], []]
  const server = createServer((request: IncomingMessage, response) => {
    ids.push(String(request.headers['webhook-id']))
    request.setEncoding('utf8').on('data', (text: string) => bodies.push(text))
    request.on('end', () => respond(response, ids.length))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  assert.ok(typeof address === 'object' && address !== null)
  const close = (): void => {
    server.close()
    server.closeAllConnections()
  }
  const receiver: Receiver = { url: `http://127.0.0.1:${address.port}/`, ids, bodies, close }
  open.push(receiver)
  return receiver
}

async function until(isDone: () => boolean | Promise<boolean>): Promise<void> {
  const end = Date.now() + 10_000
  while (!(await isDone())) {
    assert.ok(Date.now() < end, 'not done after 10 s')
    await sleep(10)
  }
}

/** Imports the worker with shorter pauses. */
async function importWorker(edit: (code: string) => string = (code) => code): Promise<Service<Worker>> {
  const short = (code: string): string => edit(code.replace('PAUSE = 1_000', 'PAUSE = 20'))
  // Proof: the block exports it with this type, which the test of the examples checks.
  return (await importGuide('outbox.md', 'class OutboxWorker', short))['outbox'] as Service<Worker>
}

/** Shortens the timeout and the delays. A busy machine may then send a message more often. */
function impatient(code: string): string {
  return code.replace('TIMEOUT = 5_000', 'TIMEOUT = 500').replace('10 * 2 ^ attempts', '0.6 * 2 ^ attempts')
}

const database = await createDatabase()
await database.exec(SCHEMA)
const pool = poolOf(database)
const { transaction } = await importGuide('services.md', 'export const transaction = provide(')
Object.assign(globalThis, { transaction })
// Proof: the blocks export them with these types, which the test of the examples checks.
const Orders = (await importGuide('outbox.md', 'class Orders'))['Orders'] as typeof Route<{ config: Config }>
const Parcels = (await importGuide('outbox.md', 'class Parcels'))['Parcels'] as typeof Route
const outbox = await importWorker()
const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'

beforeEach(async () => {
  await database.exec('truncate outbox, orders, received, parcels')
})

const open: { close(): unknown }[] = []
afterEach(() => Promise.all(open.splice(0).map((app) => app.close())))

function shop(warehouseUrl: string, worker: Service<Worker> = outbox) {
  const config: Config = { warehouseUrl, webhookSecret: SECRET }
  const app = createApp({
    services: { config, db: pool, outbox: worker },
    routes: { Orders, Parcels },
    logger: false,
    signals: false,
  })
  open.push(app)
  return app
}

async function post(app: Pick<App, 'fetch'>, path: string, body: object, headers: Record<string, string> = {}) {
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
  return (await app.fetch(new Request(`http://localhost${path}`, init))).status
}

async function count(rest: string): Promise<number> {
  const { rows } = await pool.query(`select count(*)::int as n from ${rest}`)
  return Number(Object(rows[0]).n)
}

describe('docs/guides/outbox.md', () => {
  it('sends the message of a committed order, and none of an order that is rolled back', async () => {
    const receiver = await startReceiver((response) => response.writeHead(204).end())
    const app = shop(receiver.url)
    assert.equal(await post(app, '/orders', { tea: 'Assam' }), 201)
    // The commit fails.
    assert.equal(await post(app, '/orders', { tea: 'Coffee' }), 500)
    await until(async () => (await count('outbox where sent_at is not null')) === 1)
    await sleep(100)
    const [message = '{}'] = receiver.bodies
    assert.deepEqual([receiver.ids.length, await count('outbox'), await count('orders')], [1, 1, 1])
    assert.deepEqual([JSON.parse(message).event, JSON.parse(message).order.tea], ['order-placed', 'Assam'])
  })

  it('tries again with the same id if the receiver fails or does not respond', async () => {
    const receiver = await startReceiver((response, number) => {
      if (number === 1) response.writeHead(500).end()
      else if (number > 2) response.writeHead(204).end()
    })
    const app = shop(receiver.url, await importWorker(impatient))
    await post(app, '/orders', { tea: 'Assam' })
    await until(async () => (await count('outbox where sent_at is not null')) === 1)
    assert.ok(receiver.ids.length >= 3, `${receiver.ids.length} requests`)
    assert.equal(new Set(receiver.ids).size, 1)
    assert.equal(await count(`outbox where attempts = ${receiver.ids.length}`), 1)
  })

  it('sends each message once with two workers', async () => {
    const receiver = await startReceiver((response) => setTimeout(() => response.writeHead(204).end(), 5))
    const apps = [shop(receiver.url), shop(receiver.url)]
    await Promise.all(apps.map((app) => app.start()))
    const message = `insert into outbox (url, body) select $1, '{}' from generate_series(1, 60)`
    await pool.query(message, [receiver.url])
    await until(async () => (await count('outbox where sent_at is not null')) === 60)
    assert.equal(receiver.ids.length, 60)
    assert.equal(new Set(receiver.ids).size, 60)
  })

  it('finishes requests in progress before the app closes, and sends no more', async () => {
    const receiver = await startReceiver((response) => setTimeout(() => response.writeHead(204).end(), 100))
    const app = shop(receiver.url)
    await app.start()
    await pool.query(`insert into outbox (url, body) values ($1, '{}')`, [receiver.url])
    await until(() => receiver.ids.length === 1)
    await app.close()
    assert.equal(await count('outbox where sent_at is not null'), 1)
    await pool.query(`insert into outbox (url, body) values ($1, '{}')`, [receiver.url])
    await sleep(100)
    assert.equal(receiver.ids.length, 1)
  })

  it('gives up after 15 attempts', async () => {
    const receiver = await startReceiver((response) => response.writeHead(204).end())
    await pool.query(`insert into outbox (url, body, attempts) values ($1, '{}', 15), ($1, '{}', 14)`, [receiver.url])
    const app = shop(receiver.url)
    await app.start()
    await until(async () => (await count('outbox where sent_at is not null')) === 1)
    await sleep(100)
    assert.equal(receiver.ids.length, 1)
  })

  it('receives a message once, and only with a signature', async () => {
    const app = shop('http://127.0.0.1:9/')
    const message = { event: 'order-placed', order: { id: 7 } }
    const signature = signWebhook({ id: 'm1', timestamp: new Date(), body: JSON.stringify(message), secret: SECRET })
    const statuses = await Promise.all(
      Array.from({ length: 5 }, () => post(app, '/parcels', message, { ...signature })),
    )
    assert.deepEqual(new Set(statuses), new Set([204]))
    assert.equal(await count('parcels'), 1)
    assert.equal(await post(app, '/parcels', message, { ...signature, 'webhook-id': 'm2' }), 401)
    assert.equal(await count('parcels'), 1)
  })
})
