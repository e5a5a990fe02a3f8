/** Queries of `pg` in the records of the console, with a real server. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import Cursor from 'pg-cursor'
import type { Query } from '#src/devconsole/wire/request-types.js'
import { observePg } from '../observe-pg.js'
import { begin } from '../transaction.js'
import { readFacts, startRecordedApp, type RecordedApp } from './recorded-app.js'
import { startDatabase, until, type TestDatabase } from './support.js'

const HERE = 'test/observe-pg.test.ts'
const unhandled: unknown[] = []

/** A statement as the package `sql-template-strings` builds it, with a getter. */
class Statement {
  readonly strings: readonly string[]
  readonly values: unknown[]

  constructor(strings: readonly string[], values: unknown[]) {
    this.strings = strings
    this.values = values
  }

  get text(): string {
    return this.strings.reduce((text, part, index) => `${text}$${index}${part}`)
  }
}

function sql(strings: TemplateStringsArray, ...values: unknown[]): Statement {
  return new Statement(strings, values)
}

/** Waits for a callback, and returns its error or the number of rows. */
function readCallback(
  send: (next: (error: Error | null, result: pg.QueryResult) => void) => unknown,
): Promise<unknown> {
  return new Promise((resolve) => send((error, result) => resolve(error?.message ?? result.rowCount)))
}

describe('observePg', () => {
  let server: TestDatabase
  let app: RecordedApp
  let db: pg.Pool

  before(async () => {
    process.on('unhandledRejection', (error) => unhandled.push(error))
    observePg(pg)
    server = await startDatabase()
    app = await startRecordedApp()
    db = new pg.Pool({ ...server.options, max: 2 })
  })
  beforeEach(() => unhandled.splice(0))
  after(async () => {
    await app.close()
    await db.end()
    await server.server.remove()
  })

  /** Runs work on a client of the pool, and returns the queries of its request. */
  async function queriesOf(work: (client: pg.PoolClient) => unknown): Promise<readonly Query[]> {
    const { queries } = await app.recordOf(async () => {
      const client = await db.connect()
      try {
        await work(client)
      } finally {
        client.release()
      }
    })
    // A query without a duration has no end.
    for (const { text, duration } of queries) assert.equal(typeof duration, 'number', text)
    return queries
  }

  it('records text, parameters and rows of promises, and hides secrets', async () => {
    const text = 'select 1 from (values ($1::text)) as t (password) where password = $1'
    const results: number[] = []
    const { queries } = await app.recordOf(async () => {
      for (const query of [text, { text, name: 'by-password' }]) {
        results.push((await db.query(query, ['tiger'])).rows.length)
      }
      await db.query({ name: 'named', text: 'select $1::int', values: [7] })
    })
    const facts = [text, '"redacted"', 1, null]
    assert.deepEqual(
      [readFacts(queries), results],
      [
        [facts, facts, ['select $1::int', '7', 1, null]],
        [1, 1],
      ],
    )
  })

  it('records queries with callbacks, which get the same results', async () => {
    const seen: unknown[] = []
    const queries = await queriesOf(async (client) => {
      for (const target of [client, db]) {
        seen.push(await readCallback((next) => target.query('select generate_series(1, 2)', next)))
        seen.push(await readCallback((next) => target.query('select $1::int', [7], next)))
        seen.push(await readCallback((next) => target.query('select 1 / 0', next)))
      }
    })
    assert.deepEqual(seen, [2, 1, 'division by zero', 2, 1, 'division by zero'])
    const facts = [
      ['select generate_series(1, 2)', null, 2, null],
      ['select $1::int', '7', 1, null],
      ['select 1 / 0', null, null, 'division by zero'],
    ]
    assert.deepEqual(readFacts(queries), [...facts, ...facts])
  })

  it('records a callback in the object of the query, also when it is sent again', async () => {
    let count = 0
    const queries = await queriesOf(async (client) => {
      const query = { text: 'select 1', callback: () => void count++ }
      assert.equal(client.query(query), undefined)
      assert.equal(client.query(query), undefined)
      await client.query('select 2')
      // A pool returns a promise, and does not call it.
      assert.equal((await db.query(query)).rowCount, 1)
    })
    assert.equal(count, 2)
    assert.deepEqual(readFacts(queries), [
      ['select 1', null, 1, null],
      ['select 1', null, 1, null],
      ['select 2', null, 1, null],
      ['select 1', null, 1, null],
    ])
  })

  it('records the same statement from a callback in the request of the callback', async () => {
    const queries = await queriesOf((client) =>
      readCallback((next) => client.query('select 1', () => client.query('select 1', next))),
    )
    assert.equal(queries.length, 2)
  })

  it('records a failed query, and adds no unhandled rejection', async () => {
    const { queries } = await app.recordOf(async () => {
      await assert.rejects(db.query('select 1 / 0'), { message: 'division by zero', code: '22012' })
    })
    await new Promise(setImmediate)
    assert.deepEqual([readFacts(queries), unhandled], [[['select 1 / 0', null, null, 'division by zero']], []])
  })

  it('rethrows errors of invalid arguments', async () => {
    const queries = await queriesOf((client) => {
      assert.throws(() => Reflect.apply(client.query, client, [null]), /null or undefined query/)
      assert.throws(() => Reflect.apply(client.query, client, ['select 1', [], 'no function']), /not a function/)
      assert.throws(() => Reflect.apply(client.query, client, [{ text: 'select 1', callback: 7 }]), /not a function/)
    })
    assert.deepEqual(
      queries.map(({ error }) => error),
      ['callback is not a function', 'callback is not a function'],
    )
  })

  it('records a cursor until its end', async () => {
    const read: unknown[] = []
    const queries = await queriesOf(async (client) => {
      const cursor = client.query(new Cursor('select generate_series(1, $1), pg_sleep(0.01)', [3]))
      read.push((await cursor.read(2)).length, (await cursor.read(2)).length)
      await cursor.close()
      const failing = client.query(new Cursor('select 1 / 0'))
      await assert.rejects(failing.read(1), /division by zero/)
      await client.query('select 2')
    })
    assert.deepEqual(read, [2, 1])
    assert.deepEqual(readFacts(queries), [
      ['select generate_series(1, $1), pg_sleep(0.01)', '"3"', null, null],
      ['select 1 / 0', null, null, 'division by zero'],
      ['select 2', null, 1, null],
    ])
    assert.ok(Number(queries[0]?.duration) >= 30)
  })

  it('records a query object of the library, which stays the same object', async () => {
    const queries = await queriesOf(async (client) => {
      const rows: unknown[] = []
      const query = new pg.Query<{ n: number }>('select generate_series(1, 2) as n')
      query.on('row', (row) => rows.push(row))
      assert.equal(client.query(query), query)
      await new Promise((resolve) => query.on('end', resolve))
      assert.deepEqual(rows, [{ n: 1 }, { n: 2 }])
    })
    assert.deepEqual(readFacts(queries), [['select generate_series(1, 2) as n', null, null, null]])
  })

  it('records the statements of a transaction', async () => {
    const { queries } = await app.recordOf(async () => {
      const tx = await begin(db)
      await tx.query('select $1::int', [5])
      await tx.commit()
    })
    assert.deepEqual(
      queries.map(({ text }) => text),
      ['begin', 'select $1::int', 'commit'],
    )
  })

  it('records statements of tagged templates', async () => {
    const { queries } = await app.recordOf(() => db.query(sql`select ${7}::int + ${8}::int`))
    assert.deepEqual(readFacts(queries), [['select $1::int + $2::int', '7, 8', 1, null]])
  })

  it('records a query that waits for a connection in its own request, once', async () => {
    let release = (): void => {}
    const isReleased = new Promise<void>((resolve) => (release = resolve))
    const holding = app.recordOf(async () => {
      const clients = [await db.connect(), await db.connect()]
      await isReleased
      for (const client of clients) client.release()
    })
    await until(() => db.idleCount === 0 && db.totalCount === 2, 'all connections are in use')
    const queued = app.recordOf(() => db.query('select 1'))
    const given = app.recordOf(() =>
      readCallback((next) =>
        db.connect((_, client, done) => {
          client?.query('select 2', next)
          done()
        }),
      ),
    )
    await until(() => db.waitingCount === 2, 'the requests wait')
    release()
    const texts = (await Promise.all([holding, queued, given])).map(({ queries }) => queries.map(({ text }) => text))
    assert.deepEqual(texts, [[], ['select 1'], ['select 2']])
  })

  it('uses the line of the app as the call site', async () => {
    const { queries } = await app.recordOf(async () => {
      await db.query('select 1')
      await readCallback((next) => db.query('select 2', next))
    })
    assert.deepEqual(
      queries.map(({ site }) => site?.file),
      [HERE, HERE],
    )
    assert.notEqual(queries[0]?.site?.line, queries[1]?.site?.line)
  })

  it('shows one query per row as repeated', async () => {
    const { repeated, 'dev.flags': flags } = await app.recordOf(async () => {
      for (let id = 1; id <= 6; id++) await db.query('select $1::int', [id])
    })
    assert.deepEqual(
      repeated.map(({ kind, name, count }) => [kind, name, count]),
      [['sql', 'select $1::int', 6]],
    )
    assert.ok(flags.includes('n+1'))
  })

  it('separates the time of a query from the own time of the service method', async () => {
    const { queries, calls } = await app.recordOf(() => db.query('select pg_sleep(0.05)'), 'PUT')
    const [query, call] = [queries[0], calls[0]]
    assert.deepEqual([query?.call, call?.name], [0, 'runner.run'])
    assert.ok(Number(query?.duration) >= 50 && Number(call?.own) < 50, `own time: ${call?.own}`)
  })

  it('does not change queries outside of a request', async () => {
    assert.equal((await db.query('select 1')).rowCount, 1)
    assert.equal(await readCallback((next) => db.query('select 1 / 0', next)), 'division by zero')
  })
})
