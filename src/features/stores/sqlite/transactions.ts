/** Transactions of the stores in SQLite, on a connection that only they use. */
import { argumentError, checkArgument, rule, type Rules } from '../../../errors/options.js'
import { hasMethods, isObject, type UnknownRecord } from '../../../values/objects.js'
import {
  CleaningClock,
  databaseError,
  suffixName,
  tableRules,
  tableStores,
  type StoreKind,
  type StoreTables,
} from '../tables.js'

/** Value of a parameter of a statement. */
export type SqliteValue = string | number

/**
 * A `DatabaseSync` of `node:sqlite`, a `Database` of the package `better-sqlite3`, or any other synchronous connection. Only stores of
 * Verbena may use it, and its file should contain nothing else: a transaction of the app would make each call of a store fail.
 */
export interface SqliteDatabase {
  /**
   * Prepares one statement.
   *
   * @param sql SQL with parameters `?`
   * @returns the statement, which is executed many times
   */
  prepare(sql: string): SqliteStatement
  /**
   * Runs statements without parameters.
   *
   * @param sql one statement or more, separated by `;`
   */
  exec(sql: string): unknown
}

/** Prepared statement of a connection to SQLite. */
export interface SqliteStatement {
  /**
   * Runs a statement that changes rows.
   *
   * @param values values of the parameters
   * @returns the number of changed rows
   */
  run(...values: SqliteValue[]): SqliteChanges
  /**
   * Runs a statement that reads rows.
   *
   * @param values values of the parameters
   * @returns the first row, as an object with a property for each column; `undefined` or `null` if there is none
   */
  get(...values: SqliteValue[]): unknown
}

/** Result of a statement that changes rows. */
export interface SqliteChanges {
  /** Number of changed rows. */
  readonly changes: number | bigint
}

/** Table of a store in SQLite. */
export interface SqliteTable {
  /**
   * Name of the table: lower-case letters, digits and `_`, at most 40 characters. Stores with different names do not share anything.
   */
  readonly table?: string
}

/** Options of a store in SQLite. */
export interface SqliteOptions extends SqliteTable {
  /**
   * Creates missing tables and indexes before the first statement; default `false`. Processes may do this at the same time. Without it, run
   * the SQL of `schema()` in a migration.
   */
  readonly create?: boolean
}

const RULES = tableRules(/^[a-z_][a-z0-9_]{0,39}$/)
/** Time to wait for the transaction of another process unless the connection has a timeout, in ms. It blocks the event loop. */
const BUSY_TIMEOUT = 1_000
/** Maximum number of expired rows that one removal deletes. */
const MAX_REMOVED = 200
/** Rows that one statement of a removal deletes. A row can have 1 MB. */
const BATCH = 5
/** Time in ms after which a removal ends, because it blocks the event loop. */
const REMOVAL_TIME = 3

/** Type of `sqliteSessions`, `sqliteIdempotency` and `sqliteLimits`. */
export interface SqliteStores<Store, Options extends SqliteOptions = SqliteOptions> {
  /**
   * Creates a store, shared by all processes on the machine.
   *
   * @param database connection that only stores use, of `node:sqlite` or `better-sqlite3`; Verbena does not close it
   * @param options `table` and `create`
   * @returns the store
   * @throws SetupError for an invalid connection or option
   */
  (database: SqliteDatabase, options?: Options): Store
  /**
   * Returns the SQL that creates the tables, for a migration.
   *
   * @param options `table`
   * @returns statements, each ended by `;`
   * @throws SetupError for an invalid option
   */
  schema(options?: SqliteTable): string
}

/** Parts of a kind of store. */
interface SqliteKind<Store, Options extends SqliteOptions> extends StoreKind {
  /** Rules for the options that only this kind has. */
  readonly rules?: Rules
  readonly create: (transactions: SqliteTransactions, table: string, options: Options) => Store
}

/** Returns the function that creates stores of a kind. */
export function sqliteStores<Store, Options extends SqliteOptions = SqliteOptions>(
  kind: SqliteKind<Store, Options>,
): SqliteStores<Store, Options> {
  const rules = { ...RULES, ...kind.rules }
  return tableStores(kind, rules, (database: SqliteDatabase, options: Options, table) =>
    kind.create(new SqliteTransactions(database, options, kind.tables(table), kind.name), table, options),
  )
}

/** SQL that creates a table, and the index with which expired rows are found. */
export function sqliteSchema(table: string, columns: string): string[] {
  return [
    `create table if not exists ${table} (key text primary key, ${columns}, expires_at integer not null)`,
    `create index if not exists ${suffixName(table, 'expiry')} on ${table} (expires_at)`,
  ]
}

/**
 * Runs each method of a store as one synchronous transaction, so that it never meets a transaction of another request. Creates the tables if
 * that is wanted, and removes expired rows after a write.
 */
export class SqliteTransactions {
  readonly #database: SqliteDatabase
  readonly #tables: StoreTables
  readonly #statements = new Map<string, SqliteStatement>()
  /** Whether the tables have to be created before the next transaction. */
  #mustCreate: boolean
  readonly #cleaning = new CleaningClock()

  constructor(database: SqliteDatabase, options: SqliteOptions, tables: StoreTables, storeName: string) {
    setBusyTimeout(database, storeName)
    this.#database = database
    this.#tables = tables
    this.#mustCreate = options.create === true
  }

  /** Runs work that only reads. It does not wait for writers of other processes if the file has a write-ahead log. */
  read<T>(work: () => T): T {
    this.#create()
    return this.#transact('begin', work)
  }

  /** Runs work that may write. The lock is acquired first, because a transaction that has read cannot always write. */
  write<T>(work: () => T): T {
    this.#create()
    const result = this.#transact('begin immediate', work)
    if (this.#tables.names.length > 0 && this.#cleaning.isDue()) setImmediate(() => this.#clean()).unref()
    return result
  }

  /** Runs work with a different time to wait for a lock, in ms. */
  waitAtMost<T>(ms: number, work: () => T): T {
    const previousTimeout = findBusyTimeout(this.#database) ?? BUSY_TIMEOUT
    const setTimeout = (time: number): unknown => this.#database.exec(`pragma busy_timeout = ${time}`)
    setTimeout(Math.min(ms, previousTimeout))
    try {
      return work()
    } finally {
      setTimeout(previousTimeout)
    }
  }

  /** Returns the first row. Only for work. */
  find(text: string, ...values: SqliteValue[]): UnknownRecord | undefined {
    const row = this.#prepare(text).get(...values)
    return isObject(row) ? row : undefined
  }

  /** Whether a statement changes any rows. Only for work. */
  change(text: string, ...values: SqliteValue[]): boolean {
    return Number(this.#prepare(text).run(...values).changes) > 0
  }

  #prepare(text: string): SqliteStatement {
    const preparedStatement = this.#statements.get(text)
    if (preparedStatement !== undefined) return preparedStatement
    const statement = this.#database.prepare(text)
    this.#statements.set(text, statement)
    return statement
  }

  #transact<T>(begin: string, work: () => T): T {
    this.#begin(begin)
    try {
      const result = work()
      this.#prepare('commit').run()
      return result
    } catch (error) {
      this.#rollBack()
      throw databaseError(error)
    }
  }

  /** A transaction that is already open belongs to the app, and is not rolled back. */
  #begin(begin: string): void {
    try {
      this.#prepare(begin).run()
    } catch (error) {
      const failure = databaseError(error)
      throw failure.message.includes('within a transaction') ? new Error(IN_TRANSACTION) : failure
    }
  }

  /** Fails if SQLite has already rolled the transaction back, as it does when the disk is full. */
  #rollBack(): void {
    try {
      this.#prepare('rollback').run()
    } catch {
      // The transaction has ended, which is what matters.
    }
  }

  #create(): void {
    if (!this.#mustCreate) return
    this.#transact('begin immediate', () => {
      for (const statement of this.#tables.schema) this.#database.exec(statement)
    })
    this.#mustCreate = false
  }

  /** Runs after the write, and does not wait for another process. A failure has no consequence: a write tries again after a minute. */
  #clean(): void {
    const run = (text: string, now: number): SqliteChanges => this.#prepare(text).run(now)
    try {
      const remove = (): boolean => removeExpired(this.#tables.names, run)
      if (this.waitAtMost(0, () => this.#transact('begin immediate', remove))) this.#cleaning.repeat()
    } catch {
      // Expired rows are not read. They only take space.
    }
  }
}

/** Removes expired rows, up to a number and a time. Returns whether there may be more. */
export function removeExpired(tables: readonly string[], run: (text: string, now: number) => SqliteChanges): boolean {
  const start = performance.now()
  let remaining = MAX_REMOVED
  for (const table of tables) {
    const sql = `delete from ${table} where rowid in (select rowid from ${table} where expires_at <= ? limit ${BATCH})`
    for (let removed = BATCH; removed === BATCH; remaining -= removed) {
      if (remaining <= 0 || performance.now() - start > REMOVAL_TIME) return true
      removed = Number(run(sql, Date.now()).changes)
    }
  }
  return false
}

const IN_TRANSACTION =
  'Cannot use a store in SQLite: its connection is inside a transaction. Open a connection that only stores use, to a file of their own'

/** Sets the time to wait for a lock unless the connection has one. Throws if the connection is not a synchronous one. */
function setBusyTimeout(database: SqliteDatabase, storeName: string): void {
  const example = `${storeName}(new DatabaseSync(path))`
  const hasStatements = (value: unknown): boolean => hasMethods(value, ['prepare', 'exec'])
  checkArgument(
    database,
    rule(hasStatements, 'be a connection of node:sqlite or better-sqlite3', example),
    'database',
    `${storeName}()`,
  )
  const timeout = findBusyTimeout(database)
  if (timeout === undefined) {
    throw argumentError(`${storeName}()`, 'database', `it is closed, or it is not synchronous. Write "${example}"`)
  }
  if (timeout === 0) database.exec(`pragma busy_timeout = ${BUSY_TIMEOUT}`)
}

/** Returns the time in ms; `undefined` if it cannot be read. */
function findBusyTimeout(database: SqliteDatabase): number | undefined {
  try {
    const row = database.prepare('pragma busy_timeout').get()
    const timeout = isObject(row) ? Number(row['timeout']) : Number.NaN
    return Number.isNaN(timeout) ? undefined : timeout
  } catch {
    return undefined
  }
}
