/** Queries of `pg` in the records of the console, with a real server. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import type pg from 'pg'
import { createApp, Route, service } from 'verbena'
import { database } from '../database.js'
import { transaction, type Queryable } from '../transaction.js'
import { startDatabase, until, type TestDatabase } from './support.js'

interface Query {
  readonly text: string
  readonly params: string | null
  readonly duration: number | null
  readonly rows: number | null
  readonly error: string | null
}

interface Detail {
  readonly queries: readonly Query[]
}

/** Runs in a handler of the app. */
type Work = (db: pg.Pool) => unknown
let work: Work = () => null

class Notes {
  readonly #db: pg.Pool

  constructor(db: pg.Pool) {
    this.#db = db
  }

  async pause(): Promise<void> {
    await this.#db.query('select pg_sleep(0.05)')
  }
}

class Works extends Route<{ db: pg.Pool; notes: Notes }> {
  async get() {
    return { done: String(await work(this.db)) }
  }

  async put() {
    await this.notes.pause()
    return { done: '' }
  }
}

class Transactions extends Route {
  static readonly get = this.contract({ uses: { tx: transaction } })
  async get({ tx }: { tx: Queryable }) {
    await tx.query('select $1::int', [5])
    return { done: '' }
  }
}

describe('observePg', () => {
  let server: TestDatabase
  let url: string
  let close: () => Promise<void>
  let requests = 0

  before(async () => {
    server = await startDatabase()
    const notes = service(({ db }: { db: pg.Pool }) => new Notes(db))
    process.env['NODE_ENV'] = 'development'
    const app = createApp({
      routes: { Works, Transactions },
      services: { db: database({ ...server.options, max: 2 }), notes },
      logger: false,
      signals: false,
      devConsole: true,
    })
    url = (await app.listen()).url
    close = () => app.close()
  })
  after(async () => {
    await close()
    await server.server.remove()
  })

  async function readJson<T>(path: string): Promise<T> {
    return (await fetch(`${url}/__dev__/api/${path}`)).json() as Promise<T>
  }

  /** Sends a request, and returns its record. */
  async function recordOf(next: Work, path = '/works', method = 'GET'): Promise<Detail> {
    work = next
    await fetch(url + path, { method })
    return newest(++requests)
  }

  async function newest(count: number): Promise<Detail> {
    let ids: readonly { readonly id: string }[] = []
    await until(async () => {
      ids = (await readJson<{ requests: typeof ids }>('snapshot')).requests
      return ids.length >= count
    }, `${count} records`)
    return readJson(`requests/${ids[0]?.id}`)
  }

  it('records text, parameters, rows and errors, and hides secrets', async () => {
    const { queries } = await recordOf(async (db) => {
      const text = 'select 1 from (values ($1::text)) as t (password) where password = $1'
      await db.query(text, ['tiger'])
      await db.query('select 1 / 0').catch(() => 0)
    })
    const seen = queries.map(({ text, params, rows, error }) => ({ text, params, rows, error }))
    assert.equal(seen.length, 2, JSON.stringify(seen))
    assert.deepEqual([seen[0]?.params, seen[0]?.rows, seen[0]?.error], ['"redacted"', 1, null])
    assert.deepEqual([seen[1]?.text, seen[1]?.error], ['select 1 / 0', 'division by zero'])
  })

  it('records the statements of a transaction', async () => {
    const { queries } = await recordOf(() => 0, '/transactions')
    assert.deepEqual(
      queries.map(({ text }) => text),
      ['begin', 'select $1::int', 'commit'],
    )
  })

  it('records the time of a query below a service method', async () => {
    const { queries } = await recordOf(() => 0, '/works', 'PUT')
    assert.ok(Number(queries[0]?.duration) >= 50)
  })
})
