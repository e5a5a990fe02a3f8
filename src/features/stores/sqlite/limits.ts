/** SQLite store for rate limits, shared by the processes on one machine. */
import { sqliteSchema, sqliteStores, type SqliteStores, type SqliteTransactions } from './transactions.js'
import type { Charge, ChargeResult, LimitStore } from '../limit-store.js'
import { charge, mergeFutureSlots, SLOTS, type Slots } from '../slots.js'

/**
 * Creates a store for rate limits in SQLite; default table `verbena_limits`. Invalid options are the setup error `OPTION_INVALID`. Each allowed request writes one row; a rejected request only reads. Rows of clients that have
 * gone are removed after another one is written, at most 200 at a time.
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
  name: 'sqliteLimits',
  create: createSqliteLimits,
})

/** Time without the store after a failure, in ms. Then one request tries it again, and waits shortly for the lock of another process. */
const OUTAGE = 2_000
const MAX_WAIT = 50

function createSqliteLimits(transactions: SqliteTransactions, table: string): LimitStore {
  const take = chargeWithin(transactions, table)
  /** Time of the next attempt, in ms since the start of the process; `null` while the store is available. */
  let retryAt: number | null = null
  return {
    take(chargeOptions) {
      if (retryAt !== null && performance.now() < retryAt) throw new Error(OUT)
      try {
        const result =
          retryAt !== null ? transactions.waitAtMost(MAX_WAIT, () => take(chargeOptions)) : take(chargeOptions)
        retryAt = null
        return result
      } catch (error) {
        retryAt = performance.now() + OUTAGE
        throw error
      }
    },
  }
}

const OUT = `Cannot count in SQLite: the last attempt has failed, and the next one is ${OUTAGE} ms after it`

/** Returns the function that counts a request in a transaction. */
function chargeWithin(transactions: SqliteTransactions, table: string): (chargeOptions: Charge) => ChargeResult {
  const select = `select slots from ${table} where key = ? and expires_at > ?`
  const insert = `insert or replace into ${table} (key, slots, expires_at) values (?, ?, ?)`
  return (chargeOptions) =>
    transactions.write(() => {
      const { key, cost, window } = chargeOptions
      const now = Date.now()
      const slots = parseSlots(transactions.find(select, key, now)?.['slots'])
      mergeFutureSlots(slots, now, window)
      const result = charge(slots, now, chargeOptions)
      const end = now + (window * (SLOTS + 1)) / SLOTS
      if (result.allowed && cost > 0) transactions.change(insert, key, JSON.stringify(slots), Math.ceil(end))
      return result
    })
}

function parseSlots(text: unknown): Slots {
  // Proof: only this store writes the column.
  return typeof text === 'string' ? (JSON.parse(text) as Slots) : []
}
