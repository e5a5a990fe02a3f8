/** The bank in the console: the SQL of each request, also in a transaction. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type pg from 'pg'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { bankApp } from '../app.js'
import { readFacts } from './recorded-app.js'
import { openControl, setAccounts, startDatabase, type TestDatabase } from './support.js'

describe('the bank in the console', () => {
  let database: TestDatabase
  let control: pg.Client
  let app: ReturnType<typeof bankApp>
  let url: string

  before(async () => {
    process.env['NODE_ENV'] = 'development'
    database = await startDatabase()
    app = bankApp(database.options, { logger: false, signals: false })
    url = (await app.listen()).url
    control = await openControl(database)
  })
  beforeEach(() => setAccounts(control, 2, 100))
  after(async () => {
    await app.close()
    await control.end()
    await database.server.remove()
  })

  /** Sends a request, and returns its record. */
  async function recordOf(path: string, body?: object): Promise<RequestRecord> {
    const headers = { 'content-type': 'application/json' }
    const init = body === undefined ? {} : { method: 'POST', headers, body: JSON.stringify(body) }
    const response = await fetch(`${url}${path}`, init)
    await response.text()
    const id = response.headers.get('x-dev-console')?.split('/').at(-1)
    return (await fetch(`${url}/__dev__/api/requests/${id}`)).json() as Promise<RequestRecord>
  }

  it('shows statement, parameters, rows and call site of a query', async () => {
    const { queries } = await recordOf('/accounts/1')
    assert.deepEqual(readFacts(queries), [['select id, owner, balance from accounts where id = $1', '1', 1, null]])
    assert.equal(queries[0]?.site?.file, 'accounts.ts')
  })

  it('shows the statements of a transaction, and the line that sends each', async () => {
    const { queries, calls } = await recordOf('/transfers', { from: 1, to: 2, amount: 30 })
    const update = 'update accounts set balance = balance + $2 where id = $1 returning id, owner, balance'
    assert.deepEqual(readFacts(queries), [
      ['begin', null, null, null],
      ['select id from accounts where id = any($1) order by id for update', '[1,2]', 2, null],
      [update, '1, -30', 1, null],
      [update, '2, 30', 1, null],
      ['insert into transfers (source, target, amount) values ($1, $2, $3)', '1, 2, 30', 1, null],
      ['commit', null, null, null],
    ])
    const senders = queries.slice(1, -1).map(({ call }) => calls[call ?? -1])
    assert.deepEqual(
      senders.map((call) => [call?.name, call?.site?.file]),
      Array.from({ length: 4 }, () => ['tx.query', 'accounts.ts']),
    )
    assert.equal(new Set(senders.map((call) => call?.site?.line)).size, 3)
  })

  it('shows the statement that the database rejects, and the rollback', async () => {
    const { queries, ...record } = await recordOf('/transfers', { from: 1, to: 2, amount: 300 })
    assert.equal(record['http.response.status_code'], 409)
    assert.deepEqual(
      queries.slice(2).map(({ text, error }) => [text.split(' ')[0], error]),
      [
        ['update', 'new row for relation "accounts" violates check constraint "balance_bounds"'],
        ['rollback', null],
      ],
    )
  })
})
