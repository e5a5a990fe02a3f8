/** SQLite store for rate limits, shared by the processes on one machine. */
import { SetupError } from '../../errors/setup-error.js'
import { sqliteSchema, sqliteStores, type SqliteStores, type SqliteTransactions } from '../stores/sqlite.js'
import type { LimitStore } from './store-types.js'
import { charge, mergeFutureSlots, SLOTS, type Slots } from './window.js'

/**
 * Creates a store for rate limits in SQLite; default table `verbena_limits`. Invalid options are the setup error `PROVIDER_INVALID`. Each allowed request writes one row; a rejected request only reads. Rows of clients that have
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
export const sqliteLimits: SqliteStores<LimitStore> = sqliteStores({
  table: 'verbena_limits',
  tables: (table) => ({ names: [table], schema: sqliteSchema(table, 'slots text not null') }),
  invalid: (why) => new SetupError('PROVIDER_INVALID', `Cannot create a SQLite limit store: ${why}`),
  create: createLimits,
})

function createLimits(transactions: SqliteTransactions, table: string): LimitStore {
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
