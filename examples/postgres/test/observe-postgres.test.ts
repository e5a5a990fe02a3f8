/** Queries of the package `postgres` in the records of the console, with a real server. */
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import postgres, { type Sql } from 'postgres'
import { createDirectory } from '#test/temp-directory.js'
import { observePostgres } from '../observe-postgres.js'
import { readFacts, startRecordedApp, type RecordedApp } from './recorded-app.js'
import { startDatabase, type TestDatabase } from './support.js'

describe('observePostgres', () => {
  const unhandled: unknown[] = []
  let server: TestDatabase
  let app: RecordedApp
  let sql: Sql

  before(async () => {
    process.on('unhandledRejection', (error) => unhandled.push(error))
    server = await startDatabase()
    app = await startRecordedApp()
    sql = postgres(server.server.url, { max: 1, onnotice: () => {} })
    observePostgres(sql)
    await sql`create table notes (id int, text text)`
  })
  after(async () => {
    await app.close()
    await sql.end()
    await server.server.remove()
  })

  /** Returns the queries of a request that runs `work`; all of them have ended. */
  async function factsOf(work: () => unknown): Promise<unknown[]> {
    const { queries } = await app.recordOf(work)
    for (const { text, duration } of queries) assert.equal(typeof duration, 'number', text)
    return readFacts(queries)
  }

  it('records text, parameters and rows, and hides secrets', async () => {
    const text = 'select 1 from (values ($1)) as t (password) where password = $2'
    const facts = await factsOf(async () => {
      const rows = await sql`select 1 from (values (${'lion'})) as t (password) where password = ${'tiger'}`
      assert.equal(rows.length, 0)
      assert.deepEqual([...(await sql.unsafe('select $1::int as n', [7]))], [{ n: 7 }])
    })
    assert.deepEqual(facts, [
      [text, '"redacted", "redacted"', 0, null],
      ['select $1::int as n', '7', 1, null],
    ])
  })

  it('records the statement of fragments, identifiers and helpers, once', async () => {
    const facts = await factsOf(async () => {
      await sql`insert into ${sql('notes')} ${sql([{ id: 1, text: 'a' }])}`
      const [isOne, isText] = [sql`id = ${1}`, [sql`and text = ${'a'}`, sql`and text is not null`]]
      assert.equal((await sql`select id from notes where ${isOne} ${isText} limit ${2}`).count, 1)
      await sql`update notes set text = ${sql.json({ a: null })}`
    })
    assert.deepEqual(facts, [
      ['insert into "notes" $1', '[{"id":1,"text":"a"}]', 1, null],
      ['select id from notes where id = $1 and text = $2 and text is not null limit $3', '1, "a", 2', 1, null],
      ['update notes set text = $1', '{"a":null}', 1, null],
    ])
  })

  it('records a failed query, and adds no unhandled rejection', async () => {
    const facts = await factsOf(() => assert.rejects(sql`select 1 / 0`, { code: '22012' }))
    await new Promise(setImmediate)
    assert.deepEqual([facts, unhandled], [[['select 1 / 0', null, null, 'division by zero']], []])
  })

  it('records the statements of a transaction, and its rollback', async () => {
    const facts = await factsOf(async () => {
      await sql.begin((tx) => tx`select ${1}::int`)
      await assert.rejects(
        sql.begin((tx) => tx`select 1 / 0`),
        /division by zero/,
      )
    })
    assert.deepEqual(
      facts.map((each) => String(Array.isArray(each) && each[0]).trim()),
      ['begin', 'select $1::int', 'commit', 'begin', 'select 1 / 0', 'rollback'],
    )
  })

  it('records a cursor until its last page, and forEach', async () => {
    const pages: number[] = []
    const facts = await factsOf(async () => {
      for await (const page of sql`select generate_series(1, 5)`.cursor(2)) pages.push(page.length)
      await sql`select generate_series(1, 4)`.cursor(3, (page) => void pages.push(page.length))
      await sql`select 1 as n`.forEach(({ n }) => void pages.push(n))
    })
    assert.deepEqual(pages, [2, 2, 1, 3, 1, 1])
    assert.equal(facts.length, 3)
  })

  it('shows one query per row as repeated', async () => {
    const { repeated } = await app.recordOf(async () => {
      for (let id = 1; id <= 6; id++) await sql`select ${id}::int`
    })
    assert.deepEqual(
      repeated.map(({ name, count }) => [name, count]),
      [['select $1::int', 6]],
    )
  })

  it('uses the line of the template as the call site, also if a service or a transaction sends it', async () => {
    const { queries } = await app.recordOf(async () => {
      await sql`select 1`
      await sql.begin(async (tx) => {
        await tx`select 2`
        await tx.savepoint((inner) => inner`select 3`)
      })
    }, 'PUT')
    const templates = queries.filter(({ text }) => text.startsWith('select'))
    const [first = 0, ...lines] = templates.map(({ site }) => site?.line)
    assert.deepEqual(new Set(templates.map(({ site }) => site?.file)), new Set(['test/observe-postgres.test.ts']))
    assert.deepEqual(lines, [first + 2, first + 3])
  })

  it('uses the line of the service call as the call site of other queries', async () => {
    const { queries, calls } = await app.recordOf(() => sql.unsafe('select 1'), 'PUT')
    assert.equal(queries[0]?.call, 0)
    assert.deepEqual(queries[0]?.site, calls[0]?.site)
    const executed = await app.recordOf(() => sql.unsafe('select 1').execute())
    assert.equal(executed.queries[0]?.site?.file, 'test/observe-postgres.test.ts')
  })

  it('records the query of a file without its text', async () => {
    const path = join(createDirectory({ 'query.sql': 'select 42 as n' }), 'query.sql')
    const facts = await factsOf(async () => assert.equal((await sql.file(path))[0]?.['n'], 42))
    assert.deepEqual(facts, [['sql.file', null, 1, null]])
  })

  it('does not change queries outside of a request', async () => {
    assert.deepEqual([...(await sql`select ${7}::int as n`)], [{ n: 7 }])
  })
})
