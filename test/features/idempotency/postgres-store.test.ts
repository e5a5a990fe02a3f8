import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { KeyClaim } from 'verbena/idempotency'
import { postgresIdempotency, type PostgresPool } from 'verbena/postgres'
import { createDatabase } from '#test/postgres.js'

const database = await createDatabase()
const store = postgresIdempotency(database, { create: true })

function claimOf(key: string, owner: string, request = 'r', lease = 60_000): KeyClaim {
  return { key, client: 'ada', owner, request, lease }
}

describe('postgresIdempotency()', () => {
  it('gives a key to one owner until that releases it', async () => {
    const [first, second] = [claimOf('a', 'first'), claimOf('a', 'second')]
    assert.deepEqual(await store.claim(first), { state: 'claimed' })
    assert.deepEqual(await store.claim(first), { state: 'claimed' })
    assert.deepEqual(await store.claim(second), { state: 'in-progress' })
    assert.deepEqual(await store.claim({ ...second, request: 'other' }), { state: 'mismatch' })
    assert.deepEqual(await store.claim({ ...first, request: 'other' }), { state: 'mismatch' })
    await store.free(second)
    assert.deepEqual(await store.claim(second), { state: 'in-progress' })
    await store.free(first)
    assert.deepEqual(await store.claim(second), { state: 'claimed' })
  })

  it('stores the response of the owner, and does not remove it with the claim', async () => {
    const [first, second] = [claimOf('b', 'first'), claimOf('b', 'second')]
    await store.claim(second)
    assert.equal(await store.keep(first, 'late', 60_000), false)
    assert.equal(await store.keep(second, 'ä "answer"\n', 60_000), true)
    assert.deepEqual(await store.claim(first), { state: 'completed', answer: 'ä "answer"\n' })
    assert.deepEqual(await store.claim({ ...first, request: 'other' }), { state: 'mismatch' })
    await store.free(second)
    assert.equal((await store.claim(first)).state, 'completed')
    assert.equal(await store.keep(second, 'another', 60_000), false)
  })

  it('ends leases and responses by their times, and keeps the response of a lease that nobody else has', async () => {
    const first = claimOf('c', 'first', 'r', 200)
    await store.claim(first)
    await wait(220)
    assert.deepEqual(await store.claim(claimOf('c', 'second', 'other', 200)), { state: 'claimed' })
    await wait(220)
    assert.equal(await store.keep(first, 'answer', 200), true)
    assert.equal((await store.claim(claimOf('c', 'second'))).state, 'completed')
    await wait(220)
    assert.equal((await store.claim(claimOf('c', 'third'))).state, 'claimed')
    assert.equal(await store.keep(claimOf('c', 'third'), 'again', 200), true)
  })

  it('gives a key to one of a hundred', async () => {
    const claims = Array.from({ length: 100 }, (_, n) => store.claim(claimOf('d', String(n))))
    const states = (await Promise.all(claims)).map(({ state }) => state)
    assert.deepEqual([states.filter((state) => state === 'claimed').length, new Set(states).size], [1, 2])
  })

  it('returns the response that was stored between its two statements', async () => {
    await store.claim(claimOf('e', 'first'))
    const pool: PostgresPool = {
      query: async (text, values) => {
        const result = await database.query(text, values)
        if (text.includes('claimed as (')) await store.keep(claimOf('e', 'first'), 'answer', 60_000)
        return result
      },
    }
    const state = await postgresIdempotency(pool).claim(claimOf('e', 'second'))
    assert.deepEqual(state, { state: 'completed', answer: 'answer' })
  })

  it('claims a key that was released between its two statements', async () => {
    await store.claim(claimOf('f', 'first'))
    const pool: PostgresPool = {
      query: async (text, values) => {
        const result = await database.query(text, values)
        if (text.includes('claimed as (')) await store.free(claimOf('f', 'first'))
        return result
      },
    }
    assert.deepEqual(await postgresIdempotency(pool).claim(claimOf('f', 'second')), { state: 'claimed' })
  })

  it('reports a key as in progress if others claim and release it all the time', async () => {
    const pool: PostgresPool = {
      query: async (text, values) => {
        const isClaim = text.includes('claimed as (')
        if (isClaim) await store.claim(claimOf('g', 'first'))
        const result = await database.query(text, values)
        if (isClaim) await store.free(claimOf('g', 'first'))
        return result
      },
    }
    assert.deepEqual(await postgresIdempotency(pool).claim(claimOf('g', 'second')), { state: 'in-progress' })
  })
})
