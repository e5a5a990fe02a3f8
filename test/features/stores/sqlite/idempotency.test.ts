import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { KeyClaim } from 'verbena/idempotency'
import { sqliteIdempotency } from 'verbena/sqlite'
import { assertSetupError } from '#test/apps.js'
import { databasePath, ENGINES } from '#test/sqlite.js'
import { testIdempotencyStore } from '#test/store-contracts.js'

const LEASE = 60_000
const TTL = 86_400_000

function claimOf(key: string, owner: string, request = 'r'): KeyClaim {
  return { key, client: 'ada', owner, request, lease: LEASE }
}

for (const { name, open } of ENGINES) {
  const path = databasePath()
  const database = open(path)
  const store = sqliteIdempotency(database, { create: true })
  const second = sqliteIdempotency(open(path))
  const age = (key: string, ms: number): void => {
    for (const table of ['claims', 'answers']) {
      const text = `update verbena_idempotency_${table} set expires_at = expires_at - ? where key = ?`
      database.prepare(text).run(ms, key)
    }
  }

  describe(`sqliteIdempotency() with ${name}`, () => {
    testIdempotencyStore({ stores: () => [store, second], unit: LEASE, pass: age })

    it('does not replace a response', async () => {
      const first = claimOf('stored', 'first')
      assert.equal(await store.complete(first, 'answer', TTL), true)
      assert.equal(await store.complete(first, 'another', TTL), false)
      assert.deepEqual(await store.claim(first), { state: 'completed', response: 'answer' })
    })
  })

  describe(`sqliteIdempotency() with ${name} and "responses"`, () => {
    const file = databasePath()
    const connection = open(file)
    const responses = open(file)
    const within = sqliteIdempotency(open(databasePath()), { create: true, responses })

    it('stores a response that others see when the transaction of the app is committed', async () => {
      const [first, second] = [claimOf('a', 'first'), claimOf('a', 'second')]
      assert.deepEqual(await within.claim(first), { state: 'claimed' })
      connection.exec('begin immediate')
      assert.equal(within.completeWithin(first, 'answer', TTL, connection), true)
      assert.equal((await within.claim(second)).state, 'in-progress')
      connection.exec('commit')
      // The process may end before it releases the key.
      assert.deepEqual(await within.claim(second), { state: 'completed', response: 'answer' })
      await within.release(first)
      assert.deepEqual(await within.claim(second), { state: 'completed', response: 'answer' })
      assert.deepEqual(await within.claim({ ...second, request: 'other' }), { state: 'mismatch' })
    })

    it('stores nothing if the transaction is rolled back, with the table that it created', async () => {
      const fresh = databasePath()
      const app = open(fresh)
      const rolledBack = sqliteIdempotency(open(databasePath()), { create: true, responses: open(fresh) })
      const first = claimOf('b', 'first')
      for (const end of ['rollback', 'commit']) {
        assert.deepEqual(await rolledBack.claim(first), { state: 'claimed' })
        app.exec('begin immediate')
        assert.equal(rolledBack.completeWithin(first, 'answer', TTL, app), true)
        app.exec(end)
      }
      assert.equal((await rolledBack.claim(first)).state, 'completed')
    })

    it('stores one response for each key until it expires, even for a different claim', async () => {
      const [first, second] = [claimOf('c', 'first'), claimOf('c', 'second')]
      assert.equal(within.completeWithin(first, 'answer', TTL, connection), true)
      assert.equal(within.completeWithin(second, 'another', TTL, connection), false)
      connection.prepare("update verbena_idempotency_answers set expires_at = ? where key = 'c'").run(Date.now())
      assert.deepEqual(await within.claim(second), { state: 'claimed' })
      assert.equal(within.completeWithin(second, 'another', TTL, connection), true)
      assert.deepEqual(await within.claim(first), { state: 'completed', response: 'another' })
    })

    it('stores responses without a transaction in its own file', async () => {
      const first = claimOf('d', 'first')
      await within.claim(first)
      assert.equal(await within.complete(first, 'refused', TTL), true)
      assert.deepEqual(await within.claim(claimOf('d', 'second')), { state: 'completed', response: 'refused' })
      assert.equal(responses.prepare("select 1 from verbena_idempotency_answers where key = 'd'").get() ?? null, null)
    })

    it('removes expired responses from the file of the app, at most once a minute', async () => {
      const fresh = databasePath()
      const app = open(fresh)
      const cleaning = sqliteIdempotency(open(databasePath()), { create: true, responses: open(fresh) })
      const count = (): unknown => Object(app.prepare('select count(*) as n from verbena_idempotency_answers').get()).n
      app.exec(sqliteIdempotency.schema())
      const row = app.prepare(
        'insert into verbena_idempotency_answers (key, request, answer, expires_at) values (?, ?, ?, ?)',
      )
      row.run('old', 'r', 'answer', Date.now() - 1)
      cleaning.completeWithin(claimOf('new', 'first'), 'answer', TTL, app)
      assert.equal(count(), 1)
      row.run('old', 'r', 'answer', Date.now() - 1)
      cleaning.completeWithin(claimOf('newer', 'first'), 'answer', TTL, app)
      assert.equal(count(), 3)
    })

    it('removes more expired responses from the file of the app with the next one if it has left some', async () => {
      const fresh = databasePath()
      const app = open(fresh)
      const cleaning = sqliteIdempotency(open(databasePath()), { create: true, responses: open(fresh) })
      app.exec(sqliteIdempotency.schema())
      app.exec(`with recursive n (i) as (select 1 union all select i + 1 from n where i < 450)
        insert into verbena_idempotency_answers (key, request, answer, expires_at) select 'k' || i, '', '', 1 from n`)
      const expired = (): number =>
        Number(
          Object(app.prepare('select count(*) as n from verbena_idempotency_answers where expires_at = 1').get()).n,
        )
      const rest = [450]
      while (rest.at(-1) !== 0) {
        cleaning.completeWithin(claimOf(`of ${rest.length}`, 'first'), 'answer', TTL, app)
        const removed = (rest.at(-1) ?? 0) - expired()
        assert.ok(removed > 0 && removed <= 200, String(removed))
        rest.push(expired())
      }
    })

    it('rejects options and values that are not connections', async () => {
      assertSetupError(
        // @ts-expect-error - not a connection
        () => sqliteIdempotency(database, { responses: 'app.db' }),
        'OPTION_INVALID',
        '"responses" of sqliteIdempotency(): it must be a read-only connection to the file of the app',
      )
      // @ts-expect-error - not a connection
      const complete = (): unknown => within.completeWithin(claimOf('e', 'first'), 'answer', TTL, {})
      assert.throws(complete, { name: 'TypeError', message: /the value of "within" has no method "prepare"/ })
      const without = sqliteIdempotency(open(databasePath()), { create: true })
      assert.equal('completeWithin' in without, false)
    })

    it('fails if the table of responses is missing and it must not create it', async () => {
      const fresh = databasePath()
      const own = open(databasePath())
      own.exec(sqliteIdempotency.schema())
      const strict = sqliteIdempotency(own, { responses: open(fresh) })
      await assert.rejects(strict.claim(claimOf('f', 'first')), /no such table/)
      assert.throws(() => strict.completeWithin(claimOf('f', 'first'), 'answer', TTL, open(fresh)), /no such table/)
    })

    it('returns the remaining time of a lease', async () => {
      await within.claim(claimOf('g', 'first'))
      const { left = 0 } = Object(await within.claim(claimOf('g', 'second')))
      assert.ok(left > LEASE / 2 && left <= LEASE, String(left))
    })
  })
}
