/** The connection pool as a service: created when the app starts, checked for readiness, ended when the app closes. */
import { service, type Service } from 'verbena'
import pg from 'pg'
import { migrate } from './migrate.js'
import { observePg } from './observe-pg.js'

// The console shows all queries. Without a console, this only calls `pg`.
observePg(pg)

/** Options of the pool, and a callback for errors. */
export interface DatabaseOptions extends pg.PoolConfig {
  /** Called with errors of idle connections. Without a listener, such an error would end the process. */
  readonly report: (error: Error) => void
}

/** Limits for everything, so that an unresponsive database cannot block requests forever. */
const BOUNDS: pg.PoolConfig = {
  max: 10,
  connectionTimeoutMillis: 3_000,
  statement_timeout: 10_000,
  idle_in_transaction_session_timeout: 10_000,
  keepAlive: true,
}

/** Creates the service of the database. Runs all migrations when it starts. */
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
