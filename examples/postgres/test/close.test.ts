/** Closing the app while a transaction is running. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bankApp } from '../app.js'
import { ask, readBalance, openControl, setAccounts, startDatabase, readStates, until } from './support.js'

describe('close()', () => {
  it('waits for running transactions, then ends the pool', async (t) => {
    const database = await startDatabase()
    const app = bankApp(database.options, { logger: false, signals: false })
    const { url } = await app.listen()
    // A transaction sees a fixed snapshot of `pg_stat_activity`, so a second connection observes it.
    const [locker, control] = [await openControl(database), await openControl(database)]
    t.after(async () => {
      await locker.end()
      await app.close()
      await control.end()
      await database.server.remove()
    })
    await setAccounts(control, 2, 100)

    await locker.query('begin')
    await locker.query('select from accounts where id = 2 for update')
    let isClosed = false
    const answer = ask(`${url}/transfers`, { from: 1, to: 2, amount: 30 })
    const isWaiting = async () => (await readStates(control)).includes('active, waits for Lock')
    await until(isWaiting, 'the transfer waits')

    const { db } = app.services
    const closed = app.close().then(() => (isClosed = true))
    await until(() => isRefused(url), 'no connection is taken any more')
    assert.deepEqual([isClosed, db.ending, await isWaiting()], [false, false, true])

    await locker.query('commit')
    assert.equal((await answer).status, 201)
    await closed
    assert.equal(db.ended, true)
    assert.deepEqual([await readBalance(control, 1), await readBalance(control, 2)], [70, 130])
    await until(async () => (await readStates(control)).length === 0, 'no connection is left')
  })
})

function isRefused(url: string): Promise<boolean> {
  return fetch(url).then(
    () => false,
    () => true,
  )
}
