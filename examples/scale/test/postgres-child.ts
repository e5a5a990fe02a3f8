/** A process that creates the tables of all stores, then claims keys and counts requests, and sends the results. */
import { once } from 'node:events'
import { Pool } from 'pg'
import { postgresIdempotency, postgresLimits, postgresSessions } from 'verbena/postgres'

const [, , url = '', round = ''] = process.argv
const pool = new Pool({ connectionString: url, max: 5 })
const options = { table: `raced_${round}`, create: true }
const sessions = postgresSessions(pool, { ...options, table: `sessions_${round}` })
const keys = postgresIdempotency(pool, options)
const limits = postgresLimits(pool, { ...options, table: `limits_${round}` })

await pool.query('select 1')
process.send?.('ready')
await once(process, 'message')
const owner = String(process.pid)
const states = await Promise.all(
  Array.from({ length: 40 }, (_, key) =>
    keys.claim({ key: `k${key}`, client: 'c', owner, request: 'r', lease: 60_000 }),
  ),
)
const charges = await Promise.all(
  Array.from({ length: 40 }, () => limits.take({ key: 'all', limit: 60, window: 60_000, cost: 1 })),
)
const isStored = await sessions.set(owner, 'text', Date.now() + 60_000, 'new')
process.send?.({
  claimed: states.filter(({ state }) => state === 'claimed').length,
  allowed: charges.filter(({ allowed }) => allowed).length,
  isStored,
})
await pool.end()
process.disconnect()
