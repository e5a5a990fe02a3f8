/** Two processes that are killed again and again while clients retry their payments. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import pg from 'pg'
import { freePort } from '../../postgres/test/own-server.js'
import {
  payUntilMade,
  Program,
  removeDatabase,
  SECRET,
  seededRandom,
  startDatabase,
  until,
  type PaymentResponse,
  type Order,
  type TestDatabase,
} from './support.js'

const SEED = Number(process.env['SEED'] ?? 7)
const ROUNDS = 10
const PAYMENTS = 6
const CLIENTS = 4
const ACCOUNTS = 5
const BALANCE = 1_000_000

const random = seededRandom(SEED)
const pick = (count: number): number => Math.floor(random() * count)

let database: TestDatabase
let books: pg.Pool
let receiver: Program
let processes: readonly Program[]

before(async () => {
  database = await startDatabase(ACCOUNTS, BALANCE)
  await database.control.query('create database books')
  const booksUrl = database.server.url.replace(/postgres$/, 'books')
  books = new pg.Pool({ connectionString: booksUrl, max: 2 })
  receiver = new Program('receiver-main.ts', {
    DATABASE_URL: booksUrl,
    PORT: String(await freePort()),
    WEBHOOK_SECRETS: SECRET,
  })
  await receiver.start()
  const env = {
    DATABASE_URL: database.server.url,
    WEBHOOK_URL: `${receiver.url}/webhooks`,
    WEBHOOK_SECRET: SECRET,
    WEBHOOK_TIMEOUT: '1000',
  }
  const ports = [await freePort(), await freePort()]
  processes = ports.map((port) => new Program('main.ts', { ...env, PORT: String(port) }))
  await Promise.all(processes.map((program) => program.start()))
})
after(async () => {
  await Promise.all([receiver, ...processes].map((program) => program.kill()))
  await books.end()
  await removeDatabase(database)
})

function createOrder(): Order {
  const source = 1 + pick(ACCOUNTS)
  const target = 1 + ((source + pick(ACCOUNTS - 1)) % ACCOUNTS)
  return { source, target, cents: 1 + pick(1_000), key: randomUUID() }
}

/** Returns the URL of a random process. It may be dead. */
function pickUrl(): string {
  return `${processes[pick(processes.length)]?.url}/payments`
}

/** An order with the responses of its clients. */
interface Made {
  readonly order: Order
  readonly responses: readonly PaymentResponse[]
}

/** Lets four clients send each of several payments, and kills processes after a random number of responses; then restarts them. */
async function runRound(victims: readonly Program[]): Promise<readonly Made[]> {
  let received = 0
  const limit = pick(PAYMENTS * CLIENTS)
  const killing = async (): Promise<void> => {
    await until(() => received >= limit, 'enough responses have arrived')
    for (const victim of victims) assert.equal(await victim.kill(), 'SIGKILL')
    await Promise.all(victims.map((victim) => victim.start()))
  }
  const made = Array.from({ length: PAYMENTS }, async () => {
    const order = createOrder()
    const paying = Array.from({ length: CLIENTS }, async () => {
      const response = await payUntilMade(pickUrl, order)
      received++
      return response
    })
    return { order, responses: await Promise.all(paying) }
  })
  const [all] = await Promise.all([Promise.all(made), killing()])
  return all
}

/** Returns the rows of a query as arrays. */
async function read(pool: pg.Pool, text: string): Promise<unknown[]> {
  const { rows } = await pool.query({ text, rowMode: 'array' })
  return rows
}

describe('payments of four clients each when processes are killed', () => {
  const orders: Order[] = []

  it('sends the same response to all clients of a payment', async (test) => {
    let kills = 0
    for (let round = 0; round < ROUNDS; round++) {
      const [one, other] = random() < 0.5 ? processes : processes.toReversed()
      assert.ok(one !== undefined && other !== undefined)
      const victims = [one, ...(round % 3 === 1 ? [other] : []), ...(round % 4 === 2 ? [receiver] : [])]
      kills += victims.length
      for (const { order, responses } of await runRound(victims)) {
        assert.equal(new Set(responses.map(({ body }) => body)).size, 1)
        const { id, ...payment } = JSON.parse(responses[0]?.body ?? '')
        assert.ok(id > 0)
        assert.deepEqual({ ...payment, key: order.key }, order)
        orders.push(order)
      }
    }
    test.diagnostic(`seed ${SEED}: ${kills} processes were killed`)
  })

  it('makes each payment once, and changes the balances accordingly', async () => {
    const sort = (rows: unknown[]): string[] => rows.map(String).toSorted()
    const payments = await read(database.control, 'select source, target, cents from payments')
    assert.deepEqual(sort(payments), sort(orders.map(({ source, target, cents }) => [source, target, cents])))
    const balances = Array.from({ length: ACCOUNTS }, () => BALANCE)
    for (const { source, target, cents } of orders) {
      for (const [id, change] of [
        [source, -cents],
        [target, cents],
      ] as const) {
        balances[id - 1] = (balances[id - 1] ?? 0) + change
      }
    }
    assert.deepEqual(
      await read(database.control, 'select balance from accounts order by id'),
      balances.map((balance) => [balance]),
    )
  })

  it('delivers each message, and the receiver books each payment once', async () => {
    const isEmpty = async () => (await read(database.control, 'select id from outbox')).length === 0
    await until(isEmpty, 'the outbox is empty')
    assert.deepEqual(
      await read(books, 'select payment, account, cents from bookings order by payment'),
      await read(database.control, 'select id, target, cents from payments order by id'),
    )
  })
})
