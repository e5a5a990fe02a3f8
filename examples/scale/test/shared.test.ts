/** Four processes as one app: shared state, nginx, and outages of a part. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { createClient } from 'redis'
import { LIMITS } from '../limits.js'
import { openStack, type Stack } from '../stack/stack.js'
import { Customer, OWN_PAGE, signIn } from './shop-client.js'
import { ask, until } from './support.js'

const CLUB = 1
const PHILHARMONIC = 2

let stack: Stack
let control: pg.Client
const reported: string[] = []

before(async () => {
  stack = await openStack({ port: 0, report: (message) => void reported.push(message) })
  control = new pg.Client({ connectionString: stack.databaseUrl })
  await control.connect()
})
after(async () => {
  await control?.end()
  await stack?.close()
})

async function ordersOf(email: string): Promise<number> {
  const text = 'select from orders join accounts on accounts.id = orders.account where email = $1'
  const { rows } = await control.query(text, [email])
  return rows.length
}

describe('a shop of four processes', () => {
  it('has no findings of app.check()', async () => {
    Object.assign(process.env, {
      DATABASE_URL: stack.databaseUrl,
      REDIS_URL: stack.redisUrl,
      SESSION_KEYS: 'k'.repeat(32),
    })
    const { shopApp } = await import('../app.js')
    assert.deepEqual(shopApp({ signals: false }).check(), [])
  })

  it('responds from each process at one URL', async () => {
    const seen = new Set<unknown>()
    await until(async () => {
      const answers = await Promise.all(Array.from({ length: 8 }, () => ask(stack.url, '/concerts')))
      for (const { status, headers } of answers) {
        assert.equal(status, 200)
        seen.add(headers['x-served-by'])
      }
      return seen.size === 4
    }, 'a response of each process')
  })

  it('accepts a session in all processes, and rejects it in all after its end', async () => {
    const [first = '', ...others] = stack.fleet.sockets
    const ada = await Customer.arrive(first, 'ada@example.com')
    for (const socket of others) {
      const { status, body, headers } = await ada.get(socket, '/session')
      assert.deepEqual([status, JSON.parse(body).email], [200, 'ada@example.com'])
      assert.notEqual(headers['x-served-by'], '1')
    }
    assert.equal((await ada.get(stack.url, '/session')).status, 200)
    assert.equal((await ada.leave(first)).status, 204)
    for (const where of [stack.url, ...stack.fleet.sockets]) {
      assert.equal((await ada.get(where, '/session')).status, 401)
    }
  })

  it('counts attempts to sign in across processes, by the address that nginx sends', async () => {
    const attempt = (where: string, ip: string) =>
      signIn(where, 'nobody@example.com', { password: 'wrong password', headers: { 'x-forwarded-for': ip } })
    const { sockets } = stack.fleet
    const [first = ''] = sockets
    const answers = await Promise.all([...sockets, first].map((socket) => attempt(socket, '198.51.100.1')))
    assert.deepEqual(
      answers.map(({ status }) => status),
      [401, 401, 401, 401, 401],
    )
    for (const socket of sockets) {
      const { status, headers } = await attempt(socket, '198.51.100.1')
      assert.equal(status, 429)
      assert.ok(Number(headers['retry-after']) > 0)
    }
    assert.equal((await attempt(first, '198.51.100.2')).status, 401)
    // nginx overwrites the client's address, so these are five attempts from this machine.
    for (const ip of ['1', '2', '3', '4', '5']) assert.equal((await attempt(stack.url, `192.0.2.${ip}`)).status, 401)
    assert.equal((await attempt(stack.url, '192.0.2.6')).status, 429)
  })

  it('makes one order if all processes receive its key at the same time', async () => {
    const [first = ''] = stack.fleet.sockets
    const grace = await Customer.arrive(first, 'grace@example.com')
    const key = randomUUID()
    const answers = await Promise.all(stack.fleet.sockets.map((socket) => grace.buy(socket, CLUB, { key })))
    const statuses = answers.map(({ status }) => status)
    assert.ok(statuses.includes(201), String(statuses))
    assert.ok(
      statuses.every((status) => status === 201 || status === 409),
      String(statuses),
    )
    const repeated = await grace.buy(stack.url, CLUB, { key })
    assert.deepEqual([repeated.status, repeated.headers['idempotent-replayed']], [201, 'true'])
    for (const { status, body } of answers) if (status === 201) assert.equal(body, repeated.body)
    assert.equal(await ordersOf(grace.email), 1)
    assert.equal((await grace.buy(stack.url, PHILHARMONIC, { key })).status, 422)
  })

  it('counts the orders of an account across processes', async () => {
    const { sockets } = stack.fleet
    const [first = ''] = sockets
    const kay = await Customer.arrive(first, 'kay@example.com')
    const rounds = Array.from({ length: 6 }, () => sockets.map((socket) => kay.buy(socket, PHILHARMONIC)))
    const statuses = (await Promise.all(rounds.flat())).map(({ status }) => status)
    assert.deepEqual(
      [201, 429].map((wanted) => statuses.filter((status) => status === wanted).length),
      [20, 4],
    )
    assert.equal(await ordersOf(kay.email), 20)
  })

  it('sells each ticket once', async () => {
    await control.query('update concerts set available = 5 where id = $1', [CLUB])
    const [first = ''] = stack.fleet.sockets
    const joan = await Customer.arrive(first, 'joan@example.com')
    const answers = await Promise.all(
      [...stack.fleet.sockets, ...stack.fleet.sockets].map((socket) => joan.buy(socket, CLUB)),
    )
    const sold = answers.filter(({ status }) => status === 201)
    const refused = answers.filter(({ status }) => status === 409)
    assert.deepEqual([sold.length, refused.length], [5, 3])
    assert.equal(await ordersOf(joan.email), 5)
  })
})

describe('nginx', () => {
  it('passes on each event immediately, from a process that receives it through Redis', async () => {
    const [first = ''] = stack.fleet.sockets
    const lin = await Customer.arrive(first, 'lin@example.com')
    const heard = await new Promise<string>((resolve, reject) => {
      const asked = request(`${stack.url}/concerts/sales`, (response) => {
        assert.equal(response.headers['content-type'], 'text/event-stream')
        response.setEncoding('utf8').once('data', (chunk: string) => {
          resolve(chunk)
          asked.destroy()
        })
        void Promise.all(stack.fleet.sockets.map((socket) => lin.buy(socket, PHILHARMONIC)))
      })
      asked.once('error', reject).end()
    })
    assert.match(heard, /^data: \{"concert":2,"available":\d+\}\n\n/)
  })

  it('ignores a forwarded host from the client, so that a cross-site request is a 403', async () => {
    const leave = (headers: Record<string, string>) => ask(stack.url, '/session', { method: 'DELETE', headers })
    assert.equal((await leave({ origin: stack.url })).status, 204)
    const origin = 'http://evil.example'
    for (const claim of [{}, { 'x-forwarded-host': 'evil.example' }, { forwarded: 'host=evil.example' }]) {
      assert.equal((await leave({ origin, ...claim })).status, 403, JSON.stringify(claim))
    }
  })

  it('has the limits of the app, and sends the same errors', async () => {
    const body = { email: 'x@example.com', password: 'p'.repeat(LIMITS.body) }
    const large = await ask(stack.url, '/accounts', { body })
    assert.deepEqual([large.status, large.headers['content-type']], [413, 'application/problem+json'])
    const almost = { email: 'x@example.com', password: 'p'.repeat(LIMITS.body - 100) }
    assert.equal((await ask(stack.url, '/accounts', { body: almost })).status, 422)
    assert.equal((await ask(stack.url, `/concerts?${'q'.repeat(LIMITS.url)}`)).status, 414)
    const fields = Object.fromEntries(Array.from({ length: 3 }, (_, n) => [`x-${n}`, 'f'.repeat(6000)]))
    assert.equal((await ask(stack.url, '/concerts', { headers: fields })).status, 431)
  })

  it('leaves compression to the app, and hides its health paths', async () => {
    const headers = { 'accept-encoding': 'gzip' }
    const [direct = ''] = stack.fleet.sockets
    const path = '/openapi.json'
    const [one, other] = await Promise.all([ask(direct, path, { headers }), ask(stack.url, path, { headers })])
    assert.deepEqual([one.headers['content-encoding'], other.headers['content-encoding']], ['gzip', 'gzip'])
    assert.equal((await ask(direct, '/health/readyz')).status, 200)
    for (const route of ['/health/readyz', '/health/livez', '/health/metrics']) {
      assert.equal((await ask(stack.url, route)).status, 404)
    }
  })
})

describe('a process that is killed', () => {
  it('loses only its request in progress, and is replaced', async () => {
    const [first = ''] = stack.fleet.sockets
    const rosa = await Customer.arrive(first, 'rosa@example.com')
    const pids = stack.fleet.pids
    const key = randomUUID()
    // The row is locked, so the request waits in the middle of its transaction.
    await control.query('begin')
    await control.query('select from concerts where id = $1 for update', [PHILHARMONIC])
    const lost = rosa.buy(stack.url, PHILHARMONIC, { key })
    const waiting = async (): Promise<string[]> => {
      const text = "select application_name as name from pg_stat_activity where wait_event_type = 'Lock'"
      const { rows } = await control.query<{ name: string }>(text)
      return rows.map(({ name }) => name)
    }
    await until(async () => (await waiting()).length === 1, 'the request waits')
    const index = Number((await waiting())[0]) - 1
    process.kill(pids[index] ?? 0, 'SIGKILL')
    for (let count = 0; count < 20; count++) assert.equal((await ask(stack.url, '/concerts')).status, 200)
    assert.equal((await lost).status, 502)
    await control.query('commit')

    await until(() => stack.fleet.pids[index] !== pids[index], 'a new process')
    assert.deepEqual(reported, [`Process ${index + 1} has died (SIGKILL). Another one is started`])
    await until(async () => (await waiting()).length === 0, 'the end of the transaction')
    assert.equal(await ordersOf(rosa.email), 0)
    assert.equal((await rosa.get(stack.url, '/session')).status, 200)

    // The key stays locked until its lease expires. The test shortens the lease in Redis.
    assert.equal((await rosa.buy(stack.url, PHILHARMONIC, { key })).status, 409)
    const redis = await createClient({ url: stack.redisUrl }).connect()
    for (const name of await redis.keys('shop:once:*')) {
      const left = await redis.pTTL(name)
      if (left <= 30_000) await redis.pExpire(name, 1)
    }
    redis.destroy()
    await until(async () => (await rosa.buy(stack.url, PHILHARMONIC, { key })).status === 201, 'the order')
    assert.equal(await ordersOf(rosa.email), 1)
  })
})

describe('an outage of Redis', () => {
  it('makes only sessions, orders and sign-in unavailable, until Redis is back', async () => {
    const [first = ''] = stack.fleet.sockets
    const mary = await Customer.arrive(first, 'mary@example.com')
    await stack.redis?.stop()
    assert.equal((await ask(stack.url, '/concerts')).status, 200)
    assert.equal((await ask(first, '/health/readyz')).status, 200)
    const refused = [
      await mary.get(stack.url, '/session'),
      await mary.buy(stack.url, PHILHARMONIC),
      await signIn(first, 'mary@example.com', { headers: { 'x-forwarded-for': '198.51.100.9' } }),
    ]
    for (const { status, body } of refused) {
      assert.equal(status, 503, body)
      assert.doesNotMatch(body, /redis|ECONN|socket|127\.0/i)
    }
    assert.equal(await ordersOf(mary.email), 0)

    await stack.redis?.start()
    // Redis stored nothing on disk, so sessions are lost. Signing in works again.
    await until(async () => (await mary.get(stack.url, '/session')).status === 401, 'Redis is back')
    const headers = { ...OWN_PAGE, 'x-forwarded-for': '198.51.100.10' }
    await until(async () => (await signIn(first, 'mary@example.com', { headers })).status === 200, 'a session')
  })
})
