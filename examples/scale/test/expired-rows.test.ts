/** Expired rows in PostgreSQL. */
import { after, before, describe, it } from 'node:test'
import { postgresIdempotency, postgresLimits, postgresSessions } from 'verbena/postgres'
import pg from 'pg'
import { PostgresServer } from '../../postgres/test/postgres-server.js'
import {
  buildClaim,
  INSERTED,
  MINUTE,
  nextMinute,
  passTenMinutes,
  type FilledTable,
} from '../../sqlite/test/ten-minutes.js'

describe('a table of a store in PostgreSQL', () => {
  let server: PostgresServer
  let pool: pg.Pool

  before(async () => {
    server = new PostgresServer()
    await server.start()
    pool = new pg.Pool({ connectionString: server.url, max: 4 })
    await pool.query(postgresSessions.schema() + postgresLimits.schema() + postgresIdempotency.schema())
  })
  after(async () => {
    await pool.end()
    await server.remove()
  })

  const tableOf = (table: string, columns: string, values: string, write: FilledTable['write']): FilledTable => ({
    write,
    count: async () => (await pool.query(`select count(*)::int as n from ${table}`)).rows[0].n,
    async pass(minute) {
      const rows = `select 'k${minute}-' || n, ${values}, now() + interval '1 minute' from generate_series(1, ${INSERTED}) n`
      await pool.query(`update ${table} set expires_at = expires_at - interval '1 minute';
        insert into ${table} (key, ${columns}, expires_at) ${rows}`)
    },
  })

  it('has the rows of at most two minutes: sessions', (t) => {
    const store = postgresSessions(pool)
    const write = (key: string): unknown => store.set(key, 'text', nextMinute(), 'new')
    return passTenMinutes(t, tableOf('verbena_sessions', 'text', "'text'", write))
  })

  it('has the rows of at most two minutes: limits', (t) => {
    const store = postgresLimits(pool)
    const write = (key: string): unknown => store.take({ key, limit: 1, window: MINUTE, cost: 1 })
    return passTenMinutes(t, tableOf('verbena_limits', 'slots, amounts, allowed', "'{1}', '{1}', true", write))
  })

  it('has the rows of at most two minutes: claims of keys', (t) => {
    const store = postgresIdempotency(pool)
    const write = (key: string): unknown => store.claim(buildClaim(key))
    return passTenMinutes(t, tableOf('verbena_idempotency_claims', 'owner, request', "'o', 'r'", write))
  })

  it('has the rows of at most two minutes: responses', (t) => {
    const store = postgresIdempotency(pool)
    const write = (key: string): unknown => store.complete(buildClaim(key), 'answer', MINUTE)
    return passTenMinutes(t, tableOf('verbena_idempotency_answers', 'request, answer', "'r', 'a'", write))
  })
})
