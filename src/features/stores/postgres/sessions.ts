/** Session store in PostgreSQL. */
import { STORE_TIMES } from '../../../values/with-timeout.js'
import { expiryIndex, postgresStores, type PostgresStatements, type PostgresStores } from './statements.js'
import { remainingLifetime, storedText, type SessionStore } from '../session-store.js'

/**
 * Creates a store for sessions in PostgreSQL 12 or later; default table `verbena_sessions`. Invalid options are the setup error
 * `OPTION_INVALID`. Expired sessions are removed when another one is written, at most 1,000 at a time.
 *
 * @example
 * ```ts
 * import { postgresSessions } from 'verbena/postgres'
 *
 * // With the package `pg`: new Pool({ connectionString: 'postgres://127.0.0.1/shop' }).on('error', console.error)
 * const pool = { query: async () => ({ rows: [{ text: 'a text' }] }) }
 * const store = postgresSessions(pool, { table: 'shop_sessions' })
 * await store.get('a1b2') // => 'a text'
 * postgresSessions.schema().startsWith('create table if not exists "verbena_sessions"') // => true
 * ```
 */
export const postgresSessions: PostgresStores<SessionStore> = postgresStores({
  table: 'verbena_sessions',
  tables: (table) => {
    const columns = 'key text primary key, text text not null, expires_at timestamptz not null'
    return { names: [table], schema: [`create table if not exists ${table} (${columns})`, expiryIndex(table)] }
  },
  name: 'postgresSessions',
  patience: STORE_TIMES.sessions,
  create: createPostgresSessions,
})

const END = "clock_timestamp() + $2::float8 * interval '1 millisecond'"
const IS_CURRENT = 'key = $1 and expires_at > clock_timestamp()'

function createPostgresSessions(statements: PostgresStatements, table: string): SessionStore {
  const write = async (text: string, values: unknown[]): Promise<boolean> =>
    (await statements.write(text, values)).length > 0
  const select = `select text from ${table} where ${IS_CURRENT}`
  const insert = `insert into ${table} (key, text, expires_at) values ($1, $3, ${END})
    on conflict (key) do update set text = excluded.text, expires_at = excluded.expires_at returning 1`
  const update = `update ${table} set text = $3, expires_at = ${END} where ${IS_CURRENT} returning 1`
  const extend = `update ${table} set expires_at = ${END} where ${IS_CURRENT} returning 1`
  return {
    get: async (key) => storedText((await statements.read(select, [key]))[0]?.['text']),
    set: (key, text, end, kind) => write(kind === 'changed' ? update : insert, [key, remainingLifetime(end), text]),
    delete: (key) => write(`delete from ${table} where key = $1`, [key]),
    touch: (key, end) => write(extend, [key, remainingLifetime(end)]),
  }
}
