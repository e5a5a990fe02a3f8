/** PostgreSQL store for idempotency keys and responses, for apps with several processes. */
import { STORE_TIMES } from '../../../values/with-timeout.js'
import { hasMethods, isObject, type UnknownRecord } from '../../../values/objects.js'
import {
  expiryIndex,
  postgresStores,
  runStatement,
  type PostgresPool,
  type PostgresStatements,
  type PostgresStores,
} from './statements.js'
import { keyTables } from '../tables.js'
import { readStoredState, type IdempotencyStoreWithin, type KeyClaim, type KeyState } from '../idempotency-store.js'

/**
 * Creates a store for idempotency keys in PostgreSQL 12 or later: a table of claims, which lock a key for the time of their lease, and a
 * table of responses. A response stays until its `ttl` is over, also if its key is released. Expired rows are removed when another one is
 * written, at most 1,000 at a time. The default start of both names is `verbena_idempotency`. Invalid options are the setup error
 * `OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { postgresIdempotency } from 'verbena/postgres'
 *
 * postgresIdempotency.schema({ table: 'shop.keys' }).startsWith('create table if not exists "shop"."keys_claims"') // => true
 * ```
 */
export const postgresIdempotency: PostgresStores<IdempotencyStoreWithin<PostgresPool>> = postgresStores({
  table: 'verbena_idempotency',
  tables: (table) => {
    const { claims, responses } = keyTables(table)
    const end = 'expires_at timestamptz not null'
    const schema = [
      `create table if not exists ${claims} (key text primary key, owner text not null, request text not null, ${end})`,
      expiryIndex(claims),
      `create table if not exists ${responses} (key text primary key, request text not null, answer text not null, ${end})`,
      expiryIndex(responses),
    ]
    return { names: [claims, responses], schema }
  },
  name: 'postgresIdempotency',
  patience: STORE_TIMES.keys,
  create: (statements, table) => new PostgresStore(statements, table),
})

/** Maximum number of attempts to claim a key whose claim was released before it could be read. */
const MAX_TRIES = 3

const SERIALIZATION_FAILURE = '40001'
const NO_TRANSACTION =
  'Cannot store a response within a transaction: the value of "within" has no method "query". Yield a client of the transaction'

class PostgresStore implements IdempotencyStoreWithin<PostgresPool> {
  readonly #statements: PostgresStatements
  readonly #claim: string
  readonly #find: string
  readonly #storeQuery: string
  readonly #storeWithinQuery: string
  readonly #releaseQuery: string

  constructor(statements: PostgresStatements, table: string) {
    const { claims, responses } = keyTables(table)
    this.#statements = statements
    const selectResponse = `select request, answer from ${responses} where key = $1 and expires_at > clock_timestamp()`
    const replaceExpired = `on conflict (key) do update
    set request = excluded.request, answer = excluded.answer, expires_at = excluded.expires_at
    where known.expires_at <= clock_timestamp()
    returning 1`
    // A claim of the same owner renews the lease.
    this.#claim = `with answered as (${selectResponse}), claimed as (
      insert into ${claims} as known (key, owner, request, expires_at)
      select $1, $2, $3, clock_timestamp() + $4::float8 * interval '1 millisecond' where not exists (select from answered)
      on conflict (key) do update set owner = excluded.owner, request = excluded.request, expires_at = excluded.expires_at
      where known.expires_at <= clock_timestamp() or (known.owner = excluded.owner and known.request = excluded.request)
      returning 1
    )
    select (select request from answered), (select answer from answered), exists (select from claimed) as claimed`
    this.#find = `with answered as (${selectResponse}),
    held as (select request, expires_at from ${claims} where key = $1 and expires_at > clock_timestamp())
    select coalesce((select request from answered), (select request from held)) as request,
      (select answer from answered), false as claimed,
      (select extract(epoch from expires_at - clock_timestamp())::float8 * 1000 from held) as time_left`
    this.#storeQuery = `insert into ${responses} as known (key, request, answer, expires_at)
    select $1, $3, $4, clock_timestamp() + $5::float8 * interval '1 millisecond'
    where not exists (select from ${claims} where key = $1 and owner <> $2 and expires_at > clock_timestamp())
    ${replaceExpired}`
    this.#storeWithinQuery = `insert into ${responses} as known (key, request, answer, expires_at)
    values ($1, $2, $3, clock_timestamp() + $4::float8 * interval '1 millisecond')
    ${replaceExpired}`
    this.#releaseQuery = `delete from ${claims} where key = $1 and owner = $2`
  }

  async claim({ key, owner, request, lease }: KeyClaim): Promise<KeyState> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const [row] = await this.#statements.write(this.#claim, [key, owner, request, lease])
      const state = readState(row, request)
      if (state !== undefined) return state
      // A different claim holds the key. A statement does not see rows that were committed after it started, so a second one reads it.
      const [held] = await this.#statements.read(this.#find, [key])
      const heldState = readState(held, request)
      if (heldState !== undefined) return heldState
      if (typeof held?.['request'] === 'string')
        return held['request'] === request
          ? { state: 'in-progress', left: Number(held['time_left']) }
          : { state: 'mismatch' }
    }
    return { state: 'in-progress' }
  }

  async complete({ key, owner, request }: KeyClaim, response: string, ttl: number): Promise<boolean> {
    return (await this.#statements.write(this.#storeQuery, [key, owner, request, response, ttl])).length > 0
  }

  /**
   * Only one of several transactions can commit a response, because of the primary key of the table; claims have no effect. If another one
   * has committed after this one took its snapshot, the insert fails with a serialization failure.
   */
  async completeWithin(
    { key, request }: KeyClaim,
    response: string,
    ttl: number,
    through: PostgresPool,
  ): Promise<boolean> {
    if (!hasMethods(through, ['query'])) throw new TypeError(NO_TRANSACTION)
    try {
      return (await runStatement(through, this.#storeWithinQuery, [key, request, response, ttl])).length > 0
    } catch (error) {
      if (isObject(error) && error['code'] === SERIALIZATION_FAILURE) return false
      throw error
    }
  }

  /** The response stays. */
  async release({ key, owner }: KeyClaim): Promise<void> {
    await this.#statements.write(this.#releaseQuery, [key, owner])
  }
}

/** Returns `undefined` if the key was not claimed and has no response. */
function readState(row: UnknownRecord | undefined, request: string): KeyState | undefined {
  if (row?.['claimed'] === true) return { state: 'claimed' }
  return typeof row?.['answer'] === 'string' ? readStoredState(row, request) : undefined
}
