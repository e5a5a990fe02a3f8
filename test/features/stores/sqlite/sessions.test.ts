import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, type Input } from 'verbena'
import { session } from 'verbena/session'
import { sqliteSessions, type SqliteDatabase } from 'verbena/sqlite'
import * as z from 'zod'
import { databasePath, ENGINES } from '#test/sqlite.js'
import { testSessionStore } from '#test/store-contracts.js'

const LIFETIME = 60_000

for (const { name, open } of ENGINES) {
  const path = databasePath()
  const database = open(path)
  const store = sqliteSessions(database, { create: true })
  const second = sqliteSessions(open(path))
  const age = (key: string, ms: number): void => {
    database.prepare('update verbena_sessions set expires_at = expires_at - ? where key = ?').run(ms, key)
  }

  describe(`sqliteSessions() with ${name}`, () => {
    testSessionStore({ stores: () => [store, second], unit: LIFETIME, pass: age })

    it('returns whether it has deleted a session', () => {
      store.set('i', 'text', Date.now() + LIFETIME, 'new')
      assert.equal(store.delete('i'), true)
      assert.equal(store.delete('i'), false)
    })

    it('stores the sessions of an app', async () => {
      const visitor = session({
        schema: z.object({ name: z.string() }),
        keys: ['a text of 32 bytes, for tests ...'],
        store: ({ state }: { state: SqliteDatabase }) => sqliteSessions(state, { table: 'of_app', create: true }),
      })
      class Visits extends Route {
        static readonly uses = { visitor }
        static readonly get = this.contract({})
        get({ visitor }: Input<typeof Visits.get>) {
          return visitor.value?.name ?? 'nobody'
        }
        static readonly post = this.contract({ returns: null })
        post({ visitor }: Input<typeof Visits.post>) {
          visitor.start({ name: 'ada' })
        }
      }
      const app = createApp({ routes: { Visits }, services: { state: open(path) }, logger: false })
      await app.start()
      const { headers } = await app.fetch(new Request('http://localhost/visits', { method: 'POST' }))
      const cookie = headers.getSetCookie().join().split(';', 1).join()
      const answer = await app.fetch(new Request('http://localhost/visits', { headers: { cookie } }))
      assert.equal(await answer.text(), 'ada')
      await app.close()
    })
  })
}
