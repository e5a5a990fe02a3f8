/** PostgreSQL store for rate limits, shared by all processes. One statement counts with the clock of PostgreSQL. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { SetupError } from '../../errors/setup-error.js'
import {
  expiryIndex,
  PostgresStatements,
  postgresTable,
  type PostgresOptions,
  type PostgresPool,
  type PostgresTable,
} from '../stores/postgres.js'
import { schemaText } from '../stores/tables.js'
import type { LimitStore } from './store-types.js'
import { chargeResult, SLOTS } from './window.js'

/** Type of `postgresLimits`. */
export interface PostgresLimits {
  /**
   * Creates a store that counts requests in PostgreSQL, shared by all processes. Only the clock of PostgreSQL is used, so the clocks of the
   * processes may differ.
   *
   * @param pool pool of `pg` or database of PGlite; Verbena does not close it
   * @param options `table`, default `verbena_limits`; `create`
   * @returns a store for `rateLimit`
   * @throws SetupError `PROVIDER_INVALID`
   */
  (pool: PostgresPool, options?: PostgresOptions): LimitStore
  /**
   * Returns the SQL that creates the table, for a migration.
   *
   * @param options `table`, default `verbena_limits`
   * @returns statements, each ended by `;`
   * @throws SetupError `PROVIDER_INVALID`
   */
  schema(options?: PostgresTable): string
}

/**
 * Creates a store for rate limits in PostgreSQL 12 or later. Each request writes one row, a rejected one too, so the table is unlogged:
 * after a crash of PostgreSQL it is empty, and all limits start again. Rows of clients that have gone are removed when another one is
 * written, at most 1,000 a minute.
 *
 * @example
 * ```ts
 * import { rateLimit } from 'verbena/limits'
 * import { postgresLimits, type PostgresPool } from 'verbena/postgres'
 *
 * function limitsOf(pool: PostgresPool) {
 *   const store = postgresLimits(pool, { table: 'shop_limits' })
 *   return rateLimit({ by: ({ request }) => request.ip, limit: 100, window: 60_000, store })
 * }
 * ```
 */
export const postgresLimits: PostgresLimits = Object.assign(createLimits, {
  schema: (options: PostgresTable = {}) => schemaText(schemaOf(tableOf(options))),
})

startStackAtCaller(postgresLimits, postgresLimits.schema)

function createLimits(pool: PostgresPool, options: PostgresOptions = {}): LimitStore {
  const table = tableOf(options)
  const statements = new PostgresStatements(pool, options, { names: [table], schema: schemaOf(table) }, limitsError)
  const take = chargeStatement(table)
  return {
    async take(charge) {
      const { key, cost, limit, window } = charge
      const [row] = await statements.write(take, [key, cost, limit, window])
      // Proof: the statement returns one row with these columns.
      const { slots, amounts, allowed, now } = row as unknown as ChargedRow
      const pairs = slots.flatMap((slot, at) => [slot, Number(amounts[at])])
      return chargeResult(pairs, now, charge, allowed)
    },
  }
}

interface ChargedRow {
  readonly slots: readonly number[]
  readonly amounts: readonly number[]
  readonly allowed: boolean
  readonly now: number
}

/**
 * Does the same as `charge` in `window.ts`. A row has the numbers of the used slots, oldest first, and the amounts used in them. If the clock
 * was set back, slots in the future are merged into the current one, so that clients do not have to wait for the clock to catch up. The row
 * is locked by the conflict, so its subquery sees the row that all earlier requests have left.
 */
function chargeStatement(table: string): string {
  const time = 'extract(epoch from clock_timestamp())::float8 * 1000'
  const current = `floor(${time} * ${SLOTS} / $4::float8)::float8`
  const end = `clock_timestamp() + $4::float8 * ${(SLOTS + 1) / SLOTS} * interval '1 millisecond'`
  const isFirst = '$2::float8 > 0 and $2::float8 <= $3::float8'
  return `insert into ${table} as known (key, slots, amounts, allowed, expires_at)
  values ($1, case when ${isFirst} then array[${current}] else '{}' end,
    case when ${isFirst} then array[$2::float8] else '{}' end, $2::float8 <= $3::float8, ${end})
  on conflict (key) do update set (slots, amounts, allowed, expires_at) = (
    with clock as materialized (select ${current} as current),
    used as materialized (
      select least(slot, current) as slot, amount
      from clock, unnest(known.slots, known.amounts) as used (slot, amount) where slot >= current - ${SLOTS}
    ),
    verdict as materialized (select coalesce(sum(amount), 0) + $2::float8 <= $3::float8 as allowed from used),
    charged as (
      select slot, amount from used
      union all select current, $2::float8 from clock, verdict where allowed and $2::float8 > 0
    ),
    merged as (select slot, sum(amount) as amount from charged group by slot)
    select coalesce(array_agg(slot order by slot), '{}'), coalesce(array_agg(amount order by slot), '{}'),
      (select allowed from verdict), ${end}
    from merged
  )
  returning slots, amounts, allowed, ${time} as now`
}

function tableOf(options: PostgresOptions): string {
  return postgresTable(options, 'verbena_limits', limitsError)
}

/** With half of each page free, a new version of a row stays on its page, and no index changes. */
function schemaOf(table: string): string[] {
  const columns =
    'key text primary key, slots float8[] not null, amounts float8[] not null, allowed boolean not null, expires_at timestamptz not null'
  return [`create unlogged table if not exists ${table} (${columns}) with (fillfactor = 50)`, expiryIndex(table)]
}

function limitsError(why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot create a PostgreSQL limit store: ${why}`)
}
