// own process: it changes environment variables, because proofs refuse to run in production
/** `authorization`: decisions of every endpoint for every actor. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { runInThisContext } from 'node:vm'
import { listFindings, MatrixFile } from '#test/proof.js'
import { apiKey, bearer, createApp, group, HttpError, provide, Route, type Input } from 'verbena'
import * as z from 'zod'

const user = bearer((token) => USERS.get(token))
const USERS = new Map([
  ['t-ada', { name: 'ada', isAdmin: false }],
  ['t-grace', { name: 'grace', isAdmin: true }],
])
const admin = provide({ uses: { user }, errors: [403] }, ({ user }) => user.isAdmin)
const robot = apiKey({ in: 'header', name: 'X-API-Key' }, (key) => key === 'k-3141' && { name: 'robot' })

const ACTORS = { ada: { bearer: 't-ada' }, grace: { bearer: 't-grace' }, nobody: {} }

/** Counters of steps after the guards. */
const runs = { method: 0, provider: 0, cleanup: 0 }
const clock = provide({}, () => {
  runs.provider++
  return 1
})
const scoped = provide({ guard: true }, function* () {
  yield 1
  runs.cleanup++
})

class Bookings extends Route {
  static readonly uses = { user, scoped }
  static readonly get = this.contract({ query: z.object({ page: z.number().min(1) }) })
  static readonly post = this.contract({ body: z.object({ title: z.string().regex(/^x+$/) }), uses: { clock } })
  async get() {
    runs.method++
    return []
  }
  async post({ body }: Input<typeof Bookings.post>) {
    runs.method++
    return body.title
  }
}
class BookingById extends Route {
  static readonly path = '/bookings/{id}'
  static readonly delete = this.contract({ params: z.object({ id: z.uuid() }), uses: { admin } })
  async delete() {
    runs.method++
  }
}
class Health extends Route {
  async get() {
    runs.method++
    return 'ok'
  }
}
const hidden = provide({ guard: true, errors: [404] }, (): boolean => {
  throw new HttpError(404)
})
class Hidden extends Route {
  static readonly get = this.contract({ uses: { hidden } })
  async get() {
    return 1
  }
}

describe('authorization()', () => {
  it('writes the decision of each endpoint for each actor, and accepts the same file', async () => {
    using file = new MatrixFile()
    const app = createApp({
      routes: { Bookings, BookingById, Hidden, '/robots': group({ uses: { robot }, routes: { Health } }), Health },
      openapi: false,
    })
    Object.assign(runs, { method: 0, provider: 0, cleanup: 0 })
    const { text } = await file.update(app, { actors: ACTORS })
    assert.equal(text, file.text)
    assert.deepEqual(file.text.split('\n'), [
      'verbena authorization 1 (an owner check inside a method is seen only by the check of objects)',
      'ada      grace    nobody   endpoint',
      'reached  reached  401      GET /bookings',
      'reached  reached  401      POST /bookings',
      '403      reached  401      DELETE /bookings/{id}',
      'reached  reached  reached  GET /health',
      '404      404      404      GET /hidden',
      '401      401      401      GET /robots/health',
      '',
    ])
    assert.deepEqual(runs, { method: 0, provider: 0, cleanup: 4 })
    assert.deepEqual(await listFindings(file.compare(app, { actors: ACTORS })), [])
  })
})

/** The parts of a class that its code needs. */
type Extend = (base: typeof Route) => typeof Route

describe('authorization(): classes without a file', () => {
  it('names them without a place, as in the contexts of Jest', async () => {
    using file = new MatrixFile()
    // Proof: the function returns a class that extends its argument.
    const extend = runInThisContext('(base) => class Evaluated extends base { get() { return 1 } }') as Extend
    const app = createApp({ routes: { Evaluated: extend(Route) }, openapi: false })
    await file.update(app, { actors: ACTORS })
    file.text = file.text.replace(/reached(?=  GET)/, '401    ')
    const [line = ''] = await listFindings(file.compare(app, { actors: ACTORS }))
    assert.match(line, /^GET \/evaluated \(Evaluated\): \w+: reached, but /)
  })
})

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
