import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { sqliteIdempotency, sqliteLimits, sqliteSessions, type SqliteDatabase } from 'verbena/sqlite'
import { databasePath, ENGINES, watchedConnection } from '#test/sqlite.js'

const STORES = [
  ['sqliteSessions', sqliteSessions, 1],
  ['sqliteIdempotency', sqliteIdempotency, 2],
  ['sqliteLimits', sqliteLimits, 1],
] as const
const code = 'OPTION_INVALID'
const later = (): number => Date.now() + 60_000

function count(database: SqliteDatabase, rest: string): number {
  return Number(Object(database.prepare(`select count(*) as n from ${rest}`).get()).n)
}

function countTables(database: SqliteDatabase, name: string): number {
  return count(database, `sqlite_master where type = 'table' and name like '${name}%'`)
}

function thrownBy(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    assert.ok(error instanceof Error)
    return error
  }
  return assert.fail('no error')
}

for (const { name: engine, open } of ENGINES) {
  for (const [name, createStore, tables] of STORES) {
    describe(`${name}() options with ${engine}`, () => {
      const invalid: readonly (readonly [object, RegExp])[] = [
        [{ table: 'Shop' }, /"table" of \w+\(\): it must be a name of lower-case letters/],
        [{ table: 'a"; drop table b; --' }, /"table" of \w+\(\): it must be a name/],
        [{ table: 'a'.repeat(41) }, /"table" of \w+\(\): it must be a name/],
        [{ table: 'a.b' }, /"table" of \w+\(\): it must be a name/],
        [{ create: 'yes' }, /"create" of \w+\(\): it must be true or false/],
        [{ tabel: 'a' }, /"tabel" of \w+\(\): it is unknown. Did you mean "table"\?/],
      ]
      for (const [options, message] of invalid) {
        it(`rejects ${JSON.stringify(options).slice(0, 40)}`, () => {
          assert.throws(() => createStore(open(':memory:'), options), { code, message })
        })
      }

      it('rejects a value that is not a synchronous connection', () => {
        const statement = { run: () => ({ changes: 0 }), get: () => Promise.resolve({ timeout: 0 }) }
        const exec = (): void => {}
        const values: readonly (readonly [unknown, RegExp])[] = [
          [{}, /"database" of \w+\(\): it must be a connection of node:sqlite or better-sqlite3/],
          [undefined, /be a connection of node:sqlite or better-sqlite3, not undefined/],
          [{ exec, prepare: () => statement }, /closed, or it is not synchronous/],
          [{ exec, prepare: () => Promise.resolve(statement) }, /closed, or it is not synchronous/],
          [{ exec, prepare: () => ({ ...statement, get: () => undefined }) }, /closed, or it is not synchronous/],
        ]
        for (const [value, message] of values) {
          // Proof: the test passes a database that the types reject.
          assert.throws(() => createStore(value as SqliteDatabase), { code, message })
        }
      })

      it('returns the SQL of its tables for a migration', () => {
        const database = open(':memory:')
        const sql = createStore.schema({ table: 'shop' })
        assert.match(sql, /^create table if not exists "shop/)
        database.exec(sql)
        database.exec(sql)
        assert.equal(countTables(database, 'shop'), tables)
        assert.equal(count(database, "sqlite_master where type = 'index' and name like 'shop%expiry'"), tables)
        assert.match(createStore.schema(), /^create table if not exists "verbena_/)
        assert.throws(() => createStore.schema({ table: 'A' }), { code })
      })
    })
  }

  describe(`stores in SQLite with create: true and ${engine}`, () => {
    it('create their tables before the first transaction, once', () => {
      const database = watchedConnection(open(':memory:'))
      const store = sqliteSessions(database, { create: true })
      assert.equal(countTables(database, 'verbena'), 0)
      assert.deepEqual([store.get('a'), store.get('b')], [undefined, undefined])
      assert.equal(database.texts.filter((text) => text.startsWith('create table')).length, 1)
      assert.equal(countTables(database, 'verbena'), 1)
    })

    it('create all tables or none, and try again with the next call', () => {
      const database = watchedConnection(open(':memory:'))
      const store = sqliteSessions(database, { create: true })
      database.refuse = (text) => {
        if (text.startsWith('create index')) throw new Error('disk full')
      }
      assert.equal(thrownBy(() => store.get('a')).message, 'disk full')
      assert.equal(countTables(database, 'verbena'), 0)
      database.refuse = () => {}
      assert.equal(store.get('a'), undefined)
    })

    it('use the tables that another connection has created', () => {
      const path = databasePath()
      const [first, second] = [0, 1].map(() => sqliteSessions(open(path), { create: true }))
      first?.set('a', 'text', later(), 'new')
      assert.equal(second?.get('a'), 'text')
    })
  })

  describe(`stores in SQLite with ${engine}`, () => {
    it('throw inside a transaction of the app, which they neither commit nor roll back', () => {
      const database = open(':memory:')
      database.exec(`create table notes (text text); ${sqliteSessions.schema()}`)
      const store = sqliteSessions(database)
      for (const call of [() => store.get('a'), () => store.set('a', 'text', later(), 'new')]) {
        database.exec("begin; insert into notes values ('kept')")
        assert.match(thrownBy(call).message, /its connection is inside a transaction\. Open a connection that only/)
        database.exec('commit')
      }
      assert.equal(count(database, 'notes'), 2)
      assert.equal(store.get('a'), undefined)
    })

    it('roll back a transaction that fails, and go on', () => {
      const database = watchedConnection(open(':memory:'))
      const store = sqliteSessions(database, { create: true })
      store.get('a')
      database.refuse = (text) => {
        if (text === 'commit') throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR' })
      }
      assert.equal(thrownBy(() => store.set('a', 'text', later(), 'new')).message, 'disk I/O error (SQLITE_IOERR)')
      database.refuse = () => {}
      assert.equal(store.get('a'), undefined)
      assert.equal(store.set('a', 'text', later(), 'new'), true)
    })

    it('report the first error if SQLite has rolled the transaction back itself', () => {
      const database = watchedConnection(open(':memory:'))
      const store = sqliteSessions(database, { create: true })
      store.get('a')
      database.refuse = (text) => {
        if (!text.startsWith('insert')) return
        database.exec('rollback')
        throw new Error('disk full')
      }
      assert.equal(thrownBy(() => store.set('a', 'text', later(), 'new')).message, 'disk full')
      database.refuse = () => {}
      assert.equal(store.set('a', 'text', later(), 'new'), true)
    })

    it('report errors by message and code, never with values', () => {
      const database = watchedConnection(open(':memory:'))
      const store = sqliteSessions(database, { create: true })
      store.get('a')
      const withValues = Object.assign(new Error('constraint failed'), { code: 'SQLITE_CONSTRAINT', row: 'secret' })
      database.refuse = (text) => {
        if (text.startsWith('insert')) throw withValues
      }
      const failed = thrownBy(() => store.set('a', 'secret', later(), 'new'))
      assert.equal(failed.message, 'constraint failed (SQLITE_CONSTRAINT)')
      assert.doesNotMatch(JSON.stringify({ ...failed }) + String(failed.stack) + String(failed.cause), /secret/)
    })

    it('fail if their tables are missing', () => {
      assert.match(thrownBy(() => sqliteSessions(open(':memory:')).get('a')).message, /no such table/)
    })

    it('wait a second for the lock of another connection, unless the connection has its own time', () => {
      const path = databasePath()
      const [holder, waiting, impatient] = [open(path), open(path), open(path)]
      impatient.exec('pragma busy_timeout = 50')
      holder.exec(sqliteSessions.schema())
      const stores = [sqliteSessions(waiting), sqliteSessions(impatient)]
      holder.exec('begin immediate')
      const times = stores.map((store) => {
        const start = performance.now()
        assert.match(thrownBy(() => store.set('a', 'text', later(), 'new')).message, /locked/)
        return performance.now() - start
      })
      holder.exec('rollback')
      const [patient = 0, short = 0] = times
      assert.ok(patient > 800 && short < patient, times.join())
      assert.equal(stores[0]?.set('a', 'text', later(), 'new'), true)
    })

    it('remove at most 200 expired rows after a write, and more after the next ones', async () => {
      const database = watchedConnection(open(':memory:'))
      const store = sqliteSessions(database, { create: true })
      store.get('nothing')
      database.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 460)
        insert into verbena_sessions (key, text, expires_at) select 'k' || i, '', 1 from n`)
      const write = async (key: string): Promise<number> => {
        const before = count(database, 'verbena_sessions')
        store.set(key, 'text', later(), 'new')
        assert.equal(count(database, 'verbena_sessions'), before + 1)
        await turn()
        return before + 1 - count(database, 'verbena_sessions')
      }
      let removed = 0
      for (let writes = 0; removed < 460; writes++) {
        const rows = await write(String(writes))
        // On a loaded machine, the time ends a removal first.
        assert.ok(rows >= 5 && rows <= 200, String(rows))
        removed += rows
      }
      const removals = (): number => database.texts.filter((text) => text.startsWith('delete')).length
      // The time may also have ended the last removal. This one finds no expired row.
      await write('second to last')
      const before = removals()
      await write('last')
      assert.equal(removals(), before)
    })

    it('end a removal of expired rows after a few ms', async (t) => {
      const database = open(':memory:')
      const store = sqliteIdempotency(database, { create: true })
      await store.release({ key: 'a', client: 'c', owner: 'o', request: 'r', lease: 1 })
      await turn()
      database.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 100)
        insert into verbena_idempotency_answers (key, request, answer, expires_at) select 'k' || i, '', '', 1 from n`)
      let now = 1_000_000
      t.mock.method(performance, 'now', () => (now += 1))
      const rest: number[] = []
      while (rest.at(-1) !== 0) {
        await store.release({ key: 'a', client: 'c', owner: 'o', request: 'r', lease: 1 })
        await turn()
        rest.push(count(database, 'verbena_idempotency_answers'))
      }
      assert.ok(rest.length > 4, rest.join())
    })

    it('write although the removal of expired rows fails', async () => {
      const database = watchedConnection(open(':memory:'))
      const store = sqliteSessions(database, { create: true })
      database.refuse = (text) => {
        if (text.startsWith('delete')) throw new Error('no')
      }
      assert.equal(store.set('a', 'text', later(), 'new'), true)
      await turn()
      assert.equal(store.get('a'), 'text')
    })

    it('remove expired rows only without another process, and restore the time to wait', async () => {
      const path = databasePath()
      const [holder, connection] = [open(path), open(path)]
      connection.exec(`pragma busy_timeout = 60000; ${sqliteSessions.schema()}`)
      const database = watchedConnection(connection)
      const store = sqliteSessions(database)
      store.set('a', 'text', later(), 'new')
      holder.exec('begin immediate')
      await turn()
      holder.exec('rollback')
      assert.ok(!database.texts.some((text) => text.startsWith('delete')))
      assert.equal(Object(connection.prepare('pragma busy_timeout').get()).timeout, 60_000)
    })

    it('share one connection', async () => {
      const database = open(':memory:')
      const sessions = sqliteSessions(database, { create: true })
      const keys = sqliteIdempotency(database, { create: true })
      const limits = sqliteLimits(database, { create: true })
      const claim = { key: 'a', client: 'c', owner: 'o', request: 'r', lease: 1000 }
      const charge = { key: 'a', limit: 1, window: 1000, cost: 1 }
      const results = await Promise.all([
        keys.claim(claim),
        limits.take(charge),
        sessions.set('a', 'b', later(), 'new'),
      ])
      assert.deepEqual([results[0].state, results[1].allowed, results[2]], ['claimed', true, true])
    })
  })
}
