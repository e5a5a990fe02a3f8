/** PostgreSQL: data that must be consistent and durable. A pool for each process, and a transaction for requests that use one. */
import { provide, service } from 'verbena'
import pg from 'pg'
import { POOL } from './limits.js'

/** Runs statements: the pool, or one of its connections. */
export type Queryable = Pick<pg.Pool, 'query'>

/** Limits, so that an unresponsive database cannot block requests forever. */
const BOUNDS: pg.PoolConfig = { max: POOL, connectionTimeoutMillis: 3_000, statement_timeout: 8_000, keepAlive: true }

const TABLES = `
  create table if not exists accounts (
    id integer primary key generated always as identity,
    email text not null unique,
    password text not null
  );
  create table if not exists concerts (
    id integer primary key,
    artist text not null,
    available integer not null check (available >= 0)
  );
  create table if not exists orders (
    id integer primary key generated always as identity,
    account integer not null references accounts,
    concert integer not null references concerts,
    tickets integer not null
  );
  insert into concerts values (1, 'Club night', 40), (2, 'Philharmonic', 2000), (3, 'Open air', 1000000) on conflict do nothing;
`

/** Creates the pool. It has no `check`, because an outage of the database would make all processes not ready, and nothing would respond. */
export function database(connectionString: string, name: string) {
  return service(
    async () => {
      // PostgreSQL shows this name for each connection.
      const pool = new pg.Pool({ ...BOUNDS, connectionString, application_name: name })
      pool.on('error', (error) => console.error(`A connection was lost: ${error.message}`))
      try {
        // One query string is one transaction. All processes start together: one creates the tables, and the others wait for the lock.
        await pool.query(`select pg_advisory_xact_lock(7205760); ${TABLES}`)
        return pool
      } catch (error) {
        await pool.end()
        throw error
      }
    },
    { close: (pool) => pool.end() },
  )
}

/** A transaction, committed before the response is sent, rolled back if anything fails. `examples/postgres` has a safer version. */
export const transaction = provide({}, async function* (_input, { db }: { db: pg.Pool }) {
  const client = await db.connect()
  client.on('error', ignore)
  let isBroken = false
  try {
    await client.query('begin')
    const statements: Queryable = client
    yield statements
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('Cannot commit: a statement has failed')
  } catch (error) {
    await client.query('rollback').catch(() => (isBroken = true))
    throw error
  } finally {
    client.off('error', ignore)
    client.release(isBroken)
  }
})

function ignore(): void {}
