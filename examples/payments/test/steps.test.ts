/** Processes that die before and after each step of a payment. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { payUntilMade, Program, removeDatabase, sendPayment, startDatabase, type TestDatabase } from './support.js'

const FILE = 'test/killed-app.ts'
/** Processes that die at the same time. */
const PARALLEL = 4
const CLIENTS = 4
const BALANCE = 1_000_000

let database: TestDatabase
let survivor: Program
/** Steps of the endpoint, in order. */
let steps: readonly string[]

before(async () => {
  database = await startDatabase(2, BALANCE)
  survivor = createProgram()
  const [names = ''] = await survivor.start()
  steps = JSON.parse(names)
})
after(async () => {
  await survivor.kill()
  await removeDatabase(database)
})

function createProgram(): Program {
  return new Program(FILE, { DATABASE_URL: database.server.url })
}

/** Returns the number of payments and of messages about them, by amount. */
async function countPayments(cents: number): Promise<readonly number[]> {
  const { rows } = await database.control.query<{ payments: number; messages: number }>(
    `select (select count(*)::int from payments where cents = $1) as payments,
      (select count(*)::int from outbox where body like '%"cents":' || $1 || '}%') as messages`,
    [cents],
  )
  return rows.flatMap(({ payments, messages }) => [payments, messages])
}

/** Result of a payment whose first process died. */
interface Outcome {
  /** Payments and messages in the database when the process had died. */
  readonly atDeath: readonly number[]
  /** The same when four clients have got their responses. */
  readonly atEnd: readonly number[]
  /** Different bodies of responses, with that of the process that died if it was sent. */
  readonly bodies: number
  /** Responses that are not replayed. */
  readonly fresh: number
}

/** Makes a payment of this amount at a process that dies at a point, then four clients retry it at the survivor. */
async function dieAt(point: string, cents: number, path = '/payments'): Promise<Outcome> {
  const program = createProgram()
  await program.start()
  const order = { source: 1, target: 2, cents, key: randomUUID() }
  const first = await sendPayment(`${program.url}${path}`, order, { 'x-kill': point }).catch(() => undefined)
  const signal = await Promise.race([program.end(), sleep(10_000, 'still running', { ref: false })])
  await program.kill()
  assert.equal(signal, 'SIGKILL', `${point}: ${signal} ${first?.status}`)
  const atDeath = await countPayments(cents)
  const retries = Array.from({ length: CLIENTS }, () => payUntilMade(() => `${survivor.url}${path}`, order))
  const responses = await Promise.all(retries)
  const bodies = new Set([...(first === undefined ? [] : [first]), ...responses].map(({ body }) => body))
  const fresh = responses.filter(({ isReplayed }) => !isReplayed).length
  return { atDeath, atEnd: await countPayments(cents), bodies: bodies.size, fresh }
}

/** Dies at all points, several at the same time; returns the outcomes by point. */
async function dieAtEach(points: readonly string[], firstCents: number): Promise<ReadonlyMap<string, Outcome>> {
  const outcomes = new Map<string, Outcome>()
  const waiting = points.map((point, index) => ({ point, cents: firstCents + index }))
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      outcomes.set(next.point, await dieAt(next.point, next.cents))
    }
  }
  await Promise.all(Array.from({ length: PARALLEL }, work))
  return outcomes
}

describe('idempotency with "within" when the process dies', () => {
  it('makes one payment and sends one response if the process dies before or after a step', async (test) => {
    const points = steps.flatMap((name) => [`before ${name}`, `after ${name}`])
    const committed = points.indexOf('after provider cleanup')
    assert.ok(committed > points.indexOf('after reply within') && committed < points.indexOf('before send'))
    const outcomes = await dieAtEach(points, 1_000)
    for (const [index, point] of points.entries()) {
      const [atDeath, fresh] = index < committed ? [[0, 0], 1] : [[1, 1], 0]
      assert.deepEqual(outcomes.get(point), { atDeath, atEnd: [1, 1], bodies: 1, fresh }, point)
    }
    test.diagnostic(`${points.length} processes died`)
  })

  it('makes one payment and sends one response if the process dies before, during or after the commit', async () => {
    const points = ['before commit', 'after commit', ...Array.from({ length: 4 }, (_, n) => `during commit ${n}`)]
    const outcomes = await dieAtEach(points, 2_000)
    const ended = { atEnd: [1, 1], bodies: 1 }
    for (const [point, { atEnd, bodies, fresh }] of outcomes) {
      assert.deepEqual({ atEnd, bodies }, ended, point)
      assert.ok(fresh <= 1, point)
    }
    assert.deepEqual(outcomes.get('before commit'), { ...ended, atDeath: [0, 0], fresh: 1 })
    assert.deepEqual(outcomes.get('after commit'), { ...ended, atDeath: [1, 1], fresh: 0 })
  })

  it('changes the balances only by these payments', async () => {
    const { rows } = await database.control.query(
      'select balance - $1 = (select sum(cents) from payments) as is_equal from accounts where id = 2',
      [BALANCE],
    )
    assert.deepEqual(rows, [{ is_equal: true }])
  })
})

describe('idempotency without "within" when the process dies', () => {
  it('makes a second payment if the process dies between commit and response', async () => {
    const { atDeath, atEnd, bodies } = await dieAt('after commit', 3_000, '/payments-apart')
    assert.deepEqual([atDeath, atEnd, bodies], [[1, 0], [2, 0], 1])
  })
})
