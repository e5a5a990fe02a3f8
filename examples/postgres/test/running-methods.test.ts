/** Statements of methods that are still running when their request ends: they are part of their transaction, or rejected. */
import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { after, afterEach, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import { createApp, decorator, HttpError, provide, reply, Route, type Middleware, type Provider } from 'verbena'
import { database } from '../database.js'
import { transaction } from '../transaction.js'
import { importGuide } from './guide.js'
import { ask, openControl, send, setAccounts, startDatabase, readStates, until, type TestDatabase } from './support.js'

interface Tx {
  query(text: string): Promise<unknown>
}
type TxProvider = Provider<Tx, { db: pg.Pool }>

const TAKE = 'update accounts set balance = balance - 100 where id = 1'
const GIVE = 'update accounts set balance = balance + 100 where id = 2'

/** A transaction that does not reject late statements: only the order of cleanup protects it. */
const unguarded: TxProvider = provide({}, async function* (_input, { db }: { db: pg.Pool }) {
  const client = await db.connect()
  try {
    await client.query('begin')
    yield client
    await client.query('commit')
  } catch (error) {
    await client.query('rollback')
    throw error
  } finally {
    client.release()
  }
})

const impatient: Middleware = async (_context, next) => {
  await Promise.race([next(), sleep(50)])
  return reply(202, 'accepted')
}

const hasty = decorator(() => ({
  async around(_input, proceed) {
    await Promise.race([proceed(), sleep(50)])
    return 'hasty'
  },
}))

interface Way {
  readonly contract?: object
  readonly middleware?: readonly Middleware[]
  readonly timeouts?: object
  /** Balances after the method has settled: `after` a rollback, or after a commit of both statements. */
  readonly isCommitted?: true
  readonly end?: 'disconnect' | 'close'
}

const WAYS: Readonly<Record<string, Way>> = {
  'the timeout of its contract': { contract: { timeout: 50 } },
  'timeouts.handler': { timeouts: { handler: 50 } },
  'a client that disconnects': { end: 'disconnect' },
  'middleware that does not wait': { middleware: [impatient], isCommitted: true },
  'a decorator that does not wait': { contract: { decorators: [hasty] }, isCommitted: true },
  'the deadline of close()': { end: 'close', timeouts: { close: 300 } },
}

describe('statements of a method that outlives its request', () => {
  const stage = new EventEmitter()
  let running: TestDatabase
  let control: pg.Client
  let guide: TxProvider
  const open: { close(): Promise<void> }[] = []

  before(async () => {
    running = await startDatabase()
    control = await openControl(running)
    // Proof: the guide exports a provider of something with `query`.
    guide = (await importGuide('services.md', 'export const transaction'))['transaction'] as TxProvider
  })
  beforeEach(async () => {
    const app = createApp({ routes: {}, services: { db: database(running.options) }, logger: false, signals: false })
    await app.start()
    await setAccounts(control, 3, 500)
    await app.close()
  })
  afterEach(async () => {
    stage.removeAllListeners()
    await Promise.all(open.splice(0).map((app) => app.close()))
  })
  after(async () => {
    await control.end()
    await running.server.remove()
  })

  /** Creates an app whose transfer waits between its two statements, and whose other endpoint rolls back. */
  function createBank(tx: TxProvider, max: number, { contract = {}, middleware = [], timeouts = {} }: Way) {
    class Transfer extends Route {
      static readonly middleware = middleware
      static readonly post = this.contract({ uses: { tx }, ...contract })
      async post({ tx: statements }: { tx: Tx }) {
        await statements.query(TAKE)
        stage.emit('taken')
        await once(stage, 'go on')
        const [outcome] = await Promise.allSettled([statements.query(GIVE)])
        stage.emit('given', outcome)
        return 'done'
      }
    }
    class Other extends Route {
      static readonly post = this.contract({ uses: { tx } })
      async post({ tx: statements }: { tx: Tx }) {
        await statements.query('update accounts set balance = balance + 1 where id = 3')
        throw new HttpError(409)
      }
    }
    const services = { db: database({ ...running.options, max, connectionTimeoutMillis: 60_000 }) }
    const options = { services, routes: { Transfer, Other }, logger: false, signals: false } as const
    const app = createApp({ ...options, timeouts: { close: 30_000, ...timeouts } })
    open.push(app)
    return app
  }

  async function balances(): Promise<number[]> {
    const { rows } = await control.query<{ balance: number }>('select balance from accounts order by id')
    return rows.map(({ balance }) => balance)
  }

  const PROVIDERS: Readonly<Record<string, () => TxProvider>> = {
    'the example': () => transaction,
    'the guide': () => guide,
    'a transaction that does not reject late statements': () => unguarded,
  }

  for (const [about, way] of Object.entries(WAYS)) {
    for (const [name, tx] of Object.entries(PROVIDERS)) {
      for (const max of [1, 5]) {
        it(`runs late statements in their transaction after ${about}: ${name}, pool of ${max}`, async () => {
          const app = createBank(tx(), max, way)
          const { url } = await app.listen()
          const taken = once(stage, 'taken')
          const given = once(stage, 'given')
          const socket = send(`${url}/transfer`, {})
          await taken
          if (way.end === 'disconnect') socket.destroy()
          const closing = way.end === 'close' ? app.close() : undefined
          await (way.end === undefined ? once(socket, 'data') : sleep(way.end === 'close' ? 350 : 50))
          const other = way.end === 'close' ? undefined : ask(`${url}/other`, {})
          // With one connection, the other request waits for it.
          if (max === 1) await sleep(50)
          else assert.equal((await other)?.status ?? 409, 409)
          stage.emit('go on')
          const [outcome] = await given
          assert.equal(outcome.status, 'fulfilled')
          assert.equal((await other)?.status ?? 409, 409)
          await closing
          await until(
            async () => (await readStates(control)).every((state) => state === 'idle'),
            'the transactions end',
          )
          assert.deepEqual(await balances(), way.isCommitted ? [400, 600, 500] : [500, 500, 500])
          socket.destroy()
        })
      }
    }
  }

  for (const name of ['the example', 'the guide'] as const) {
    it(`rejects statements if the method did not settle within timeouts.close: ${name}`, async () => {
      const app = createBank(PROVIDERS[name]?.() ?? assert.fail(), 1, {
        contract: { timeout: 50 },
        timeouts: { close: 100 },
      })
      const { url } = await app.listen()
      const given = once(stage, 'given')
      assert.equal((await ask(`${url}/transfer`, {})).status, 503)
      // The pool has one connection, which the other request gets when the transaction has ended.
      assert.equal((await ask(`${url}/other`, {})).status, 409)
      stage.emit('go on')
      const [outcome] = await given
      assert.equal(outcome.reason.message, 'Cannot query: the transaction is over')
      assert.deepEqual(await balances(), [500, 500, 500])
    })
  }

  it('runs statements of a stream in its transaction after the client has disconnected', async () => {
    const streaming: TxProvider = provide(
      {},
      async function* (_input, { db }: { db: pg.Pool }) {
        const client = await db.connect()
        try {
          await client.query('begin')
          yield client
        } finally {
          await client.query('rollback')
          client.release()
        }
      },
      { ends: 'after-response' },
    )
    class Rows extends Route {
      static readonly post = this.contract({ uses: { tx: streaming } })
      async *post({ tx }: { tx: Tx }) {
        yield 'first'
        await tx.query(TAKE)
        stage.emit('taken')
        await once(stage, 'go on')
        await tx.query(GIVE)
        stage.emit('given')
        yield 'second'
      }
    }
    const services = { db: database({ ...running.options, max: 1 }) }
    const app = createApp({ services, routes: { Rows }, logger: false, signals: false })
    open.push(app)
    const { url } = await app.listen()
    const [taken, given] = [once(stage, 'taken'), once(stage, 'given')]
    const socket = send(`${url}/rows`, {})
    await taken
    socket.destroy()
    await sleep(50)
    assert.deepEqual(await readStates(control), ['idle in transaction'])
    stage.emit('go on')
    await given
    await until(async () => (await readStates(control)).join() === 'idle', 'the transaction ends')
    assert.deepEqual(await balances(), [500, 500, 500])
  })
})
