/** The stores in a PostgreSQL whose transactions are `repeatable read` or `serializable` by default, with parallel requests. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { bearer, createApp, Route, type Input } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { rateLimit } from 'verbena/limits'
import { postgresIdempotency, postgresLimits, postgresSessions } from 'verbena/postgres'
import { session } from 'verbena/session'
import pg from 'pg'
import * as z from 'zod'
import { PostgresServer } from '../../postgres/test/postgres-server.js'

const LIMIT = 5
const REQUESTS = 12

let server: PostgresServer
before(async () => {
  server = new PostgresServer()
  await server.start()
})
after(() => server.remove())

for (const level of ['read committed', 'repeatable read', 'serializable']) {
  describe(`stores at ${level}`, () => {
    let pool: pg.Pool
    const lines: string[] = []
    before(async () => {
      const options = `-c default_transaction_isolation=${level.replace(' ', '\\ ')}`
      pool = new pg.Pool({ connectionString: server.url, options, max: 10 })
      assert.equal(
        (await pool.query('show default_transaction_isolation')).rows[0].default_transaction_isolation,
        level,
      )
    })
    after(() => pool.end())

    function createShop() {
      const name = level.replace(' ', '_')
      const visits = rateLimit({
        ...{ by: () => 'ada', limit: LIMIT, window: 60_000, whenDown: 'open' },
        store: postgresLimits(pool, { table: `limits_${name}`, create: true }),
      })
      const user = bearer((token) => ({ id: token }))
      const once = idempotency({
        by: ({ user }) => user.id,
        uses: { user },
        ttl: 60_000,
        store: postgresIdempotency(pool, { table: `keys_${name}`, create: true }),
      })
      const visitor = session({
        ...{ schema: z.object({ count: z.int() }), keys: ['k'.repeat(43)] },
        store: postgresSessions(pool, { table: `sessions_${name}`, create: true }),
      })
      class Visits extends Route {
        static readonly get = this.contract({ uses: { visits } })
        get() {
          return 'welcome'
        }
      }
      const made: string[] = []
      class Payments extends Route {
        static readonly post = this.contract({ idempotency: once, returns: z.int() })
        async post() {
          return made.push('payment')
        }
      }
      class Carts extends Route {
        static readonly post = this.contract({ uses: { visitor } })
        async post({ visitor }: Input<typeof Carts.post>) {
          if (visitor.value === undefined) visitor.start({ count: 0 })
          else visitor.set({ count: visitor.value.count + 1 })
        }
      }
      const write = (_fields: object, message = ''): void => void lines.push(message)
      const logger = { debug: () => {}, info: () => {}, warn: write, error: write }
      return { made, app: createApp({ routes: { Visits, Payments, Carts }, logger, signals: false }) }
    }

    it('counts, stores and changes in parallel as at read committed, without a failure', async () => {
      const { app, made } = createShop()
      const send = (path: string, method: string, headers = {}): Promise<Response> =>
        app.fetch(new Request(`http://localhost${path}`, { method, headers }))
      const sendAll = async (path: string, method: string, headers = {}): Promise<number[]> => {
        const responses = await Promise.all(Array.from({ length: REQUESTS }, () => send(path, method, headers)))
        return responses.map(({ status }) => status).toSorted((a, b) => a - b)
      }
      const visits = await sendAll('/visits', 'GET')
      assert.equal(visits.filter((status) => status === 200).length, LIMIT, visits.join())

      const paid = await sendAll('/payments', 'POST', { authorization: 'Bearer ada', 'idempotency-key': '"a"' })
      assert.deepEqual([made, paid.filter((status) => status !== 200 && status !== 409)], [['payment'], []])

      const [cookie = ''] = (await send('/carts', 'POST')).headers.getSetCookie()
      const changed = await sendAll('/carts', 'POST', { cookie: cookie.slice(0, cookie.indexOf(';')) })
      assert.deepEqual(new Set(changed), new Set([204]))
      assert.deepEqual(lines, [])
      await app.close()
    })
  })
}
