import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Charge } from 'verbena/limits'
import { sqliteLimits } from 'verbena/sqlite'
import { databasePath, ENGINES, watchedConnection } from '#test/sqlite.js'
import { testLimitStore } from '#test/store-contracts.js'

function chargeOf(key: string, charge: Partial<Charge> = {}): Charge {
  return { key, limit: 3, window: 60_000, cost: 1, ...charge }
}

for (const { name, open } of ENGINES) {
  const path = databasePath()
  const database = watchedConnection(open(path))
  const store = sqliteLimits(database, { create: true })
  const second = sqliteLimits(open(path))
  /** Moves the slots of a key into the past, each 1 s long. */
  const age = (key: string, count: number): void => {
    const row = database.prepare('select slots from verbena_limits where key = ?').get(key)
    const slots: unknown = JSON.parse(String(Object(row).slots))
    assert.ok(Array.isArray(slots))
    const aged = slots.map((number, at) => (at % 2 === 0 ? number - count : number))
    database.prepare('update verbena_limits set slots = ? where key = ?').run(JSON.stringify(aged), key)
  }
  const isWrite = (text: string): boolean => text.startsWith('insert')

  describe(`sqliteLimits() with ${name}`, () => {
    testLimitStore({ stores: () => [store, second], unit: 60_000, pass: (key, ms) => age(key, Math.ceil(ms / 1_000)) })

    it('writes only allowed requests', async () => {
      const before = database.texts.filter(isWrite).length
      for (const isAllowed of [true, true, true, false, false])
        assert.equal((await store.take(chargeOf('writes'))).allowed, isAllowed)
      assert.equal(database.texts.filter(isWrite).length - before, 3)
    })

    it('counts a slot until all of it is outside of the window', async () => {
      for (const _ of [1, 2, 3]) await store.take(chargeOf('slot'))
      assert.ok((await store.take(chargeOf('slot'))).retryAfter > 50_000)
      age('slot', 50)
      assert.equal((await store.take(chargeOf('slot'))).allowed, false)
      age('slot', 12)
      assert.equal((await store.take(chargeOf('slot'))).allowed, true)
    })

    it('merges slots in the future into the current one if the clock was set back', async () => {
      await store.take(chargeOf('set back'))
      const current = Math.floor(Date.now() / 1000)
      const update = database.prepare("update verbena_limits set slots = ? where key = 'set back'")
      update.run(JSON.stringify([current - 1, 1, current + 500, 2, current + 501, 3]))
      const { allowed, remaining, reset } = await store.take(chargeOf('set back', { limit: 10 }))
      assert.deepEqual([allowed, remaining], [true, 3])
      assert.ok(reset <= 61_000)
      const row = database.prepare("select slots from verbena_limits where key = 'set back'").get()
      const slots: unknown = JSON.parse(String(Object(row).slots))
      assert.ok(Array.isArray(slots))
      assert.deepEqual([slots[0], slots[1], slots.length], [current - 1, 1, 4])
      assert.equal(slots[3], 6)
    })

    it('does not try a locked file for 2 s after a failure, then waits 50 ms at most', async (t) => {
      const locked = databasePath()
      const [holder, connection] = [open(locked), open(locked)]
      holder.exec(sqliteLimits.schema())
      connection.exec('pragma busy_timeout = 60')
      const watched = watchedConnection(connection)
      const limits = sqliteLimits(watched)
      const attempts = (): number => watched.texts.filter((text) => text === 'begin immediate').length
      // The library in WebAssembly waits until this time has passed, so it must not stop.
      const { now } = performance
      let offset = 0
      t.mock.method(performance, 'now', () => now.call(performance) + offset)
      const failed = (): string => {
        try {
          void limits.take(chargeOf('h'))
        } catch (error) {
          return error instanceof Error ? error.message : ''
        }
        return 'counted'
      }
      holder.exec('begin immediate')
      const messages = [failed(), failed()]
      assert.match(messages[0] ?? '', /locked/)
      assert.match(
        messages[1] ?? '',
        /^Cannot count in SQLite: the last attempt has failed, and the next one is 2000 ms/,
      )
      assert.equal(attempts(), 1)
      offset += 2_000
      assert.match(failed(), /locked/)
      assert.deepEqual(
        watched.texts.filter((text) => text.startsWith('pragma busy_timeout =')),
        ['pragma busy_timeout = 50', 'pragma busy_timeout = 60'],
      )
      assert.deepEqual([failed(), attempts()], [messages[1], 2])
      holder.exec('rollback')
      assert.equal(failed(), messages[1])
      offset += 2_000
      assert.equal((await limits.take(chargeOf('h'))).remaining, 2)
      assert.equal((await limits.take(chargeOf('h'))).remaining, 1)
      assert.equal(watched.texts.filter((text) => text.startsWith('pragma busy_timeout = 50')).length, 2)
    })

    it('stores a row until its last slot is outside the window', async () => {
      await store.take(chargeOf('g'))
      const row = database.prepare("select expires_at as end from verbena_limits where key = 'g'").get()
      const left = Number(Object(row).end) - Date.now()
      assert.ok(left > 60_000 && left <= 61_000, String(left))
    })
  })
}
