/** The bank's API, and the state of the database after failed requests. */
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import type pg from 'pg'
import { bankApp } from '../app.js'
import {
  ask,
  readBalance,
  keepLog,
  openControl,
  setAccounts,
  startDatabase,
  readStates,
  type TestDatabase,
} from './support.js'

describe('the bank', () => {
  const { logger, lines } = keepLog()
  let database: TestDatabase
  let control: pg.Client
  let app: ReturnType<typeof bankApp>
  let url: string

  before(async () => {
    database = await startDatabase()
    app = bankApp({ ...database.options, connectionTimeoutMillis: 60_000 }, { logger, signals: false })
    url = (await app.listen()).url
    control = await openControl(database)
  })
  beforeEach(async () => {
    lines.length = 0
    await setAccounts(control, 2, 100)
  })
  after(async () => {
    await app.close()
    await control.end()
    await database.server.remove()
  })

  async function transfersMade(): Promise<number> {
    const { rows } = await control.query('select from transfers')
    return rows.length
  }

  it('has no findings of app.check()', () => {
    assert.deepEqual(app.check(), [])
  })

  it('has a page that explains its operations', async () => {
    const { status, body } = await ask(`${url}/docs`)
    assert.equal(status, 200)
    assert.match(body, /<h1>bank [^]*Transfer money/)
  })

  it('stores accounts', async () => {
    const created = await ask(`${url}/accounts`, { owner: 'Lin', balance: 7 })
    assert.deepEqual([created.status, JSON.parse(created.body)], [201, { id: 3, owner: 'Lin', balance: 7 }])
    const found = await ask(`${url}/accounts/3`)
    assert.deepEqual(JSON.parse(found.body), { id: 3, owner: 'Lin', balance: 7 })
    const listed = await ask(`${url}/accounts?limit=1`)
    assert.deepEqual(JSON.parse(listed.body), [{ id: 1, owner: 'Ada', balance: 100 }])
  })

  it('responds 404 to an unknown account, and 422 to invalid input', async () => {
    assert.equal((await ask(`${url}/accounts/3`)).status, 404)
    assert.equal((await ask(`${url}/accounts/2147483648`)).status, 422)
    assert.equal((await ask(`${url}/accounts/ada`)).status, 422)
    assert.equal((await ask(`${url}/transfers`, { from: 1, to: 1, amount: 1 })).status, 422)
  })

  it('transfers an amount', async () => {
    const done = await ask(`${url}/transfers`, { from: 1, to: 2, amount: 30 })
    assert.equal(done.status, 201)
    const expected = {
      from: { id: 1, owner: 'Ada', balance: 70 },
      to: { id: 2, owner: 'Ada', balance: 130 },
      amount: 30,
    }
    assert.deepEqual(JSON.parse(done.body), expected)
    assert.deepEqual(
      [await readBalance(control, 1), await readBalance(control, 2), await transfersMade()],
      [70, 130, 1],
    )
  })

  it('transfers in both directions at the same time', async () => {
    const way = [
      { from: 1, to: 2, amount: 2 },
      { from: 2, to: 1, amount: 1 },
    ]
    const transfers = Array.from({ length: 40 }, (_, index) => ask(`${url}/transfers`, way[index % 2]))
    for (const { status } of await Promise.all(transfers)) assert.equal(status, 201)
    assert.deepEqual([await readBalance(control, 1), await readBalance(control, 2)], [80, 120])
  })

  it('rolls back if the handler throws', async () => {
    const refused = await ask(`${url}/transfers`, { from: 1, to: 3, amount: 30 })
    assert.deepEqual([refused.status, JSON.parse(refused.body).detail], [404, 'No account 3'])
    assert.deepEqual([await readBalance(control, 1), await transfersMade()], [100, 0])
  })

  it('rolls back if the database rejects a statement', async () => {
    // The target is locked first, but the source is charged first.
    await control.query('update accounts set balance = 1999999999 where id = 1')
    const refused = await ask(`${url}/transfers`, { from: 2, to: 1, amount: 30 })
    assert.deepEqual([refused.status, JSON.parse(refused.body).detail], [409, 'An account does not hold so much'])
    assert.deepEqual([await readBalance(control, 2), await transfersMade()], [100, 0])
    assert.equal((await ask(`${url}/transfers`, { from: 2, to: 1, amount: 101 })).status, 409)
  })

  it('rolls back if the response violates its contract', async () => {
    // The contract allows no such owner, but the database contains it.
    await control.query("update accounts set owner = 'a secret' || repeat('a', 50) where id = 2")
    const failed = await ask(`${url}/transfers`, { from: 1, to: 2, amount: 30 })
    assert.equal(failed.status, 500)
    assert.doesNotMatch(failed.body, /secret|owner|balance/)
    assert.deepEqual(
      [await readBalance(control, 1), await readBalance(control, 2), await transfersMade()],
      [100, 100, 0],
    )
    assert.ok(lines.some(({ level }) => level === 'error'))
  })

  it('leaves no connection in a transaction', async () => {
    await Promise.all([2, 3, 2, 3].map((to) => ask(`${url}/transfers`, { from: 1, to, amount: to === 2 ? 1_000 : 1 })))
    assert.deepEqual(new Set(await readStates(control)), new Set(['idle']))
    assert.equal(app.services.db.idleCount, app.services.db.totalCount)
  })
})
