import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Charge } from 'verbena/limits'
import { sqliteLimits } from 'verbena/sqlite'
import { databasePath, ENGINES, watchedConnection } from '#test/sqlite.js'

function chargeOf(key: string, charge: Partial<Charge> = {}): Charge {
  return { key, limit: 3, window: 60_000, cost: 1, ...charge }
}

for (const { name, open } of ENGINES) {
  const path = databasePath()
  const database = watchedConnection(open(path))
  const store = sqliteLimits(database, { create: true })
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
    it('counts requests up to the limit, and rejects further ones without counting them', async () => {
      for (const remaining of [2, 1, 0]) {
        const taken = await store.take(chargeOf('a'))
        assert.deepEqual([taken.allowed, taken.remaining, taken.retryAfter], [true, remaining, 0])
        assert.ok(taken.reset > 59_000 && taken.reset <= 61_000)
      }
      const writes = database.texts.filter(isWrite).length
      for (const _ of [1, 2]) {
        const refused = await store.take(chargeOf('a'))
        assert.deepEqual([refused.allowed, refused.remaining], [false, 0])
        assert.ok(refused.retryAfter > 59_000 && refused.retryAfter <= 61_000)
      }
      assert.deepEqual([writes, database.texts.filter(isWrite).length], [3, 3])
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
      for (const _ of [1, 2, 3]) assert.equal((await store.take(chargeOf('d'))).allowed, true)
      const { allowed, retryAfter } = await store.take(chargeOf('d'))
      assert.equal(allowed, false)
      assert.ok(retryAfter > 50_000)
      age('d', 50)
      assert.equal((await store.take(chargeOf('d'))).allowed, false)
      age('d', 12)
      assert.equal((await store.take(chargeOf('d'))).allowed, true)
    })

    it('counts together with a second connection to the file', async () => {
      const second = sqliteLimits(open(path))
      const taken = await Promise.all(
        Array.from({ length: 50 }, (_, n) => (n % 2 === 0 ? store : second).take(chargeOf('e', { limit: 20 }))),
      )
      assert.equal(taken.filter(({ allowed }) => allowed).length, 20)
    })

    it('merges slots in the future into the current one if the clock was set back', async () => {
      await store.take(chargeOf('f'))
      const current = Math.floor(Date.now() / 1000)
      const update = database.prepare("update verbena_limits set slots = ? where key = 'f'")
      update.run(JSON.stringify([current - 1, 1, current + 500, 2, current + 501, 3]))
      const { allowed, remaining, reset } = await store.take(chargeOf('f', { limit: 10 }))
      assert.deepEqual([allowed, remaining], [true, 3])
      assert.ok(reset <= 61_000)
      const row = database.prepare("select slots from verbena_limits where key = 'f'").get()
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
