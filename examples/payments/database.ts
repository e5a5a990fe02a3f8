/** PostgreSQL: the connection pool as a service, and a transaction for each request that uses one. */
import { provide, service, type Logger } from 'verbena'
import pg from 'pg'

/** Runs statements: the pool, or a transaction. */
export interface Queryable {
  query<Row extends pg.QueryResultRow>(text: string, values?: unknown[]): Promise<pg.QueryResult<Row>>
}

interface Connection {
  readonly config: { readonly DATABASE_URL: string }
  readonly log: Logger
}

/** Limits for everything, so that an unresponsive database cannot block requests forever. */
const BOUNDS: pg.PoolConfig = {
  max: 10,
  connectionTimeoutMillis: 5_000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  keepAlive: true,
}

/** Key of the lock: any number, but the same in all processes. */
const LOCK = 7_205_761

/** Creates the service of the pool. When it starts, it creates missing tables, one process at a time. */
export function database(schema: string) {
  return service(
    async ({ config, log }: Connection) => {
      const pool = new pg.Pool({ ...BOUNDS, connectionString: config.DATABASE_URL })
      // Without a listener, the loss of an idle connection ends the process.
      pool.on('error', (err) => log.warn({ err }, 'Idle connection lost'))
      try {
        // PostgreSQL runs several statements in one query as one transaction, so the lock is released at its end.
        await pool.query(`select pg_advisory_xact_lock(${LOCK}); ${schema}`)
        return pool
      } catch (error) {
        await pool.end()
        throw error
      }
    },
    { close: (pool) => pool.end(), check: (pool) => pool.query('select 1') },
  )
}

/** Provides the transaction of a request: committed before the response is sent, rolled back if anything fails. */
export const transaction = provide({}, async function* (_input, { db }: { db: pg.Pool }) {
  const client = await db.connect()
  let isOver = false
  let isBroken = false
  // Without a listener, a connection that is lost between two statements ends the process. With it, the next statement fails.
  client.on('error', ignore)
  try {
    await client.query('begin')
    yield {
      // After the end, a statement would run in the transaction of another request.
      async query<Row extends pg.QueryResultRow>(text: string, values: unknown[] = []) {
        if (isOver) throw new Error('Cannot query: the transaction is over')
        return client.query<Row>(text, values)
      },
    }
    isOver = true
    // If a statement has failed, PostgreSQL responds to "commit" with ROLLBACK, and does not report an error.
    const { command } = await client.query('commit')
    if (command !== 'COMMIT') throw new Error('Cannot commit: a statement has failed')
  } catch (error) {
    isOver = true
    await client.query('rollback').catch(() => (isBroken = true))
    throw error
  } finally {
    client.off('error', ignore)
    client.release(isBroken)
  }
})

function ignore(): void {}
