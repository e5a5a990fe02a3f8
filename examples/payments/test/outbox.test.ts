/** Deliveries that fail, and messages that arrive twice. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { signWebhook } from 'verbena/auth'
import { paymentsApp } from '../app.js'
import { receiverApp } from '../receiver.js'
import {
  payUntilMade,
  removeDatabase,
  SECRET,
  sendPayment,
  startDatabase,
  until,
  type Order,
  type TestDatabase,
} from './support.js'

const QUIET = { logger: false, signals: false } as const

let database: TestDatabase

before(async () => {
  database = await startDatabase(2, 1_000)
})
after(() => removeDatabase(database))

function createOrder(cents: number): Order {
  return { source: 1, target: 2, cents, key: randomUUID() }
}

/** A receiver that responds with these statuses, then with 204. */
async function startReceiver(statuses: number[]) {
  const received: IncomingHttpHeaders[] = []
  const server: Server = createServer((request, response) => {
    received.push(request.headers)
    request.resume()
    response.writeHead(statuses.shift() ?? 204).end()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Proof: a server that listens on a port has an address object.
  const { port } = server.address() as AddressInfo
  return { server, received, url: `http://127.0.0.1:${port}/webhooks` }
}

/** Starts the payments app with a worker that sends to this URL. */
async function startPayments(webhookUrl: string) {
  const config = { DATABASE_URL: database.server.url, PORT: 0, WEBHOOK_URL: webhookUrl }
  const app = paymentsApp({ ...config, WEBHOOK_SECRET: SECRET, WEBHOOK_TIMEOUT: 5_000 }, QUIET)
  const { url } = await app.listen({ port: 0 })
  return { app, url: `${url}/payments` }
}

async function countMessages(): Promise<number> {
  const { rows } = await database.control.query('select from outbox')
  return rows.length
}

describe('outbox()', () => {
  it('sends a message again with the same id until the receiver responds with 2xx', async () => {
    const { server, received, url: webhookUrl } = await startReceiver([503, 302])
    const { app, url } = await startPayments(webhookUrl)
    try {
      await payUntilMade(() => url, createOrder(10))
      await until(async () => (await countMessages()) === 0, 'the message is delivered')
      assert.equal(received.length, 3)
      assert.equal(new Set(received.map((headers) => headers['webhook-id'])).size, 1)
    } finally {
      await app.close()
      server.close()
    }
  })

  it('sends no message for a payment that is rolled back', async () => {
    const { server, received, url: webhookUrl } = await startReceiver([])
    const { app, url } = await startPayments(webhookUrl)
    try {
      assert.equal((await sendPayment(url, createOrder(1_000_000))).status, 409)
      assert.equal((await sendPayment(url, { ...createOrder(1), target: 3 })).status, 404)
      assert.equal(await countMessages(), 0)
      await payUntilMade(() => url, createOrder(11))
      await until(async () => (await countMessages()) === 0, 'the message is delivered')
      assert.equal(received.length, 1)
    } finally {
      await app.close()
      server.close()
    }
  })

  it('keeps messages for the next start if the receiver is unavailable', async () => {
    const stopped = await startPayments('http://127.0.0.1:1/webhooks')
    await payUntilMade(() => stopped.url, createOrder(12))
    await stopped.app.close()
    assert.equal(await countMessages(), 1)
    const { server, received, url: webhookUrl } = await startReceiver([])
    const { app } = await startPayments(webhookUrl)
    try {
      await app.start()
      await until(async () => (await countMessages()) === 0, 'the message is delivered')
      assert.equal(received.length, 1)
    } finally {
      await app.close()
      server.close()
    }
  })
})

describe('receiver', () => {
  const body = JSON.stringify({ type: 'payment.made', payment: { id: 7, source: 1, target: 2, cents: 5 } })

  it('books a message once that arrives several times at the same time', async () => {
    const config = { DATABASE_URL: database.server.url, PORT: 0, WEBHOOK_SECRETS: [SECRET] }
    const app = receiverApp(config, QUIET)
    const { url } = await app.listen({ port: 0 })
    const send = async (secret: string): Promise<number> => {
      const signature = signWebhook({ id: 'msg_7', timestamp: new Date(), body, secret })
      const headers = { 'content-type': 'application/json', ...signature }
      return (await fetch(`${url}/webhooks`, { method: 'POST', headers, body })).status
    }
    try {
      assert.equal(await send(`whsec_${Buffer.alloc(32).toString('base64')}`), 401)
      const statuses = await Promise.all(Array.from({ length: 5 }, () => send(SECRET)))
      assert.deepEqual(statuses, [204, 204, 204, 204, 204])
      const { rows } = await database.control.query('select payment, account, cents from bookings')
      assert.deepEqual(rows, [{ payment: 7, account: 2, cents: 5 }])
    } finally {
      await app.close()
    }
  })
})
