/** Replacing all processes while clients use the shop, without a failed request. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { TIMEOUTS } from '../limits.js'
import { openStack, type Stack } from '../stack/stack.js'
import { Customer } from './shop-client.js'
import { ask, createKeepAliveAgent, load, type TextResponse } from './support.js'

const PHILHARMONIC = 2
const OPEN_AIR = 3

describe('a rolling restart', () => {
  let stack: Stack
  let control: pg.Client
  const reported: string[] = []

  before(async () => {
    const env = { PURCHASES: '100000' }
    stack = await openStack({ env, port: 0, report: (message) => void reported.push(message) })
    control = new pg.Client({ connectionString: stack.databaseUrl })
    await control.connect()
  })
  after(async () => {
    await control?.end()
    await stack?.close()
  })

  async function ordersMade(): Promise<number> {
    const { rows } = await control.query('select from orders')
    return rows.length
  }

  /** Buys repeatedly over one connection, with random pauses, until `signal` is aborted. */
  async function buyer(signal: AbortSignal, customer: Customer): Promise<TextResponse[]> {
    const agent = createKeepAliveAgent()
    const answers: TextResponse[] = []
    while (!signal.aborted) {
      answers.push(await customer.buy(stack.url, OPEN_AIR, { agent }))
      await sleep(Math.random() * 30)
    }
    agent.destroy()
    return answers
  }

  /** Reads the sales stream to its end; returns whether it was complete, not interrupted. */
  function follow(): Promise<boolean> {
    return new Promise((resolve, reject) => {
      const asked = request(`${stack.url}/concerts/sales`, (response) => {
        response.resume().once('close', () => resolve(response.complete))
      })
      asked.once('error', reject).end()
    })
  }

  /** Places an order at a process that is being replaced. The order takes longer than `timeouts.drain`. */
  async function orderInHand(customer: Customer): Promise<TextResponse> {
    const [socket = ''] = stack.fleet.sockets
    const [pid] = stack.fleet.pids
    const agent = createKeepAliveAgent()
    while (stack.fleet.pids[0] === pid) {
      await ask(socket, '/concerts', { agent })
      await sleep(100)
    }
    await control.query('begin')
    await control.query('select from concerts where id = $1 for update', [PHILHARMONIC])
    const ordered = customer.buy(socket, PHILHARMONIC, { agent })
    await sleep(TIMEOUTS.drain + 500)
    await control.query('commit')
    return ordered
  }

  it('loses no request, whether it may be repeated or not', async () => {
    const ada = await Customer.arrive(stack.fleet.sockets[0] ?? '', 'ada@example.com')
    const pids = stack.fleet.pids
    const stopped = new AbortController()
    const readers = load(`${stack.url}/concerts`, 8)
    const buyers = Array.from({ length: 8 }, () => buyer(stopped.signal, ada))
    const streams = Promise.all(Array.from({ length: 4 }, () => follow()))
    const slow = orderInHand(ada)
    await sleep(500)

    await stack.fleet.roll()
    await sleep(500)

    stopped.abort()
    const answers = (await Promise.all(buyers)).flat()
    const { requests, lost } = await readers.stop()
    assert.deepEqual(lost, [])
    assert.ok(requests > 100)
    const failed = answers.filter(({ status }) => status !== 201)
    assert.deepEqual(failed, [])
    const { status, headers } = await slow
    assert.deepEqual([status, headers.connection], [201, 'close'])
    assert.equal(await ordersMade(), answers.length + 1)
    assert.deepEqual(await streams, [true, true, true, true])
    const seen = new Set(answers.map(({ headers: fields }) => fields['x-served-by']))
    assert.equal(seen.size, 4)
    assert.equal(stack.fleet.pids.filter((pid) => pids.includes(pid)).length, 0)
    assert.deepEqual(stack.nginx.said, [])
    assert.deepEqual(reported, [])
  })
})
