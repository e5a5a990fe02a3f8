import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, type Input } from 'verbena'
import { session } from 'verbena/session'
import { sqliteSessions, type SqliteDatabase } from 'verbena/sqlite'
import * as z from 'zod'
import { databasePath, ENGINES } from '#test/sqlite.js'

const LIFETIME = 60_000
const later = (): number => Date.now() + LIFETIME

for (const { name, open } of ENGINES) {
  const path = databasePath()
  const database = open(path)
  const store = sqliteSessions(database, { create: true })
  const age = (key: string, ms: number): void => {
    database.prepare('update verbena_sessions set expires_at = expires_at - ? where key = ?').run(ms, key)
  }

  describe(`sqliteSessions() with ${name}`, () => {
    it('returns the text of a session until its end', () => {
      assert.equal(store.get('a'), undefined)
      assert.equal(store.set('a', 'text "ä"\n', later(), 'new'), true)
      assert.equal(store.get('a'), 'text "ä"\n')
      age('a', LIFETIME)
      assert.equal(store.get('a'), undefined)
    })

    it('replaces the data of a session, but only if the session exists for "changed"', () => {
      assert.equal(store.set('b', 'one', later(), 'changed'), false)
      assert.equal(store.get('b'), undefined)
      store.set('b', 'one', later(), 'new')
      assert.equal(store.set('b', 'two', later(), 'changed'), true)
      assert.equal(store.get('b'), 'two')
      store.set('b', 'three', later(), 'new')
      assert.equal(store.get('b'), 'three')
    })

    it('changes the end of a session together with its text', () => {
      for (const kind of ['new', 'changed', 'new'] as const) {
        store.set('c', 'text', later(), kind)
        age('c', LIFETIME / 2)
      }
      assert.equal(store.get('c'), 'text')
      store.set('c', 'text', later() - LIFETIME, 'changed')
      assert.equal(store.get('c'), undefined)
    })

    it('does not change or extend a session after its end', () => {
      store.set('d', 'one', later(), 'new')
      age('d', LIFETIME)
      assert.equal(store.set('d', 'two', later(), 'changed'), false)
      assert.equal(store.touch('d', later()), false)
      assert.equal(store.get('d'), undefined)
    })

    it('changes the end of a session', () => {
      store.set('e', 'text', later(), 'new')
      age('e', LIFETIME / 2)
      assert.equal(store.touch('e', later()), true)
      age('e', LIFETIME / 2)
      assert.equal(store.get('e'), 'text')
      assert.equal(store.touch('missing', later()), false)
    })

    it('deletes a session, and no other one', () => {
      store.set('f', 'text', later(), 'new')
      store.set('g', 'other', later(), 'new')
      assert.equal(store.delete('f'), true)
      assert.equal(store.delete('f'), false)
      assert.equal(store.get('f'), undefined)
      assert.equal(store.get('g'), 'other')
    })

    it('shares sessions with a second connection to the file', () => {
      const second = sqliteSessions(open(path))
      store.set('h', 'text', later(), 'new')
      assert.equal(second.get('h'), 'text')
      second.delete('h')
      assert.equal(store.set('h', 'text', later(), 'changed'), false)
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
