/** The libraries without the providers of the pages: their own transactions, and transactions in an `AsyncLocalStorage`. */
import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { after, before, beforeEach, describe, it } from 'node:test'
import { MikroORM, type EntityManager } from '@mikro-orm/postgresql'
import pg from 'pg'
import { Sequelize } from 'sequelize'
import { createApp, provide, Route } from 'verbena'
import { PostgresServer } from '../../postgres/test/postgres-server.js'
import { LIBRARIES } from './libraries.js'
import { OPEN } from './open-libraries.js'

const server = new PostgresServer()
let pool: pg.Pool

before(async () => {
  await server.start()
  pool = new pg.Pool({ connectionString: server.url })
  await pool.query('create table teas (id serial primary key, name text unique not null)')
})
after(async () => {
  await pool.end()
  await server.remove()
})
beforeEach(() => pool.query('truncate teas'))

const stored = async (): Promise<string[]> =>
  (await pool.query('select name from teas order by id')).rows.map(({ name }) => name)

describe("a library's own transaction, if the error of a statement is caught", () => {
  for (const { page, own, reports } of LIBRARIES) {
    it(`${reports ? 'rejects' : 'resolves, and stores nothing'}: ${page}`, async () => {
      await pool.query("insert into teas (name) values ('green')")
      const { db, close } = (await OPEN[page]?.(server.url)) ?? assert.fail(page)
      try {
        const result = own(db, async (run) => {
          await run("insert into teas (name) values ('black')")
          await run("insert into teas (name) values ('green')").catch(() => {})
        })
        if (reports) await assert.rejects(result)
        else await result
        assert.deepEqual(await stored(), ['green'])
      } finally {
        await close()
      }
    })
  }
})

/** Sends a request to a method that inserts a row and then fails, in a transaction of a provider. Returns the rows that remain. */
async function failAfter(transaction: ReturnType<typeof provide>, insert: () => Promise<unknown>): Promise<string[]> {
  class Teas extends Route {
    static readonly uses = { transaction }
    async post() {
      await insert()
      throw new Error('the method fails')
    }
  }
  const app = createApp({ routes: { Teas }, logger: false, signals: false })
  const { status } = await app.fetch(new Request('http://localhost/teas', { method: 'POST' }))
  assert.equal(status, 500)
  await app.close()
  return stored()
}

describe('enterWith in a provider that has awaited', () => {
  it('leaves queries of Sequelize without a transaction', async () => {
    const db = new Sequelize(server.url, { logging: false })
    const current = new AsyncLocalStorage<unknown>()
    Sequelize.useCLS({
      get: () => current.getStore(),
      set: (_key: string, value: unknown) => current.enterWith(value),
      run: (work: (context: object) => unknown) => work({}),
      bind: (work: unknown) => work,
    })
    const transaction = provide({}, async function* () {
      const tx = await db.transaction()
      current.enterWith(tx)
      try {
        yield tx
        await tx.commit()
      } catch (error) {
        await tx.rollback()
        throw error
      }
    })
    const rows = await failAfter(transaction, () => db.query("insert into teas (name) values ('green')"))
    Reflect.deleteProperty(Sequelize, '_cls')
    await db.close()
    assert.deepEqual(rows, ['green'])
  })

  it('leaves queries of MikroORM without a transaction', async () => {
    const current = new AsyncLocalStorage<EntityManager>()
    const orm = await MikroORM.init({
      clientUrl: server.url,
      entities: [],
      discovery: { warnWhenNoEntities: false },
      context: () => current.getStore(),
    })
    const transaction = provide({}, async function* () {
      const em = orm.em.fork()
      await em.begin()
      current.enterWith(em)
      try {
        yield em
        await em.commit()
      } catch (error) {
        await em.rollback()
        throw error
      }
    })
    const rows = await failAfter(transaction, () => orm.em.execute("insert into teas (name) values ('green')"))
    await orm.close()
    assert.deepEqual(rows, ['green'])
  })
})
