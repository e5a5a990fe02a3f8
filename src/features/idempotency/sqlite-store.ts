/** SQLite store for idempotency keys and responses, shared by the processes on one machine. */
import { SetupError } from '../../errors/setup-error.js'
import { rule } from '../../errors/known-keys.js'
import { hasMethods, isObject, type UnknownRecord } from '../../values/objects.js'
import {
  removeExpired,
  sqliteSchema,
  sqliteStores,
  type SqliteDatabase,
  type SqliteOptions,
  type SqliteStores,
  type SqliteTransactions,
} from '../stores/sqlite.js'
import { CLEANING_INTERVAL, databaseError, keyTables } from '../stores/tables.js'
import type { IdempotencyStore, IdempotencyStoreWithin, KeyClaim, KeyState } from './store.js'

/** A connection that is inside a transaction of the app. */
export type SqliteTransaction = Pick<SqliteDatabase, 'prepare'>

/** Columns of the table of responses. */
const ANSWER = 'request text not null, answer text not null'

/** Options of `sqliteIdempotency`. */
export interface SqliteIdempotencyOptions extends SqliteOptions {
  /**
   * Read-only connection to the file of the app, for the option `within` of `idempotency`: responses that are stored in transactions of the
   * app are in a table of this file. Only the store may use the connection. With `create`, the first response creates the table.
   */
  readonly answers?: SqliteDatabase
}

/** Type of `sqliteIdempotency`. */
export interface SqliteIdempotency extends SqliteStores<IdempotencyStore, SqliteIdempotencyOptions> {
  /**
   * Creates a store for the option `within` of `idempotency`, shared by all processes on the machine.
   *
   * @param database connection that only stores use, to a file that contains nothing else
   * @param options `answers`, `table` and `create`
   * @returns the store
   * @throws SetupError `OPTION_INVALID`
   */
  (
    database: SqliteDatabase,
    options: SqliteIdempotencyOptions & { readonly answers: SqliteDatabase },
  ): IdempotencyStoreWithin<SqliteTransaction>
}

/**
 * Creates a store for idempotency keys in SQLite: a table of claims, which lock a key for the time of their lease, and a table of responses.
 * A response stays until its `ttl` is over, also if its key is released. Expired rows are removed when another one is written, at most 1,000
 * a minute in each table. The default start of both names is `verbena_idempotency`. Invalid options are the setup error `OPTION_INVALID`.
 *
 * @example
 * ```ts
 * import { bearer } from 'verbena'
 * import { idempotency } from 'verbena/idempotency'
 * import { sqliteIdempotency, type SqliteDatabase } from 'verbena/sqlite'
 *
 * const user = bearer((token) => ({ id: token }))
 * const once = idempotency({
 *   by: ({ user }) => user.id,
 *   uses: { user },
 *   ttl: 86_400_000,
 *   store: ({ state }: { state: SqliteDatabase }) => sqliteIdempotency(state),
 * })
 * sqliteIdempotency.schema({ table: 'keys' }).startsWith('create table if not exists "keys_claims"') // => true
 * ```
 */
export const sqliteIdempotency: SqliteIdempotency = sqliteStores({
  table: 'verbena_idempotency',
  tables: (table) => {
    const { claims, answers } = keyTables(table)
    const schema = [
      ...sqliteSchema(claims, 'owner text not null, request text not null'),
      ...sqliteSchema(answers, ANSWER),
    ]
    return { names: [claims, answers], schema }
  },
  rules: {
    answers: rule(
      (value) => hasMethods(value, ['prepare', 'exec']),
      '"answers" must be a read-only connection to the file of the app. Write "answers: new DatabaseSync(path, { readOnly: true })"',
    ),
  },
  invalid: (why) => new SetupError('OPTION_INVALID', `Cannot store idempotency keys in SQLite: ${why}`),
  create: (transactions, table, options: SqliteIdempotencyOptions) => {
    const store = new SqliteStore(transactions, table)
    const { answers, create = false } = options
    // Proof: the overloads of `SqliteIdempotency` return this type only for options with `answers`.
    return (answers === undefined ? store : new SqliteStoreWithin(store, answers, table, create)) as SqliteStoreWithin
  },
})

const NO_CONNECTION =
  'Cannot store a response within a transaction: the value of "within" has no method "prepare". Yield the connection'

class SqliteStore implements IdempotencyStore {
  readonly #transactions: SqliteTransactions
  readonly #findClaim: string
  readonly #findAnswer: string
  readonly #claim: string
  readonly #keep: string
  readonly #free: string

  constructor(transactions: SqliteTransactions, table: string) {
    const { claims, answers } = keyTables(table)
    this.#transactions = transactions
    this.#findClaim = `select owner, request, expires_at from ${claims} where key = ? and expires_at > ?`
    this.#findAnswer = `select request, answer from ${answers} where key = ? and expires_at > ?`
    this.#claim = `insert or replace into ${claims} (key, owner, request, expires_at) values (?, ?, ?, ?)`
    this.#keep = `insert or replace into ${answers} (key, request, answer, expires_at) values (?, ?, ?, ?)`
    this.#free = `delete from ${claims} where key = ? and owner = ?`
  }

  async claim({ key, owner, request, lease }: KeyClaim): Promise<KeyState> {
    return this.#transactions.write((): KeyState => {
      const now = Date.now()
      const completion = this.#transactions.find(this.#findAnswer, key, now)
      const claim = completion === undefined ? this.#transactions.find(this.#findClaim, key, now) : undefined
      const row = completion ?? claim
      if (row !== undefined && row['request'] !== request) return { state: 'mismatch' }
      if (completion !== undefined) return { state: 'completed', answer: String(completion['answer']) }
      if (claim !== undefined && claim['owner'] !== owner)
        return { state: 'in-progress', left: Number(claim['expires_at']) - now }
      this.#transactions.change(this.#claim, key, owner, request, now + lease)
      return { state: 'claimed' }
    })
  }

  async keep({ key, owner, request }: KeyClaim, answer: string, ttl: number): Promise<boolean> {
    return this.#transactions.write(() => {
      const now = Date.now()
      const claim = this.#transactions.find(this.#findClaim, key, now)
      if (claim !== undefined && claim['owner'] !== owner) return false
      if (this.#transactions.find(this.#findAnswer, key, now) !== undefined) return false
      return this.#transactions.change(this.#keep, key, request, answer, now + ttl)
    })
  }

  /** The response stays. */
  async free({ key, owner }: KeyClaim): Promise<void> {
    this.#transactions.write(() => this.#transactions.change(this.#free, key, owner))
  }
}

/**
 * Keeps claims, and responses without a transaction, in the file of the store. Responses that belong to a transaction of the app are in the
 * file of the app. A commit in one file is not a commit in the other, so the primary key of the responses prevents a second one.
 */
class SqliteStoreWithin implements IdempotencyStoreWithin<SqliteTransaction> {
  readonly #store: SqliteStore
  readonly #connection: SqliteDatabase
  readonly #table: string
  readonly #mayCreate: boolean
  readonly #keep: string
  /** When expired responses were last removed, in ms since the start of the process. */
  #cleanedAt = Number.NEGATIVE_INFINITY

  constructor(store: SqliteStore, connection: SqliteDatabase, table: string, mayCreate: boolean) {
    this.#store = store
    this.#connection = connection
    this.#table = keyTables(table).answers
    this.#mayCreate = mayCreate
    this.#keep = `insert into ${this.#table} (key, request, answer, expires_at) values (?, ?, ?, ?)
    on conflict (key) do update set request = excluded.request, answer = excluded.answer, expires_at = excluded.expires_at
    where expires_at <= ?`
  }

  /** Reads the response after the claim, because the previous owner of the claim commits before it releases the key. */
  async claim(claim: KeyClaim): Promise<KeyState> {
    const state = await this.#store.claim(claim)
    if (state.state === 'completed') return state
    const row = this.#find(claim.key)
    if (row === undefined) return state
    await this.#store.free(claim)
    if (row['request'] !== claim.request) return { state: 'mismatch' }
    return { state: 'completed', answer: String(row['answer']) }
  }

  keep(claim: KeyClaim, answer: string, ttl: number): Promise<boolean> {
    return this.#store.keep(claim, answer, ttl)
  }

  free(claim: KeyClaim): Promise<void> {
    return this.#store.free(claim)
  }

  keepWithin({ key, request }: KeyClaim, answer: string, ttl: number, through: SqliteTransaction): boolean {
    if (!hasMethods(through, ['prepare'])) throw new TypeError(NO_CONNECTION)
    const now = Date.now()
    try {
      // Not remembered, because a rollback removes the table again.
      if (this.#mayCreate) for (const statement of sqliteSchema(this.#table, ANSWER)) through.prepare(statement).run()
      this.#clean(through)
      const { changes } = through.prepare(this.#keep).run(key, request, answer, now + ttl, now)
      return Number(changes) > 0
    } catch (error) {
      throw databaseError(error)
    }
  }

  #clean(through: SqliteTransaction): void {
    const now = performance.now()
    if (now - this.#cleanedAt < CLEANING_INTERVAL) return
    this.#cleanedAt = now
    through.prepare(removeExpired(this.#table)).run(Date.now())
  }

  #find(key: string): UnknownRecord | undefined {
    const find = `select request, answer from ${this.#table} where key = ? and expires_at > ?`
    try {
      const row = this.#connection.prepare(find).get(key, Date.now())
      return isObject(row) ? row : undefined
    } catch (error) {
      const failure = databaseError(error)
      if (this.#mayCreate && failure.message.includes('no such table')) return undefined
      throw failure
    }
  }
}
