/** The providers of the task pages, with statements that fail, connections that are lost, and responses that break their contract. */
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import pg from 'pg'
import { createApp, HttpError, Route, service, type Input } from 'verbena'
import * as z from 'zod'
import { PostgresServer } from '../../postgres/test/postgres-server.js'
import { importPage, LIBRARIES } from './libraries.js'

const PARENT = join('.cache', `providers-${process.pid}`)
const WHO = 'select pid from pg_stat_activity where application_name <> $1 and pid <> pg_backend_pid()'

const server = new PostgresServer()
let control: pg.Client
const uncaught: unknown[] = []
process.on('uncaughtException', (error) => uncaught.push(error))

before(async () => {
  await server.start()
  control = new pg.Client({ connectionString: server.url, application_name: 'control' })
  await control.connect()
  await control.query('create table teas (id serial primary key, name text unique not null)')
})
after(async () => {
  await control.end()
  await server.remove()
  rmSync(PARENT, { recursive: true, force: true })
})

/** Ends the connections of the app, as a restart of the server does, and waits until they are gone. */
async function cutConnections(): Promise<void> {
  await control.query(`select pg_terminate_backend(pid) from (${WHO}) as clients`, ['control'])
  while ((await control.query(`${WHO} and backend_type = 'client backend'`, ['control'])).rowCount !== 0);
}

for (const library of LIBRARIES) {
  describe(`the provider of ${library.page}`, () => {
    let app: Awaited<ReturnType<typeof openApp>>
    let url: string
    const late: { run?: () => Promise<unknown> } = {}

    before(async () => {
      app = await openApp()
      url = (await app.listen()).url
    })
    after(async () => {
      await app.close()
    })
    beforeEach(() => control.query('truncate teas restart identity'))
    afterEach(() => assert.deepEqual(uncaught.splice(0), []))

    async function openApp() {
      const { transaction: tx, ...services } = await importPage(library.page, PARENT)
      const name = 'orm' in services ? 'orm' : 'db'

      class Teas extends Route<Record<string, unknown>> {
        static readonly post = this.contract({
          uses: { tx },
          body: z.array(z.string()),
          returns: z.object({ count: z.int() }),
          status: 201,
        })
        async post({ body, tx }: Input<typeof Teas.post>) {
          const run = (statement: string) => library.run(tx, statement, this[name])
          late.run = () => run("insert into teas (name) values ('late')")
          for (const tea of body) {
            if (tea === 'coffee') throw new HttpError(409, 'We only have tea')
            if (tea === 'cut') await cutConnections()
            // Proof: the test sends an invalid response on purpose.
            if (tea === 'text') return { count: tea as unknown as number }
            await run(`insert into teas (name) values ('${tea}')`).catch(() => {})
          }
          return { count: body.length }
        }
      }
      const config = service(() => ({ DATABASE_URL: server.url }))
      const { db, orm, pool } = services
      const all = Object.entries({ config, pool, db, orm }).filter(([, each]) => each !== undefined)
      return createApp({ services: Object.fromEntries(all), routes: { Teas }, logger: false, signals: false })
    }

    const post = async (...body: string[]): Promise<number> => {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${url}/teas`, { method: 'POST', headers, body: JSON.stringify(body) })
      await response.arrayBuffer()
      return response.status
    }
    const stored = async (): Promise<string[]> =>
      (await control.query('select name from teas order by id')).rows.map(({ name }) => name)

    it('commits before the response', async () => {
      assert.equal(await post('green', 'black'), 201)
      assert.deepEqual(await stored(), ['green', 'black'])
    })

    it('rolls back if the method throws', async () => {
      assert.equal(await post('green', 'coffee'), 409)
      assert.deepEqual(await stored(), [])
    })

    it('rolls back if the response breaks its contract', async () => {
      assert.equal(await post('green', 'text'), 500)
      assert.deepEqual(await stored(), [])
    })

    it('responds with 500 if the method ignored the error of a statement', async () => {
      assert.equal(await post('green'), 201)
      assert.equal(await post('black', 'green'), 500)
      assert.deepEqual(await stored(), ['green'])
    })

    it('leaves the process running if the connection is lost between two statements', async () => {
      assert.equal(await post('green', 'cut', 'black'), 500)
      assert.deepEqual(await stored(), [])
      assert.equal(await post('mint'), 201)
      assert.deepEqual(await stored(), ['mint'])
    })

    it('rejects a statement after the end of the transaction', async () => {
      assert.equal(await post('green'), 201)
      await assert.rejects(async () => late.run?.())
      assert.deepEqual(await stored(), ['green'])
    })

    it('returns its connection after each end', async () => {
      for (let each = 0; each < 12; each++) {
        assert.equal(await post(`green ${each}`), 201)
        assert.equal(await post('black', 'coffee'), 409)
        assert.equal(await post('black', `green ${each}`), 500)
      }
      assert.equal((await stored()).length, 12)
      const { rows } = await control.query(
        "select state from pg_stat_activity where application_name <> 'control' and backend_type = 'client backend'",
      )
      assert.deepEqual(
        rows.filter(({ state }) => state !== 'idle'),
        [],
      )
    })
  })
}
