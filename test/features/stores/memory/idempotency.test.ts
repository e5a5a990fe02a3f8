/** `MemoryStore`: states of a key, maximum size, and which responses it removes. */
import assert from 'node:assert/strict'
import { after, before, describe, it, mock } from 'node:test'
import fc from 'fast-check'
import type { KeyClaim } from 'verbena/idempotency'
import { MemoryStore } from '#src/features/stores/memory/idempotency.js'
import { testIdempotencyStore } from '#test/store-contracts.js'

const claim: KeyClaim = { key: 'k', client: 'c', owner: 'first', request: 'r', lease: 1000 }
const second: KeyClaim = { ...claim, owner: 'second' }
/** Bytes that the store counts for an entry, and for a client, besides their strings. */
const OVERHEAD = 100

async function complete(store: MemoryStore, key: string, client: string, answer: string, ttl = 60_000): Promise<void> {
  const each = { ...claim, key, client }
  await store.claim(each)
  assert.equal(await store.complete(each, answer, ttl), true)
}

/** Which of these keys are completed. */
async function completedOf(store: MemoryStore, keys: readonly string[]): Promise<string[]> {
  const states = await Promise.all(keys.map((key) => store.claim({ ...second, key })))
  await Promise.all(keys.map((key) => store.release({ ...second, key })))
  return keys.filter((_, at) => states[at]?.state === 'completed')
}

describe('MemoryStore', () => {
  const shared = new MemoryStore(assert.fail)
  before(() => mock.timers.enable({ apis: ['Date'], now: Date.now() }))
  after(() => mock.timers.reset())
  const pass = (_key: string, ms: number): void => mock.timers.tick(ms)
  testIdempotencyStore({ stores: () => [shared, shared], unit: 60_000, pass }, false)

  it('stores a response until the end of its ttl', async () => {
    const store = new MemoryStore(assert.fail)
    await store.claim(claim)
    await store.complete(claim, 'answer', 1000)
    mock.timers.tick(999)
    assert.equal((await store.claim(second)).state, 'completed')
    mock.timers.tick(1)
    assert.equal((await store.claim(second)).state, 'claimed')
  })

  it('completes or releases a key only for its owner', async () => {
    const store = new MemoryStore(assert.fail)
    await store.claim(claim)
    assert.equal(await store.complete(second, 'of another', 60_000), false)
    await store.release(second)
    assert.equal((await store.claim(second)).state, 'in-progress')
    await store.release(claim)
    assert.equal(await store.complete(claim, 'too late', 60_000), false)
    assert.equal((await store.claim(second)).state, 'claimed')
  })
})

describe('MemoryStore: maximum size', () => {
  it('counts keys, requests, responses and clients', async () => {
    const store = new MemoryStore(assert.fail)
    await complete(store, 'key', 'client', 'response')
    const ofClient = 'client'.length + OVERHEAD
    assert.equal(store.size, ofClient + 'key'.length + 'r'.length + 'response'.length + OVERHEAD)
    await complete(store, 'second', 'client', '€')
    assert.equal(store.size, ofClient + 'keyr'.length + 'response'.length + 'secondr'.length + 2 + 2 * OVERHEAD)
  })

  it('removes the oldest response of the client that takes the most bytes', async () => {
    const answer = 'x'.repeat(1000)
    const store = new MemoryStore(() => {}, 20_000)
    await complete(store, 'of the victim', 'victim', answer)
    for (let n = 0; n < 10_050; n++) await complete(store, `flood ${n}`, 'attacker', answer)
    assert.ok(store.size <= 20_000)
    assert.deepEqual(await completedOf(store, ['of the victim', 'flood 0', 'flood 10033', 'flood 10049']), [
      'of the victim',
      'flood 10049',
    ])
  })

  it('removes the oldest response first if all clients take the same', async () => {
    const size = 2 * OVERHEAD + 'client 0'.length + 'key 0r'.length + 1000
    const store = new MemoryStore(() => {}, 3 * size)
    for (const n of [0, 1, 2, 3, 4]) await complete(store, `key ${n}`, `client ${n}`, 'x'.repeat(1000), 60_000 + n)
    assert.deepEqual(await completedOf(store, ['key 0', 'key 1', 'key 2', 'key 3', 'key 4']), [
      ...['key 2', 'key 3', 'key 4'],
    ])
  })

  it('never removes the response that was just stored, nor a key in progress', async () => {
    const store = new MemoryStore(() => {}, 2000)
    await store.claim({ ...claim, key: 'in progress' })
    for (const n of [1, 2, 3]) await complete(store, `small ${n}`, `client ${n}`, 'x'.repeat(100))
    await complete(store, 'large', 'another', 'x'.repeat(1700))
    assert.deepEqual(await completedOf(store, ['small 1', 'small 2', 'small 3', 'large']), ['large'])
    await complete(store, 'larger', 'another', 'x'.repeat(5000))
    assert.deepEqual(await completedOf(store, ['large', 'larger']), ['larger'])
    assert.equal((await store.claim({ ...second, key: 'in progress' })).state, 'in-progress')
  })

  it('removes expired responses although an older one lasts longer', async (test) => {
    test.mock.timers.enable({ apis: ['Date'] })
    const store = new MemoryStore(assert.fail)
    await complete(store, 'long', 'a', 'x', 1_000_000)
    const { size } = store
    for (let n = 0; n < 100; n++) await complete(store, `short ${n}`, 'b', 'x', 1000)
    test.mock.timers.tick(1000)
    for (let n = 10; n < 60; n++) await complete(store, `later ${n}`, 'a', 'x')
    assert.equal(store.size, size + 50 * ('later 10r'.length + 1 + OVERHEAD))
    assert.deepEqual(await completedOf(store, ['long', 'short 99', 'later 10']), ['long', 'later 10'])
  })

  it('reports the first eviction only', async () => {
    let count = 0
    const store = new MemoryStore(() => count++, 1000)
    await complete(store, 'a', 'c', 'x'.repeat(700))
    assert.equal(count, 0)
    for (const key of ['b', 'd', 'e']) await complete(store, key, 'c', 'x'.repeat(700))
    assert.equal(count, 1)
  })

  it('removes the same responses as a store that compares all clients', async () => {
    const steps = fc.array(
      fc.record({
        key: fc.integer({ min: 0, max: 30 }),
        client: fc.integer({ min: 0, max: 6 }),
        length: fc.integer({ min: 0, max: 400 }),
      }),
      { minLength: 1, maxLength: 120 },
    )
    await fc.assert(fc.asyncProperty(steps, (list) => compareWithNaive(list)))
  })
})

interface Step {
  readonly key: number
  readonly client: number
  readonly length: number
}

interface NaiveEntry {
  readonly key: string
  readonly client: string
  readonly size: number
  readonly end: number
}

const MAX_SIZE = 3000

/** Checks that both stores have the same keys after each step. No key expires here; expiration has a separate test. */
async function compareWithNaive(steps: readonly Step[]): Promise<void> {
  const store = new MemoryStore(() => {}, MAX_SIZE)
  let entries: NaiveEntry[] = []
  for (const [at, { key: number, client: id, length }] of steps.entries()) {
    const [key, client] = [`key ${number}`, `client ${id}`]
    const isKnown = entries.some((entry) => entry.key === key)
    const { state } = await store.claim({ ...claim, key, client })
    assert.equal(state, isKnown ? 'completed' : 'claimed')
    if (isKnown) continue
    const size = key.length + 1 + length + OVERHEAD
    entries = evict(entries, client, size)
    // Later responses expire later, like responses with the same "ttl".
    entries.push({ key, client, size, end: at })
    await store.complete({ ...claim, key, client }, 'x'.repeat(length), 1_000_000 + 1000 * at)
    assert.equal(store.size, sizeOf(entries))
    assert.ok(store.size <= MAX_SIZE)
  }
}

function sizeOf(entries: readonly NaiveEntry[]): number {
  const clients = new Set(entries.map(({ client }) => client))
  const ofClients = [...clients].reduce((sum, client) => sum + client.length + OVERHEAD, 0)
  return entries.reduce((sum, { size }) => sum + size, ofClients)
}

function evict(entries: readonly NaiveEntry[], client: string, size: number): NaiveEntry[] {
  const added = { key: '', client, size, end: Number.POSITIVE_INFINITY }
  let left = [...entries]
  while (sizeOf([...left, added]) > MAX_SIZE && left.length > 0) {
    const largest = left.toSorted((a, b) => bytesOf(b) - bytesOf(a) || oldestOf(a) - oldestOf(b))[0]
    const oldest = left.find((entry) => entry.client === largest?.client)
    left = left.filter((entry) => entry !== oldest)
  }
  return left

  function bytesOf(entry: NaiveEntry): number {
    const all = [...left, added].filter((other) => other.client === entry.client)
    return all.reduce((sum, other) => sum + other.size, 0)
  }
  function oldestOf(entry: NaiveEntry): number {
    return left.find((other) => other.client === entry.client)?.end ?? 0
  }
}
