/** SQLite store for idempotency keys and responses, shared by the processes on one machine. */
import { SetupError } from '../../errors/setup-error.js'
import { sqliteSchema, sqliteStores, type SqliteStores, type SqliteTransactions } from '../stores/sqlite.js'
import { keyTables } from '../stores/tables.js'
import type { IdempotencyStore, KeyClaim, KeyState } from './store.js'

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
export const sqliteIdempotency: SqliteStores<IdempotencyStore> = sqliteStores({
  table: 'verbena_idempotency',
  tables: (table) => {
    const { claims, answers } = keyTables(table)
    const schema = [
      ...sqliteSchema(claims, 'owner text not null, request text not null'),
      ...sqliteSchema(answers, 'request text not null, answer text not null'),
    ]
    return { names: [claims, answers], schema }
  },
  invalid: (why) => new SetupError('OPTION_INVALID', `Cannot store idempotency keys in SQLite: ${why}`),
  create: (transactions, table) => new SqliteStore(transactions, table),
})

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
