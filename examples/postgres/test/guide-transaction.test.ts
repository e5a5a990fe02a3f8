/** The transaction of the guides, unchanged, with statements that fail and connections that are cut. */
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import * as z from 'zod'
import { createApp, Route, type Input, type Provider } from 'verbena'
import { postgresIdempotency } from 'verbena/postgres'
import { CutProxy } from './cut-proxy.js'
import { importGuide } from './guide.js'
import { ask, openControl, recordUncaught, startDatabase, until, type TestDatabase } from './support.js'

interface Tx {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>
}
type Transaction = Provider<Tx, { db: pg.Pool }>

const TABLES = `create table payments (number serial, receiver text unique, cents int);
  ${postgresIdempotency.schema()}
  create function cut() returns trigger language plpgsql as $$ begin
    if new.receiver = 'cut' then perform pg_terminate_backend(pg_backend_pid()); end if; return new;
  end $$;
  create constraint trigger cut after insert on payments deferrable initially deferred for each row execute function cut();`

const uncaught = recordUncaught()

for (const [page, marker] of [
  ['services.md', 'export const transaction'],
  ['idempotency.md', 'within: transaction'],
] as const) {
  describe(`the transaction of ${page}`, () => {
    let database: TestDatabase
    let proxy: CutProxy
    let control: pg.Client
    let app: ReturnType<typeof createBank>
    let url: string
    let transaction: Transaction

    before(async () => {
      database = await startDatabase()
      proxy = new CutProxy(database.server.port)
      await proxy.start()
      control = await openControl(database)
      await control.query(TABLES)
      Object.assign(globalThis, { createPool: () => assert.fail('the pool of the guide is not used') })
      // Proof: the guide exports a provider that uses this service.
      ;({ transaction } = (await importGuide(page, marker)) as { transaction: Transaction })
      app = createBank()
      url = (await app.listen()).url
    })
    after(async () => {
      await app.close()
      await control.end()
      await proxy.stop()
      await database.server.remove()
    })
    beforeEach(() => control.query('truncate payments'))
    afterEach(() => assert.deepEqual(uncaught.splice(0), []))

    function createBank() {
      /** Inserts receivers one after the other; ignores the error of a receiver that exists. */
      class Payments extends Route {
        static readonly post = this.contract({ uses: { transaction }, body: z.array(z.string()), status: 201 })
        async post({ transaction, body }: Input<typeof Payments.post>) {
          for (const receiver of body) {
            await transaction.query('insert into payments (receiver) values ($1)', [receiver]).catch(() => {})
          }
          return body.length
        }
      }
      const db = new pg.Pool({ connectionString: database.server.url.replace(/:\d+\//, `:${proxy.port}/`), max: 2 })
      db.on('error', () => {})
      return createApp({ services: { db }, routes: { Payments }, logger: false, signals: false })
    }

    const pay = async (...receivers: string[]) => (await ask(`${url}/payments`, receivers)).status
    const paid = async (): Promise<unknown[]> => {
      const { rows } = await control.query('select receiver from payments order by receiver')
      return rows.map(({ receiver }) => receiver)
    }

    it('does not report success if a failed statement was ignored, because PostgreSQL rolls back', async () => {
      assert.equal(await pay('ada'), 201)
      assert.equal(await pay('grace', 'ada'), 500)
      assert.deepEqual(await paid(), ['ada'])
      assert.equal(await pay('grace'), 201)
    })

    it('leaves the process running if PostgreSQL ends the connection at COMMIT', async () => {
      assert.equal(await pay('cut'), 500)
      assert.deepEqual(await paid(), [])
      assert.equal(await pay('ada'), 201)
    })

    for (const cut of ['command', 'result'] as const) {
      it(`leaves the process running if the network loses the ${cut} of COMMIT`, async () => {
        proxy.cutAt('commit', cut)
        assert.equal(await pay('ada'), 500)
        // PostgreSQL has executed a command whose result was lost.
        await until(async () => (await paid()).length === (cut === 'result' ? 1 : 0), 'the outcome of the commit')
        assert.equal(await pay('grace'), 201)
      })
    }

    for (const statement of ['begin', 'insert into payments', 'rollback']) {
      it(`leaves the process running if the network loses "${statement}"`, async () => {
        assert.equal(await pay('ada'), 201)
        const { count } = proxy
        proxy.cutAt(statement, 'command')
        const receivers = statement === 'rollback' ? ['grace', 'ada', 'alan'] : ['grace']
        assert.equal(await pay(...receivers), 500)
        assert.deepEqual(await paid(), ['ada'])
        if (statement !== 'rollback') assert.equal(proxy.count, count + 1)
        assert.equal(await pay('grace'), 201)
      })
    }
  })
}
