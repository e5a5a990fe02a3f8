/** Statements of Drizzle in the records of the console: by its logger, and better by the adapter of its driver. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { queryLogger } from '../observe-drizzle.js'
import { observePg } from '../observe-pg.js'
import { readFacts, startRecordedApp, type RecordedApp } from './recorded-app.js'
import { startDatabase, type TestDatabase } from './support.js'

// The types of Drizzle do not compile with "skipLibCheck": false.
const [driver, core, query]: string[] = ['drizzle-orm/node-postgres', 'drizzle-orm/pg-core', 'drizzle-orm']
const { drizzle } = await import(String(driver))
const { pgTable, integer, text } = await import(String(core))
const { eq } = await import(String(query))
const notes = pgTable('notes', { id: integer(), text: text() })
const SELECT = 'select "id", "text" from "notes" where "notes"."text" = $1'

describe('queryLogger', () => {
  let server: TestDatabase
  let app: RecordedApp
  let pool: pg.Pool

  before(async () => {
    server = await startDatabase()
    app = await startRecordedApp()
    pool = new pg.Pool(server.options)
    await pool.query("create table notes (id int, text text); insert into notes values (1, 'a'), (2, 'b')")
  })
  after(async () => {
    await app.close()
    await pool.end()
    await server.server.remove()
  })

  it('records statements and parameters, without rows and errors', async () => {
    const db = drizzle(pool, { logger: queryLogger })
    const { queries } = await app.recordOf(async () => {
      assert.equal((await db.select().from(notes).where(eq(notes.text, 'a'))).length, 1)
      await assert.rejects(db.execute('select 1 / 0'))
      await db.transaction((tx: typeof db) => tx.execute('select 1'))
    })
    assert.deepEqual(readFacts(queries), [
      [SELECT, '"a"', null, null],
      ['select 1 / 0', null, null, null],
      ['begin', null, null, null],
      ['select 1', null, null, null],
      ['commit', null, null, null],
    ])
  })

  it('can be replaced by the adapter of the driver, which also records rows and errors', async () => {
    observePg(pg)
    const db = drizzle(pool)
    const { queries, calls } = await app.recordOf(async () => {
      await db.select().from(notes).where(eq(notes.text, 'a'))
      await assert.rejects(db.execute('select 1 / 0'))
    }, 'PUT')
    assert.deepEqual(readFacts(queries), [
      [SELECT, '"a"', 1, null],
      ['select 1 / 0', null, null, 'division by zero'],
    ])
    assert.deepEqual([queries[0]?.call, queries[0]?.site], [0, calls[0]?.site])
  })
})
