/** Session store in SQLite. */
import { sqliteSchema, sqliteStores, type SqliteStores, type SqliteTransactions } from './transactions.js'
import { storedText, type SessionStore } from '../session-store.js'

/**
 * Creates a store for sessions in SQLite, so that they survive a restart; default table `verbena_sessions`. Invalid options are the setup
 * error `OPTION_INVALID`. Expired sessions are removed after another one is written, at most 200 at a time.
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
export const sqliteSessions: SqliteStores<SessionStore> = sqliteStores({
  table: 'verbena_sessions',
  tables: (table) => ({ names: [table], schema: sqliteSchema(table, 'text text not null') }),
  name: 'sqliteSessions',
  create: createSqliteSessions,
})

const IS_CURRENT = 'key = ? and expires_at > ?'

function createSqliteSessions(transactions: SqliteTransactions, table: string): SessionStore {
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
