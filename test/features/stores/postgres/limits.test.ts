import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { postgresLimits } from 'verbena/postgres'
import { createDatabase } from '#test/postgres.js'
import { postgresSlotTime, testLimitStore } from '#test/store-contracts.js'

const database = await createDatabase()
const store = postgresLimits(database, { create: true })

describe('postgresLimits()', () => {
  const time = postgresSlotTime(database, 'verbena_limits')
  testLimitStore({ ...time, stores: () => [store, postgresLimits(database)] })

  it('merges slots in the future into the current one if the clock was set back', async () => {
    const charge = { key: 'set back', limit: 3, window: 60_000, cost: 1 }
    await store.take(charge)
    await database.query(
      "update verbena_limits set slots = array[slots[1], slots[1] + 500, slots[1] + 501], amounts = '{1,1,0}' where key = 'set back'",
    )
    const { allowed, reset } = await store.take(charge)
    assert.equal(allowed, true)
    assert.ok(reset <= 61_000)
    const { rows } = await database.query("select amounts from verbena_limits where key = 'set back'")
    assert.deepEqual(rows, [{ amounts: [3] }])
  })

  it('has an unlogged table with room in each page', () => {
    assert.match(postgresLimits.schema(), /^create unlogged table [^;]*with \(fillfactor = 50\);/)
  })
})
