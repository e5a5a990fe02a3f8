/** Rules and helpers that the stores in SQL databases share. */
import { rule, type Rules } from '../../errors/known-keys.js'
import { switchRule } from '../../errors/option-rules.js'
import { isObject, type UnknownRecord } from '../../values/objects.js'

/** Expired rows are removed at most once in this time, in ms. */
export const CLEANING_INTERVAL = 60_000
/** Maximum number of expired rows that one removal deletes. */
export const MAX_REMOVED = 1_000

/** The tables of a store. Each has a column `expires_at`. */
export interface StoreTables {
  /** Quoted names. */
  readonly names: readonly string[]
  /** Statements that create the tables and indexes if they are missing. */
  readonly schema: readonly string[]
}

/** Rules for the options of a store whose table has a name of this pattern. */
export function tableRules(name: RegExp): Rules {
  return {
    table: rule(
      (value) => typeof value === 'string' && name.test(value),
      '"table" must be a name of lower-case letters, digits and "_", with at most 40 characters. Write "table: \'shop_data\'"',
    ),
    create: switchRule('create'),
  }
}

/** Returns the quoted name of a further table of a store, with a suffix. */
export function suffixName(table: string, suffix: string): string {
  return table.replace(/"$/, `_${suffix}"`)
}

/** Formats statements for a migration. */
export function schemaText(statements: readonly string[]): string {
  return statements.map((statement) => `${statement};\n`).join('')
}

/** Keeps only the message and the code of an error, because other properties may contain values, which must not be logged. */
export function databaseError(error: unknown): Error {
  const { message, code }: UnknownRecord = isObject(error) ? error : { message: error }
  const short = new Error(code === undefined ? String(message) : `${String(message)} (${String(code)})`)
  return Object.assign(short, { code })
}
