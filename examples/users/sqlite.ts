/** Databases in memory with `node:sqlite`, whose queries the console shows. */
import { isBuiltin } from 'node:module'
import { observeSqlite } from './observe-sqlite.js'

type Value = string | number | null

interface Statement {
  all(...params: Value[]): unknown[]
  get(...params: Value[]): unknown
}

export interface Connection {
  prepare(sql: string): Statement
  exec(sql: string): void
}

/** Opens a database; returns `null` on Node before 22.13, which has no `node:sqlite`. */
export async function openSqlite(schema: string): Promise<Connection | null> {
  // The types of Node 20 do not have this module.
  const name: string = 'node:sqlite'
  if (!isBuiltin(name)) return null
  const { DatabaseSync }: { DatabaseSync: new (path: string) => Connection } = await import(name)
  const connection = new DatabaseSync(':memory:')
  observeSqlite(connection)
  connection.exec(schema)
  return connection
}
