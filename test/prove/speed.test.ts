// own process: it changes environment variables, because proofs refuse to run in production
/** Time of a large authorization matrix. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { MatrixFile } from '#test/proof.js'
import { bearer, createApp, provide, Route } from 'verbena'
import * as z from 'zod'

const ROLES: ReadonlySet<string> = new Set(['user', 'admin', 'eve'])
const ENDPOINTS = 200
/** In ms: ten times the time on a machine with two cores, so that only a change of the algorithm fails. */
const MAX_TIME = 10_000

describe('authorization(): speed', () => {
  it(`calls ${ENDPOINTS} endpoints as 4 actors, with all denials`, async (t) => {
    using file = new MatrixFile()
    const user = bearer(async (token) => (ROLES.has(token) ? { role: token } : null))
    const admin = provide({ uses: { user }, errors: [403] }, ({ user }) => user.role === 'admin')
    class Item extends Route {
      static readonly get = this.contract({ params: z.object({ id: z.uuid() }), uses: { user } })
      static readonly patch = this.contract({ body: z.object({ title: z.string() }), uses: { admin } })
      async get() {
        return 1
      }
      async patch() {
        return 1
      }
    }
    const classes = Array.from(
      { length: ENDPOINTS / 2 },
      (_, at) => [`/items-${at}/{id}`, class extends Item {}] as const,
    )
    const routes = classes.map(([path, base]) => Object.defineProperty(base, 'path', { value: path }))
    const app = createApp({ routes, openapi: false })
    const actors = { nobody: {}, ada: { bearer: 'user' }, grace: { bearer: 'admin' }, eve: { bearer: 'eve' } }
    const start = performance.now()
    const { denials } = await file.update(app, { actors })
    const time = performance.now() - start
    t.diagnostic(`${Math.round(time)} ms, ${denials.tried} denials`)
    assert.equal(file.rows.length, ENDPOINTS)
    assert.ok(time < MAX_TIME, `${Math.round(time)} ms`)
  })
})
