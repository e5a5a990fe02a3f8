import { IdempotencyStore, IdempotencyStoreWithin } from './core.js'
import { LimitStore } from './limits.js'
import { SessionStore } from './session.js'
export { KeyClaim, KeyState } from './core.js'
type SqliteValue = string | number
interface SqliteDatabase {
  prepare(sql: string): SqliteStatement
  exec(sql: string): unknown
}
interface SqliteStatement {
  run(...values: SqliteValue[]): SqliteChanges
  get(...values: SqliteValue[]): unknown
}
interface SqliteChanges {
  readonly changes: number | bigint
}
interface SqliteTable {
  readonly table?: string
}
interface SqliteOptions extends SqliteTable {
  readonly create?: boolean
}
interface SqliteStores<Store, Options extends SqliteOptions = SqliteOptions> {
  (database: SqliteDatabase, options?: Options): Store
  schema(options?: SqliteTable): string
}
declare const sqliteSessions: SqliteStores<SessionStore>
type SqliteTransaction = Pick<SqliteDatabase, 'prepare'>
interface SqliteIdempotencyOptions extends SqliteOptions {
  readonly responses?: SqliteDatabase
}
interface SqliteIdempotency extends SqliteStores<IdempotencyStore, SqliteIdempotencyOptions> {
  (
    database: SqliteDatabase,
    options: SqliteIdempotencyOptions & {
      readonly responses: SqliteDatabase
    },
  ): IdempotencyStoreWithin<SqliteTransaction>
}
declare const sqliteIdempotency: SqliteIdempotency
declare const sqliteLimits: SqliteStores<LimitStore>
export { IdempotencyStore, IdempotencyStoreWithin, sqliteIdempotency, sqliteLimits, sqliteSessions }
export type {
  SqliteChanges,
  SqliteDatabase,
  SqliteIdempotency,
  SqliteIdempotencyOptions,
  SqliteOptions,
  SqliteStatement,
  SqliteStores,
  SqliteTable,
  SqliteTransaction,
  SqliteValue,
}
