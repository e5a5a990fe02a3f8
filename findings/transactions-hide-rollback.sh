#!/usr/bin/env bash
# Drizzle 0.45.4, Knex 3.3.0, TypeORM 1.1.1, Sequelize 6.37.8, MikroORM 6.6.16: a transaction that PostgreSQL rolled back resolves.
#
# Expected: the transaction rejects, as in Kysely 0.28.19, because nothing is stored.
# Seen: if the error of one statement is caught, PostgreSQL responds to COMMIT with ROLLBACK, and not with an error. The libraries do not
# look at this response, and the promise of the transaction is fulfilled.
# Why it matters: an API that catches the error of a statement, such as a duplicate key, responds with 200 and has stored nothing.
set -euo pipefail
folder="$(mktemp -d)"
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm install --silent --no-audit --no-fund --ignore-scripts --legacy-peer-deps @electric-sql/pglite@0.5.14 @electric-sql/pglite-socket@0.2.17 pg@8.23.1 \
  drizzle-orm@0.45.4 kysely@0.28.19 knex@3.3.0 typeorm@1.1.1 sequelize@6.37.8 @mikro-orm/core@6.6.16 @mikro-orm/postgresql@6.6.16

cat >run.mjs <<'PROGRAM'
import { PGlite } from '@electric-sql/pglite'
import { PGLiteSocketServer } from '@electric-sql/pglite-socket'
import { MikroORM } from '@mikro-orm/postgresql'
import { sql as drizzleSql } from 'drizzle-orm'
import { drizzle } from 'drizzle-orm/node-postgres'
import knex from 'knex'
import { Kysely, PostgresDialect, sql as kyselySql } from 'kysely'
import pg from 'pg'
import { Sequelize } from 'sequelize'
import { DataSource } from 'typeorm'

const database = new PGlite()
await database.exec("create table teas (name text unique); insert into teas values ('green')")
const server = new PGLiteSocketServer({ db: database, port: 0, host: '127.0.0.1', maxConnections: 10 })
await server.start()
const port = Number(server.getServerConn().split(':').at(-1))
const connectionString = `postgres://postgres@127.0.0.1:${port}/postgres?sslmode=disable`

/** Inserts a row, and ignores that the next one exists. */
async function insert(run) {
  await run("insert into teas values ('black')")
  await run("insert into teas values ('green')").catch(() => {})
}

const libraries = {
  async drizzle() {
    const pool = new pg.Pool({ connectionString, max: 1 })
    const db = drizzle({ client: pool })
    return [db.transaction((tx) => insert((text) => tx.execute(drizzleSql.raw(text)).then())), () => pool.end()]
  },
  async kysely() {
    const db = new Kysely({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString, max: 1 }) }) })
    return [db.transaction().execute((tx) => insert((text) => kyselySql.raw(text).execute(tx))), () => db.destroy()]
  },
  async knex() {
    const db = knex({ client: 'pg', connection: connectionString, pool: { min: 0, max: 1 } })
    return [db.transaction((tx) => insert(async (text) => tx.raw(text))), () => db.destroy()]
  },
  async typeorm() {
    const db = await new DataSource({ type: 'postgres', url: connectionString, poolSize: 1 }).initialize()
    return [db.transaction((tx) => insert((text) => tx.query(text))), () => db.destroy()]
  },
  async sequelize() {
    const db = new Sequelize(connectionString, { logging: false, pool: { min: 0, max: 1 } })
    return [db.transaction((transaction) => insert((text) => db.query(text, { transaction }))), () => db.close()]
  },
  async mikroorm() {
    const discovery = { warnWhenNoEntities: false }
    const orm = await MikroORM.init({ clientUrl: connectionString, entities: [], discovery, pool: { min: 0, max: 1 } })
    return [orm.em.fork().transactional((em) => insert((text) => em.execute(text))), () => orm.close()]
  },
}

for (const [name, open] of Object.entries(libraries)) {
  const [transaction, close] = await open()
  const outcome = await transaction.then(() => 'resolved', (error) => `rejected with ${error.constructor.name}`)
  await close()
  const { rows } = await database.query('select name from teas')
  console.log(`${name}: ${outcome}, stored: ${rows.map((row) => row.name).join()}`)
}
await server.stop()
await database.close()
PROGRAM

node run.mjs | tee seen.txt
diff seen.txt - <<'EXPECTED'
drizzle: resolved, stored: green
kysely: rejected with AbortedTransactionError, stored: green
knex: resolved, stored: green
typeorm: resolved, stored: green
sequelize: resolved, stored: green
mikroorm: resolved, stored: green
EXPECTED
