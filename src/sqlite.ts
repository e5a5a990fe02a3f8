/**
 * `verbena/sqlite`: sessions, idempotency keys and rate limits in SQLite.
 *
 * @module
 */

// # Stores in SQLite
export { sqliteSessions } from './features/session/sqlite-sessions.js'
export { sqliteIdempotency } from './features/idempotency/sqlite-store.js'
export type { SqliteIdempotencyOptions } from './features/idempotency/sqlite-store.js'
export { sqliteLimits } from './features/limits/sqlite-limits.js'
export type { SqliteDatabase, SqliteOptions, SqliteStatement, SqliteTable } from './features/stores/sqlite.js'

// # Inferred types
export type { SqliteIdempotency, SqliteTransaction } from './features/idempotency/sqlite-store.js'
export type { IdempotencyStore, IdempotencyStoreWithin, KeyClaim, KeyState } from './features/idempotency/store.js'
export type { SqliteChanges, SqliteStores, SqliteValue } from './features/stores/sqlite.js'
