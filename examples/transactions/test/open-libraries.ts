/** Clients of the six libraries, with default settings. */
import { MikroORM } from '@mikro-orm/postgresql'
import { drizzle } from 'drizzle-orm/node-postgres'
import knex from 'knex'
import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import { Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'

/** A client, by the page of its library. */
export interface Client {
  readonly db: unknown
  close(): Promise<unknown>
}

/** Opens each library as its page does. */
export const OPEN: Readonly<Record<string, (url: string) => Promise<Client>>> = {
  'use-drizzle': async (connectionString) => {
    const pool = new pg.Pool({ connectionString })
    return { db: drizzle({ client: pool }), close: () => pool.end() }
  },
  'use-kysely': async (connectionString) => {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString }) }) })
    return { db, close: () => db.destroy() }
  },
  'use-knex': async (connection) => {
    const db = knex({ client: 'pg', connection })
    return { db, close: () => db.destroy() }
  },
  'use-typeorm': async (url) => {
    const db = await new DataSource({ type: 'postgres', url }).initialize()
    return { db, close: () => db.destroy() }
  },
  'use-sequelize': async (url) => {
    const db = new Sequelize(url, { logging: false })
    return { db, close: () => db.close() }
  },
  'use-mikroorm': async (clientUrl) => {
    const db = await MikroORM.init({ clientUrl, entities: [], discovery: { warnWhenNoEntities: false } })
    return { db, close: () => db.close() }
  },
}
