import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, Route, type Input } from 'verbena'
import { postgresSessions } from 'verbena/postgres'
import { session } from 'verbena/session'
import * as z from 'zod'
import { createDatabase } from '#test/postgres.js'
import { postgresTime, testSessionStore } from '#test/store-contracts.js'

const database = await createDatabase()
const store = postgresSessions(database, { create: true })

describe('postgresSessions()', () => {
  const time = postgresTime(database, 'verbena_sessions')
  testSessionStore({ ...time, stores: () => [store, postgresSessions(database)] })

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
