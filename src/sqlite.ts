/**
 * `verbena/sqlite`: sessions, idempotency keys and rate limits in SQLite.
 *
 * @module
 */

// # Stores in SQLite
export { sqliteSessions } from './features/stores/sqlite/sessions.js'
export { sqliteIdempotency } from './features/stores/sqlite/idempotency.js'
export type { SqliteIdempotencyOptions } from './features/stores/sqlite/idempotency.js'
export { sqliteLimits } from './features/stores/sqlite/limits.js'
export type {
  SqliteDatabase,
  SqliteOptions,
  SqliteStatement,
  SqliteTable,
} from './features/stores/sqlite/transactions.js'

// # Inferred types
export type { SqliteIdempotency, SqliteTransaction } from './features/stores/sqlite/idempotency.js'
export type {
  IdempotencyStore,
  IdempotencyStoreWithin,
  KeyClaim,
  KeyState,
} from './features/stores/idempotency-store.js'
export type { SqliteChanges, SqliteStores, SqliteValue } from './features/stores/sqlite/transactions.js'
