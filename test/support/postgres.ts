/** A PostgreSQL database in this process, for tests of the stores. */
import { after } from 'node:test'
import type { PostgresPool } from 'verbena/postgres'

/** The methods of a PGlite database that tests use. The types of PGlite itself require browser types. */
export interface Database {
  query<Row>(text: string, values?: unknown[]): Promise<{ readonly rows: readonly Row[] }>
  exec(text: string): Promise<unknown>
  close(): Promise<void>
}

interface DatabasePackage {
  readonly PGlite: { create(): Promise<Database> }
}

const PACKAGE: string = '@electric-sql/pglite'

/** Statements that the pool received. */
export interface WatchedPool extends PostgresPool {
  readonly texts: string[]
}

/** Creates an empty database, which ends with the test file. */
export async function createDatabase(): Promise<Database> {
  const { PGlite }: DatabasePackage = await import(PACKAGE)
  const database = await PGlite.create()
  after(() => database.close())
  return database
}

/** Returns a pool that runs statements in the database, and records them. */
export function watchedPool(database: PostgresPool): WatchedPool {
  const texts: string[] = []
  const query: PostgresPool['query'] = (text, values) => {
    texts.push(text)
    return database.query(text, values)
  }
  return { texts, query }
}

/** Returns a pool whose statements fail with an error, like one of `pg`. */
export function failingPool(error: unknown): PostgresPool {
  return {
    async query() {
      throw error
    },
  }
}
