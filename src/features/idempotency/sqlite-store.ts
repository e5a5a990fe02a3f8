/** SQLite store for idempotency keys and responses, shared by the processes on one machine. */
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
import { schemaText, suffixName } from '../stores/tables.js'
import type { IdempotencyStore, KeyClaim, KeyState } from './store.js'

/** Type of `sqliteIdempotency`. */
export interface SqliteIdempotency {
  /**
   * Creates a store for idempotency keys and responses in SQLite, shared by all processes on the machine.
   *
   * @param database connection that only stores use, of `node:sqlite` or `better-sqlite3`; Verbena does not close it
   * @param options `table`, default `verbena_idempotency`, the start of the names of both tables; `create`
   * @returns a store for `idempotency`
   * @throws SetupError `OPTION_INVALID`
   */
  (database: SqliteDatabase, options?: SqliteOptions): IdempotencyStore
  /**
   * Returns the SQL that creates the tables, for a migration.
   *
   * @param options `table`, default `verbena_idempotency`
   * @returns statements, each ended by `;`
   * @throws SetupError `OPTION_INVALID`
   */
  schema(options?: SqliteTable): string
}

/**
 * Creates a store for idempotency keys in SQLite: a table of claims, which lock a key for the time of their lease, and a table of responses.
 * A response stays until its `ttl` is over, also if its key is released. Expired rows are removed when another one is written, at most 1,000
 * a minute in each table.
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
export const sqliteIdempotency: SqliteIdempotency = Object.assign(createStore, {
  schema: (options: SqliteTable = {}) => schemaText(new KeyTables(options).schema),
})

startStackAtCaller(sqliteIdempotency, sqliteIdempotency.schema)

function createStore(database: SqliteDatabase, options: SqliteOptions = {}): IdempotencyStore {
  const tables = new KeyTables(options)
  return new SqliteStore(new SqliteTransactions(database, options, tables, keysError), tables)
}

class KeyTables {
  readonly claims: string
  readonly answers: string

  constructor(options: SqliteOptions) {
    const table = sqliteTable(options, 'verbena_idempotency', keysError)
    this.claims = suffixName(table, 'claims')
    this.answers = suffixName(table, 'answers')
  }

  get names(): string[] {
    return [this.claims, this.answers]
  }

  get schema(): string[] {
    return [
      ...sqliteSchema(this.claims, 'owner text not null, request text not null'),
      ...sqliteSchema(this.answers, 'request text not null, answer text not null'),
    ]
  }
}

class SqliteStore implements IdempotencyStore {
  readonly #transactions: SqliteTransactions
  readonly #findClaim: string
  readonly #findAnswer: string
  readonly #claim: string
  readonly #keep: string
  readonly #free: string

  constructor(transactions: SqliteTransactions, { claims, answers }: KeyTables) {
    this.#transactions = transactions
    this.#findClaim = `select owner, request from ${claims} where key = ? and expires_at > ?`
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
      if (claim !== undefined && claim['owner'] !== owner) return { state: 'in-progress' }
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

function keysError(why: string): SetupError {
  return new SetupError('OPTION_INVALID', `Cannot store idempotency keys in SQLite: ${why}`)
}
