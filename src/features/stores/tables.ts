/** Rules and helpers that the stores in SQL databases share. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkOptions, SWITCH, textRule, type Rules } from '../../errors/options.js'
import { isObject, type UnknownRecord } from '../../values/objects.js'

/** Expired rows are removed once in this time, in ms, and more often while there are many. */
const CLEANING_INTERVAL = 60_000

/** Limits how often a store removes expired rows. */
export class CleaningClock {
  /** Time of the last removal, in ms since the start of the process. */
  #last = Number.NEGATIVE_INFINITY

  /** Whether a removal is due. The next one is due after the interval, even if this one fails. */
  isDue(): boolean {
    const now = performance.now()
    if (now - this.#last < CLEANING_INTERVAL) return false
    this.#last = now
    return true
  }

  /** After a removal that has left expired rows, the next one is due with the next write. */
  repeat(): void {
    this.#last = Number.NEGATIVE_INFINITY
  }
}

/** The tables of a store. Each has a column `expires_at`. */
export interface StoreTables {
  /** Quoted names. */
  readonly names: readonly string[]
  /** Statements that create the tables and indexes if they are missing. */
  readonly schema: readonly string[]
}

/** A kind of store: sessions, idempotency keys or limits. */
export interface StoreKind {
  /** Default name of the table. */
  readonly table: string
  /** Returns the tables for a quoted name. */
  readonly tables: (table: string) => StoreTables
  /** Name of the function that creates the stores. */
  readonly name: string
}

/** A function that creates stores, with a function that returns the SQL of their tables. */
type TableStores<Connection, Options, Store> = ((connection: Connection, options?: Options) => Store) & {
  readonly schema: (options?: TableOptions) => string
}

interface TableOptions {
  readonly table?: string
}

/**
 * Returns the function that creates stores of a kind in a database.
 *
 * @param rules rules for the options
 * @param create receives the quoted name of the table
 */
export function tableStores<Connection, Options extends TableOptions, Store>(
  kind: StoreKind,
  rules: Rules,
  create: (connection: Connection, options: Options, table: string) => Store,
): TableStores<Connection, Options, Store> {
  const readTable = (options: TableOptions): string => {
    checkOptions(options, rules, `${kind.name}()`)
    const name = options.table ?? kind.table
    return name.replace(/[^.]+/g, '"$&"')
  }
  // Proof: all options can be missing.
  const createStore = (connection: Connection, options = {} as Options): Store =>
    create(connection, options, readTable(options))
  const schema = (options: TableOptions = {}): string => schemaText(kind.tables(readTable(options)))
  startStackAtCaller(createStore, schema)
  return Object.assign(createStore, { schema })
}

/** Rules for the options of a store whose table has a name of this pattern. */
export function tableRules(name: RegExp): Rules<{ readonly table?: string; readonly create?: boolean }> {
  return {
    table: textRule(
      (text) => name.test(text),
      'be a name of lower-case letters, digits and "_", with at most 40 characters',
      "'shop_data'",
    ),
    create: SWITCH,
  }
}

/** Returns the quoted name of a further table of a store, with a suffix. */
export function suffixName(table: string, suffix: string): string {
  return table.replace(/"$/, `_${suffix}"`)
}

/** Returns the names of the tables for idempotency keys. A response has its own table, so that it stays when its claim is released. */
export function keyTables(table: string): { readonly claims: string; readonly responses: string } {
  return { claims: suffixName(table, 'claims'), responses: suffixName(table, 'answers') }
}

/** Formats the statements that create tables, for a migration. */
function schemaText({ schema }: StoreTables): string {
  return schema.map((statement) => `${statement};\n`).join('')
}

/** Keeps only the message and the code of an error, because other properties may contain values, which must not be logged. */
export function databaseError(error: unknown): Error {
  const { message, code }: UnknownRecord = isObject(error) ? error : { message: error }
  const short = new Error(code === undefined ? String(message) : `${String(message)} (${String(code)})`)
  return Object.assign(short, { code })
}
