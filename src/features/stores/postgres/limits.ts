/** PostgreSQL store for rate limits, shared by all processes. One statement counts with the clock of PostgreSQL. */
import { STORE_TIMES } from '../../../values/with-timeout.js'
import { expiryIndex, postgresStores, type PostgresStatements, type PostgresStores } from './statements.js'
import type { LimitStore } from '../limit-store.js'
import { chargeResult, SLOTS } from '../slots.js'

/**
 * Creates a store for rate limits in PostgreSQL 12 or later; default table `verbena_limits`. Only the clock of PostgreSQL is used, so the
 * clocks of the processes may differ. Invalid options are the setup error `OPTION_INVALID`. Each request writes one row, a rejected one too, so the table is unlogged:
 * after a crash of PostgreSQL it is empty, and all limits start again. Rows of clients that have gone are removed when another one is
 * written, at most 1,000 at a time. The table has no limit for one client.
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
export const postgresLimits: PostgresStores<LimitStore> = postgresStores({
  table: 'verbena_limits',
  tables: (table) => ({ names: [table], schema: buildSchema(table) }),
  name: 'postgresLimits',
  patience: STORE_TIMES.limits,
  create: createPostgresLimits,
})

function createPostgresLimits(statements: PostgresStatements, table: string): LimitStore {
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
 * Does the same as `charge` in `slots.ts`. A row has the numbers of the used slots, oldest first, and the amounts used in them. If the clock
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

/** With half of each page free, a new version of a row stays on its page, and no index changes. */
function buildSchema(table: string): string[] {
  const columns =
    'key text primary key, slots float8[] not null, amounts float8[] not null, allowed boolean not null, expires_at timestamptz not null'
  return [`create unlogged table if not exists ${table} (${columns}) with (fillfactor = 50)`, expiryIndex(table)]
}
