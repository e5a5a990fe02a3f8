// own process: it changes environment variables, because proofs refuse to run in production
/** `authorization` with `objects`: holes in an app with sessions, roles and bearer tokens. The app without `holes` is the repaired twin of each. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { listFindings, MatrixFile, USERS, type User } from '#test/proof.js'
import { anyOf, bearer, createApp, HttpError, provide, reply, Route, type Input, type Middleware } from 'verbena'
import type { ActorOption, ObjectProof } from 'verbena/prove'
import { session, signedIn } from 'verbena/session'
import { upgrade } from 'verbena/upgrade'
import * as z from 'zod'

const HOLES = [
  [
    'owner',
    'a verb without an owner check',
    /^DELETE \/bookings\/\{id\} \(.*: eve used the object of ada \(204\): curl -X DELETE 'http:\/\/localhost\/bookings\/2'/m,
  ],
  [
    'late',
    'a check after the write',
    /^PATCH \/bookings\/\{id\} \(.*: eve changed the object of ada, and got 404: curl -X PATCH 'http:\/\/localhost\/bookings\/\d' .* -d '\{"title":"a"\}'/m,
  ],
  ['prefix', 'a role compared by its start', /^GET \/bookings\/\{id\} \(.*: carl used the object of ada \(200\)/m],
  [
    'existence',
    '403 for an object and 404 for an unknown id',
    /^GET \/bookings\/\{id\} \(.*: eve gets 403 for it and 404 for an unknown id/m,
  ],
  ['list', 'a list of all users', /^GET \/bookings \(.*: eve finds the object of ada in the list: curl -X GET/m],
  [
    'search',
    'a search of all users',
    /^QUERY \/bookings \(.*: eve finds the object of ada in the list: curl -X QUERY/m,
  ],
  ['body', 'an id in the body that is trusted', /^PUT \/bookings \(.*: eve changed the object of ada, and got 200/m],
  [
    'upgrade',
    'an upgrade without its guard',
    /^GET \/bookings\/\{id\}\/live \(upgrade websocket\).*: nobody: reached, but/m,
  ],
  [
    'etag',
    'a 304 before the check',
    /^GET \/bookings\/\{id\} \(.*: eve gets 304 for the ETag of another user's object/m,
  ],
] as const
type Hole = (typeof HOLES)[number][0]

interface Booking {
  readonly id: number
  owner: string
  title: string
}

const NewBooking = z.object({ title: z.string().min(1) })

/** @param holes mistakes of the app; without them, it is correct */
function createBookings(holes: readonly Hole[] = []) {
  const has = (hole: Hole): boolean => holes.includes(hole)
  const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })
  const byToken = bearer((token) => USERS.get(token))
  const user = anyOf(
    byToken,
    signedIn(visitor, (token: unknown) => USERS.get(String(token))),
  )
  const bookings = new Map<number, Booking>()
  let count = 0

  const isAdmin = ({ role }: User): boolean => (has('prefix') ? role.startsWith('admin') : role === 'admin')
  const find = (id: number, user: User): Booking => {
    const found = bookings.get(id)
    if (found === undefined) throw new HttpError(404)
    if (found.owner !== user.name && !isAdmin(user)) throw new HttpError(has('existence') ? 403 : 404)
    return found
  }
  const etags: Middleware = async ({ request }, next) => {
    const { 'if-none-match': etag } = request.headers
    if (has('etag') && etag !== undefined) return reply(304)
    return next()
  }

  class Login extends Route {
    static readonly post = this.contract({ body: z.object({ token: z.string() }), uses: { visitor } })
    async post({ body, visitor }: Input<typeof Login.post>) {
      visitor.start(body.token)
    }
  }
  class Bookings extends Route {
    static readonly uses = { user }
    static readonly get = this.contract({ uses: { user } })
    static readonly post = this.contract({ uses: { user }, body: NewBooking, status: 201 })
    static readonly put = this.contract({
      uses: { user },
      body: z.object({ id: z.int().optional(), title: z.string() }),
    })
    async get({ user }: Input<typeof Bookings.get>) {
      return [...bookings.values()].filter(({ owner }) => has('list') || owner === user.name || isAdmin(user))
    }
    static readonly query = this.contract({ uses: { user }, body: z.object({ text: z.string().optional() }) })
    async query({ user }: Input<typeof Bookings.query>) {
      return [...bookings.values()].filter(({ owner }) => has('search') || owner === user.name || isAdmin(user))
    }
    async post({ body, user }: Input<typeof Bookings.post>) {
      const booking = { id: ++count, owner: user.name, title: body.title }
      bookings.set(booking.id, booking)
      return reply(201, booking, { location: `/bookings/${booking.id}` })
    }
    async put({ body, user }: Input<typeof Bookings.put>) {
      const id = body.id ?? ++count
      const known = bookings.get(id)
      if (known !== undefined && !has('body')) find(id, user)
      const booking = { id, owner: known?.owner ?? user.name, title: body.title }
      bookings.set(id, booking)
      return { id }
    }
  }
  const params = z.object({ id: z.int() })
  class BookingById extends Route {
    static readonly path = '/bookings/{id}'
    static readonly uses = { user }
    static readonly middleware = [etags]
    static readonly get = this.contract({ uses: { user }, params })
    static readonly patch = this.contract({ uses: { user }, params, body: NewBooking })
    static readonly delete = this.contract({ uses: { user }, params })
    async get({ params, user }: Input<typeof BookingById.get>) {
      const booking = find(params.id, user)
      return reply(200, booking, { etag: `"${booking.title}"` })
    }
    async patch({ params, body, user }: Input<typeof BookingById.patch>) {
      const known = bookings.get(params.id)
      if (has('late') && known !== undefined) known.title = body.title
      const booking = find(params.id, user)
      booking.title = body.title
      return booking
    }
    async delete({ params, user }: Input<typeof BookingById.delete>) {
      if (!has('owner')) find(params.id, user)
      bookings.delete(params.id)
    }
  }
  const member = provide({ uses: { user }, errors: [403] }, ({ user }) => user.name !== 'nobody')
  const live = upgrade({ path: '/{id}/live', ...(has('upgrade') ? {} : { uses: { member } }) }, () =>
    assert.fail('upgraded'),
  )
  return createApp({ routes: { Login, Bookings, BookingById, '/bookings': live }, openapi: false })
}

const ACTORS: Record<string, ActorOption> = {
  ada: { bearer: 't-ada' },
  carl: ({ fetch }) =>
    fetch('/login', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ token: 't-carl' }),
    }),
  eve: { bearer: 't-eve' },
  grace: { bearer: 't-grace' },
  nobody: {},
}
const BOOKINGS: ObjectProof = {
  create: { as: 'ada', call: 'POST /bookings', body: { title: 'Notes' }, id: 'body.id' },
  may: ['grace'],
}

async function prove(holes: readonly Hole[], bookings: ObjectProof = BOOKINGS): Promise<string> {
  using file = new MatrixFile()
  const options = { actors: ACTORS, objects: { bookings } }
  const { created } = await file.update(createBookings(), { ...options, objects: { bookings: BOOKINGS } })
  assert.deepEqual(created, ['bookings 1, by ada with POST /bookings'])
  return (await listFindings(file.compare(createBookings(holes), options))).join('\n')
}

describe('authorization(): objects', () => {
  it('accepts the repaired twin of all holes, with the id in the body or in "Location"', async () => {
    assert.equal(await prove([]), '')
    assert.equal(await prove([], { ...BOOKINGS, create: { ...BOOKINGS.create, id: 'location' } }), '')
    assert.equal(await prove([], { ...BOOKINGS, bind: { id: 'body.id' } }), '')
  })

  for (const [hole, about, finding] of HOLES) {
    it(`finds ${about}`, async () => assert.match(await prove([hole]), finding))
  }

  it('finds a change of an object that all actors may read', async () => {
    const shared = { ...BOOKINGS, shared: ['GET /bookings/{id}'] }
    assert.equal(await prove([], shared), '')
    assert.match(await prove(['late'], shared), /^PATCH .*: eve changed the object of ada, and got 404: curl/m)
  })
})
