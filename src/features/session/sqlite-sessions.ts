/** Session store in SQLite. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { SetupError } from '../../errors/setup-error.js'
import {
  sqliteSchema,
  sqliteTable,
  SqliteTransactions,
  type SqliteDatabase,
  type SqliteOptions,
  type SqliteTable,
} from '../stores/sqlite.js'
import { schemaText } from '../stores/tables.js'
import { storedText, type SessionStore } from './store.js'

/** Type of `sqliteSessions`. */
export interface SqliteSessions {
  /**
   * Creates a store in SQLite, so that sessions survive a restart, and all processes on the machine share them.
   *
   * @param database connection that only stores use, of `node:sqlite` or `better-sqlite3`; Verbena does not close it
   * @param options `table`, default `verbena_sessions`; `create`
   * @returns the store, for `session`
   * @throws SetupError `OPTION_INVALID`
   */
  (database: SqliteDatabase, options?: SqliteOptions): SessionStore
  /**
   * Returns the SQL that creates the table, for a migration.
   *
   * @param options `table`, default `verbena_sessions`
   * @returns statements, each ended by `;`
   * @throws SetupError `OPTION_INVALID`
   */
  schema(options?: SqliteTable): string
}

/**
 * Creates a store for sessions in SQLite. Expired sessions are removed when another one is written, at most 1,000 a minute.
 *
 * @example
 * ```ts
 * import { session } from 'verbena/session'
 * import { sqliteSessions, type SqliteDatabase } from 'verbena/sqlite'
 *
 * // With node:sqlite: new DatabaseSync('state.db')
 * const visitor = session({
 *   keys: ['6jLb0fN5S2mX4xk0u8YpZl1w9tQe7RcVhGdKsAoBnTI='],
 *   store: ({ state }: { state: SqliteDatabase }) => sqliteSessions(state, { create: true }),
 * })
 * sqliteSessions.schema().startsWith('create table if not exists "verbena_sessions"') // => true
 * ```
 */
export const sqliteSessions: SqliteSessions = Object.assign(createSessions, {
  schema: (options: SqliteTable = {}) => schemaText(buildSchema(readTable(options))),
})

startStackAtCaller(sqliteSessions, sqliteSessions.schema)

const IS_CURRENT = 'key = ? and expires_at > ?'

function createSessions(database: SqliteDatabase, options: SqliteOptions = {}): SessionStore {
  const table = readTable(options)
  const tables = { names: [table], schema: buildSchema(table) }
  const transactions = new SqliteTransactions(database, options, tables, sessionsError)
  const write = (text: string, ...values: (string | number)[]): boolean =>
    transactions.write(() => transactions.change(text, ...values))
  const select = `select text from ${table} where ${IS_CURRENT}`
  const insert = `insert into ${table} (key, text, expires_at) values (?, ?, ?)
    on conflict (key) do update set text = excluded.text, expires_at = excluded.expires_at`
  const update = `update ${table} set text = ?, expires_at = ? where ${IS_CURRENT}`
  const extend = `update ${table} set expires_at = ? where ${IS_CURRENT}`
  return {
    get: (key) => storedText(transactions.read(() => transactions.find(select, key, Date.now()))?.['text']),
    set: (key, text, end, kind) =>
      kind === 'changed' ? write(update, text, end, key, Date.now()) : write(insert, key, text, end),
    delete: (key) => write(`delete from ${table} where key = ?`, key),
    touch: (key, end) => write(extend, end, key, Date.now()),
  }
}

function readTable(options: SqliteOptions): string {
  return sqliteTable(options, 'verbena_sessions', sessionsError)
}

function buildSchema(table: string): string[] {
  return sqliteSchema(table, 'text text not null')
}

function sessionsError(why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot store sessions in SQLite: ${why}`)
}
