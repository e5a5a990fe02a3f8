/**
 * `verbena/postgres`: sessions, idempotency keys and rate limits in PostgreSQL.
 *
 * @module
 */

// # Stores in PostgreSQL
export { postgresSessions } from './features/session/postgres-sessions.js'
export { postgresIdempotency } from './features/idempotency/postgres-store.js'
export { postgresLimits } from './features/limits/postgres-limits.js'
export type { PostgresOptions, PostgresPool, PostgresTable } from './features/stores/postgres.js'

// # Inferred types
export type { PostgresResult, PostgresStores } from './features/stores/postgres.js'
