/** An outage of the database, during which the app keeps running. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SetupError } from 'verbena'
import { bankApp } from '../app.js'
import {
  ask,
  keepLog,
  openControl,
  send,
  setAccounts,
  startDatabase,
  readStates,
  until,
  type TestDatabase,
} from './support.js'

describe('an outage of the database', () => {
  const { logger, lines } = keepLog()
  let database: TestDatabase
  let app: ReturnType<typeof bankApp>
  let url: string

  before(async () => {
    database = await startDatabase()
    app = bankApp(database.options, { logger, signals: false })
    url = (await app.listen()).url
    const control = await openControl(database)
    await setAccounts(control, 2, 100)
    await control.end()
  })
  after(async () => {
    await app.close()
    await database.server.remove()
  })

  /** Asserts that a response contains no details of the database. The random request id is excluded. */
  function assertNoDetail(body: string): void {
    const { requestId, ...told } = JSON.parse(body)
    assert.match(requestId, /^[\w-]+$/)
    assert.doesNotMatch(
      JSON.stringify(told),
      new RegExp(`ECONN|connect|terminat|127|pg|postgres|sql|${database.server.port}`, 'i'),
    )
  }

  for (const ending of ['fast', 'immediate'] as const) {
    it(`does not require a restart of the app: ${ending}`, async () => {
      assert.deepEqual(await ask(`${url}/readyz`), { status: 200, body: '{"services":{"db":"ready"}}' })

      database.reported.length = 0
      await database.server.stop(ending)
      const down = await ask(`${url}/readyz`)
      assert.equal(down.status, 503)
      assert.deepEqual(JSON.parse(down.body).services, { db: 'not ready' })
      assertNoDetail(down.body)
      assert.equal((await ask(`${url}/livez`)).status, 200)
      await until(() => database.reported.length > 0, 'the pool has told of connections that broke while idle')
      lines.length = 0
      for (const answer of [ask(`${url}/accounts`), ask(`${url}/transfers`, { from: 1, to: 2, amount: 1 })]) {
        const { status, body } = await answer
        assert.equal(status, 500)
        assertNoDetail(body)
      }
      // The log contains the details that the client does not get.
      const errors = lines.flatMap(({ fields }) => ('err' in fields && fields.err instanceof Error ? [fields.err] : []))
      assert.ok(errors.some((error) => 'code' in error && error.code === 'ECONNREFUSED'))

      await database.server.start()
      assert.equal((await ask(`${url}/readyz`)).status, 200)
      assert.equal((await ask(`${url}/accounts`)).status, 200)
      assert.equal((await ask(`${url}/transfers`, { from: 1, to: 2, amount: 1 })).status, 201)
    })
  }

  it('ends a transaction in progress, and rolls it back', async () => {
    const [locker, control] = [await openControl(database), await openControl(database)]
    for (const client of [locker, control]) client.on('error', () => {})
    await locker.query('begin')
    await locker.query('select from accounts where id = 2 for update')
    const before = await ask(`${url}/accounts`)
    const answer = ask(`${url}/transfers`, { from: 1, to: 2, amount: 1 })
    const left = send(`${url}/transfers`, { from: 2, to: 1, amount: 1 })
    const waiting = async () => (await readStates(control)).filter((state) => state.endsWith('Lock')).length
    await until(async () => (await waiting()) === 2, 'both transfers wait')
    left.destroy()

    await database.server.stop('immediate')
    const { status, body } = await answer
    assert.equal(status, 500)
    assertNoDetail(body)
    await until(() => app.services.db.totalCount === 0, 'no connection is left')

    await database.server.start()
    assert.deepEqual(await ask(`${url}/accounts`), before)
  })

  it('prevents the start of an app, which can be repeated', async () => {
    await database.server.stop()
    const other = bankApp(
      { ...database.options, connectionString: database.server.url },
      { logger: false, signals: false },
    )
    const refused = (error: unknown) => error instanceof SetupError && error.code === 'SERVICE_FAILED'
    await assert.rejects(other.listen(), refused)
    await database.server.start()
    const listening = await other.listen()
    assert.equal((await ask(`${listening.url}/readyz`)).status, 200)
    await other.close()
  })
})
