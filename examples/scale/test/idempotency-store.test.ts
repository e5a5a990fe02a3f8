/** Idempotency keys in a real Redis, shared by processes: one of many requests with the same key is executed. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { IdempotencyStore } from 'verbena/idempotency'
import { redisIdempotency } from 'verbena/redis'
import { testIdempotencyStore } from '#test/store-contracts.js'
import { PACKAGES, RedisClients } from './redis-clients.js'

const CHILD = fileURLToPath(new URL('idempotency-child.ts', import.meta.url))

const clients = new RedisClients()

for (const name of PACKAGES) {
  describe(`redisIdempotency() with a client of ${name}`, () => {
    const store = (library: string): IdempotencyStore => redisIdempotency(clients.of(library), { prefix: `${name}:` })
    testIdempotencyStore({ ...clients.time(`${name}:`), stores: () => [store(name), store('ioredis')] })
  })
}

interface Child {
  readonly process: ChildProcess
  readonly pay: (to: string, time?: number, size?: number) => Promise<Response>
}

async function startChild(...lease: string[]): Promise<Child> {
  const child = spawn(process.execPath, ['--import', 'tsx', CHILD, clients.server.url, ...lease], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  clients.atEnd(() => child.kill('SIGKILL'))
  const [line] = await once(child.stdout, 'data')
  const pay = (to: string, time = 0, size = 0): Promise<Response> =>
    fetch(`http://127.0.0.1:${String(line).trim()}/payments`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'idempotency-key': `"${to}"` },
      body: JSON.stringify({ to, wait: time, size }),
    })
  return { process: child, pay }
}

describe('payments of two processes with Redis', () => {
  it('makes a payment once for a hundred parallel requests', async () => {
    const children = [await startChild(), await startChild()]
    const pay = (): Promise<Response>[] =>
      Array.from({ length: 100 }, (_, n) => children[n % 2]?.pay('grace', 1500) ?? assert.fail())
    const statuses = (await Promise.all(pay())).map(({ status }) => status)
    assert.deepEqual(
      [statuses.filter((status) => status === 201).length, statuses.filter((status) => status === 409).length],
      [1, 99],
    )
    const again = await Promise.all((await Promise.all(pay())).map((answer) => answer.json()))
    assert.deepEqual(new Set(again.map((answer) => JSON.stringify(answer))).size, 1)
    assert.equal(Object(again[0]).number, 1)
  })

  it('responds 409 to a retry if the response was larger than 1 MB, and stores only a few bytes', async () => {
    const [one, other] = [await startChild(), await startChild()]
    const redis = clients.connect()
    assert.equal((await one.pay('ada', 0, 1_000_000)).status, 201)
    assert.equal(Object(await (await other.pay('ada', 0, 1_000_000)).json()).note.length, 1_000_000)
    assert.equal((await one.pay('ken', 0, 1_100_000)).status, 201)
    const { status, headers } = await other.pay('ken', 0, 1_100_000)
    assert.deepEqual([status, headers.get('retry-after')], [409, null])
    assert.equal(await redis.get('payments to ken'), '1')
    const keys = await redis.keys('verbena:idempotency:*')
    const sizes = await Promise.all(keys.map(async (key) => (await redis.hget(key, 'answer'))?.length ?? 0))
    assert.deepEqual(
      sizes.filter((size) => size > 1000).map((size) => size < 1_001_000),
      [true],
    )
  })

  it('makes a payment again after the lease of a process that died', async () => {
    const [dying, other] = [await startChild('1000'), await startChild('1000')]
    const first = dying.pay('linus', 60_000)
    const lost = assert.rejects(first)
    const redis = clients.connect()
    while ((await redis.get('payments to linus')) !== '1') await wait(5)
    dying.process.kill('SIGKILL')
    await lost
    await once(dying.process, 'exit')
    const begin = performance.now()
    assert.equal((await other.pay('linus', 60_000)).status, 409)
    // A different body gets a 422 until the lease has expired.
    let answer = await other.pay('linus', 1)
    assert.equal(answer.status, 422)
    while (answer.status === 422) {
      await wait(20)
      answer = await other.pay('linus', 1)
    }
    assert.deepEqual([answer.status, Object(await answer.json()).number], [201, 2])
    assert.ok(performance.now() - begin < 10_000)
  })
})

describe('payments during an outage of Redis', () => {
  it('responds 503 within seconds, without a payment', async () => {
    const { pay } = await startChild()
    await clients.server.stop()
    const begin = performance.now()
    assert.equal((await pay('ken')).status, 503)
    assert.ok(performance.now() - begin < 10_000)
    await clients.server.start()
    let answer = await pay('ken')
    while (answer.status === 503) {
      await wait(50)
      answer = await pay('ken')
    }
    // A claim that was pending when Redis came back is released after a while.
    while (answer.status === 409) {
      await wait(50)
      answer = await pay('ken')
    }
    assert.deepEqual([answer.status, Object(await answer.json()).number], [201, 1])
  })
})
