/** A key in work: its lease, its end, and what becomes of it when something else fails. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { HttpError, provide, reply, type Middleware } from 'verbena'
import type { IdempotencyStore, KeyClaim, KeyState } from 'verbena/idempotency'
import { sendRequest, createGate } from '#test/apps.js'
import { until } from '#test/e2e.js'
import { LeasedStore, paymentRequest, createShop } from '#test/idempotency.js'
import { levelsOf } from '#test/provider-ends.js'

/** A store of which one step fails. */
class FailingStore extends LeasedStore {
  failing: string = ''
  readonly claims: KeyClaim[] = []

  override async claim(claim: KeyClaim): Promise<KeyState> {
    this.claims.push(claim)
    this.#check('claim')
    return super.claim(claim)
  }

  override async keep(claim: KeyClaim, answer: string, ttl: number): Promise<boolean> {
    this.#check('keep')
    return super.keep(claim, answer, ttl)
  }

  override async free(claim: KeyClaim): Promise<void> {
    this.#check('free')
    return super.free(claim)
  }

  #check(step: string): void {
    if (this.failing === step) throw new Error(`Redis is gone at ${step}`)
  }
}

const statusOf = async (shop: ReturnType<typeof createShop>, amount = 5): Promise<number> =>
  (await sendRequest(shop.app, '/payments', paymentRequest(amount, '"a"'))).status

describe('a store that is down', () => {
  it('keeps the method from being called: 503, and the log says why', async () => {
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

  it('is not waited for when it is silent, and lets go of what it gives late', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] })
    const freed: KeyClaim[] = []
    const answers: ((found: KeyState) => void)[] = []
    const silent: IdempotencyStore = {
      claim: () => new Promise((resolve) => answers.push(resolve)),
      keep: async () => true,
      free: async (claim) => void freed.push(claim),
    }
    const shop = createShop({ store: silent })
    for (const [state, count] of [
      ['claimed', 1],
      ['in-progress', 1],
    ] as const) {
      const waiting = statusOf(shop)
      while (answers.length === 0) await turn()
      test.mock.timers.tick(2000)
      assert.equal(await waiting, 503)
      answers.pop()?.({ state })
      await turn()
      assert.equal(freed.length, count)
    }
    assert.deepEqual(shop.made, [])
  })

  it('does not change an answer that it cannot keep, nor a failure that it cannot forget', async () => {
    const store = new FailingStore()
    const shop = createShop({
      store,
      pay: () => {
        if (store.failing === 'free') throw new HttpError(503)
        return { number: 1 }
      },
    })
    store.failing = 'keep'
    assert.equal(await statusOf(shop), 201)
    // The lease still runs.
    assert.equal(await statusOf(shop), 409)
    store.now += 30_000
    store.failing = 'free'
    assert.equal(await statusOf(shop), 503)
    assert.equal(await statusOf(shop), 409)
    assert.deepEqual(
      shop.lines.map(({ level, message }) => [level, message]),
      [
        ['error', 'An answer was not kept: when its lease is over, its request can be done again'],
        ['error', 'The request failed'],
        ['error', 'An idempotency key could not be freed: it is when its lease is over'],
      ],
    )
    assert.equal(shop.lines[0]?.fields['route'], 'Payments')
  })
})

describe('a lease', () => {
  it('ends in memory too, where a method never does', async (test) => {
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
    assert.deepEqual(levelsOf(shop.lines).slice(-1), [
      ['warn', 'An answer was not kept: its lease was over, and another request has its idempotency key'],
    ])
  })

  it('is renewed every ten seconds, while the request is in work, and not longer than answers are kept', async (test) => {
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
    assert.deepEqual(levelsOf(shop.lines), [['warn', 'The lease of an idempotency key could not be renewed']])
    test.mock.timers.tick(10_000)
    const { length } = store.claims
    test.mock.timers.tick(60_000)
    assert.equal(store.claims.length, length)
    done.open()
    assert.equal(await first, 201)
    assert.equal(await statusOf(shop), 201)
    assert.deepEqual(shop.made, [5])
  })

  it('ends when its process has died: then the next request does the work', async () => {
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

  it('lets a process that comes back late change nothing', async () => {
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
    const message = 'An answer was not kept: its lease was over, and another request has its idempotency key'
    assert.deepEqual(levelsOf(late.lines), [['warn', message]])
  })

  /** Claims the key as a process that dies at once. */
  async function claimOfDead(store: LeasedStore): Promise<void> {
    const dying: IdempotencyStore = {
      claim: (claim) => store.claim(claim),
      keep: async () => true,
      free: async () => {},
    }
    await statusOf(createShop({ store: dying }))
  }
})

describe('a method whose time is over', () => {
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

  it('holds its key until its work has ended, and keeps nothing of it', async () => {
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

  it('holds its key until its providers have ended, too', async () => {
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

describe('middleware that does not wait for next()', () => {
  const impatient: Middleware = async (_context, next) => {
    const waiting = next()
    await turn()
    return Promise.race([waiting, turn().then(() => reply(202, 'later'))])
  }

  it('leaves the key held while the work goes on; then it is free', async () => {
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

  it('lets go of a key that the store gives when it has left', async () => {
    const store = new LeasedStore()
    const given = createGate()
    const slow: IdempotencyStore = {
      claim: (claim) => given.opened.then(() => store.claim(claim)),
      keep: (claim, answer, ttl) => store.keep(claim, answer, ttl),
      free: (claim) => store.free(claim),
    }
    const shop = createShop({ store: slow, middleware: [impatient] })
    assert.equal(await statusOf(shop), 202)
    given.open()
    await turn()
    await turn()
    assert.deepEqual([shop.made, store.entries.size], [[], 0])
  })

  it('does not free a key whose answer is about to be kept', async () => {
    const store = new LeasedStore()
    const [kept, go] = [createGate(), createGate()]
    const slow: IdempotencyStore = {
      claim: (claim) => store.claim(claim),
      keep: async (claim, answer, ttl) => {
        kept.open()
        await go.opened
        return store.keep(claim, answer, ttl)
      },
      free: (claim) => store.free(claim),
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

describe('keys in the memory of a process in production', () => {
  const { NODE_ENV: before } = process.env
  afterEach(() => {
    process.env['NODE_ENV'] = before ?? ''
  })

  it('are worth one line of the log', async () => {
    process.env['NODE_ENV'] = 'production'
    const shop = createShop()
    await statusOf(shop)
    await statusOf(shop)
    const shared = createShop({ store: new LeasedStore() })
    await statusOf(shared)
    assert.deepEqual([shop.lines.length, shared.lines.length], [1, 0])
    assert.match(`${shop.lines[0]?.level} ${shop.lines[0]?.message}`, /^warn Idempotency keys are in the memory/)
  })

  it('are worth none elsewhere', async () => {
    process.env['NODE_ENV'] = 'test'
    const shop = createShop()
    await statusOf(shop)
    assert.deepEqual(shop.lines, [])
  })
})
