/** The transactions of the SQLite guide, with parallel requests over a socket. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, HttpError, provide, Route, type Input, type Provider } from 'verbena'
import type { SqliteDatabase } from 'verbena/sqlite'
import * as z from 'zod'
import { importGuide } from '#test/guide-code.js'
import { databasePath, ENGINES, type TestConnection } from '#test/sqlite.js'

interface Db {
  readonly connection: SqliteDatabase
}
type Transaction = Pick<SqliteDatabase, 'prepare'>
type TransactionProvider = Provider<Transaction, { db: Db }>
interface Guide {
  readonly Database: new (connection: SqliteDatabase) => Db
  readonly transaction: TransactionProvider
}

/** Imports the block with another maximum time to wait, in ms. */
async function importTransaction(maxWait: number): Promise<Guide> {
  const edit = (code: string): string => code.replace('MAX_WAIT = 5_000', `MAX_WAIT = ${maxWait}`)
  const found: unknown = await importGuide('sqlite.md', 'async takeTurn()', edit)
  // Proof: the block exports them with these types, which the test of the examples checks.
  return found as Guide
}
const guide = await importTransaction(5_000)
const { transaction } = guide
const PARALLEL = 40

/** A transaction that does not wait for its turn. */
const withoutTurn: TransactionProvider = provide({}, async function* (_input, { db }: { db: Db }) {
  db.connection.exec('begin immediate')
  try {
    const tx: Transaction = db.connection
    yield tx
    db.connection.exec('commit')
  } catch (error) {
    db.connection.exec('rollback')
    throw error
  }
})

/** Creates an app that adds to a number, and reads it and writes it with a pause between. */
function counter(tx: TransactionProvider, pause: (by: number) => Promise<void> = () => sleep(2)) {
  class Count extends Route {
    static readonly post = this.contract({ body: z.object({ by: z.number() }), uses: { tx } })
    async post({ body, tx }: Input<typeof Count.post>) {
      const { n } = Row.parse(tx.prepare('select n from count').get())
      await pause(body.by)
      tx.prepare('update count set n = ?').run(n + body.by)
      if (body.by < 0) throw new HttpError(409, 'Only upwards')
      return n
    }
  }
  return Count
}
const Row = z.object({ n: z.number() })

interface Running {
  readonly url: string
  readonly errors: readonly string[]
  readonly connection: TestConnection
  post(by: number): Promise<number>
  /** Returns the committed number, as another connection reads it. */
  committed(): number
}

type Open = (path: string) => TestConnection

async function runCounter(
  open: Open,
  Count: ReturnType<typeof counter>,
  { Database }: Guide,
  use: (app: Running) => Promise<void>,
) {
  const path = databasePath()
  const [connection, other] = [open(path), open(path)]
  connection.exec('create table count (n int); insert into count values (0)')
  const errors: string[] = []
  const app = createApp({
    routes: { Count },
    services: { db: new Database(connection) },
    mapError: (error) => void errors.push(error instanceof Error ? error.message : 'not an error'),
    logger: false,
    signals: false,
  })
  const { url } = await app.listen({ port: 0 })
  const post = async (by: number): Promise<number> => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/count`, { method: 'POST', headers, body: JSON.stringify({ by }) })
    await response.arrayBuffer()
    return response.status
  }
  const committed = (): number => Row.parse(other.prepare('select n from count').get()).n
  try {
    await use({ url, errors, connection, post, committed })
  } finally {
    await app.close()
  }
}

for (const { name, open } of ENGINES) {
  describe(`docs/guides/sqlite.md with ${name}`, () => {
    it('adds every number of parallel requests', async () => {
      await runCounter(open, counter(transaction), guide, async ({ post, committed }) => {
        const statuses = await Promise.all(Array.from({ length: PARALLEL }, () => post(1)))
        assert.deepEqual(new Set(statuses), new Set([200]))
        assert.equal(committed(), PARALLEL)
      })
    })

    it('fails in parallel requests without a turn', async () => {
      await runCounter(open, counter(withoutTurn), guide, async ({ post, errors }) => {
        const statuses = await Promise.all(Array.from({ length: PARALLEL }, () => post(1)))
        assert.ok(statuses.includes(500))
        assert.ok(errors.some((message) => message.includes('cannot start a transaction within a transaction')))
      })
    })

    it('rolls back failed requests only', async () => {
      await runCounter(open, counter(transaction), guide, async ({ post, committed }) => {
        const statuses = await Promise.all(Array.from({ length: 20 }, (_, index) => post(index % 2 === 0 ? 1 : -100)))
        assert.deepEqual([...new Set(statuses)].toSorted(), [200, 409])
        assert.equal(committed(), 10)
      })
    })

    it('continues with the next turn after clients have disconnected', async () => {
      let resume = (): void => {}
      const gate = new Promise<void>((resolve) => (resume = resolve))
      const begun: number[] = []
      const pause = async (by: number): Promise<void> => {
        begun.push(by)
        if (by === 1) await gate
      }
      await runCounter(open, counter(transaction, pause), guide, async ({ url, post, committed }) => {
        const first = post(1)
        while (begun.length === 0) await sleep(5)
        const leaving = request(`${url}/count`, { method: 'POST', headers: { 'content-type': 'application/json' } })
        leaving.on('error', () => {}).end('{"by":10}')
        await sleep(50)
        const last = post(100)
        await sleep(50)
        leaving.destroy()
        await sleep(50)
        resume()
        assert.deepEqual(await Promise.all([first, last]), [200, 200])
        assert.deepEqual(begun, [1, 100])
        assert.equal(committed(), 101)
      })
    })

    it('rolls back after a failed statement, and accepts no statement after the end', async () => {
      const statements: Transaction[] = []
      class Keep extends Route {
        static readonly post = this.contract({ uses: { tx: transaction } })
        async post({ tx }: Input<typeof Keep.post>) {
          statements.push(tx)
          tx.prepare('select * from missing').get()
        }
      }
      const database = new guide.Database(open(databasePath()))
      const app = createApp({ routes: { Keep }, services: { db: database }, logger: false })
      for (let count = 0; count < 2; count++) {
        const { status } = await app.fetch(new Request('http://localhost/keep', { method: 'POST' }))
        assert.equal(status, 500)
      }
      assert.throws(() => statements[0]?.prepare('select 1'), /the transaction is over/)
      await app.close()
    })
  })
}

describe('docs/guides/sqlite.md', () => {
  it('responds 503 to a request that waits too long, and continues with the next one', async () => {
    const engine = ENGINES[0]
    assert.ok(engine)
    const impatient = await importTransaction(300)
    let resume = (): void => {}
    const gate = new Promise<void>((resolve) => (resume = resolve))
    const begun: number[] = []
    const pause = async (by: number): Promise<void> => {
      begun.push(by)
      if (by === 1) await gate
    }
    await runCounter(engine.open, counter(impatient.transaction, pause), impatient, async ({ post, committed }) => {
      const first = post(1)
      while (begun.length === 0) await sleep(5)
      assert.equal(await post(10), 503)
      const next = post(100)
      await sleep(50)
      resume()
      assert.deepEqual(await Promise.all([first, next]), [200, 200])
      assert.equal(committed(), 101)
    })
  })
})
