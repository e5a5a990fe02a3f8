/** PostgreSQL store for idempotency keys and responses, for apps with several processes. */
import { SetupError } from '../../errors/setup-error.js'
import type { UnknownRecord } from '../../values/objects.js'
import { expiryIndex, postgresStores, type PostgresStatements, type PostgresStores } from '../stores/postgres.js'
import { keyTables } from '../stores/tables.js'
import type { IdempotencyStore, KeyClaim, KeyState } from './store.js'

/**
 * Creates a store for idempotency keys in PostgreSQL 12 or later: a table of claims, which lock a key for the time of their lease, and a
 * table of responses. A response stays until its `ttl` is over, also if its key is released. Expired rows are removed when another one is
 * written, at most 1,000 a minute. The default start of both names is `verbena_idempotency`. Invalid options are the setup error
 * `OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { postgresIdempotency } from 'verbena/postgres'
 *
 * postgresIdempotency.schema({ table: 'shop.keys' }).startsWith('create table if not exists "shop"."keys_claims"') // => true
 * ```
 */
export const postgresIdempotency: PostgresStores<IdempotencyStore> = postgresStores({
  table: 'verbena_idempotency',
  tables: (table) => {
    const { claims, answers } = keyTables(table)
    const end = 'expires_at timestamptz not null'
    const schema = [
      `create table if not exists ${claims} (key text primary key, owner text not null, request text not null, ${end})`,
      expiryIndex(claims),
      `create table if not exists ${answers} (key text primary key, request text not null, answer text not null, ${end})`,
      expiryIndex(answers),
    ]
    return { names: [claims, answers], schema }
  },
  invalid: (why) => new SetupError('OPTION_INVALID', `Cannot store idempotency keys in PostgreSQL: ${why}`),
  create: (statements, table) => new PostgresStore(statements, table),
})

/** How often a claim is repeated if the claim that it met has gone before it could be read. */
const MAX_TRIES = 3

class PostgresStore implements IdempotencyStore {
  readonly #statements: PostgresStatements
  readonly #claim: string
  readonly #find: string
  readonly #keep: string
  readonly #free: string

  constructor(statements: PostgresStatements, table: string) {
    const { claims, answers } = keyTables(table)
    this.#statements = statements
    const answered = `select request, answer from ${answers} where key = $1 and expires_at > clock_timestamp()`
    // A claim of the same owner renews the lease.
    this.#claim = `with answered as (${answered}), claimed as (
      insert into ${claims} as known (key, owner, request, expires_at)
      select $1, $2, $3, clock_timestamp() + $4::float8 * interval '1 millisecond' where not exists (select from answered)
      on conflict (key) do update set owner = excluded.owner, request = excluded.request, expires_at = excluded.expires_at
      where known.expires_at <= clock_timestamp() or (known.owner = excluded.owner and known.request = excluded.request)
      returning 1
    )
    select (select request from answered), (select answer from answered), exists (select from claimed) as claimed`
    this.#find = `with answered as (${answered})
    select coalesce((select request from answered),
      (select request from ${claims} where key = $1 and expires_at > clock_timestamp())) as request,
      (select answer from answered), false as claimed`
    this.#keep = `insert into ${answers} as known (key, request, answer, expires_at)
    select $1, $3, $4, clock_timestamp() + $5::float8 * interval '1 millisecond'
    where not exists (select from ${claims} where key = $1 and owner <> $2 and expires_at > clock_timestamp())
    on conflict (key) do update set request = excluded.request, answer = excluded.answer, expires_at = excluded.expires_at
    where known.expires_at <= clock_timestamp()
    returning 1`
    this.#free = `delete from ${claims} where key = $1 and owner = $2`
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
        return { state: held['request'] === request ? 'in-progress' : 'mismatch' }
    }
    return { state: 'in-progress' }
  }

  async keep({ key, owner, request }: KeyClaim, answer: string, ttl: number): Promise<boolean> {
    return (await this.#statements.write(this.#keep, [key, owner, request, answer, ttl])).length > 0
  }

  /** The response stays. */
  async free({ key, owner }: KeyClaim): Promise<void> {
    await this.#statements.write(this.#free, [key, owner])
  }
}

/** Returns `undefined` if the key was not claimed and has no response. */
function readState(row: UnknownRecord | undefined, request: string): KeyState | undefined {
  if (row?.['claimed'] === true) return { state: 'claimed' }
  const answer = row?.['answer']
  if (typeof answer !== 'string') return undefined
  return row?.['request'] === request ? { state: 'completed', answer } : { state: 'mismatch' }
}
