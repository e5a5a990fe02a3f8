/** Migrations run once, and all or none. */
import assert from 'node:assert/strict'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { bankApp } from '../app.js'
import { migrate } from '../migrate.js'
import { startDatabase, until, type TestDatabase } from './support.js'

describe('migrate()', () => {
  let database: TestDatabase
  let pool: pg.Pool

  before(async () => {
    database = await startDatabase()
    pool = new pg.Pool({ connectionString: database.server.url })
  })
  beforeEach(async () => {
    await pool.query('drop schema public cascade; create schema public')
  })
  after(async () => {
    await pool.end()
    await database.server.remove()
  })

  async function tables(): Promise<string[]> {
    const { rows } = await pool.query<{ name: string }>(
      "select tablename as name from pg_tables where schemaname = 'public' order by tablename",
    )
    return rows.map(({ name }) => name)
  }

  it('runs each file once, in the order of their names', async () => {
    assert.deepEqual(await migrate(pool), ['001-accounts.sql', '002-transfers.sql'])
    assert.deepEqual(await migrate(pool), [])
    assert.deepEqual(await tables(), ['accounts', 'migrations', 'transfers'])
  })

  it('runs each file once when several processes start together', async () => {
    const made = await Promise.all([migrate(pool), migrate(pool), migrate(pool)])
    assert.deepEqual(made.flat(), ['001-accounts.sql', '002-transfers.sql'])
  })

  it('rolls back all files if one fails', async (t) => {
    const folder = await mkdtemp(join(tmpdir(), 'verbena-migrations-'))
    t.after(() => rm(folder, { recursive: true }))
    await writeFile(join(folder, '1.sql'), 'create table one (id integer); create table two (id integer);')
    await writeFile(join(folder, '2.sql'), 'create table three (id integer); create table broken (id nonsense);')
    await writeFile(join(folder, 'notes.txt'), 'no SQL')
    await assert.rejects(migrate(pool, pathToFileURL(`${folder}/`)), /nonsense/)
    assert.deepEqual(await tables(), [])
    assert.equal(pool.idleCount, pool.totalCount)
  })

  it('closes the connections of an app that cannot migrate', async () => {
    await pool.query('create table accounts (of text)')
    const app = bankApp({ ...database.options, idleTimeoutMillis: 0 }, { logger: false, signals: false })
    await assert.rejects(app.start(), /"accounts" already exists/)
    const connections = "select from pg_stat_activity where application_name = 'bank'"
    await until(async () => (await pool.query(connections)).rowCount === 0, 'all connections are closed')
    await app.close()
  })
})
