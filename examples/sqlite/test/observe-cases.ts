/** Tests of the adapter with a library, such as `better-sqlite3`. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { readFacts, startRecordedApp, type RecordedApp } from '../../postgres/test/recorded-app.js'
import { observeSqlite } from '../../users/observe-sqlite.js'

interface Statement {
  run(...params: unknown[]): unknown
  get(...params: unknown[]): unknown
  all(...params: unknown[]): unknown[]
  iterate(...params: unknown[]): Iterable<unknown>
}

/** A store of `node:sqlite`, whose methods are tags of templates. */
interface TagStore {
  run(strings: TemplateStringsArray, ...values: unknown[]): unknown
  get(strings: TemplateStringsArray, ...values: unknown[]): unknown
  all(strings: TemplateStringsArray, ...values: unknown[]): unknown[]
  iterate(strings: TemplateStringsArray, ...values: unknown[]): Iterable<unknown>
}

export interface Connection {
  prepare(sql: string): Statement
  createTagStore?(): TagStore
  exec(sql: string): unknown
  close(): unknown
}

const INSERT = 'insert into notes (id, password) values (?, ?)'
const SELECT = 'select id from notes order by id'

/** Defines the tests; `open` opens a connection to a database in memory. */
export function testLibrary(library: string, open: () => Connection): void {
  describe(`observeSqlite with ${library}`, () => {
    let app: RecordedApp
    let db: Connection

    before(async () => {
      app = await startRecordedApp()
      for (const connection of [open(), open()]) {
        observeSqlite(connection)
        db = connection
      }
      db.exec('create table notes (id integer primary key, password text)')
    })
    after(async () => {
      db.close()
      await app.close()
    })

    /** Returns the queries of a request that runs `work`; all of them have ended. */
    async function factsOf(work: () => unknown): Promise<unknown[]> {
      const { queries } = await app.recordOf(work)
      for (const { text, duration } of queries) assert.equal(typeof duration, 'number', text)
      return readFacts(queries)
    }

    it('records each kind of call once, with parameters and rows, and hides secrets', async () => {
      const facts = await factsOf(() => {
        db.exec('begin')
        for (const id of [1, 2]) db.prepare(INSERT).run(id, 'tiger')
        assert.equal(Object(db.prepare(`select id from notes where id = $id`).get({ id: 1 })).id, 1)
        assert.equal(db.prepare('select 1 where 1 = ?').get(2), undefined)
        assert.equal(db.prepare(SELECT).all().length, 2)
        assert.equal(Object(db.prepare('update notes set id = id + 10').run()).changes, 2)
        db.exec('commit')
      })
      assert.deepEqual(facts, [
        ['begin', null, null, null],
        [INSERT, '1, "redacted"', 1, null],
        [INSERT, '2, "redacted"', 1, null],
        ['select id from notes where id = $id', '{"id":1}', 1, null],
        ['select 1 where 1 = ?', '2', 0, null],
        [SELECT, null, 2, null],
        ['update notes set id = id + 10', null, 2, null],
        ['commit', null, null, null],
      ])
    })

    it('records an iterator until the last row that the app reads', async () => {
      let reads = 0
      const { queries } = await app.recordOf(async () => {
        for (const row of db.prepare(SELECT).iterate()) {
          assert.ok(Object(row).id > 0)
          reads++
          await new Promise((resolve) => setTimeout(resolve, 15))
        }
        for (const _ of db.prepare('select 7 union select 8').iterate()) break
        Object(db.prepare('select 9').iterate()).return()
        db.prepare('select 10').all()
      })
      assert.deepEqual([queries.length, reads], [4, 2])
      assert.ok(queries.every(({ duration }) => duration !== null))
      assert.ok(Number(queries[0]?.duration) >= 25, `duration: ${queries[0]?.duration}`)
      assert.ok(Number(queries[1]?.duration) < 10, `duration: ${queries[1]?.duration}`)
    })

    it('records tagged templates, if the library has them', async (t) => {
      const sql = db.createTagStore?.()
      if (sql === undefined) return t.skip(`${library} has no tagged templates`)
      const facts = await factsOf(() => {
        assert.ok(sql.run`insert into notes (id, password) values (${21}, ${'tiger'})`)
        assert.deepEqual({ ...Object(sql.get`select password from notes where id = ${21}`) }, { password: 'tiger' })
        assert.equal(sql.all`select id from notes where id > ${20} and id < ${22}`.length, 1)
        assert.equal([...sql.iterate`select id from notes where id = ${21}`].length, 1)
        assert.throws(() => sql.run`insert into notes (id) values (${21})`, /UNIQUE/)
      })
      assert.deepEqual(facts, [
        [INSERT, '21, "redacted"', 1, null],
        ['select password from notes where id = ?', '21', 1, null],
        ['select id from notes where id > ? and id < ?', '20, 22', 1, null],
        ['select id from notes where id = ?', '21', null, null],
        ['insert into notes (id) values (?)', '21', null, 'UNIQUE constraint failed: notes.id'],
      ])
    })

    it('rethrows errors, and records them', async () => {
      const facts = await factsOf(() => {
        db.prepare(INSERT).run(1, 'a')
        assert.throws(() => db.prepare(INSERT).run(1, 'a'), /UNIQUE/)
        assert.throws(() => db.exec('select * from missing'), /no such table/)
        // The first row succeeds.
        const overflow = 'select abs(-9223372036854775807 - n) > 0 from (select 0 as n union all select 1)'
        assert.throws(() => [...db.prepare(overflow).iterate()], /integer overflow/)
        assert.throws(() => db.prepare('select ?').iterate(Symbol('no value')))
        assert.throws(() => db.prepare('select broken'), /no such column/)
      })
      assert.deepEqual(
        facts.slice(0, 4).map((each) => Array.isArray(each) && each[3]),
        [null, 'UNIQUE constraint failed: notes.id', 'no such table: missing', 'integer overflow'],
      )
      assert.equal(facts.length, 5)
    })

    it('uses the line of the app as the call site', async () => {
      const { queries } = await app.recordOf(() => {
        db.exec('select 1')
        return db.prepare('select 1').all()
      })
      for (const { site } of queries) assert.match(String(site?.file), /test\/observe-cases\.ts$/)
    })

    it('shows one query per row as repeated, and the own time of the service method', async () => {
      const { repeated, calls, queries } = await app.recordOf(() => {
        for (let id = 1; id <= 6; id++) db.prepare('select id from notes where id = ?').get(id)
      }, 'PUT')
      assert.deepEqual(
        repeated.map(({ name, count }) => [name, count]),
        [['select id from notes where id = ?', 6]],
      )
      const [call] = calls
      const sum = queries.reduce((total, { duration }) => total + Number(duration), 0)
      assert.ok(Math.abs(Number(call?.duration) - Number(call?.own) - sum) < 0.1, `own time: ${call?.own}`)
    })

    it('changes nothing outside of a request', () => {
      assert.deepEqual({ ...Object(db.prepare('select 7 as n').get()) }, { n: 7 })
      assert.equal([...db.prepare('select 1 union select 2').iterate()].length, 2)
    })
  })
}
