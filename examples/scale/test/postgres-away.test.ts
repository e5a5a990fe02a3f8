/** PostgreSQL that goes away during each statement of the stores, at each isolation level. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, describe, it } from 'node:test'
import { bearer, Route, type Input } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { postgresIdempotency, postgresLimits, postgresSessions } from 'verbena/postgres'
import pg from 'pg'
import { CutProxy } from '../../postgres/test/cut-proxy.js'
import { PostgresServer } from '../../postgres/test/postgres-server.js'
import { recordUncaught } from '../../postgres/test/support.js'
import { transaction } from '../database.js'
import { awayCases, createShop, type Shop } from './away-shop.js'
import { until } from './support.js'

const TABLES = [
  'verbena_sessions',
  'verbena_limits',
  'verbena_idempotency_claims',
  'verbena_idempotency_answers',
  'orders',
]
const COMMANDS = {
  ...{ get: 'select text from', start: 'insert into "verbena_sessions"', change: 'set text = $3' },
  ...{ end: 'delete from "verbena_sessions" where key', count: 'insert into "verbena_limits"' },
  ...{
    claim: 'with answered as',
    keep: 'select $1, $3, $4',
    free: 'delete from "verbena_idempotency_claims" where key',
  },
}
const CASES = awayCases(COMMANDS)
/** Statements of a request whose response is stored in its transaction, and its status if one is lost. */
const WITHIN = [
  ['with answered as', 503],
  ['begin', 500],
  ['insert into orders', 500],
  ['values ($1, $2, $3', 500],
  ['commit', 500],
  [COMMANDS.free, 204],
] as const

const uncaught = recordUncaught()
const server = new PostgresServer()
const control = new pg.Pool({ max: 2 })
let proxy: CutProxy

before(async () => {
  await server.start()
  Object.assign(control.options, { connectionString: server.url })
  control.on('error', () => {})
  proxy = new CutProxy(server.port)
  await proxy.start()
  const schema = postgresSessions.schema() + postgresLimits.schema() + postgresIdempotency.schema()
  await control.query(`${schema} create table orders (key text)`)
})
after(async () => {
  await control.end()
  await proxy.stop()
  await server.remove()
})
afterEach(() => assert.deepEqual(uncaught.splice(0), []))

const APP = "application_name = 'away'"
const terminate = (): Promise<unknown> =>
  control.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${APP}`)
const isWaiting = async (): Promise<boolean> =>
  (await control.query(`select from pg_stat_activity where ${APP} and wait_event_type = 'Lock'`)).rowCount !== 0

function createPool(level: string): pg.Pool {
  const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
  const connectionString = server.url.replace(/:\d+\//, `:${proxy.port}/`)
  return new pg.Pool({ connectionString, options, application_name: 'away', max: 3 }).on('error', () => {})
}

/** Creates an app, and the requests whose orders are stored together with their response. */
function createOrders(db: pg.Pool): Shop {
  const keys = postgresIdempotency(db)
  const user = bearer((token) => ({ id: token }))
  const once = idempotency({
    by: ({ user }) => user.id,
    uses: { user },
    ttl: 60_000,
    lease: 1_000,
    within: transaction,
    store: keys,
  })
  class Orders extends Route {
    static readonly post = this.contract({ idempotency: once, uses: { tx: transaction }, returns: null })
    async post({ request, tx }: Input<typeof Orders.post>) {
      await tx.query('insert into orders values ($1)', [request.idempotencyKey])
    }
  }
  const stores = { sessions: postgresSessions(db), limits: postgresLimits(db), keys }
  return createShop(stores, { Orders }, { db })
}

for (const level of ['read committed', 'repeatable read', 'serializable']) {
  describe(`PostgreSQL that goes away at ${level}`, () => {
    let pool: pg.Pool
    let shop: Shop
    before(() => {
      pool = createPool(level)
      shop = createOrders(pool)
    })
    after(async () => {
      await shop.close()
      await pool.end()
    })

    const order = (key: string): Promise<number> =>
      shop.send('/orders', 'POST', { authorization: 'Bearer ada', 'idempotency-key': `"${key}"` })
    const ordered = async (key: string): Promise<number | null> =>
      (await control.query('select from orders where key = $1', [key])).rowCount
    /** Retries until the lease of a request has expired that could not release its key. */
    const retry = async (send: () => Promise<number>, ...others: number[]): Promise<number> => {
      let status = 409
      const isRetried = (): boolean => status === 409 || others.includes(status)
      const isDone = async (): Promise<boolean> => {
        status = await send()
        return !isRetried()
      }
      await until(isDone, 'the key is free')
      return status
    }

    for (const { name, command, prepare, send, lost, again } of CASES) {
      for (const cut of ['command', 'result'] as const) {
        it(`responds ${lost} if the ${cut} is lost: ${name}`, async () => {
          await prepare?.(shop)
          const [key, { count }] = [randomUUID(), proxy]
          proxy.cutAt(command, cut)
          assert.equal(await send(shop, key), lost)
          assert.equal(proxy.count, count + 1)
          const next = await retry(() => send(shop, key))
          assert.ok(next === again || (name === 'end a session' && cut === 'result'), String(next))
          // A response that is not stored lets a retry run, after the lease.
          const runs = shop.made.filter((made) => made === key).length
          const isAgain = name === 'release a key' || (name === 'store a response' && cut === 'command')
          assert.ok(runs <= (isAgain ? 2 : 1), String(runs))
        })
      }

      it(`responds ${lost} if its connection is ended while it waits: ${name}`, async () => {
        await prepare?.(shop)
        const holder = await control.connect()
        const key = randomUUID()
        try {
          await holder.query(`begin; lock table ${TABLES.join()} in access exclusive mode`)
          const response = send(shop, key)
          // Statements before this one wait first.
          await until(isWaiting, 'the statement waits')
          await terminate()
          await holder.query('rollback')
          assert.ok([lost, 503, again].includes(await response))
        } finally {
          holder.release()
        }
        // The pool may not have noticed yet that its other connections were ended.
        assert.equal(await retry(() => send(shop, key), 503), again)
      })
    }

    for (const [command, expected] of WITHIN) {
      for (const cut of ['command', 'result'] as const) {
        it(`makes an order once if the ${cut} is lost: ${command}`, async () => {
          const [key, { count }] = [randomUUID(), proxy]
          proxy.cutAt(command, cut)
          const status = await order(key)
          assert.equal(status, expected)
          assert.equal(proxy.count, count + 1)
          for (let attempt = 0; attempt < 2; attempt++) assert.equal(await retry(() => order(key)), 204)
          assert.equal(await ordered(key), 1)
        })
      }
    }

    it('is available again after its connections were ended while idle', async () => {
      await Promise.all([shop.send('/closed'), shop.send('/closed'), order(randomUUID())])
      await terminate()
      await until(() => pool.totalCount === 0, 'the pool has no connection')
      assert.deepEqual([await shop.send('/closed'), await order(randomUUID())], [204, 204])
    })

    for (const ending of ['fast', 'immediate'] as const) {
      it(`is available again after a restart, and orders are made once: ${ending}`, async () => {
        await shop.signIn()
        const keys = Array.from({ length: 6 }, () => randomUUID())
        const orders = keys.map((key) => order(key))
        await server.stop(ending)
        const statuses = await Promise.all(orders)
        assert.ok(
          statuses.every((status) => [204, 500, 503].includes(status)),
          statuses.join(),
        )
        assert.deepEqual(
          [
            await shop.sendSignedIn('/cart'),
            await shop.send('/closed'),
            await shop.send('/open'),
            await order(keys[0] ?? ''),
          ],
          [503, 503, 204, 503],
        )
        await server.start()
        for (const key of keys) {
          assert.equal(await retry(() => order(key)), 204)
          assert.equal(await ordered(key), 1)
        }
        assert.deepEqual([await shop.sendSignedIn('/cart'), await shop.send('/closed')], [204, 204])
      })
    }
  })
}
