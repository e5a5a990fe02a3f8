/** PostgreSQL store for idempotency keys and responses, for apps with several processes. */
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
import { schemaText, suffixName } from '../stores/tables.js'
import type { UnknownRecord } from '../../values/objects.js'
import type { IdempotencyStore, KeyClaim, KeyState } from './store.js'

/** Type of `postgresIdempotency`. */
export interface PostgresIdempotency {
  /**
   * Creates a store for idempotency keys and responses in PostgreSQL, shared by all processes of an app.
   *
   * @param pool pool of `pg` or database of PGlite; Verbena does not close it
   * @param options `table`, default `verbena_idempotency`, the start of the names of both tables; `create`
   * @returns a store for `idempotency`
   * @throws SetupError `OPTION_INVALID`
   */
  (pool: PostgresPool, options?: PostgresOptions): IdempotencyStore
  /**
   * Returns the SQL that creates the tables, for a migration.
   *
   * @param options `table`, default `verbena_idempotency`
   * @returns statements, each ended by `;`
   * @throws SetupError `OPTION_INVALID`
   */
  schema(options?: PostgresTable): string
}

/**
 * Creates a store for idempotency keys in PostgreSQL 12 or later: a table of claims, which lock a key for the time of their lease, and a
 * table of responses. A response stays until its `ttl` is over, also if its key is released. Expired rows are removed when another one is
 * written, at most 1,000 a minute.
 *
 * @example
 * ```ts
 * import { postgresIdempotency } from 'verbena/postgres'
 *
 * postgresIdempotency.schema({ table: 'shop.keys' }).startsWith('create table if not exists "shop"."keys_claims"') // => true
 * ```
 */
export const postgresIdempotency: PostgresIdempotency = Object.assign(createStore, {
  schema: (options: PostgresTable = {}) => schemaText(new KeyTables(options).schema),
})

startStackAtCaller(postgresIdempotency, postgresIdempotency.schema)

function createStore(pool: PostgresPool, options: PostgresOptions = {}): IdempotencyStore {
  const tables = new KeyTables(options)
  return new PostgresStore(new PostgresStatements(pool, options, tables, keysError), tables)
}

class KeyTables {
  readonly claims: string
  readonly answers: string

  constructor(options: PostgresOptions) {
    const table = postgresTable(options, 'verbena_idempotency', keysError)
    this.claims = suffixName(table, 'claims')
    this.answers = suffixName(table, 'answers')
  }

  get names(): string[] {
    return [this.claims, this.answers]
  }

  get schema(): string[] {
    const end = 'expires_at timestamptz not null'
    return [
      `create table if not exists ${this.claims} (key text primary key, owner text not null, request text not null, ${end})`,
      expiryIndex(this.claims),
      `create table if not exists ${this.answers} (key text primary key, request text not null, answer text not null, ${end})`,
      expiryIndex(this.answers),
    ]
  }
}

/** How often a claim is repeated if the claim that it met has gone before it could be read. */
const MAX_TRIES = 3

class PostgresStore implements IdempotencyStore {
  readonly #statements: PostgresStatements
  readonly #claim: string
  readonly #find: string
  readonly #keep: string
  readonly #free: string

  constructor(statements: PostgresStatements, { claims, answers }: KeyTables) {
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

function keysError(why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot store idempotency keys in PostgreSQL: ${why}`)
}
