import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { Charge } from 'verbena/limits'
import { postgresLimits } from 'verbena/postgres'
import { createDatabase } from '#test/postgres.js'

const database = await createDatabase()
const store = postgresLimits(database, { create: true })

function chargeOf(key: string, charge: Partial<Charge> = {}): Charge {
  return { key, limit: 3, window: 60_000, cost: 1, ...charge }
}

describe('postgresLimits()', () => {
  it('counts requests up to the limit, and rejects further ones without counting them', async () => {
    for (const remaining of [2, 1, 0]) {
      const taken = await store.take(chargeOf('a'))
      assert.deepEqual([taken.allowed, taken.remaining, taken.retryAfter], [true, remaining, 0])
      assert.ok(taken.reset > 59_000 && taken.reset <= 61_000)
    }
    for (const _ of [1, 2]) {
      const refused = await store.take(chargeOf('a'))
      assert.deepEqual([refused.allowed, refused.remaining], [false, 0])
      assert.ok(refused.retryAfter > 59_000 && refused.retryAfter <= 61_000)
    }
    assert.equal((await store.take(chargeOf('a', { limit: 4 }))).allowed, true)
  })

  it('rejects a first request that costs more than the limit, and counts nothing', async () => {
    assert.deepEqual(await store.take(chargeOf('b', { cost: 4 })), {
      ...{ allowed: false, remaining: 3, reset: 0, retryAfter: 60_000 },
    })
    assert.equal((await store.take(chargeOf('b', { cost: 3 }))).allowed, true)
  })

  it('counts nothing for a request without a cost', async () => {
    const free = { allowed: true, remaining: 3, reset: 0, retryAfter: 0 }
    assert.deepEqual(await store.take(chargeOf('c', { cost: 0 })), free)
    assert.deepEqual(await store.take(chargeOf('c', { cost: 0 })), free)
  })

  it('allows requests again after the window', async () => {
    const short = { window: 300 }
    for (const _ of [1, 2, 3]) assert.equal((await store.take(chargeOf('d', short))).allowed, true)
    const { allowed, retryAfter } = await store.take(chargeOf('d', short))
    assert.equal(allowed, false)
    await wait(retryAfter + 20)
    assert.equal((await store.take(chargeOf('d', short))).allowed, true)
  })

  it('allows no more than the limit to concurrent requests', async () => {
    const taken = await Promise.all(Array.from({ length: 50 }, () => store.take(chargeOf('e', { limit: 20 }))))
    assert.equal(taken.filter(({ allowed }) => allowed).length, 20)
  })

  it('merges slots in the future into the current one if the clock was set back', async () => {
    await store.take(chargeOf('f'))
    await database.query(
      "update verbena_limits set slots = array[slots[1], slots[1] + 500, slots[1] + 501], amounts = '{1,1,0}' where key = 'f'",
    )
    const { allowed, reset } = await store.take(chargeOf('f'))
    assert.equal(allowed, true)
    assert.ok(reset <= 61_000)
    const { rows } = await database.query("select amounts from verbena_limits where key = 'f'")
    assert.deepEqual(rows, [{ amounts: [3] }])
  })

  it('has an unlogged table with room in each page', () => {
    assert.match(postgresLimits.schema(), /^create unlogged table [^;]*with \(fillfactor = 50\);/)
  })
})
