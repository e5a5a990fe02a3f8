/**
 * `verbena/postgres`: sessions, idempotency keys and rate limits in PostgreSQL.
 *
 * @module
 */

// # Stores in PostgreSQL
export { postgresSessions } from './features/stores/postgres/sessions.js'
export { postgresIdempotency } from './features/stores/postgres/idempotency.js'
export { postgresLimits } from './features/stores/postgres/limits.js'
export type { PostgresOptions, PostgresPool, PostgresTable } from './features/stores/postgres/statements.js'

// # Inferred types
export type { PostgresResult, PostgresStores } from './features/stores/postgres/statements.js'
