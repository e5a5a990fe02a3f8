/** Queries of `better-sqlite3` in the records of the console; test/examples/observe-sqlite.test.ts uses `node:sqlite`. */
import assert from 'node:assert/strict'
import { it } from 'node:test'
import Database from 'better-sqlite3'
import { readFacts, startRecordedApp } from '../../postgres/test/recorded-app.js'
import { observeSqlite } from '../../users/observe-sqlite.js'
import { testLibrary } from './observe-cases.js'

testLibrary('better-sqlite3', () => new Database(':memory:'))

it('records the statements of a transaction function, and array parameters', async () => {
  const app = await startRecordedApp()
  const db = new Database(':memory:')
  observeSqlite(db)
  const { queries } = await app.recordOf(() => db.transaction(() => db.prepare('select ?, ?').all([1, 2]))())
  assert.deepEqual(readFacts(queries), [
    ['BEGIN', null, 0, null],
    ['select ?, ?', '1, 2', 1, null],
    ['COMMIT', null, 0, null],
  ])
  await app.close()
})
