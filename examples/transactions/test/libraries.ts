/** The providers of the task pages, imported unchanged, and a table that they all write to. */
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Provider } from 'verbena'
import { sql } from 'drizzle-orm'
import type { NodePgDatabase } from 'drizzle-orm/node-postgres'
import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { Knex } from 'knex'
import { sql as kyselySql, type Kysely, type Transaction as KyselyTransaction } from 'kysely'
import { QueryTypes, type Sequelize, type Transaction as SequelizeTransaction } from 'sequelize'
import type { DataSource, EntityManager as TypeOrmManager } from 'typeorm'
import { readPage, writePage } from '../../../test/support/how-to.js'

/** Runs a statement. */
export type Run = (statement: string) => Promise<unknown>

/** A library on a page. Type parameters are erased, because all libraries are in one list. */
export interface Library {
  readonly page: string
  /** Runs a statement in the transaction that the provider yields. */
  run(tx: unknown, statement: string, db: unknown): Promise<unknown>
  /** Runs a function in the transaction of the library itself. */
  own(db: unknown, work: (run: Run) => Promise<void>): Promise<unknown>
  /** Whether the library's own transaction reports that PostgreSQL has rolled back. */
  readonly reports: boolean
}

/** Exports of `src/database.ts` of a page. */
interface Exports {
  readonly transaction: Provider<unknown, object>
  readonly [name: string]: unknown
}

interface LibraryOf<Db, Tx> extends Pick<Library, 'page' | 'reports'> {
  run(tx: Tx, statement: string, db: Db): Promise<unknown>
  own(db: Db, work: (run: Run) => Promise<void>): Promise<unknown>
}

// Proof: each library gets only the values of its page.
const erase = <Db, Tx>(library: LibraryOf<Db, Tx>): Library => library as unknown as Library

export const LIBRARIES: readonly Library[] = [
  erase<NodePgDatabase, NodePgDatabase>({
    page: 'use-drizzle',
    run: (tx, statement) => tx.execute(sql.raw(statement)),
    own: (db, work) => db.transaction((tx) => work(async (statement) => tx.execute(sql.raw(statement)))),
    reports: false,
  }),
  erase<Kysely<object>, KyselyTransaction<object>>({
    page: 'use-kysely',
    run: (tx, statement) => kyselySql.raw(statement).execute(tx),
    own: (db, work) =>
      db.transaction().execute((tx) => work(async (statement) => kyselySql.raw(statement).execute(tx))),
    reports: true,
  }),
  erase<Knex, Knex.Transaction>({
    page: 'use-knex',
    run: async (tx, statement) => tx.raw(statement),
    own: (db, work) => db.transaction((tx) => work(async (statement) => tx.raw(statement))),
    reports: false,
  }),
  erase<DataSource, TypeOrmManager>({
    page: 'use-typeorm',
    run: (tx, statement) => tx.query(statement),
    own: (db, work) => db.transaction((tx) => work((statement) => tx.query(statement))),
    reports: false,
  }),
  erase<Sequelize, SequelizeTransaction>({
    page: 'use-sequelize',
    run: (transaction, statement, db) => db.query(statement, { type: QueryTypes.RAW, transaction }),
    own: (db, work) =>
      db.transaction((transaction) => work((statement) => db.query(statement, { type: QueryTypes.RAW, transaction }))),
    reports: false,
  }),
  erase<MikroORM, EntityManager>({
    page: 'use-mikroorm',
    run: (tx, statement) => tx.execute(statement),
    own: ({ em }, work) => em.fork().transactional((tx) => work((statement) => tx.execute(statement))),
    reports: false,
  }),
]

/** Writes the code of a page into a folder, and imports its `src/database.ts`. */
export async function importPage(page: string, parent: string): Promise<Exports> {
  const folder = writePage(readPage(page), parent)
  return import(pathToFileURL(join(folder, 'src/database.ts')).href)
}
