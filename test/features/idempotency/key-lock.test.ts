/** A key in work: its lease, its end, and what becomes of it when something else fails. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { HttpError, provide, reply, type Middleware } from 'verbena'
import type { IdempotencyStore, KeyClaim, KeyState } from 'verbena/idempotency'
import { sendRequest, createGate } from '#test/apps.js'
import { until } from '#test/e2e.js'
import { LeasedStore, paymentRequest, createShop } from '#test/idempotency.js'
import { logLevels } from '#test/provider-ends.js'

/** A store of which one step fails. */
class FailingStore extends LeasedStore {
  failing: string = ''
  readonly claims: KeyClaim[] = []

  override async claim(claim: KeyClaim): Promise<KeyState> {
    this.claims.push(claim)
    this.#check('claim')
    return super.claim(claim)
  }

  override async complete(claim: KeyClaim, response: string, ttl: number): Promise<boolean> {
    this.#check('complete')
    return super.complete(claim, response, ttl)
  }

  override async release(claim: KeyClaim): Promise<void> {
    this.#check('release')
    return super.release(claim)
  }

  #check(step: string): void {
    if (this.failing === step) throw new Error(`Redis is gone at ${step}`)
  }
}

const statusOf = async (shop: ReturnType<typeof createShop>, amount = 5): Promise<number> =>
  (await sendRequest(shop.app, '/payments', paymentRequest(amount, '"a"'))).status

describe('idempotency: unavailable store', () => {
  it('responds 503 without calling the method, and logs the reason', async () => {
    const store = new FailingStore()
    store.failing = 'claim'
    const shop = createShop({ store })
    assert.equal(await statusOf(shop), 503)
    const [line] = shop.lines
    assert.equal(line?.level, 'error')
    const { cause } = Object(line?.fields['err'])
    assert.match(String(cause), /Redis is gone at claim/)
    assert.deepEqual(shop.made, [])
    store.failing = ''
    assert.equal(await statusOf(shop), 201)
  })

  it('responds 503 after two seconds, and releases a key that the store claims later', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const released: KeyClaim[] = []
    const claims: ((found: KeyState) => void)[] = []
    const silent: IdempotencyStore = {
      claim: () => new Promise((resolve) => claims.push(resolve)),
      complete: async () => true,
      release: async (claim) => void released.push(claim),
    }
    const shop = createShop({ store: silent })
    for (const [state, count] of [
      ['claimed', 1],
      ['in-progress', 1],
    ] as const) {
      const waiting = statusOf(shop)
      while (claims.length === 0) await turn()
      test.mock.timers.tick(2000)
      assert.equal(await waiting, 503)
      claims.pop()?.({ state })
      await turn()
      assert.equal(released.length, count)
    }
    assert.deepEqual(shop.made, [])
  })

  it('does not change the response if it cannot be stored, or if the key cannot be released', async () => {
    const store = new FailingStore()
    const shop = createShop({
      store,
      pay: () => {
        if (store.failing === 'release') throw new HttpError(503)
        return { number: 1 }
      },
    })
    store.failing = 'complete'
    assert.equal(await statusOf(shop), 201)
    // The lease still runs.
    assert.equal(await statusOf(shop), 409)
    store.now += 30_000
    store.failing = 'release'
    assert.equal(await statusOf(shop), 503)
    assert.equal(await statusOf(shop), 409)
    assert.deepEqual(
      shop.lines.map(({ level, message }) => [level, message]),
      [
        ['error', 'Failed to store a response; its request can run again after the lease expires'],
        ['error', 'The request failed'],
        ['error', 'Failed to release an idempotency key; it expires with its lease'],
      ],
    )
    assert.equal(shop.lines[0]?.fields['route'], 'Payments')
  })
})

describe('idempotency: lease', () => {
  it('releases a key in memory after the ttl if a method never returns', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval', 'Date'] })
    const done = createGate()
    let pay: () => unknown = () => done.opened.then(() => ({ number: 1 }))
    const shop = createShop({ ttl: 60_000, pay: () => pay() })
    const first = statusOf(shop)
    while (shop.made.length === 0) await turn()
    assert.equal(await statusOf(shop), 409)
    test.mock.timers.tick(60_000)
    await turn()
    pay = () => ({ number: 2 })
    assert.equal(await statusOf(shop), 201)
    done.open()
    assert.equal(await first, 201)
    assert.deepEqual(logLevels(shop.lines).slice(-1), [
      ['warn', 'Response not stored: the lease expired and another request has locked the idempotency key'],
    ])
  })

  it('renews the lease every ten seconds while the request is in progress, but not after the ttl', async (test) => {
    test.mock.timers.enable({ apis: ['setInterval', 'Date'] })
    const store = new FailingStore()
    const done = createGate()
    const shop = createShop({ store, ttl: 60_000, pay: () => done.opened.then(() => ({ number: 1 })) })
    const first = statusOf(shop)
    while (shop.made.length === 0) await turn()
    for (const now of [10_000, 20_000, 30_000, 40_000]) {
      store.now = now
      test.mock.timers.tick(10_000)
      await turn()
    }
    assert.equal(new Set(store.claims.map(({ owner }) => owner)).size, 1)
    assert.equal(await statusOf(shop), 409)
    store.failing = 'claim'
    test.mock.timers.tick(10_000)
    await turn()
    store.failing = ''
    assert.deepEqual(logLevels(shop.lines), [['warn', 'Failed to renew the lease of an idempotency key']])
    test.mock.timers.tick(10_000)
    const { length } = store.claims
    test.mock.timers.tick(60_000)
    assert.equal(store.claims.length, length)
    done.open()
    assert.equal(await first, 201)
    assert.equal(await statusOf(shop), 201)
    assert.deepEqual(shop.made, [5])
  })

  it('calls the method for the next request after the lease of a dead process has expired', async () => {
    const store = new LeasedStore()
    await claimOfDead(store)
    const shop = createShop({ store })
    assert.equal(await statusOf(shop), 409)
    store.now = 29_999
    assert.equal(await statusOf(shop), 409)
    store.now = 30_000
    assert.equal(await statusOf(shop), 201)
    assert.deepEqual(shop.made, [5])
  })

  it('prevents a process with an expired lease from replacing the stored response', async () => {
    const store = new LeasedStore()
    const done = createGate()
    const late = createShop({ store, pay: () => done.opened.then(() => ({ number: 1 })) })
    const shop = createShop({ store, pay: () => ({ number: 2 }) })
    const first = sendRequest(late.app, '/payments', paymentRequest(5, '"a"'))
    await until(() => late.made.length === 1, 'the first is in work')
    store.now = 30_000
    assert.equal(await statusOf(shop), 201)
    done.open()
    assert.deepEqual((await first).body, { number: 1 })
    assert.deepEqual((await sendRequest(shop.app, '/payments', paymentRequest(5, '"a"'))).body, { number: 2 })
    const message = 'Response not stored: the lease expired and another request has locked the idempotency key'
    assert.deepEqual(logLevels(late.lines), [['warn', message]])
  })

  /** Claims the key like a process that ends immediately after the claim. */
  async function claimOfDead(store: LeasedStore): Promise<void> {
    const dying: IdempotencyStore = {
      claim: (claim) => store.claim(claim),
      complete: async () => true,
      release: async () => {},
    }
    await statusOf(createShop({ store: dying }))
  }
})

describe('idempotency: timeout', () => {
  const slow = (done: Promise<void>, ends?: Promise<void>) => {
    const tx = provide({}, async function* () {
      try {
        yield 'tx'
      } catch (error) {
        await ends
        throw error
      }
    })
    return createShop({
      uses: { tx },
      contract: { timeout: 5 },
      pay: async () => {
        if (shop().made.length === 1) await done
        return { number: shop().made.length }
      },
    })
  }
  let made: ReturnType<typeof createShop> | null = null
  const shop = (): ReturnType<typeof createShop> => made ?? assert.fail()
  afterEach(() => (made = null))

  it('locks the key until the method returns, and does not store its result', async () => {
    const done = createGate()
    made = slow(done.opened)
    assert.equal(await statusOf(made), 503)
    assert.equal(await statusOf(made), 409)
    done.open()
    await until(() => shop().lines.length === 2, 'the late answer was dropped')
    await turn()
    assert.equal(await statusOf(made), 201)
    assert.deepEqual(made.made, [5, 5])
  })

  it('locks the key until provider cleanup is done', async () => {
    const [done, ends] = [createGate(), createGate()]
    made = slow(done.opened, ends.opened)
    assert.equal(await statusOf(made), 503)
    done.open()
    await until(() => shop().lines.length === 2, 'the late answer was dropped')
    await turn()
    assert.equal(await statusOf(made), 409)
    ends.open()
    await turn()
    assert.equal(await statusOf(made), 201)
  })
})

describe('idempotency: middleware that does not wait for next()', () => {
  const impatient: Middleware = async (_context, next) => {
    const waiting = next()
    await turn()
    return Promise.race([waiting, turn().then(() => reply(202, 'later'))])
  }

  it('locks the key until the method returns, then releases it', async () => {
    const store = new LeasedStore()
    const [reached, done] = [createGate(), createGate()]
    const other = createShop({ store })
    const shop = createShop({
      store,
      middleware: [
        async (_context, next) => {
          void next()
          await reached.opened
          return reply(202, 'later')
        },
      ],
      pay: async () => {
        reached.open()
        await done.opened
        return { number: 1 }
      },
    })
    assert.equal(await statusOf(shop), 202)
    assert.equal(await statusOf(other), 409)
    done.open()
    await until(() => shop.lines.length > 0, 'the late answer was dropped')
    await turn()
    assert.equal(await statusOf(other, 6), 201)
  })

  it('releases a key that the store claims after middleware has replied', async () => {
    const store = new LeasedStore()
    const given = createGate()
    const slow: IdempotencyStore = {
      claim: (claim) => given.opened.then(() => store.claim(claim)),
      complete: (claim, response, ttl) => store.complete(claim, response, ttl),
      release: (claim) => store.release(claim),
    }
    const shop = createShop({ store: slow, middleware: [impatient] })
    assert.equal(await statusOf(shop), 202)
    given.open()
    await turn()
    await turn()
    assert.deepEqual([shop.made, store.entries.size], [[], 0])
  })

  it('does not release a key while its response is being stored', async () => {
    const store = new LeasedStore()
    const [kept, go] = [createGate(), createGate()]
    const slow: IdempotencyStore = {
      claim: (claim) => store.claim(claim),
      complete: async (claim, response, ttl) => {
        kept.open()
        await go.opened
        return store.complete(claim, response, ttl)
      },
      release: (claim) => store.release(claim),
    }
    const around: Middleware = async (_context, next) => {
      const waiting = next()
      return Promise.race([waiting, kept.opened.then(() => reply(202, 'later'))])
    }
    const shop = createShop({ store: slow, middleware: [around] })
    assert.equal(await statusOf(shop), 202)
    go.open()
    await turn()
    const { headers } = await sendRequest(createShop({ store }).app, '/payments', paymentRequest(5, '"a"'))
    assert.equal(headers.get('idempotent-replayed'), 'true')
    assert.deepEqual(shop.made, [5])
  })
})

describe('idempotency: in-memory store', () => {
  const { NODE_ENV: before } = process.env
  afterEach(() => {
    process.env['NODE_ENV'] = before ?? ''
  })

  it('logs one warning about the in-memory store in production', async () => {
    process.env['NODE_ENV'] = 'production'
    const shop = createShop()
    await statusOf(shop)
    await statusOf(shop)
    const shared = createShop({ store: new LeasedStore() })
    await statusOf(shared)
    assert.deepEqual([shop.lines.length, shared.lines.length], [1, 0])
    assert.match(`${shop.lines[0]?.level} ${shop.lines[0]?.message}`, /^warn Idempotency keys stored in process memory/)
  })

  it('logs no warning about the in-memory store outside production', async () => {
    process.env['NODE_ENV'] = 'test'
    const shop = createShop()
    await statusOf(shop)
    assert.deepEqual(shop.lines, [])
  })
})
