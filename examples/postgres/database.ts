/** The pool of connections, as a service: made when the app starts, asked whether it is ready, ended when the app closes. */
import { service, type Service } from 'verbena'
import pg from 'pg'
import { migrate } from './migrate.js'

/** What the database is reached by, and who is told of trouble. */
export interface DatabaseOptions extends pg.PoolConfig {
  /** Takes what becomes of connections while nobody uses them; unheard it would end the process. */
  readonly report: (error: Error) => void
}

/** Bounds on everything: a database that does not answer must not hold requests for ever. */
const BOUNDS: pg.PoolConfig = {
  max: 10,
  connectionTimeoutMillis: 3_000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  keepAlive: true,
}

/** The database, with all migrations made. */
export function database({ report, ...config }: DatabaseOptions): Service<pg.Pool> {
  return service(
    async () => {
      const pool = new pg.Pool({ ...BOUNDS, ...config })
      pool.on('error', report)
      try {
        await migrate(pool)
        return pool
      } catch (error) {
        await pool.end()
        throw error
      }
    },
    { close: (pool) => pool.end(), check: (pool) => pool.query('select 1') },
  )
}
