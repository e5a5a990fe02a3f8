/** Redis that goes away during each command of the stores, with both clients. */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, afterEach, before, describe, it } from 'node:test'
import { redisIdempotency, redisLimits, redisSessions, type RedisClient } from 'verbena/redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { CutProxy } from '../../postgres/test/cut-proxy.js'
import { recordUncaught } from '../../postgres/test/support.js'
import { awayCases, createShop, type Shop } from './away-shop.js'
import { RedisServer } from './redis-server.js'
import { until } from './support.js'

const COMMANDS = {
  ...{ get: '\r\nsession:', start: '\r\nsession:', change: '\r\nXX\r\n', end: 'DEL\r\n' },
  ...{ count: '\r\nlimit:', claim: '\r\nverbena:idempotency:', keep: '"status":204', free: '\r\nverbena:idempotency:' },
}
const CASES = awayCases(COMMANDS)

interface OpenClient {
  readonly client: RedisClient
  readonly close: () => Promise<unknown>
}

/** Connects clients as the guides say, so that commands fail while Redis is unavailable. */
const CLIENTS: Readonly<Record<string, (url: string) => Promise<OpenClient>>> = {
  async redis(url) {
    const options = { url, disableOfflineQueue: true, socket: { connectTimeout: 1_000, reconnectStrategy: () => 20 } }
    const client = await createClient(options)
      .on('error', () => {})
      .connect()
    return { client, close: async () => client.destroy() }
  },
  async ioredis(url) {
    const options = { enableOfflineQueue: false, maxRetriesPerRequest: 1, retryStrategy: () => 20 }
    const client = new Redis(url, options).on('error', () => {})
    await until(() => client.status === 'ready', 'the client is connected')
    return { client, close: async () => client.disconnect() }
  },
}

const uncaught = recordUncaught()
const server = new RedisServer()
let control: Redis
let proxy: CutProxy

before(async () => {
  await server.start()
  control = new Redis(server.url, { retryStrategy: () => 20 }).on('error', () => {})
  proxy = new CutProxy(server.port)
  await proxy.start()
})
after(async () => {
  control.disconnect()
  await proxy.stop()
  await server.remove()
})
afterEach(() => assert.deepEqual(uncaught.splice(0), []))

/** Returns the sum of all counted requests. */
async function countAll(): Promise<number> {
  const keys = await control.keys('limit:*')
  const values = await Promise.all(keys.map((key) => control.hvals(key)))
  return values.flat().reduce((sum, value) => sum + Number(value), 0)
}

for (const [name, connect] of Object.entries(CLIENTS)) {
  describe(`Redis that goes away from a client of ${name}`, () => {
    /** `ioredis` sends a command again if its connection is lost, so a request can count twice. */
    const isResent = name === 'ioredis'
    let opened: OpenClient
    let shop: Shop
    before(async () => {
      opened = await connect(`redis://127.0.0.1:${proxy.port}`)
      const { client } = opened
      shop = createShop({
        sessions: redisSessions(client),
        limits: redisLimits(client),
        keys: redisIdempotency(client),
      })
    })
    after(async () => {
      await shop.close()
      await opened.close()
    })

    const isConnected = (): Promise<void> =>
      until(async () => (await shop.send('/closed')) === 204, 'the client is connected')
    const retry = async (send: () => Promise<number>): Promise<number> => {
      let status = 409
      await until(async () => (status = await send()) !== 409, 'the key is free')
      return status
    }

    for (const each of CASES) {
      for (const cut of ['command', 'result'] as const) {
        it(`responds ${each.lost} if the ${cut} is lost: ${each.name}`, async () => {
          await isConnected()
          await each.prepare?.(shop)
          const [key, { count }] = [randomUUID(), proxy]
          // The claim has the same key in its command as the release.
          const isRelease = each.name === 'release a key'
          const before = await countAll()
          if (isRelease) shop.onMade = () => proxy.cutAt(each.command, cut)
          else proxy.cutAt(each.command, cut)
          const status = await each.send(shop, key)
          shop.onMade = () => {}
          assert.ok(status === each.lost || (isResent && status === each.again), String(status))
          assert.equal(proxy.count, count + 1)
          const counted = (await countAll()) - before
          const isCounted = each.name.startsWith('count') && (cut === 'result' || isResent)
          assert.ok(counted <= (isCounted ? 1 : 0) + (isCounted && isResent ? 1 : 0), String(counted))
          await isConnected()
          const next = await retry(() => each.send(shop, key))
          assert.ok(next === each.again || (each.name === 'end a session' && cut === 'result'), String(next))
          const runs = shop.made.filter((made) => made === key).length
          const isAgain = isRelease || (each.name === 'store a response' && cut === 'command')
          assert.ok(runs <= (isAgain ? 2 : 1), String(runs))
        })
      }
    }

    it('is available again after its connections were closed while idle, and after a restart', async () => {
      await isConnected()
      proxy.cutAll()
      await isConnected()
      await shop.signIn()
      await server.stop()
      const statuses = [await shop.sendSignedIn('/cart'), await shop.send('/closed'), await shop.send('/open')]
      assert.deepEqual(statuses, [503, 503, 204])
      assert.equal(await shop.send('/payments', 'POST', { 'idempotency-key': '"a"' }), 503)
      await server.start()
      await isConnected()
      assert.deepEqual([await shop.signIn(), await shop.sendSignedIn('/cart')], [204, 204])
    })
  })
}
