/** SQLite store for rate limits, shared by the processes on one machine. */
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
import type { LimitStore } from './store-types.js'
import { charge, mergeFutureSlots, SLOTS, type Slots } from './window.js'

/** Type of `sqliteLimits`. */
export interface SqliteLimits {
  /**
   * Creates a store that counts requests in SQLite, shared by all processes on the machine.
   *
   * @param database connection that only stores use, of `node:sqlite` or `better-sqlite3`; Verbena does not close it
   * @param options `table`, default `verbena_limits`; `create`
   * @returns a store for `rateLimit`
   * @throws SetupError `PROVIDER_INVALID`
   */
  (database: SqliteDatabase, options?: SqliteOptions): LimitStore
  /**
   * Returns the SQL that creates the table, for a migration.
   *
   * @param options `table`, default `verbena_limits`
   * @returns statements, each ended by `;`
   * @throws SetupError `PROVIDER_INVALID`
   */
  schema(options?: SqliteTable): string
}

/**
 * Creates a store for rate limits in SQLite. Each allowed request writes one row; a rejected request only reads. Rows of clients that have
 * gone are removed when another one is written, at most 1,000 a minute.
 *
 * @example
 * ```ts
 * import { rateLimit } from 'verbena/limits'
 * import { sqliteLimits, type SqliteDatabase } from 'verbena/sqlite'
 *
 * const attempts = rateLimit({
 *   by: ({ request }) => request.ip,
 *   limit: 5,
 *   window: 60_000,
 *   store: ({ state }: { state: SqliteDatabase }) => sqliteLimits(state, { table: 'attempts' }),
 * })
 * sqliteLimits.schema().startsWith('create table if not exists "verbena_limits"') // => true
 * ```
 */
export const sqliteLimits: SqliteLimits = Object.assign(createLimits, {
  schema: (options: SqliteTable = {}) => schemaText(buildSchema(readTable(options))),
})

startStackAtCaller(sqliteLimits, sqliteLimits.schema)

function createLimits(database: SqliteDatabase, options: SqliteOptions = {}): LimitStore {
  const table = readTable(options)
  const tables = { names: [table], schema: buildSchema(table) }
  const transactions = new SqliteTransactions(database, options, tables, limitsError)
  const select = `select slots from ${table} where key = ? and expires_at > ?`
  const insert = `insert or replace into ${table} (key, slots, expires_at) values (?, ?, ?)`
  return {
    take: (asked) =>
      transactions.write(() => {
        const { key, cost, window } = asked
        const now = Date.now()
        const slots = parseSlots(transactions.find(select, key, now)?.['slots'])
        mergeFutureSlots(slots, now, window)
        const result = charge(slots, now, asked)
        const end = now + (window * (SLOTS + 1)) / SLOTS
        if (result.allowed && cost > 0) transactions.change(insert, key, JSON.stringify(slots), Math.ceil(end))
        return result
      }),
  }
}

function parseSlots(text: unknown): Slots {
  // Proof: only this store writes the column.
  return typeof text === 'string' ? (JSON.parse(text) as Slots) : []
}

function readTable(options: SqliteOptions): string {
  return sqliteTable(options, 'verbena_limits', limitsError)
}

function buildSchema(table: string): string[] {
  return sqliteSchema(table, 'slots text not null')
}

function limitsError(why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot create a SQLite limit store: ${why}`)
}
