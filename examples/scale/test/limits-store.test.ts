/** Rate limits in Redis: with both clients, in several processes, and during an outage. */
import assert from 'node:assert/strict'
import { fork, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createApp, Route, type Logger } from 'verbena'
import { rateLimit, type LimitStore } from 'verbena/limits'
import { redisLimits } from 'verbena/redis'
import { testLimitStore } from '#test/store-contracts.js'
import { PACKAGES, RedisClients } from './redis-clients.js'
import { RedisServer } from './redis-server.js'

const clients = new RedisClients()

function storeOf(name: string): LimitStore {
  return redisLimits(clients.of(name), { prefix: `${name}:` })
}

for (const name of PACKAGES) {
  describe(`redisLimits() with a client of ${name}`, () => {
    const store = (library: string): LimitStore => redisLimits(clients.of(library), { prefix: `${name}-store:` })
    testLimitStore({ ...clients.slotTime(`${name}-store:`), stores: () => [store(name), store('ioredis')] })
  })

  describe(`limits in Redis, by ${name}`, () => {
    const take = async (key: string, cost = 1, window = 60_000) => storeOf(name).take({ key, limit: 3, window, cost })

    it('expires keys after their window', async () => {
      await take('short', 3, 200)
      assert.equal((await take('short', 1, 200)).allowed, false)
      const client = clients.connect()
      const left = await client.pttl(`${name}:short`)
      assert.ok(left > 0 && left <= 204)
      await sleep(left + 20)
      assert.equal(await client.exists(`${name}:short`), 0)
      assert.equal((await take('short', 1, 200)).allowed, true)
    })

    it('never allows more than the limit in any window, and uses most of it', async () => {
      const window = 240
      const through: number[] = []
      const until = performance.now() + 1500
      while (performance.now() < until) {
        const asked = performance.now()
        if ((await take('sliding', 1, window)).allowed) through.push(asked)
        await sleep(7)
      }
      // A request is counted slightly later than it is sent, so two counted requests can be closer together than the window.
      const slack = 30
      for (const [at, time] of through.slice(3).entries()) assert.ok(time - (through[at] ?? 0) > window - slack)
      assert.ok(through.length >= (3 * 1500) / (window * (61 / 60) + 2 * slack) - 3, `only ${through.length}`)
    })

    it('counts by the clock of Redis, and ignores the clock of the process', async (context) => {
      context.mock.timers.enable({ apis: ['Date'], now: 0 })
      assert.equal((await take('clock', 2)).remaining, 1)
      context.mock.timers.setTime(4e12)
      assert.deepEqual([(await take('clock')).remaining, (await take('clock')).allowed], [0, false])
    })

    it('does not extend the wait if the clock of Redis was set back', async () => {
      const client = clients.connect()
      const later = Math.floor((Date.now() + 3_600_000) / 1000)
      await client.hset(`${name}:back`, String(later), '2', String(later + 7), '1')
      const refused = await take('back')
      assert.equal(refused.allowed, false)
      assert.ok(refused.retryAfter <= 61_000)
      const [[slot, used] = [], ...others] = Object.entries(await client.hgetall(`${name}:back`))
      assert.ok(Number(slot) <= Date.now() / 1000 + 1)
      assert.deepEqual([used, others], ['3', []])
      assert.ok((await client.pttl(`${name}:back`)) <= 61_000)
    })

    it('removes slots older than the window', async () => {
      const client = clients.connect()
      const now = Math.floor(Date.now() / 1000)
      await client.hset(`${name}:left`, String(now - 62), '3', String(now - 58), '1')
      assert.equal((await take('left')).remaining, 1)
      assert.equal(await client.hexists(`${name}:left`, String(now - 62)), 0)
    })
  })
}

describe('limits in Redis, of several processes', () => {
  it('allows as many requests of all processes as the limit', async () => {
    const children = Array.from({ length: 3 }, () =>
      fork(new URL('limits-child.ts', import.meta.url), [clients.server.url]),
    )
    for (const child of children) clients.atEnd(() => child.kill())
    await Promise.all(children.map(said))
    const through = children.map(said)
    for (const child of children) child.send('go')
    const counts = await Promise.all(through)
    assert.equal(
      counts.reduce((sum, count) => sum + count, 0),
      100,
      `${counts.join(' and ')} got through`,
    )
  })
})

/** Waits for the next number from a process: first 0 when it is ready, then its number of accepted requests. */
async function said(child: ChildProcess): Promise<number> {
  const [message] = await once(child, 'message')
  return Number(message)
}

describe('an app whose Redis goes away', () => {
  it('allows or rejects requests as whenDown sets, logs outage and recovery once, and counts again', async () => {
    const own = new RedisServer()
    await own.start()
    const client = new Redis(own.url, { maxRetriesPerRequest: 0, retryStrategy: () => 20 })
    client.on('error', () => {})
    const messages: string[] = []
    const write = (_: object, message = ''): void => void messages.push(message)
    const logger: Logger = { debug: write, info: write, warn: write, error: write }
    const limited = (whenDown: 'open' | 'closed') =>
      rateLimit({ by: () => 'all', limit: 100, window: 60_000, name: whenDown, whenDown, store: redisLimits(client) })
    class Closed extends Route {
      static readonly uses = { few: limited('closed') }
      get() {}
    }
    class Open extends Route {
      static readonly uses = { few: limited('open') }
      get() {}
    }
    const app = createApp({ routes: { Closed, Open }, logger })
    const statuses = async (path: string): Promise<number[]> => {
      const answers = Array.from({ length: 5 }, () => app.fetch(new Request(`http://localhost${path}`)))
      return (await Promise.all(answers)).map(({ status }) => status)
    }
    const all = (status: number) => [status, status, status, status, status]
    try {
      assert.deepEqual([await statuses('/closed'), await statuses('/open')], [all(204), all(204)])
      await own.stop()
      for (let round = 0; round < 3; round++) {
        assert.deepEqual([await statuses('/closed'), await statuses('/open')], [all(503), all(204)])
      }
      assert.deepEqual(
        messages,
        Array.from({ length: 2 }, () => 'Rate limit store unavailable'),
      )
      await own.start()
      await once(client, 'ready')
      await Promise.all([
        app.fetch(new Request('http://localhost/closed')),
        app.fetch(new Request('http://localhost/open')),
      ])
      assert.deepEqual([await statuses('/closed'), await statuses('/open')], [all(204), all(204)])
      assert.deepEqual(
        messages.slice(2),
        Array.from({ length: 2 }, () => 'Rate limit store available again'),
      )
    } finally {
      client.disconnect()
      await own.remove()
    }
  })
})
