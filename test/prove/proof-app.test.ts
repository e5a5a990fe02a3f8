// own process: it changes environment variables, because proofs refuse to run in production
/** The app of a proof: middleware and cleanup run, and requests of actors that sign in run completely. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MatrixFile } from '#test/proof.js'
import { bearer, createApp, HttpError, provide, Route, service, type Input, type Middleware } from 'verbena'
import { idempotency } from 'verbena/idempotency'
import type { ActorOption } from 'verbena/prove'
import * as z from 'zod'

interface Services {
  readonly users: { find(token: string): string | undefined }
}

describe('authorization(): the app of a proof', () => {
  it('runs middleware and the cleanup of guards, also after the response, but no task', async () => {
    using file = new MatrixFile()
    const events: string[] = []
    const outer: Middleware = async (_, next) => {
      const reply = await next()
      events.push(`middleware ${reply.status}`)
      return reply
    }
    const lock = provide(
      { guard: true },
      function* () {
        yield 1
        events.push('unlocked')
      },
      { ends: 'after-response' },
    )
    class Jobs extends Route {
      static readonly middleware = [outer]
      static readonly uses = { lock }
      async get() {
        events.push('method')
      }
    }
    await file.update(createApp({ routes: { Jobs }, openapi: false }), { actors: { nobody: {} } })
    assert.deepEqual([file.rows, events], [['reached  GET /jobs'], ['middleware 204', 'unlocked']])
  })

  it('looks up no idempotency key, and runs requests of actors that sign in completely', async () => {
    using file = new MatrixFile()
    const tokens = new Map<string, string>()
    const users = { find: (token: string) => tokens.get(token) }
    const user = bearer((token, { users }: Services) => users.find(token))
    const once = idempotency({ by: ({ user }) => user, uses: { user }, ttl: 60_000, required: true })
    const notes = new Map<string, string>()
    class Tokens extends Route<Services> {
      static readonly post = this.contract({ body: z.object({ name: z.string() }), public: true })
      async post({ body }: Input<typeof Tokens.post>) {
        tokens.set(`t-${body.name}`, body.name)
        return { token: `t-${body.name}`, known: this.users.find(`t-${body.name}`) }
      }
    }
    class Notes extends Route {
      static readonly get = this.contract({ uses: { user } })
      static readonly post = this.contract({ uses: { user }, idempotency: once, returns: z.object({ id: z.string() }) })
      async get({ user }: Input<typeof Notes.get>) {
        return [...notes].filter(([, owner]) => owner === user)
      }
      async post({ user }: Input<typeof Notes.post>) {
        const id = `n-${notes.size}`
        notes.set(id, user)
        return { id }
      }
    }
    class NoteById extends Route {
      static readonly path = '/notes/{id}'
      static readonly get = this.contract({ uses: { user } })
      async get({ user, params }: Input<typeof NoteById.get>) {
        if (notes.get(params.id) !== user) throw new HttpError(404)
        return params
      }
    }
    const signIn =
      (name: string): ActorOption<Services> =>
      async ({ fetch, services }) => {
        const headers = { 'content-type': 'application/json' }
        const response = await fetch('/tokens', { method: 'POST', headers, body: JSON.stringify({ name }) })
        const { token, known } = z.object({ token: z.string(), known: z.string() }).parse(await response.json())
        assert.deepEqual([known, services.users.find(token)], [name, name])
        return { bearer: token }
      }
    const app = createApp({
      services: { users: service(() => users) },
      routes: { Tokens, Notes, NoteById },
      openapi: false,
    })
    const headers = { 'idempotency-key': '"a"' }
    const objects = { notes: { create: { as: 'ada', call: 'POST /notes', headers, id: 'body.id' } } } as const
    const report = await file.update(app, { actors: { ada: signIn('ada'), eve: signIn('eve') }, objects })
    assert.deepEqual(file.rows, [
      'reached  reached  GET /notes',
      'reached  reached  POST /notes',
      'reached  reached  GET /notes/{id}',
      'reached  reached  POST /tokens',
    ])
    assert.deepEqual(report.created, ['notes n-0, by ada with POST /notes'])
    assert.deepEqual(
      report.services.map(({ call }) => call),
      ['users.find'],
    )
    assert.equal(report.text, file.text)
  })
})
