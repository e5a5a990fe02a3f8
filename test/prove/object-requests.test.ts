// own process: it changes environment variables, because proofs refuse to run in production
/** Requests of `authorization` with `objects` whose credentials change with each response. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listFindings, MatrixFile } from '#test/proof.js'
import { createApp, HttpError, Route, type Input } from 'verbena'
import type { ActorOption, ObjectProof } from 'verbena/prove'
import { session, signedIn } from 'verbena/session'
import * as z from 'zod'

describe('authorization(): objects with sessions', () => {
  it('sends the cookies of rotating sessions, and compares only the status of an object that always changes', async () => {
    using file = new MatrixFile()
    const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })
    const user = signedIn(visitor, (name: unknown) => String(name))
    const owners = new Map<number, string>()
    let reads = 0
    class Login extends Route {
      static readonly path = '/login/{name}'
      static readonly post = this.contract({ uses: { visitor } })
      async post({ params, visitor }: Input<typeof Login.post>) {
        visitor.start(params.name)
      }
    }
    class Items extends Route {
      static readonly post = this.contract({ uses: { user, visitor } })
      async post({ user, visitor }: Input<typeof Items.post>) {
        visitor.start(user)
        owners.set(owners.size + 1, user)
        return { id: owners.size }
      }
    }
    class ItemById extends Route {
      static readonly path = '/items/{id}'
      static readonly get = this.contract({ uses: { user, visitor }, params: z.object({ id: z.int().max(9) }) })
      static readonly delete = this.contract({ uses: { user }, params: z.object({ id: z.int() }) })
      async get({ user, visitor, params }: Input<typeof ItemById.get>) {
        visitor.start(user)
        if (owners.get(params.id) !== user) throw new HttpError(404)
        return { reads: ++reads }
      }
      async delete({ params }: Input<typeof ItemById.delete>) {
        owners.delete(params.id)
      }
    }
    const app = createApp({ routes: { Login, Items, ItemById }, openapi: false })
    const signIn =
      (name: string): ActorOption =>
      ({ fetch }) =>
        fetch(`/login/${name}`, { method: 'POST' })
    const objects: Record<string, ObjectProof> = {
      items: { create: { as: 'ada', call: 'POST /items', id: 'body.id' } },
    }
    const actors = { ada: signIn('ada'), eve: signIn('eve') }
    const lines = await listFindings(file.update(app, { actors, objects }))
    assert.deepEqual(
      lines.map((line) => line.replace(/ \(\w+\)/, '').replace(/: curl.*/, '')),
      [
        'DELETE /items/{id}: eve used the object of ada (204)',
        'DELETE /items/{id}: eve left ada with 404 for the object, and got 204',
      ],
    )
  })
})
