/** The app of the end-to-end rows: the users example, and routes for every other kind of response. */
import { Readable } from 'node:stream'
import { createApp, HttpError, redirect, reply, Route, type App, type Input } from 'verbena'
import * as z from 'zod'
import { MOUNTED_ROUTES } from '#test/mounted-routes.js'

/** A secret that no response may contain. */
export const SECRET = 'scrypt$4711'

const NewUser = z.object({ name: z.string().min(1).max(50), age: z.int().optional() })
const User = NewUser.extend({ id: z.string() })
const Page = z.object({ limit: z.int().min(1).max(100).default(10) })

interface Database {
  getUsers(limit: number): Promise<object[]>
  getUser(id: string): Promise<object | undefined>
  createUser(user: object): Promise<object>
}

const stored = (id: string, user: object): object => ({ ...user, id, passwordHash: SECRET })

const db: Database = {
  getUsers: async (limit) => [stored('1', { name: 'Ada', age: 36 }), stored('2', { name: 'Grace' })].slice(0, limit),
  getUser: async (id) => (id === '1' ? stored('1', { name: 'Ada', age: 36 }) : undefined),
  createUser: async (user) => stored('3', user),
}

abstract class ApiRoute extends Route<{ db: Database }> {}

class UserProfiles extends ApiRoute {
  static readonly get = this.contract({ query: Page, returns: z.array(User) })
  async get({ query }: Input<typeof UserProfiles.get>) {
    return z.array(z.looseObject(User.shape)).parse(await this.db.getUsers(query.limit))
  }

  static readonly post = this.contract({ body: NewUser, returns: User, status: 201 })
  async post({ body, request, response }: Input<typeof UserProfiles.post>) {
    const created = z.looseObject(User.shape).parse(await this.db.createUser(body))
    response.header('location', request.href(UserById, { id: created.id }))
    return created
  }

  get_by_id(id: string) {
    return this.db.getUser(id)
  }
}

class UserById extends ApiRoute {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({ returns: User, errors: [404] })
  async get({ params }: Input<typeof UserById.get>) {
    const user = await this.db.getUser(params.id)
    if (user === undefined) throw new HttpError(404, `No user ${params.id}`)
    return z.looseObject(User.shape).parse(user)
  }
}

class Home extends Route {
  async get() {
    return { hello: 'world' }
  }
}

class Broken extends Route {
  get(): never {
    throw new Error(`cannot read ${SECRET} of /srv/app.js:1:1`)
  }
  post() {
    return { cycle: 7n }
  }
  delete(): never {
    throw new HttpError(503, 'Back at noon', { headers: { 'retry-after': '60' }, at: 'noon' })
  }
}

class Kinds extends Route {
  static readonly path = '/kinds/{kind}'
  async get({ params }: Input) {
    switch (params['kind']) {
      case 'text':
        return 'héllo'
      case 'bytes':
        return new Uint8Array([104, 105])
      case 'null':
        return null
      case 'none':
        return undefined
      case 'stream':
        return Readable.from(['one ', 'twö'])
      case 'response':
        return new Response('made', { status: 202, headers: { 'x-made': '1' } })
      case 'redirect':
        return redirect('/users/1?a=ü', 303)
      case 'cookies':
        return reply(200, 'x', { vary: 'cookie' }).with({ 'set-cookie': 'a=1' }).with({ 'set-cookie': 'b=2' })
      default:
        throw new HttpError(404, 'No such kind')
    }
  }
}

class Files extends Route {
  static readonly path = '/files/{path...}'
  get({ params }: Input) {
    return { path: params['path'] }
  }
}

class Search extends Route {
  get({ query }: Input) {
    return query
  }
  put({ body }: Input) {
    return { body }
  }
}

class Äpfel extends Route {
  get() {
    return 'Äpfel'
  }
}

const routes = { UserProfiles, UserById, Home, Broken, Kinds, Files, Search, Äpfel }

/** Creates the app; each table uses a separate one. */
export function tableApp(): App {
  return createApp({ services: { db }, routes, logger: false, signals: false })
}

/** Creates the app with more routes, and with compression. */
export function mountedApp(): App {
  const all = { ...routes, ...MOUNTED_ROUTES }
  const options = { services: { db }, routes: all, compression: { threshold: 100 } }
  return createApp({ ...options, logger: false, signals: false, devConsole: false })
}
