/** Replacing all processes while clients use the shop, without a failed request. */
import assert from 'node:assert/strict'
import { request, type Agent } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { openStack, type Stack } from '../stack/stack.js'
import { Customer } from './shop-client.js'
import { ask, createKeepAliveAgent, load, until, type TextResponse } from './support.js'

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
  async function buy(customer: Customer, answers: TextResponse[], signal: AbortSignal): Promise<void> {
    const agent = createKeepAliveAgent()
    while (!signal.aborted) {
      answers.push(await customer.buy(stack.url, OPEN_AIR, { agent }))
      await sleep(Math.random() * 30)
    }
    agent.destroy()
  }

  /** Opens the sales stream. `isComplete` resolves at its end: whether it was complete, not interrupted. */
  function follow(): Promise<{ readonly isComplete: Promise<boolean> }> {
    return new Promise((resolve, reject) => {
      const asked = request(`${stack.url}/concerts/sales`, (response) => {
        const isComplete = new Promise<boolean>((settle) => {
          response.resume().once('close', () => settle(response.complete))
        })
        resolve({ isComplete })
      })
      asked.once('error', reject).end()
    })
  }

  /**
   * Opens connections to the first process until it is replaced, and adds those without a request to `idle`. The last ones are open when
   * it is replaced: a process closes a connection that has no request for `timeouts.keepAlive`, or that it gets a request on while it is
   * replaced.
   */
  async function connect(pid: number | undefined, idle: Agent[]): Promise<void> {
    const [socket = ''] = stack.fleet.sockets
    while (stack.fleet.pids[0] === pid) {
      const agent = createKeepAliveAgent()
      const { headers } = await ask(socket, '/concerts', { agent })
      if (headers.connection === 'keep-alive') idle.push(agent)
      await sleep(100)
    }
  }

  /**
   * Places an order at a process that is being replaced, over a connection that was opened before. The order takes longer than
   * `timeouts.drain`: until the process has closed another connection without a request.
   */
  async function orderInHand(
    customer: Customer,
    pid: number | undefined,
    idle: readonly Agent[],
  ): Promise<TextResponse> {
    const [socket = ''] = stack.fleet.sockets
    await control.query('begin')
    await control.query('select from concerts where id = $1 for update', [PHILHARMONIC])
    await until(() => stack.fleet.pids[0] !== pid, 'the first process is replaced')
    const [other, agent] = idle.slice(-2)
    assert.ok(other !== undefined && agent !== undefined)
    const ordered = customer.buy(socket, PHILHARMONIC, { agent })
    await closed(other)
    await control.query('commit')
    return ordered
  }

  it('loses no request, whether it may be repeated or not', async () => {
    const ada = await Customer.arrive(stack.fleet.sockets[0] ?? '', 'ada@example.com')
    const pids = stack.fleet.pids
    const stopped = new AbortController()
    const readers = load(`${stack.url}/concerts`, 8)
    const answers: TextResponse[] = []
    const buyers = Array.from({ length: 8 }, () => buy(ada, answers, stopped.signal))
    const streams = await Promise.all(Array.from({ length: 4 }, () => follow()))
    const idle: Agent[] = []
    const connecting = connect(pids[0], idle)
    await until(() => idle.length >= 2 && servers(answers).size === 4, 'each process responds')

    const slow = orderInHand(ada, pids[0], idle)
    await stack.fleet.roll()
    const rolled = answers.length
    await until(() => servers(answers.slice(rolled)).size === 4, 'each new process responds')

    stopped.abort()
    await Promise.all([...buyers, connecting])
    for (const agent of idle) agent.destroy()
    const { requests, lost } = await readers.stop()
    assert.deepEqual(lost, [])
    assert.ok(requests > 100)
    const failed = answers.filter(({ status }) => status !== 201)
    assert.deepEqual(failed, [])
    const { status, headers } = await slow
    assert.deepEqual([status, headers.connection], [201, 'close'])
    assert.equal(await ordersMade(), answers.length + 1)
    assert.deepEqual(await Promise.all(streams.map(({ isComplete }) => isComplete)), [true, true, true, true])
    assert.equal(stack.fleet.pids.filter((pid) => pids.includes(pid)).length, 0)
    assert.deepEqual(stack.nginx.said, [])
    assert.deepEqual(reported, [])
  })
})

/** Names of the processes that have responded. */
function servers(answers: readonly TextResponse[]): Set<unknown> {
  return new Set(answers.map(({ headers }) => headers['x-served-by']))
}

/** Waits until the other side closes the connection of an agent. */
function closed({ freeSockets }: Agent): Promise<void> {
  const [socket] = Object.values(freeSockets).flat()
  assert.ok(socket !== undefined)
  return new Promise((resolve) => void socket.once('close', () => resolve()))
}
