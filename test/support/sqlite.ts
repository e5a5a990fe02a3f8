/** SQLite databases in temporary files, for tests of the stores: in WebAssembly on all versions of Node, and with `node:sqlite` from Node 22.13. */
import { mkdtempSync, rmSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import wasm from 'node-sqlite3-wasm'
import type { SqliteDatabase, SqliteValue } from 'verbena/sqlite'

/** A connection that tests close. */
export interface TestConnection extends SqliteDatabase {
  close(): void
}

/** A SQLite library. */
export interface SqliteEngine {
  readonly name: string
  /** Opens a connection, which ends with the test file. */
  readonly open: (path: string) => TestConnection
}

interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => TestConnection
}

const connections: TestConnection[] = []
const folders: string[] = []

after(() => {
  for (const connection of connections) connection.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

/** The libraries that this version of Node can run. */
export const ENGINES: readonly SqliteEngine[] = [
  { name: 'node-sqlite3-wasm', open: (path) => keepOpen(openWasm(path)) },
  ...(isBuiltin('node:sqlite') ? [await loadNodeSqlite()] : []),
]

async function loadNodeSqlite(): Promise<SqliteEngine> {
  // The types of Node 20 do not have this module.
  const name: string = 'node:sqlite'
  const { DatabaseSync }: NodeSqlite = await import(name)
  return { name, open: (path) => keepOpen(new DatabaseSync(path)) }
}

/** Closes a connection once, at the latest after the tests. */
function keepOpen(connection: TestConnection): TestConnection {
  let isOpen = true
  const once: TestConnection = {
    prepare: (sql) => connection.prepare(sql),
    exec: (sql) => connection.exec(sql),
    close: () => {
      if (isOpen) connection.close()
      isOpen = false
    },
  }
  connections.push(once)
  return once
}

/**
 * Opens a connection whose statements accept values as separate arguments. Each call prepares its statement again, because a statement of this
 * library cannot be executed after an error, and holds a lock after `get`.
 */
function openWasm(path: string): TestConnection {
  const database = new wasm.Database(path)
  return {
    prepare: (sql) => ({
      run: (...values: SqliteValue[]) => database.run(sql, values),
      get: (...values: SqliteValue[]) => database.get(sql, values),
    }),
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
  }
}

/** Returns the path of a database file in a new folder, which is removed after the tests. */
export function databasePath(): string {
  const folder = mkdtempSync(join(tmpdir(), 'verbena-sqlite-'))
  folders.push(folder)
  return join(folder, 'state.db')
}

/** A connection that records the SQL of its statements, and can make some of them fail. */
export interface WatchedConnection extends SqliteDatabase {
  readonly texts: string[]
  /** Throws for statements that must fail. */
  refuse: (text: string) => void
}

export function watchedConnection(database: SqliteDatabase): WatchedConnection {
  const watched: WatchedConnection = {
    texts: [],
    refuse: () => {},
    prepare: (sql) => {
      const statement = database.prepare(sql)
      const note = (): void => {
        watched.texts.push(sql)
        watched.refuse(sql)
      }
      return {
        run: (...values) => {
          note()
          return statement.run(...values)
        },
        get: (...values) => {
          note()
          return statement.get(...values)
        },
      }
    },
    exec: (sql) => {
      watched.texts.push(sql)
      watched.refuse(sql)
      return database.exec(sql)
    },
  }
  return watched
}
