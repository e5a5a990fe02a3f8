/** Statements for the stores in PostgreSQL, sent through the pool of the app. */
import { checkArgument, rule } from '../../../errors/options.js'
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

/**
 * A `Pool` of the package `pg`, a database of `@electric-sql/pglite`, or anything else whose `query` commits by itself. A client that is
 * inside of a transaction is not one: a rollback would remove what the store has written.
 */
export interface PostgresPool {
  /**
   * Runs one statement.
   *
   * @param text SQL with parameters `$1`, `$2` …
   * @param values values of the parameters
   * @returns the result with its rows as objects
   */
  query(text: string, values: unknown[]): Promise<PostgresResult>
}

/** Result of a statement, as far as the stores read it. */
export interface PostgresResult {
  /** Rows, as objects with a property for each column. */
  readonly rows: readonly unknown[]
}

/** Table of a store in PostgreSQL. */
export interface PostgresTable {
  /**
   * Name of the table, optionally after a schema and a point: lower-case letters, digits and `_`, each name at most 40 characters. Stores
   * with different names do not share anything.
   */
  readonly table?: string
}

/** Options of a store in PostgreSQL. */
export interface PostgresOptions extends PostgresTable {
  /**
   * Creates missing tables and indexes before the first statement; default `false`. Processes may do this at the same time. Without it, run
   * the SQL of `schema()` in a migration.
   */
  readonly create?: boolean
}

/** Type of `postgresSessions`, `postgresIdempotency` and `postgresLimits`. */
export interface PostgresStores<Store> {
  /**
   * Creates a store, shared by all processes of an app.
   *
   * @param pool pool of `pg` or database of PGlite; Verbena does not close it
   * @param options `table` and `create`
   * @returns the store
   * @throws SetupError for an invalid pool or option
   */
  (pool: PostgresPool, options?: PostgresOptions): Store
  /**
   * Returns the SQL that creates the tables, for a migration.
   *
   * @param options `table`
   * @returns statements, each ended by `;`
   * @throws SetupError for an invalid option
   */
  schema(options?: PostgresTable): string
}

/** Parts of a kind of store. */
interface PostgresKind<Store> extends StoreKind {
  /** Maximum time that a request waits for the store, in ms. */
  readonly patience: number
  readonly create: (statements: PostgresStatements, table: string) => Store
}

/** Returns the function that creates stores of a kind. */
export function postgresStores<Store>(kind: PostgresKind<Store>): PostgresStores<Store> {
  return tableStores(kind, RULES, (pool: PostgresPool, options: PostgresOptions, table) =>
    kind.create(new PostgresStatements(pool, options, kind.tables(table), kind), table),
  )
}

/** Runs a statement and returns its rows. */
type PostgresRun = (text: string, values: unknown[]) => Promise<readonly UnknownRecord[]>

const RULES = tableRules(/^(?:[a-z_][a-z0-9_]{0,39}\.)?[a-z_][a-z0-9_]{0,39}$/)
/** Another process creates the same object: a duplicate key in a catalog, a duplicate object, a duplicate table. */
const RACES: ReadonlySet<unknown> = new Set(['23505', '42710', '42P07'])
const MAX_TRIES = 10
/** Another transaction has changed the same row: a serialization failure at `repeatable read` or `serializable`, a deadlock. */
const CONFLICTS: ReadonlySet<unknown> = new Set(['40001', '40P01'])
const MAX_RETRIES = 3
/** Time between two attempts, in ms. It is random, so that the statements do not meet again. */
const MIN_PAUSE = 10
const MAX_PAUSE = 50
/** Maximum number of expired rows that one removal deletes. */
const MAX_REMOVED = 1_000

/** SQL that creates the index with which expired rows are found. The name of an index has no schema. */
export function expiryIndex(table: string): string {
  const name = suffixName(table.replace(/^.*\./, ''), 'expiry')
  return `create index if not exists ${name} on ${table} (expires_at)`
}

/** Runs the statements of a store: creates its tables if that is wanted, and removes expired rows after a write. */
export class PostgresStatements {
  readonly #pool: PostgresPool
  readonly #patience: number
  readonly #tables: StoreTables
  /** The creation of the tables; `null` if it has not started or has failed, `undefined` if it is not wanted. */
  #creation: Promise<void> | null | undefined
  readonly #cleaning = new CleaningClock()

  constructor(
    pool: PostgresPool,
    options: PostgresOptions,
    tables: StoreTables,
    { name, patience }: Pick<PostgresKind<unknown>, 'name' | 'patience'>,
  ) {
    const isPool = (value: unknown): boolean => hasMethods(value, ['query'])
    const poolRule = rule(isPool, 'be a pool of pg, or another object with a method "query"', `${name}(new Pool())`)
    checkArgument(pool, poolRule, 'pool', `${name}()`)
    this.#pool = pool
    this.#patience = patience
    this.#tables = tables
    this.#creation = options.create === true ? null : undefined
  }

  /** Runs a statement that only reads. */
  async read(text: string, values: unknown[]): Promise<readonly UnknownRecord[]> {
    if (this.#creation !== undefined) await this.#create()
    return this.#run(text, values)
  }

  /** Runs a statement that writes. */
  async write(text: string, values: unknown[]): Promise<readonly UnknownRecord[]> {
    const rows = await this.read(text, values)
    void this.#clean()
    return rows
  }

  /** Concurrent calls wait for the same creation. If it fails, the next call tries again. */
  #create(): Promise<void> {
    this.#creation ??= createAll((text, values) => this.#run(text, values), this.#tables.schema).catch(
      (error: unknown) => {
        this.#creation = null
        throw error
      },
    )
    return this.#creation
  }

  /** Sends a statement again if another transaction has changed the same row. The failed attempt was rolled back. */
  async #run(text: string, values: unknown[]): Promise<readonly UnknownRecord[]> {
    const end = performance.now() + this.#patience
    for (let retries = 0; ; retries++) {
      try {
        return await runStatement(this.#pool, text, values)
      } catch (error) {
        const pause = MIN_PAUSE + Math.random() * (MAX_PAUSE - MIN_PAUSE)
        const isOver = retries === MAX_RETRIES || performance.now() + pause > end
        if (isOver || !isObject(error) || !CONFLICTS.has(error['code'])) throw error
        await new Promise((resolve) => setTimeout(resolve, pause))
      }
    }
  }

  /** No request waits for this, and a failure has no consequence: the next write tries again after a minute. */
  async #clean(): Promise<void> {
    if (cleanedPools.has(this.#pool) || !this.#cleaning.isDue()) return
    cleanedPools.add(this.#pool)
    try {
      for (const table of this.#tables.names) {
        const [removed] = await this.#run(removalStatement(table), [])
        if (removed?.['count'] === MAX_REMOVED) this.#cleaning.repeat()
      }
    } catch {
      // Expired rows are not read. They only take space.
    } finally {
      cleanedPools.delete(this.#pool)
    }
  }
}

/** Pools through which a store removes expired rows. The stores of a pool take turns, so that requests have the other connections. */
const cleanedPools = new WeakSet<PostgresPool>()

function removalStatement(table: string): string {
  const expired = `select ctid from ${table} where expires_at <= now() limit ${MAX_REMOVED} for update skip locked`
  return `with removed as (delete from ${table} where ctid = any (array(${expired})) returning 1)
  select count(*)::int as count from removed`
}

/** Runs one statement. Errors show message and code, never values. */
export async function runStatement(
  pool: PostgresPool,
  text: string,
  values: unknown[],
): Promise<readonly UnknownRecord[]> {
  try {
    const { rows } = await pool.query(text, values)
    // Proof: `query` returns rows as objects.
    return rows as readonly UnknownRecord[]
  } catch (error) {
    throw databaseError(error)
  }
}

async function createAll(run: PostgresRun, schema: readonly string[], tries: number = 1): Promise<void> {
  try {
    for (const statement of schema) await run(statement, [])
  } catch (error) {
    if (tries === MAX_TRIES || !isObject(error) || !RACES.has(error['code'])) throw error
    await createAll(run, schema, tries + 1)
  }
}
