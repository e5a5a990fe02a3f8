/** Session store in PostgreSQL. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { SetupError } from '../../errors/setup-error.js'
import {
  expiryIndex,
  PostgresStatements,
  postgresTable,
  type PostgresOptions,
  type PostgresPool,
  type PostgresTable,
} from '../stores/postgres.js'
import { schemaText } from '../stores/tables.js'
import { remainingLifetime, storedText, type SessionStore } from './store.js'

/** Type of `postgresSessions`. */
export interface PostgresSessions {
  /**
   * Creates a store in PostgreSQL, so that all processes of an app share their sessions.
   *
   * @param pool pool of `pg` or database of PGlite; Verbena does not close it
   * @param options `table`, default `verbena_sessions`; `create`
   * @returns the store, for `session`
   * @throws SetupError `OPTION_INVALID`
   */
  (pool: PostgresPool, options?: PostgresOptions): SessionStore
  /**
   * Returns the SQL that creates the table, for a migration.
   *
   * @param options `table`, default `verbena_sessions`
   * @returns statements, each ended by `;`
   * @throws SetupError `OPTION_INVALID`
   */
  schema(options?: PostgresTable): string
}

/**
 * Creates a store for sessions in PostgreSQL 12 or later. Expired sessions are removed when another one is written, at most 1,000 a minute.
 *
 * @example
 * ```ts
 * import { postgresSessions } from 'verbena/postgres'
 *
 * // With the package `pg`: new Pool({ connectionString: 'postgres://127.0.0.1/shop' })
 * const pool = { query: async () => ({ rows: [{ text: 'a text' }] }) }
 * const store = postgresSessions(pool, { table: 'shop_sessions' })
 * await store.get('a1b2') // => 'a text'
 * postgresSessions.schema().startsWith('create table if not exists "verbena_sessions"') // => true
 * ```
 */
export const postgresSessions: PostgresSessions = Object.assign(createSessions, {
  schema: (options: PostgresTable = {}) => schemaText(schemaOf(tableOf(options))),
})

startStackAtCaller(postgresSessions, postgresSessions.schema)

const END = "clock_timestamp() + $2::float8 * interval '1 millisecond'"
const IS_CURRENT = 'key = $1 and expires_at > clock_timestamp()'

function createSessions(pool: PostgresPool, options: PostgresOptions = {}): SessionStore {
  const table = tableOf(options)
  const tables = { names: [table], schema: schemaOf(table) }
  const statements = new PostgresStatements(pool, options, tables, sessionsError)
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

function tableOf(options: PostgresOptions): string {
  return postgresTable(options, 'verbena_sessions', sessionsError)
}

function schemaOf(table: string): string[] {
  const columns = 'key text primary key, text text not null, expires_at timestamptz not null'
  return [`create table if not exists ${table} (${columns})`, expiryIndex(table)]
}

function sessionsError(why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot store sessions in PostgreSQL: ${why}`)
}
