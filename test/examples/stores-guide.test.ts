/** The stores of the guide, with requests over a socket. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, Route, type Input } from 'verbena'
import { idempotency, type IdempotencyStore } from 'verbena/idempotency'
import { rateLimit, type LimitStore } from 'verbena/limits'
import { session, type SessionStore } from 'verbena/session'
import * as z from 'zod'
import { guideBlock, importGuide } from '#test/guide-code.js'

const MAX_LINES = 30

interface Stored {
  readonly text: string
  readonly version: number
  readonly end: number
}

/** A client whose calls take a moment, so that parallel requests read before others write. */
class KeyValue {
  readonly #entries = new Map<string, Stored>()
  #version = 0

  async get(key: string): Promise<Stored | undefined> {
    await sleep(1)
    return this.#find(key)
  }

  async put(key: string, text: string, end: number, version?: number): Promise<boolean> {
    await sleep(1)
    if (version !== undefined && (this.#find(key)?.version ?? 0) !== version) return false
    this.#entries.set(key, { text, end, version: ++this.#version })
    return true
  }

  async delete(key: string, version?: number): Promise<boolean> {
    await sleep(1)
    if (version !== undefined && this.#find(key)?.version !== version) return false
    return this.#entries.delete(key)
  }

  #find(key: string): Stored | undefined {
    const found = this.#entries.get(key)
    return found !== undefined && found.end > Date.now() ? found : undefined
  }
}

type CreateStore<Store> = (kv: KeyValue) => Store

/** Imports a function of the guide. */
async function importStore(name: string): Promise<unknown> {
  return (await importGuide('stores.md', `function ${name}(`))[name]
}

// Proof: the blocks export these functions, which the test of the examples type-checks.
const keyValueSessions = (await importStore('keyValueSessions')) as CreateStore<SessionStore>
const keyValueIdempotency = (await importStore('keyValueIdempotency')) as CreateStore<IdempotencyStore>
const keyValueLimits = (await importStore('keyValueLimits')) as CreateStore<LimitStore>

const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? ''
const listen = { port: 0 }
const quiet = { logger: false, signals: false } as const

describe('docs/guides/stores.md', () => {
  for (const name of ['keyValueSessions', 'keyValueIdempotency', 'keyValueLimits']) {
    it(`shows ${name} in at most ${MAX_LINES} lines`, () => {
      const [, code = ''] = /^(export function .*?^\}\n)/ms.exec(guideBlock('stores.md', `function ${name}(`)) ?? []
      const lines = code.split('\n').length - 1
      assert.ok(lines > 0 && lines <= MAX_LINES, `${lines} lines`)
    })
  }

  it('stores sessions, and does not bring back a session that was ended', async () => {
    const visitor = session({
      keys: ['6jLb0fN5S2mX4xk0u8YpZl1w9tQe7RcVhGdKsAoBnTI='],
      schema: z.object({ name: z.string() }),
      store: keyValueSessions(new KeyValue()),
      cookie: { insecure: true },
    })
    let resume = (): void => {}
    const slow = new Promise<void>((resolve) => (resume = resolve))
    class Session extends Route {
      static readonly uses = { visitor }
      static readonly get = this.contract({})
      async get({ visitor }: Input<typeof Session.get>) {
        return visitor.value?.name ?? 'nobody'
      }
      static readonly post = this.contract({ body: z.object({ name: z.string() }) })
      async post({ visitor, body }: Input<typeof Session.post>) {
        visitor.start(body)
      }
      static readonly put = this.contract({ body: z.object({ name: z.string() }) })
      async put({ visitor, body }: Input<typeof Session.put>) {
        if (body.name === 'slow') await slow
        visitor.set(body)
      }
      static readonly delete = this.contract({})
      async delete({ visitor }: Input<typeof Session.delete>) {
        visitor.end()
      }
    }
    const app = createApp({ routes: { Session }, ...quiet })
    const { url } = await app.listen(listen)
    const send = (method: string, cookie: string, name?: string) =>
      fetch(`${url}/session`, {
        method,
        headers: { cookie, 'content-type': 'application/json' },
        ...(name !== undefined && { body: JSON.stringify({ name }) }),
      })
    const cookie = cookieOf(await send('POST', '', 'ada'))
    assert.equal(await (await send('GET', cookie)).text(), 'ada')
    await send('PUT', cookie, 'grace')
    assert.equal(await (await send('GET', cookie)).text(), 'grace')
    const late = send('PUT', cookie, 'slow')
    await sleep(50)
    await send('DELETE', cookie)
    resume()
    assert.deepEqual((await late).headers.getSetCookie(), [])
    assert.equal(await (await send('GET', cookie)).text(), 'nobody')
    await app.close()
  })

  it('stores idempotency keys: of parallel payments with a key one is made', async () => {
    const made: number[] = []
    const once = idempotency({
      by: ({ request }) => request.ip,
      ttl: 60_000,
      store: keyValueIdempotency(new KeyValue()),
    })
    class Payments extends Route {
      static readonly post = this.contract({
        idempotency: once,
        body: z.object({ cents: z.int() }),
        returns: z.object({ number: z.int() }),
      })
      async post({ body }: Input<typeof Payments.post>) {
        await sleep(20)
        if (body.cents === 0) throw new Error('no money')
        return { number: made.push(body.cents) }
      }
    }
    const app = createApp({ routes: { Payments }, ...quiet })
    const { url } = await app.listen(listen)
    const pay = async (key: string, cents: number) => {
      const headers = { 'content-type': 'application/json', 'idempotency-key': key }
      const response = await fetch(`${url}/payments`, { method: 'POST', headers, body: JSON.stringify({ cents }) })
      return `${response.status} ${response.headers.get('idempotent-replayed')}`
    }
    const parallel = await Promise.all(Array.from({ length: 20 }, () => pay('"a"', 500)))
    assert.equal(parallel.filter((answer) => answer === '200 null').length, 1)
    assert.equal(parallel.filter((answer) => answer === '409 null' || answer === '200 true').length, 19)
    assert.deepEqual(made, [500])
    assert.equal(await pay('"a"', 500), '200 true')
    assert.equal(await pay('"a"', 900), '422 null')
    // A failure releases the key.
    assert.deepEqual([await pay('"b"', 0), await pay('"b"', 0)], ['500 null', '500 null'])
    await app.close()
  })

  it('renews a lease, and lets another owner claim an expired one', async () => {
    const store = keyValueIdempotency(new KeyValue())
    const claim = { key: 'k', client: 'c', request: 'r', lease: 300 }
    const [ada, grace] = [
      { ...claim, owner: 'ada' },
      { ...claim, owner: 'grace' },
    ]
    assert.deepEqual(await store.claim(ada), { state: 'claimed' })
    const [renewed, kept] = await Promise.all([store.claim(ada), store.complete(ada, 'text', 300)])
    assert.equal(kept, true)
    assert.notEqual(renewed.state, 'in-progress')
    assert.deepEqual(await store.claim(grace), { state: 'completed', response: 'text' })
    await sleep(310)
    assert.deepEqual(await store.claim(ada), { state: 'claimed' })
    await sleep(310)
    assert.deepEqual(await store.claim(grace), { state: 'claimed' })
    assert.equal(await store.complete(ada, 'text', 1_000), false)
    await store.release(ada)
    assert.deepEqual(await store.claim(ada), { state: 'in-progress' })
    await Promise.all([store.claim(grace), store.release(grace)])
    assert.deepEqual(await store.claim(ada), { state: 'claimed' })
  })

  it('counts requests: of 20 parallel requests the limit succeeds', async () => {
    const store = keyValueLimits(new KeyValue())
    const few = rateLimit({ by: () => 'all', limit: 5, window: 1_500, store })
    class Search extends Route {
      static readonly get = this.contract({ uses: { few } })
      async get() {
        return 'found'
      }
    }
    const app = createApp({ routes: { Search }, ...quiet })
    const { url } = await app.listen(listen)
    const search = async () => (await fetch(`${url}/search`)).status
    const statuses = await Promise.all(Array.from({ length: 20 }, search))
    assert.equal(statuses.filter((status) => status === 200).length, 5)
    assert.equal(statuses.filter((status) => status === 429).length, 15)
    await sleep(1_510)
    assert.equal(await search(), 200)
    await app.close()
  })

  it('returns the times of a limit', async () => {
    const store = keyValueLimits(new KeyValue())
    const charge = { key: 'k', limit: 3, window: 60_000 }
    const free = { allowed: true, remaining: 3, reset: 0, retryAfter: 0 }
    assert.deepEqual(await store.take({ ...charge, cost: 0 }), free)
    assert.deepEqual(await store.take({ ...charge, cost: 2 }), { ...free, remaining: 1, reset: 60_000 })
    const rejected = await store.take({ ...charge, cost: 2 })
    assert.deepEqual([rejected.allowed, rejected.remaining], [false, 1])
    assert.ok(rejected.retryAfter > 59_000 && rejected.retryAfter === rejected.reset)
    assert.equal((await store.take({ ...charge, cost: 4 })).retryAfter, 60_000)
  })
})
