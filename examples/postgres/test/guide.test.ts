/** The database and the transaction of docs/guides/services.md, unchanged, with a server that stops and restarts. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { describe, it } from 'node:test'
import pg from 'pg'
import { createApp, Route, type Input, type Provider, type Service } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import { database } from '../database.js'
import { transaction } from '../transaction.js'
import { importGuide } from './guide.js'
import { ask, openControl, startDatabase, readStates, until } from './support.js'

interface Tx {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}

describe('the transaction of the services guide', () => {
  it('fails with its connection, leaves the process running, and works again when the server is back', async (t) => {
    const running = await startDatabase()
    const stage = new EventEmitter()
    const lost: unknown[] = []
    t.mock.method(console, 'error', (...line: unknown[]) => lost.push(line))
    Object.assign(globalThis, { createPool: () => new pg.Pool(running.options) })
    const guide = await importGuide('services.md', 'export const transaction')
    // Proof: the guide exports a service, and a provider that uses it.
    const { db, transaction: tx } = guide as { db: Service<pg.Pool>; transaction: Provider<Tx, { db: pg.Pool }> }
    class Notes extends Route {
      static readonly post = this.contract({ uses: { tx } })
      async post({ tx: statements }: { tx: Tx }) {
        await statements.query('select 1')
        const goOn = once(stage, 'go on')
        stage.emit('paused')
        await goOn
        return (await statements.query('select $1::text as said', ['fine'])).rows
      }
    }
    const app = createApp({ services: { db }, routes: { Notes }, logger: false, signals: false })
    const { url } = await app.listen()
    const control = await openControl(running)
    t.after(async () => {
      await app.close()
      await running.server.remove()
    })
    const request = async (meanwhile: () => Promise<unknown>) => {
      const paused = once(stage, 'paused')
      const response = ask(`${url}/notes`, {})
      await paused
      await meanwhile()
      stage.emit('go on')
      return response
    }

    const state = "application_name = 'bank' and state like 'idle%'"
    const lose = () => control.query(`select pg_terminate_backend(pid) from pg_stat_activity where ${state}`)
    const isLost = async () => (await readStates(control)).length === 0
    const broken = await request(async () => {
      await lose()
      await until(isLost, 'the connection is lost')
    })
    assert.equal(broken.status, 500)
    assert.deepEqual([app.services.db.totalCount, lost], [0, []])

    const next = await request(async () => {})
    assert.deepEqual([next.status, JSON.parse(next.body)], [200, [{ said: 'fine' }]])
    await lose()
    await until(() => lost.length === 1, 'the idle connection is lost')

    await control.end()
    assert.equal((await request(() => running.server.stop('immediate'))).status, 500)
    assert.equal((await ask(`${url}/notes`, {})).status, 500)
    await running.server.start()
    assert.equal((await request(async () => {})).status, 200)
  })
})

describe('the idempotency guide', () => {
  it('rolls back a second run with a key in a unique column of the transaction', async (t) => {
    const running = await startDatabase()
    const control = await openControl(running)
    await control.query(
      'create table payments (client text, key text, unique (client, key)); create table ledger (cents int)',
    )
    const byClient = idempotency({ by: () => 'ada', ttl: 60_000 })
    // Each app has a separate key store, like a process that starts after another one has crashed.
    const apps = [1, 2].map(() => {
      class Payments extends Route {
        static readonly post = this.contract({ idempotency: byClient, uses: { tx: transaction }, returns: null })
        async post({ tx, request }: Input<typeof Payments.post>) {
          await tx.query('insert into ledger values (100)')
          await tx.query('insert into payments values ($1, $2)', ['ada', request.headers['idempotency-key']])
        }
      }
      const services = { db: database(running.options) }
      return createApp({ routes: { Payments }, services, logger: false, signals: false })
    })
    t.after(async () => {
      await Promise.all(apps.map((app) => app.close()))
      await control.end()
      await running.server.remove()
    })
    const statuses: number[] = []
    for (const app of [...apps, ...apps]) {
      const headers = { 'idempotency-key': '"8e03978e"' }
      statuses.push((await app.fetch(new Request('http://localhost/payments', { method: 'POST', headers }))).status)
    }
    assert.deepEqual(statuses, [204, 500, 204, 500])
    assert.deepEqual((await control.query('select cents from ledger')).rows, [{ cents: 100 }])
  })
})
