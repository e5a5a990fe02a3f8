/** The provider for transactions with a callback in the guide to providers, unchanged, with the callbacks of six libraries. */
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, beforeEach, describe, it } from 'node:test'
import { pathToFileURL } from 'node:url'
import pg from 'pg'
import { createApp, HttpError, Route, type Input, type Provider } from 'verbena'
import * as z from 'zod'
import { PostgresServer } from '../../postgres/test/postgres-server.js'
import { LIBRARIES, type Run } from './libraries.js'
import { OPEN, type Client } from './open-libraries.js'

interface Database {
  transaction(work: (tx: { readonly query: Run }) => Promise<void>): Promise<unknown>
}
type Transaction = Provider<{ readonly query: Run }, { db: Database }>

const PARENT = join('.cache', `callback-${process.pid}`)
const server = new PostgresServer()
let control: pg.Client
let transaction: Transaction

before(async () => {
  await server.start()
  control = new pg.Client({ connectionString: server.url })
  await control.connect()
  await control.query('create table teas (name text primary key)')
  const guide = readFileSync('../../docs/guides/providers.md', 'utf8')
  const code = /### Transactions with a callback\n.*?^```ts no-run\n(?<code>.*?)^```$/ms.exec(guide)?.groups?.['code']
  mkdirSync(PARENT, { recursive: true })
  writeFileSync(join(PARENT, 'guide.ts'), code ?? assert.fail('the guide has no code'))
  // Proof: the guide exports a provider that uses this service.
  ;({ transaction } = (await import(pathToFileURL(join(PARENT, 'guide.ts')).href)) as { transaction: Transaction })
})
after(async () => {
  await control.end()
  await server.remove()
  rmSync(PARENT, { recursive: true, force: true })
})
beforeEach(() => control.query('truncate teas'))

function createShop(db: Database) {
  class Teas extends Route {
    static readonly post = this.contract({ uses: { transaction }, body: z.array(z.string()), status: 201 })
    async post({ body, transaction }: Input<typeof Teas.post>) {
      for (const tea of body) {
        if (tea === 'coffee') throw new HttpError(409, 'We only have tea')
        await transaction.query(`insert into teas values ('${tea}')`).catch(() => {})
      }
    }
  }
  return createApp({ services: { db }, routes: { Teas }, logger: false, signals: false })
}

async function post(db: Database, ...teas: string[]): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const request = new Request('http://localhost/teas', { method: 'POST', headers, body: JSON.stringify(teas) })
  return (await createShop(db).fetch(request)).status
}

const stored = async (): Promise<string[]> =>
  (await control.query('select name from teas order by name')).rows.map(({ name }) => name)

describe('the provider for transactions with a callback', () => {
  for (const { page, own } of LIBRARIES) {
    it(`commits, rolls back, and reports failed statements: ${page}`, async () => {
      const opened: Client = (await OPEN[page]?.(server.url)) ?? assert.fail(page)
      const db: Database = { transaction: (work) => own(opened.db, (query) => work({ query })) }
      try {
        assert.equal(await post(db, 'green'), 201)
        assert.equal(await post(db, 'black', 'coffee'), 409)
        assert.equal(await post(db, 'black', 'green'), 500)
        assert.deepEqual(await stored(), ['green'])
        assert.equal(await post(db, 'mint'), 201)
        assert.deepEqual(await stored(), ['green', 'mint'])
      } finally {
        await opened.close()
      }
    })
  }

  it('responds with 500 if the transaction cannot begin, and if its commit fails', async () => {
    const noBegin: Database = { transaction: () => Promise.reject(new Error('no connection')) }
    assert.equal(await post(noBegin, 'green'), 500)
    const noCommit: Database = {
      async transaction(work) {
        await work({ query: async () => {} })
        throw new Error('the commit fails')
      },
    }
    assert.equal(await post(noCommit, 'green'), 500)
  })
})
