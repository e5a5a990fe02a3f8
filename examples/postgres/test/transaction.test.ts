/** The transaction of a request: after any failure it is rolled back, and its connection is usable again. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { begin } from '../transaction.js'
import { NOTES, probeApp, stage } from './probes.js'
import { ask, keepLog, openControl, send, startDatabase, readStates, until, type TestDatabase } from './support.js'

describe('transaction', () => {
  const { logger, lines } = keepLog()
  const warnings: Error[] = []
  let database: TestDatabase
  let control: pg.Client
  let app: ReturnType<typeof probeApp>
  let url: string

  before(async () => {
    process.on('warning', (warning) => warnings.push(warning))
    database = await startDatabase()
    app = probeApp(database.options, logger)
    url = (await app.listen()).url
    control = await openControl(database)
    await control.query(NOTES)
  })
  beforeEach(async () => {
    lines.length = 0
    await control.query('truncate notes')
  })
  after(async () => {
    await app.close()
    await control.end()
    await database.server.remove()
  })

  async function notes(): Promise<string[]> {
    const { rows } = await control.query<{ text: string }>('select text from notes order by text')
    return rows.map(({ text }) => text)
  }

  /** Asserts that all connections are in the pool, and outside a transaction. */
  async function assertAllIdle(): Promise<void> {
    const { totalCount, idleCount, waitingCount } = app.services.db
    assert.deepEqual({ idleCount, waitingCount }, { idleCount: totalCount, waitingCount: 0 })
    for (const state of await readStates(control)) assert.equal(state, 'idle')
  }

  it('rolls back when the client disconnects', async () => {
    const begun = once(stage, 'abandoned')
    const socket = send(`${url}/abandoned`, {})
    await begun
    assert.deepEqual(await readStates(control), ['idle in transaction'])
    socket.destroy()
    await until(async () => !(await readStates(control)).includes('idle in transaction'), 'the end of the transaction')
    await until(() => app.services.db.idleCount === app.services.db.totalCount, 'the connection is back')
    assert.deepEqual(await notes(), [])
    await assertAllIdle()
    assert.deepEqual(
      lines.filter(({ level }) => level === 'error'),
      [],
    )
  })

  it('rolls back after the timeout of a method, with its late statements', async () => {
    const late = once(stage, 'late')
    const { status } = await ask(`${url}/late`, {})
    assert.equal(status, 503)
    const [outcome] = await late
    assert.equal(outcome.status, 'fulfilled')
    await until(() => app.services.db.idleCount === app.services.db.totalCount, 'the connection is back')
    assert.deepEqual(await notes(), [])
    await assertAllIdle()
  })

  it('responds 500 if a statement failed, even if the handler ignored the error', async () => {
    const { status, body } = await ask(`${url}/careless`, {})
    assert.equal(status, 500)
    assert.doesNotMatch(body, /commit|division/)
    assert.deepEqual(await notes(), [])
    await assertAllIdle()
  })

  it('responds 500 if the commit fails', async () => {
    const { status, body } = await ask(`${url}/deferred`, {})
    assert.equal(status, 500)
    assert.doesNotMatch(body, /foreign|notes|done/)
    assert.deepEqual(await notes(), [])
    await assertAllIdle()
  })

  it('ends with its connection, and leaves the process running', async () => {
    const paused = once(stage, 'paused')
    const answer = ask(`${url}/paused`, {})
    await paused
    const sql = "select pg_terminate_backend(pid) from pg_stat_activity where state = 'idle in transaction'"
    assert.equal((await control.query(sql)).rowCount, 1)
    // The connection breaks while no statement is running. Without an error listener, the process would end.
    await until(async () => !(await readStates(control)).includes('idle in transaction'), 'the end of the connection')
    stage.emit('go on')
    const { status, body } = await answer
    assert.equal(status, 500)
    assert.doesNotMatch(body, /terminat|connection/i)
    assert.deepEqual(await notes(), [])
    assert.equal((await ask(`${url}/parallel`, {})).status, 200)
    await assertAllIdle()
  })

  it('runs parallel statements one after the other', async () => {
    assert.equal((await ask(`${url}/parallel`, {})).status, 200)
    // `pg` warns once per process if statements wait in its internal queue.
    assert.deepEqual(warnings, [])
    assert.deepEqual(await notes(), ['one', 'three', 'two'])
  })
})

describe('begin()', () => {
  it('discards a connection that breaks before the transaction begins', async (t) => {
    const database = await startDatabase()
    t.after(() => database.server.remove())
    const pool = new pg.Pool({ connectionString: database.server.url, max: 1 })
    pool.once('acquire', (client) => void client.end())
    await assert.rejects(begin(pool), /closed/)
    assert.equal(pool.totalCount, 0)
    const tx = await begin(pool)
    await tx.commit()
    assert.equal(pool.idleCount, 1)
    await pool.end()
  })
})
