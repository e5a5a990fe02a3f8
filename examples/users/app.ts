/** The users API: three classes, four endpoints. */
import { createApp, HttpError, Route, type Input, type OpenApiOptions, type Result } from 'verbena'
import * as z from 'zod'
import type { Database } from './store.js'

// The ids are the names of the schemas in the OpenAPI document.
const NewUser = z.object({ name: z.string().min(1).max(50), age: z.number().int().optional() }).meta({ id: 'NewUser' })
const User = NewUser.extend({ id: z.string() }).meta({ id: 'User' })
const Page = z.object({ limit: z.number().int().min(1).max(100).default(10) })

/** Base class of the project's routes: declares the type of `this.db`, and a tag for the OpenAPI document. */
abstract class ApiRoute extends Route<{ db: Database }> {
  static readonly tags = ['users']
}

/** The path `/user-profiles` is derived from the class name. */
export class UserProfiles extends ApiRoute {
  static readonly get = this.contract({
    query: Page,
    returns: z.array(User),
    summary: 'List users',
    description: 'In the order in which they were created.',
  })
  async get({ query }: Input<typeof UserProfiles.get>) {
    return this.db.getUsers(query.limit)
  }

  static readonly post = this.contract({
    body: NewUser,
    returns: User,
    status: 201,
    summary: 'Create a user',
    description: 'The header `Location` says where the user is.',
  })
  async post({ body, log, request, response }: Input<typeof UserProfiles.post>): Result<typeof UserProfiles.post> {
    const created = await this.db.createUser(body)
    response.header('location', request.href(UserById, { id: created.id }))
    response.after(() => log.info({ user: created.id }, 'user created'))
    return created
  }

  /** A method with any other name is a helper, not an endpoint. */
  get_by_id(id: string) {
    return this.db.getUser(id)
  }
}

export class UserById extends ApiRoute {
  static readonly path = '/users/{id}'
  static readonly get = this.contract({
    returns: User,
    errors: [404],
    summary: 'Read a user',
    description: 'By the id that it got when it was created.',
  })
  async get({ params }: Input<typeof UserById.get>): Result<typeof UserById.get> {
    const user = await this.db.getUser(params.id)
    if (!user) throw new HttpError(404, `No user ${params.id}`)
    return user
  }
}

/** The smallest route. Its contract is only for the OpenAPI document. */
export class Home extends Route {
  static readonly tags = ['home']
  static readonly get = this.contract({
    returns: z.object({ hello: z.string() }),
    summary: 'Say hello',
    description: 'Shows that the API is there.',
  })
  async get() {
    return { hello: 'world' }
  }
}

/** The routes of the app. */
export const users = { UserProfiles, UserById, Home }

/** The page of the API, and general information for its OpenAPI document. */
export const openapi: OpenApiOptions = {
  page: '/docs',
  info: {
    description: 'Who has an account.',
    contact: { name: 'The users team', email: 'users@example.com' },
    license: { name: 'MIT', identifier: 'MIT' },
  },
  tags: [
    { name: 'users', description: 'Those who have an account.' },
    { name: 'home', description: 'A first look.' },
  ],
}

/** Creates the app. Its inferred type contains all paths and contracts, for tests and typed clients. */
export function usersApp(db: Database) {
  return createApp({ name: 'users', version: '2.0.0', services: { db }, routes: users, openapi })
}
