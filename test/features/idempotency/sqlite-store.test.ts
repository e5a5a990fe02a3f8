import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeyClaim } from 'verbena/idempotency'
import { sqliteIdempotency } from 'verbena/sqlite'
import { databasePath, ENGINES } from '#test/sqlite.js'

const LEASE = 60_000
const TTL = 86_400_000

function claimOf(key: string, owner: string, request = 'r'): KeyClaim {
  return { key, client: 'ada', owner, request, lease: LEASE }
}

for (const { name, open } of ENGINES) {
  const path = databasePath()
  const database = open(path)
  const store = sqliteIdempotency(database, { create: true })
  const age = (key: string, ms: number): void => {
    for (const table of ['claims', 'answers']) {
      const text = `update verbena_idempotency_${table} set expires_at = expires_at - ? where key = ?`
      database.prepare(text).run(ms, key)
    }
  }

  describe(`sqliteIdempotency() with ${name}`, () => {
    it('assigns a key to one owner until that owner releases it', async () => {
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
      assert.equal(await store.keep(first, 'late', TTL), false)
      assert.equal(await store.keep(second, 'ä "answer"\n', TTL), true)
      assert.deepEqual(await store.claim(first), { state: 'completed', answer: 'ä "answer"\n' })
      assert.deepEqual(await store.claim({ ...first, request: 'other' }), { state: 'mismatch' })
      await store.free(second)
      assert.equal((await store.claim(first)).state, 'completed')
      assert.equal(await store.keep(second, 'another', TTL), false)
      assert.deepEqual(await store.claim(first), { state: 'completed', answer: 'ä "answer"\n' })
    })

    it('ends leases and responses by their times, and stores the response of a lease that no other owner has', async () => {
      const first = claimOf('c', 'first')
      await store.claim(first)
      age('c', LEASE)
      assert.deepEqual(await store.claim(claimOf('c', 'second', 'other')), { state: 'claimed' })
      age('c', LEASE)
      assert.equal(await store.keep(first, 'answer', TTL), true)
      age('c', TTL - LEASE)
      assert.equal((await store.claim(claimOf('c', 'second'))).state, 'completed')
      age('c', LEASE)
      assert.equal((await store.claim(claimOf('c', 'third'))).state, 'claimed')
      assert.equal(await store.keep(claimOf('c', 'third'), 'again', TTL), true)
      assert.deepEqual(await store.claim(first), { state: 'completed', answer: 'again' })
    })

    it('renews the lease of a claim', async () => {
      for (const _ of [1, 2, 3]) {
        assert.equal((await store.claim(claimOf('d', 'first'))).state, 'claimed')
        age('d', LEASE / 2)
      }
      assert.deepEqual(await store.claim(claimOf('d', 'second')), { state: 'in-progress' })
    })

    it('assigns a key to one of a hundred owners on two connections', async () => {
      const second = sqliteIdempotency(open(path))
      const claims = Array.from({ length: 100 }, (_, n) =>
        (n % 2 === 0 ? store : second).claim(claimOf('e', String(n))),
      )
      const states = (await Promise.all(claims)).map(({ state }) => state)
      assert.deepEqual([states.filter((state) => state === 'claimed').length, new Set(states).size], [1, 2])
    })
  })
}
