/** Expired rows in SQLite. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { sqliteIdempotency, sqliteLimits, sqliteSessions } from 'verbena/sqlite'
import Database from 'better-sqlite3'
import { buildClaim, INSERTED, MINUTE, nextMinute, passTenMinutes, type FilledTable } from './ten-minutes.js'

describe('a table of a store in SQLite', () => {
  const folder = mkdtempSync(join(tmpdir(), 'verbena-expired-'))
  const database = new Database(join(folder, 'state.db'))
  database.pragma('journal_mode = wal')
  database.exec(sqliteSessions.schema() + sqliteLimits.schema() + sqliteIdempotency.schema())
  after(() => {
    database.close()
    rmSync(folder, { recursive: true })
  })

  const tableOf = (table: string, columns: string, values: string, write: FilledTable['write']): FilledTable => ({
    write,
    count: async () => Number(database.prepare(`select count(*) from ${table}`).pluck().get()),
    async pass(minute) {
      database.exec(`begin; update ${table} set expires_at = expires_at - ${MINUTE};
        with recursive n (i) as (select 1 union all select i + 1 from n where i < ${INSERTED})
        insert into ${table} (key, ${columns}, expires_at) select 'k${minute}-' || i, ${values}, ${nextMinute()} from n; commit`)
    },
  })

  it('has the rows of at most two minutes: sessions', (t) => {
    const store = sqliteSessions(database)
    const write = (key: string): unknown => store.set(key, 'text', nextMinute(), 'new')
    return passTenMinutes(t, tableOf('verbena_sessions', 'text', "'text'", write))
  })

  it('has the rows of at most two minutes: limits', (t) => {
    const store = sqliteLimits(database)
    const write = (key: string): unknown => store.take({ key, limit: 1, window: MINUTE, cost: 1 })
    return passTenMinutes(t, tableOf('verbena_limits', 'slots', "'[1,1]'", write))
  })

  it('has the rows of at most two minutes: claims of keys', (t) => {
    const store = sqliteIdempotency(database)
    const write = (key: string): unknown => store.claim(buildClaim(key))
    return passTenMinutes(t, tableOf('verbena_idempotency_claims', 'owner, request', "'o', 'r'", write))
  })

  const table = ['verbena_idempotency_answers', 'request, answer', "'r', 'a'"] as const

  it('has the rows of at most two minutes: responses', (t) => {
    const store = sqliteIdempotency(database)
    return passTenMinutes(
      t,
      tableOf(...table, (key) => store.complete(buildClaim(key), 'answer', MINUTE)),
    )
  })

  it('has the rows of at most two minutes: responses in the file of the app', (t) => {
    const state = new Database(join(folder, 'keys.db'))
    t.after(() => state.close())
    const store = sqliteIdempotency(state, { create: true, responses: database })
    return passTenMinutes(
      t,
      tableOf(...table, (key) => store.completeWithin(buildClaim(key), 'answer', MINUTE, database)),
    )
  })
})
