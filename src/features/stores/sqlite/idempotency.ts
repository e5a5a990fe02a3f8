/** SQLite store for idempotency keys and responses, shared by the processes on one machine. */
import { rule } from '../../../errors/options.js'
import { hasMethods, type UnknownRecord } from '../../../values/objects.js'
import {
  removeExpired,
  sqliteSchema,
  sqliteStores,
  type SqliteDatabase,
  type SqliteOptions,
  type SqliteStores,
  SqliteTransactions,
} from './transactions.js'
import { CleaningClock, databaseError, keyTables } from '../tables.js'
import {
  readStoredState,
  type IdempotencyStore,
  type IdempotencyStoreWithin,
  type KeyClaim,
  type KeyState,
} from '../idempotency-store.js'

/** A connection that is inside a transaction of the app. */
export type SqliteTransaction = Pick<SqliteDatabase, 'prepare'>

/** Columns of the table of responses. */
const RESPONSE_COLUMNS = 'request text not null, answer text not null'

/** Options of `sqliteIdempotency`. */
export interface SqliteIdempotencyOptions extends SqliteOptions {
  /**
   * Read-only connection to the file of the app, for the option `within` of `idempotency`: responses that are stored in transactions of the
   * app are in a table of this file. Only the store may use the connection. With `create`, the first response creates the table.
   */
  readonly responses?: SqliteDatabase
}

/** Type of `sqliteIdempotency`. */
export interface SqliteIdempotency extends SqliteStores<IdempotencyStore, SqliteIdempotencyOptions> {
  /**
   * Creates a store for the option `within` of `idempotency`, shared by all processes on the machine.
   *
   * @param database connection that only stores use, to a file that contains nothing else
   * @param options `responses`, `table` and `create`
   * @returns the store
   * @throws SetupError `OPTION_INVALID`
   */
  (
    database: SqliteDatabase,
    options: SqliteIdempotencyOptions & { readonly responses: SqliteDatabase },
  ): IdempotencyStoreWithin<SqliteTransaction>
}

/**
 * Creates a store for idempotency keys in SQLite: a table of claims, which lock a key for the time of their lease, and a table of responses.
 * A response stays until its `ttl` is over, also if its key is released. Expired rows are removed after another one is written, at most 200
 * at a time. The default start of both names is `verbena_idempotency`. Invalid options are the setup error `OPTION_INVALID`.
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
    const { claims, responses } = keyTables(table)
    const schema = [
      ...sqliteSchema(claims, 'owner text not null, request text not null'),
      ...sqliteSchema(responses, RESPONSE_COLUMNS),
    ]
    return { names: [claims, responses], schema }
  },
  rules: {
    responses: rule(
      (value) => hasMethods(value, ['prepare', 'exec']),
      'be a read-only connection to the file of the app',
      'new DatabaseSync(path, { readOnly: true })',
    ),
  },
  name: 'sqliteIdempotency',
  create: (transactions, table, { responses, create = false }: SqliteIdempotencyOptions) => {
    const store = new SqliteStore(transactions, table)
    // Proof: the overloads of `SqliteIdempotency` return this type only for options with `responses`.
    if (responses === undefined) return store as IdempotencyStore as SqliteStoreWithin
    const reader = new SqliteTransactions(responses, {}, { names: [], schema: [] }, 'sqliteIdempotency')
    return new SqliteStoreWithin(store, reader, table, create)
  },
})

const NO_CONNECTION =
  'Cannot store a response within a transaction: the value of "within" has no method "prepare". Yield the connection'

class SqliteStore implements IdempotencyStore {
  readonly #transactions: SqliteTransactions
  readonly #findClaim: string
  readonly #selectResponse: string
  readonly #claim: string
  readonly #storeStatement: string
  readonly #releaseStatement: string

  constructor(transactions: SqliteTransactions, table: string) {
    const { claims, responses } = keyTables(table)
    this.#transactions = transactions
    this.#findClaim = `select owner, request, expires_at from ${claims} where key = ? and expires_at > ?`
    this.#selectResponse = selectResponseIn(responses)
    this.#claim = `insert or replace into ${claims} (key, owner, request, expires_at) values (?, ?, ?, ?)`
    this.#storeStatement = `insert or replace into ${responses} (key, request, answer, expires_at) values (?, ?, ?, ?)`
    this.#releaseStatement = `delete from ${claims} where key = ? and owner = ?`
  }

  async claim({ key, owner, request, lease }: KeyClaim): Promise<KeyState> {
    return this.#transactions.write((): KeyState => {
      const now = Date.now()
      const completion = this.#transactions.find(this.#selectResponse, key, now)
      if (completion !== undefined) return readStoredState(completion, request)
      const claim = this.#transactions.find(this.#findClaim, key, now)
      if (claim !== undefined && claim['request'] !== request) return { state: 'mismatch' }
      if (claim !== undefined && claim['owner'] !== owner)
        return { state: 'in-progress', left: Number(claim['expires_at']) - now }
      this.#transactions.change(this.#claim, key, owner, request, now + lease)
      return { state: 'claimed' }
    })
  }

  async complete({ key, owner, request }: KeyClaim, response: string, ttl: number): Promise<boolean> {
    return this.#transactions.write(() => {
      const now = Date.now()
      const claim = this.#transactions.find(this.#findClaim, key, now)
      if (claim !== undefined && claim['owner'] !== owner) return false
      if (this.#transactions.find(this.#selectResponse, key, now) !== undefined) return false
      return this.#transactions.change(this.#storeStatement, key, request, response, now + ttl)
    })
  }

  /** The response stays. */
  async release({ key, owner }: KeyClaim): Promise<void> {
    this.#transactions.write(() => this.#transactions.change(this.#releaseStatement, key, owner))
  }
}

/**
 * Keeps claims, and responses without a transaction, in the file of the store. Responses that belong to a transaction of the app are in the
 * file of the app. A commit in one file is not a commit in the other, so the primary key of the responses prevents a second one.
 */
class SqliteStoreWithin implements IdempotencyStoreWithin<SqliteTransaction> {
  readonly #store: SqliteStore
  /** Reads responses in the file of the app. */
  readonly #responses: SqliteTransactions
  readonly #table: string
  readonly #mayCreate: boolean
  readonly #storeStatement: string
  readonly #cleaning = new CleaningClock()

  constructor(store: SqliteStore, responses: SqliteTransactions, table: string, mayCreate: boolean) {
    this.#store = store
    this.#responses = responses
    this.#table = keyTables(table).responses
    this.#mayCreate = mayCreate
    this.#storeStatement = `insert into ${this.#table} (key, request, answer, expires_at) values (?, ?, ?, ?)
    on conflict (key) do update set request = excluded.request, answer = excluded.answer, expires_at = excluded.expires_at
    where expires_at <= ?`
  }

  /** Reads the response after the claim, because the previous owner of the claim commits before it releases the key. */
  async claim(claim: KeyClaim): Promise<KeyState> {
    const state = await this.#store.claim(claim)
    if (state.state === 'completed') return state
    const row = this.#find(claim.key)
    if (row === undefined) return state
    if (state.state === 'claimed') await this.#store.release(claim)
    return readStoredState(row, claim.request)
  }

  complete(claim: KeyClaim, response: string, ttl: number): Promise<boolean> {
    return this.#store.complete(claim, response, ttl)
  }

  release(claim: KeyClaim): Promise<void> {
    return this.#store.release(claim)
  }

  completeWithin({ key, request }: KeyClaim, response: string, ttl: number, through: SqliteTransaction): boolean {
    if (!hasMethods(through, ['prepare'])) throw new TypeError(NO_CONNECTION)
    const now = Date.now()
    try {
      // Not remembered, because a rollback removes the table again.
      if (this.#mayCreate)
        for (const statement of sqliteSchema(this.#table, RESPONSE_COLUMNS)) through.prepare(statement).run()
      if (this.#cleaning.isDue() && removeExpired([this.#table], (text, now) => through.prepare(text).run(now)))
        this.#cleaning.repeat()
      const { changes } = through.prepare(this.#storeStatement).run(key, request, response, now + ttl, now)
      return Number(changes) > 0
    } catch (error) {
      throw databaseError(error)
    }
  }

  #find(key: string): UnknownRecord | undefined {
    try {
      return this.#responses.read(() => this.#responses.find(selectResponseIn(this.#table), key, Date.now()))
    } catch (error) {
      if (this.#mayCreate && error instanceof Error && error.message.includes('no such table')) return undefined
      throw error
    }
  }
}

/** SQL that reads a response. Its parameters are the key and the time, in ms since 1970. */
function selectResponseIn(table: string): string {
  return `select request, answer from ${table} where key = ? and expires_at > ?`
}
