import { IdempotencyStoreWithin } from './idempotency.js'
import { LimitStore } from './limits.js'
import { SessionStore } from './session.js'
interface PostgresPool {
  query(text: string, values: unknown[]): Promise<PostgresResult>
}
interface PostgresResult {
  readonly rows: readonly unknown[]
}
interface PostgresTable {
  readonly table?: string
}
interface PostgresOptions extends PostgresTable {
  readonly create?: boolean
}
interface PostgresStores<Store> {
  (pool: PostgresPool, options?: PostgresOptions): Store
  schema(options?: PostgresTable): string
}
declare const postgresSessions: PostgresStores<SessionStore>
declare const postgresIdempotency: PostgresStores<IdempotencyStoreWithin<PostgresPool>>
declare const postgresLimits: PostgresStores<LimitStore>
export { postgresIdempotency, postgresLimits, postgresSessions }
export type { PostgresOptions, PostgresPool, PostgresResult, PostgresStores, PostgresTable }
