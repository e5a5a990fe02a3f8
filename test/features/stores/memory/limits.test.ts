// own process: it measures memory
/** Limits in memory: stored clients, and evicted ones. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { memoryLimits } from 'verbena/limits'
import { MemoryLimits } from '#src/features/stores/memory/limits.js'
import { assertSetupError } from '#test/apps.js'
import { testLimitStore } from '#test/store-contracts.js'
import type { ChargeResult } from '#src/features/stores/limit-store.js'

const window = 60_000

/** Store with a clock that the test sets. */
class Clocked {
  now = 0
  readonly store: MemoryLimits

  constructor(keys: number) {
    this.store = new MemoryLimits(keys, () => this.now)
  }

  take(key: string, limit = 5, cost = 1): ChargeResult {
    return this.store.take({ key, limit, window, cost })
  }
}

describe('memoryLimits()', () => {
  const memory = new Clocked(1000)
  const pass = (_key: string, ms: number): void => {
    memory.now += ms
  }
  testLimitStore({ stores: () => [memory.store, memory.store], unit: window, pass })

  it('counts with the clock of the process', async () => {
    const store = memoryLimits()
    const take = async (key: string) => (await store.take({ key, limit: 2, window, cost: 1 })).allowed
    assert.deepEqual([await take('a'), await take('a'), await take('a'), await take('b')], [true, true, false, true])
  })

  it('rejects invalid values of keys, and unknown options', () => {
    for (const keys of [0, 1.5, -1, Infinity, '5', null]) {
      assertSetupError(
        // @ts-expect-error - the compiler sees some of these
        () => memoryLimits({ keys }),
        'OPTION_INVALID',
        '"keys" of memoryLimits(): it must be a positive integer',
      )
    }
    // @ts-expect-error - no such option
    assertSetupError(() => memoryLimits({ key: 1 }), 'OPTION_INVALID', 'Did you mean "keys"?')
  })
})

describe('MemoryLimits', () => {
  it('never stores more than the maximum number of keys, even for two million clients', () => {
    const memory = new Clocked(10_000)
    const before = process.memoryUsage().heapUsed
    for (let number = 0; number < 2_000_000; number++) {
      memory.take(`a client with a name that is rather long ${number}`)
      if (number % 100_000 === 0) assert.ok(memory.store.size <= 10_000)
    }
    assert.equal(memory.store.size, 10_000)
    assert.ok(process.memoryUsage().heapUsed - before < 200_000_000)
  })

  it('removes expired entries before others', () => {
    const memory = new Clocked(100)
    for (let number = 0; number < 50; number++) memory.take(`old ${number}`, 5, 5)
    memory.now = 2 * window
    for (let number = 0; number < 90; number++) memory.take(`new ${number}`, 5)
    assert.ok(memory.store.size <= 100)
    for (let number = 0; number < 90; number++) assert.equal(memory.take(`new ${number}`, 5).remaining, 3)
  })

  it('removes all expired entries while new clients are added', () => {
    const memory = new Clocked(1000)
    for (let number = 0; number < 1000; number++) memory.take(`old ${number}`)
    memory.now = 2 * window
    for (let number = 0; number < 200; number++) memory.take(`new ${number}`)
    assert.equal(memory.store.size, 200)
  })

  it('keeps a client that has used up its limit, even if many others send one request', () => {
    const memory = new Clocked(1000)
    for (let attempt = 0; attempt < 5; attempt++) memory.take('guessing')
    for (let number = 0; number < 100_000; number++) memory.take(`another ${number}`)
    assert.equal(memory.take('guessing').allowed, false)
    assert.equal(memory.store.size, 1000)
  })

  it('keeps a client that has used up its limit, even if its neighbors have too', () => {
    const memory = new Clocked(200)
    memory.take('the victim', 5, 5)
    for (let number = 0; number < 30; number++) memory.take(`${number} of those in a row`, 5, 5)
    for (let number = 0; number < 20_000; number++) memory.take(`one request of ${number}`)
    assert.equal(memory.store.size, 200)
    assert.equal(memory.take('the victim').allowed, false)
  })

  it('compares the used share, so that limits of different size can use one store', () => {
    const memory = new Clocked(100)
    memory.take('guessing', 2, 2)
    for (let number = 0; number < 10_000; number++) memory.take(`busy ${number}`, 100, 60)
    assert.equal(memory.take('guessing', 2).allowed, false)
  })

  it('uses a monotonic clock, not the time of day', (context) => {
    context.mock.timers.enable({ apis: ['Date'], now: 1_000_000_000 })
    const store = new MemoryLimits(10)
    const take = () => store.take({ key: 'a', limit: 2, window, cost: 1 })
    take()
    const { reset } = take()
    context.mock.timers.setTime(0)
    const refused = take()
    assert.equal(refused.allowed, false)
    assert.ok(refused.retryAfter <= reset)
  })

  it('stores no entry for rejected requests and requests without cost', () => {
    const memory = new Clocked(10)
    memory.take('a', 5, 0)
    memory.take('b', 5, 6)
    assert.equal(memory.store.size, 0)
  })

  it('stores the newest client with a maximum of one key', () => {
    const memory = new Clocked(1)
    memory.take('a')
    memory.take('b')
    assert.equal(memory.store.size, 1)
    assert.equal(memory.take('b').remaining, 3)
  })
})
