/** Providers: their input, their value, and the services that they require. */
import { createApp, group, HttpError, provide, Route, service, type Input, type Provider, type Result } from 'verbena'
import * as v from 'valibot'
import * as z from 'zod'
import { sameType } from './same-type.js'

interface User {
  readonly id: string
  readonly roles: readonly string[]
}
interface Tx {
  query(text: string): Promise<void>
  commit(): Promise<void>
  rollback(): Promise<void>
}
interface Database {
  user(token: string): Promise<User | undefined>
  begin(): Promise<Tx>
}
interface Mailer {
  send(to: string): Promise<void>
}
declare const db: Database
declare const mailer: Mailer

const Page = z.object({ limit: z.number() })
const bearer = { type: 'http', scheme: 'bearer' } as const

// Services come from the second parameter.
const currentUser = provide({ security: bearer }, async ({ request }, { db }: { db: Database }) => {
  const user = await db.user(request.headers['authorization'] ?? '')
  if (user === undefined) throw new HttpError(401)
  return user
})
sameType<typeof currentUser, Provider<User, { db: Database }>>()

// Plain, async, generator, async generator: the value is the same.
sameType<typeof plain, Provider<number>>()
const plain = provide({}, () => 1)
sameType<typeof later, Provider<number>>()
const later = provide({}, async () => 1)
sameType<typeof maybe, Provider<number>>()
const maybe = provide({}, ({ request }): number | Promise<number> => (request.id === '' ? 1 : Promise.resolve(2)))
sameType<typeof generated, Provider<number>>()
const generated = provide({}, function* () {
  yield 1
})
const tx = provide(
  {},
  async function* (_input, { db }: { db: Database }) {
    const made = await db.begin()
    try {
      yield made
      await made.commit()
    } catch (error) {
      await made.rollback()
      throw error
    }
  },
  { ends: 'before-response' },
)
sameType<typeof tx, Provider<Tx, { db: Database }>>()

// Inputs have the types of their schema, for any library. Used providers have the types of their values.
const admin = provide({ uses: { user: currentUser }, errors: [403] }, ({ user }) => {
  sameType<typeof user, User>()
  return { ...user, isAdmin: true }
})
const notify = provide({ uses: { admin, tx } }, ({ admin, tx, response }, { mailer }: { mailer: Mailer }) => {
  sameType<typeof tx, Tx>()
  response.after(() => mailer.send(admin.id))
  return { to: admin.id }
})
const signed = provide(
  { headers: z.object({ 'x-sig': z.string() }), query: v.object({ at: v.number() }), rawBody: true },
  ({ headers, query, rawBody }) => {
    sameType<typeof query, { at: number }>()
    sameType<typeof rawBody, Uint8Array>()
    return headers['x-sig'].length === rawBody.length
  },
)

// A `false` that rejects the request never reaches a handler.
declare const maySee: boolean
sameType<typeof withScheme, Provider<true>>()
const withScheme = provide({ security: bearer }, () => maySee)
sameType<typeof withSchemes, Provider<{ id: string }>>()
const withSchemes = provide({ security: [bearer] }, async () => maySee && { id: 'ada' })
sameType<typeof with403, Provider<true>>()
const with403 = provide({ errors: [404, 403] }, function* () {
  yield maySee
})
sameType<typeof inRecord, Provider<true>>()
const inRecord = provide({ errors: { 401: 'Sign in' } }, () => maySee)
sameType<typeof flag, Provider<boolean>>()
const flag = provide({}, () => maySee)
sameType<typeof with404, Provider<boolean>>()
const with404 = provide({ errors: [404] }, () => maySee)
sameType<typeof noneNamed, Provider<boolean>>()
const noneNamed = provide({ errors: [] }, () => maySee)
sameType<typeof otherRecord, Provider<boolean>>()
const otherRecord = provide({ errors: { 404: 'Gone' } }, () => maySee)
// Which statuses these are is only known at run time: `false` may be among the values.
declare const statuses: readonly number[]
sameType<typeof unknownStatuses, Provider<boolean>>()
const unknownStatuses = provide({ errors: statuses }, () => maySee)

provide({}, (input) => {
  // @ts-expect-error - it has not asked for it
  void input.rawBody
  // @ts-expect-error - nor for this
  return input.query
})

// @ts-expect-error - a misspelt need
provide({ querry: Page }, () => 1)
// @ts-expect-error - a body is the handler's affair
provide({ body: Page }, () => 1)
// @ts-expect-error - true or nothing
provide({ rawBody: false }, () => 1)
// @ts-expect-error - a name of the context
provide({ uses: { signal: plain } }, () => 1)
// @ts-expect-error - not a provider
provide({ uses: { user: 1 } }, () => 1)
// @ts-expect-error - no such time
provide({}, () => 1, { ends: 'never' })

abstract class Api extends Route<{ db: Database }> {}
abstract class SignedIn extends Api {
  static readonly uses = { user: currentUser }
}
abstract class OrgRoute extends SignedIn {
  static readonly prefix = '/orgs/{org}'
}

export class Users extends SignedIn {
  static readonly get = this.contract({ query: Page, returns: z.array(z.string()) })
  async get({ query, user }: Input<typeof Users.get>): Result<typeof Users.get> {
    sameType<typeof user, User>()
    return [user.id, String(query.limit)]
  }
  static readonly post = this.contract({ body: z.string(), uses: { tx, signed }, returns: z.string() })
  async post({ body, tx, user, signed }: Input<typeof Users.post>) {
    sameType<typeof signed, boolean>()
    await tx.query(user.id)
    return body
  }
}
export class Todo extends OrgRoute {
  static readonly path = '/todos/{id}'
  static readonly get = this.contract({ summary: 'a' })
  async get({ params, user }: Input<typeof Todo.get>) {
    return params.org + params.id + user.id
  }
}
// A subclass may add, and its endpoints get both.
export class Admins extends SignedIn {
  static override readonly uses = { ...SignedIn.uses, admin }
  static readonly get = this.contract({})
  get({ user, admin }: Input<typeof Admins.get>) {
    return [user.id, admin.isAdmin]
  }
}
// Redeclared with other documentation it is still the same contract.
export class TodoPlus extends Todo {
  static override readonly get = this.contract({ summary: 'b', errors: [404] })
}
// @ts-expect-error - an inherited guard cannot be dropped
export class Open extends SignedIn {
  static override readonly uses = {}
  get() {}
}
// @ts-expect-error - nor by using others
export class Other extends SignedIn {
  static override readonly uses = { tx }
  get() {}
}
export class Slips extends SignedIn {
  // @ts-expect-error - misspelt
  static readonly get = this.contract({ use: { user: currentUser } })
  // @ts-expect-error - a name of the context
  static readonly post = this.contract({ uses: { signal: currentUser } })
  // @ts-expect-error - not a provider
  static readonly put = this.contract({ uses: { user: () => 1 } })
  static readonly patch = this.contract({ uses: { tx } })
  // @ts-expect-error - it is not used
  patch({ notify }: Input<typeof Slips.patch>) {
    return notify
  }
}
export class Feed extends Route {
  static readonly get = this.contract({ uses: { notify } })
  get({ notify }: Input<typeof Feed.get>) {
    return notify.to
  }
}
export class Plain extends Route {
  async get() {
    return 1
  }
}

createApp({ services: { db }, routes: { Users, Todo, TodoPlus, Admins, Plain } })
createApp({ services: { db, mailer }, routes: { '/v1': { Feed }, deep: group({ routes: { Users } }) } })
createApp({ services: { db, mailer }, routes: [Feed, Plain] })
createApp({ services: { db }, routes: { Plain, in: group({ uses: { currentUser }, routes: { Plain } }) } })
createApp({ routes: { in: group({ uses: { plain }, routes: { Plain } }) } })

// @ts-expect-error - mailer is needed by the provider `notify` alone
createApp({ services: { db }, routes: { Feed } })
// @ts-expect-error - db is needed by a provider that a provider uses
createApp({ services: { mailer }, routes: { Feed } })
// @ts-expect-error - db is needed by the `uses` of the class
createApp({ routes: { '/v1': { Todo } } })
// @ts-expect-error - db is needed by the `uses` of the group
createApp({ routes: { in: group({ uses: { currentUser }, routes: { Plain } }) } })
// @ts-expect-error - mailer is needed in an array
createApp({ services: { db }, routes: [Feed, Users] })
// @ts-expect-error - not a database
createApp({ services: { db: 1 }, routes: { Users } })

// Services that are made when the app starts.
const made = service(async () => db, { close: (value) => value.begin(), check: async (value) => value.begin() })
const later2 = service(({ db }: { db: Database }) => ({ send: async (to: string) => void (await db.user(to)) }))
const app = createApp({ services: { db: made, mailer: later2, extra: 1 }, routes: { Feed, Users } })
sameType<typeof app.services.db, Database>()
sameType<typeof app.services.mailer, Mailer>()
createApp({ services: { db: service(() => db, { close: () => {} }), mailer }, routes: { Feed } })
createApp({
  services: {
    db: service(async () => ({ user: async (token: string) => ({ id: token, roles: [] }), begin: () => db.begin() })),
  },
  routes: { Users },
})
// @ts-expect-error - it makes something else
createApp({ services: { db: service(() => 1) }, routes: { Users } })
// @ts-expect-error - a misspelt option
service(() => 1, { closes: () => {} })
