import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { KeyClaim } from 'verbena/idempotency'
import { postgresIdempotency, type PostgresPool } from 'verbena/postgres'
import { createDatabase, failingPool } from '#test/postgres.js'
import { postgresTime, testIdempotencyStore } from '#test/store-contracts.js'

const database = await createDatabase()
const store = postgresIdempotency(database, { create: true })

function claimOf(key: string, owner: string, request = 'r', lease = 60_000): KeyClaim {
  return { key, client: 'ada', owner, request, lease }
}

describe('postgresIdempotency()', () => {
  const time = postgresTime(database, 'verbena_idempotency_claims', 'verbena_idempotency_answers')
  testIdempotencyStore({ ...time, stores: () => [store, postgresIdempotency(database)] })

  it('does not replace a response', async () => {
    const first = claimOf('stored', 'first')
    assert.equal(await store.complete(first, 'answer', 60_000), true)
    assert.equal(await store.complete(first, 'another', 60_000), false)
  })

  it('returns the response that was stored between its two statements', async () => {
    await store.claim(claimOf('statements', 'first'))
    const pool: PostgresPool = {
      query: async (text, values) => {
        const result = await database.query(text, values)
        if (text.includes('claimed as (')) await store.complete(claimOf('statements', 'first'), 'answer', 60_000)
        return result
      },
    }
    const state = await postgresIdempotency(pool).claim(claimOf('statements', 'second'))
    assert.deepEqual(state, { state: 'completed', response: 'answer' })
  })

  it('claims a key that was released between its two statements', async () => {
    await store.claim(claimOf('released', 'first'))
    const pool: PostgresPool = {
      query: async (text, values) => {
        const result = await database.query(text, values)
        if (text.includes('claimed as (')) await store.release(claimOf('released', 'first'))
        return result
      },
    }
    assert.deepEqual(await postgresIdempotency(pool).claim(claimOf('released', 'second')), { state: 'claimed' })
  })

  it('reports a key as in progress if others claim and release it all the time', async () => {
    const pool: PostgresPool = {
      query: async (text, values) => {
        const isClaim = text.includes('claimed as (')
        if (isClaim) await store.claim(claimOf('busy', 'first'))
        const result = await database.query(text, values)
        if (isClaim) await store.release(claimOf('busy', 'first'))
        return result
      },
    }
    assert.deepEqual(await postgresIdempotency(pool).claim(claimOf('busy', 'second')), { state: 'in-progress' })
  })
})

describe('postgresIdempotency(): completeWithin', () => {
  it('stores a response that others see when the transaction is committed', async () => {
    const [first, second] = [claimOf('within', 'first'), claimOf('within', 'second')]
    await store.claim(first)
    await database.query('begin')
    assert.equal(await store.completeWithin(first, 'answer', 60_000, database), true)
    await database.query('commit')
    await store.release(first)
    assert.deepEqual(await store.claim(second), { state: 'completed', response: 'answer' })
    assert.deepEqual(await store.claim({ ...second, request: 'other' }), { state: 'mismatch' })
  })

  it('stores nothing if the transaction is rolled back', async () => {
    const first = claimOf('rolled back', 'first')
    await store.claim(first)
    await database.query('begin')
    assert.equal(await store.completeWithin(first, 'answer', 60_000, database), true)
    await database.query('rollback')
    assert.deepEqual(await store.claim(first), { state: 'claimed' })
  })

  it('stores one response for each key until it expires, even for a different claim', async () => {
    const [first, second] = [claimOf('taken', 'first'), claimOf('taken', 'second')]
    assert.equal(await store.completeWithin(first, 'answer', 100, database), true)
    await store.claim(second)
    assert.equal(await store.completeWithin(second, 'another', 60_000, database), false)
    assert.equal(await store.completeWithin(first, 'another', 60_000, database), false)
    await wait(120)
    assert.equal(await store.completeWithin(second, 'another', 60_000, database), true)
    assert.deepEqual(await store.claim(first), { state: 'completed', response: 'another' })
  })

  it('returns false if a transaction with a later snapshot has stored a response', async () => {
    const through = failingPool(Object.assign(new Error('could not serialize access'), { code: '40001' }))
    assert.equal(await store.completeWithin(claimOf('h', 'first'), 'answer', 60_000, through), false)
  })

  it('throws the error of the database without its values, and a TypeError for a value without "query"', async () => {
    const broken = Object.assign(new Error('connection lost'), { code: '08006', parameters: ['secret'] })
    const complete = async (through: PostgresPool): Promise<unknown> =>
      store.completeWithin(claimOf('h', 'first'), 'answer', 60_000, through)
    await assert.rejects(complete(failingPool(broken)), (error: unknown) => {
      assert.deepEqual([Object(error).message, Object.keys(Object(error))], ['connection lost (08006)', ['code']])
      return true
    })
    // @ts-expect-error - not a client
    await assert.rejects(complete({}), { name: 'TypeError', message: /the value of "within" has no method "query"/ })
  })
})
