import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createApp, Route, type Input } from 'verbena'
import { postgresSessions } from 'verbena/postgres'
import { session } from 'verbena/session'
import * as z from 'zod'
import { createDatabase } from '#test/postgres.js'

const database = await createDatabase()
const store = postgresSessions(database, { create: true })
const later = (ms: number = 60_000): number => Date.now() + ms

describe('postgresSessions()', () => {
  it('returns the text of a session until its end', async () => {
    assert.equal(await store.get('a'), undefined)
    assert.equal(await store.set('a', 'text "ä"\n', later(300), 'new'), true)
    assert.equal(await store.get('a'), 'text "ä"\n')
    await wait(320)
    assert.equal(await store.get('a'), undefined)
  })

  it('replaces a text, but only of a session that exists if it is "changed"', async () => {
    assert.equal(await store.set('b', 'one', later(), 'changed'), false)
    assert.equal(await store.get('b'), undefined)
    await store.set('b', 'one', later(), 'new')
    assert.equal(await store.set('b', 'two', later(), 'changed'), true)
    assert.equal(await store.get('b'), 'two')
    await store.set('b', 'three', later(), 'new')
    assert.equal(await store.get('b'), 'three')
  })

  it('does not change or extend a session after its end', async () => {
    await store.set('c', 'one', later(1), 'new')
    await wait(10)
    assert.equal(await store.set('c', 'two', later(), 'changed'), false)
    assert.equal(await store.touch('c', later()), false)
    assert.equal(await store.get('c'), undefined)
  })

  it('changes the end of a session', async () => {
    await store.set('d', 'text', later(300), 'new')
    assert.equal(await store.touch('d', later()), true)
    await wait(320)
    assert.equal(await store.get('d'), 'text')
    assert.equal(await store.touch('missing', later()), false)
  })

  it('deletes a session', async () => {
    await store.set('e', 'text', later(), 'new')
    await store.delete('e')
    await store.delete('e')
    assert.equal(await store.get('e'), undefined)
  })

  it('keeps the sessions of an app', async () => {
    const visitor = session({
      schema: z.object({ name: z.string() }),
      keys: ['a text of 32 bytes, for tests ...'],
      store,
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
    const app = createApp({ routes: { Visits }, logger: false })
    const { headers } = await app.fetch(new Request('http://localhost/visits', { method: 'POST' }))
    const cookie = headers.getSetCookie().join().split(';', 1).join()
    const answer = await app.fetch(new Request('http://localhost/visits', { headers: { cookie } }))
    assert.equal(await answer.text(), 'ada')
    await app.close()
  })
})
