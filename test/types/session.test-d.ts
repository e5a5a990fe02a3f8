/** Sessions: input of handlers, parameters of `start`, and parameters of `signedIn`. */
import { anyOf, bearer, createApp, optional, Route, type CredentialsProvider, type Input, type Provider } from 'verbena'
import {
  sealedCookie,
  session,
  signedCookie,
  signedIn,
  type CookieValue,
  type Session,
  type SessionProvider,
  type SessionStore,
} from 'verbena/session'
import { redisSessions } from 'verbena/redis'
import * as z from 'zod'
import { sameType } from './same-type.js'

interface User {
  readonly id: string
}
interface Db {
  user(id: string): Promise<User | undefined>
}
declare const db: Db
declare const store: SessionStore
const keys = ['a text of 32 bytes, for tests ...']

// The value has the output type of the schema, and `start` requires its input type.
const schema = z.object({ userId: z.string(), visits: z.number().default(0) })
const visitor = session({ schema, keys, store, idle: 1, absolute: 1, cookie: { name: 'sid', sameSite: 'strict' } })
sameType<
  typeof visitor,
  SessionProvider<{ userId: string; visits: number }, { userId: string; visits?: number | undefined }>
>()
const plain = session({ keys })
sameType<(typeof plain)['~value'], Session<string>>()

// @ts-expect-error - keys are needed
session({ schema })
// @ts-expect-error - an option that is not known
session({ keys, ttl: 1 })
// @ts-expect-error - cookies are HttpOnly, whatever somebody wants
session({ keys, cookie: { httpOnly: false } })
// @ts-expect-error - off only by its name
session({ keys, cookie: { secure: false } })
// @ts-expect-error - no store
session({ keys, store: new Map() })
// @ts-expect-error - no client of Redis
redisSessions({ get: () => null })

// A function of a session gets its value and services; what counts as false is taken off.
const user = signedIn(visitor, ({ userId }, { db }: { db: Db }) => db.user(userId))
sameType<typeof user, CredentialsProvider<User, { db: Db }>>()
const named = signedIn(plain, (name) => name)
sameType<typeof named, CredentialsProvider<string>>()
const caller = anyOf(
  bearer((token) => token === 'a' && { robot: token }),
  user,
)
sameType<(typeof caller)['~value'], User | { robot: string }>()
const perhaps = optional(user)
sameType<(typeof perhaps)['~value'], User | undefined>()
// @ts-expect-error - no session
signedIn(user, () => 1)
// @ts-expect-error - the value has no such member
signedIn(visitor, ({ name }) => name)

class SignIn extends Route {
  static readonly path = '/session'
  static readonly post = this.contract({ body: z.string(), uses: { visitor }, returns: null, public: true })
  async post({ visitor, body }: Input<typeof SignIn.post>) {
    sameType<typeof visitor.value, { userId: string; visits: number } | undefined>()
    visitor.start({ userId: body })
    visitor.set({ userId: body, visits: 1 })
    // @ts-expect-error - no value of the schema
    visitor.start({ userId: 7 })
    // @ts-expect-error - it is started, not assigned
    visitor.value = { userId: body, visits: 1 }
    visitor.end()
  }
}
class Me extends Route {
  static readonly get = this.contract({ uses: { user, caller } })
  async get({ user }: Input<typeof Me.get>) {
    return user.id
  }
}
createApp({ routes: { SignIn, Me }, services: { db } })
// @ts-expect-error - a service is missing
createApp({ routes: { SignIn, Me } })

// Keys and stores that are functions of services, which the app must provide, also through signedIn, anyOf and optional.
interface Config {
  readonly sessionKeys: readonly string[]
}
interface Redis {
  readonly sessions: SessionStore
}
declare const config: Config
declare const redis: Redis
const served = session({
  schema,
  keys: ({ config }: { config: Config }) => config.sessionKeys,
  store: async ({ redis }: { redis: Redis }) => redis.sessions,
})
sameType<
  typeof served,
  SessionProvider<
    { userId: string; visits: number },
    { userId: string; visits?: number | undefined },
    { config: Config } & { redis: Redis }
  >
>()
const keyed = session({ keys: async ({ config }: { config: Config }) => config.sessionKeys })
sameType<typeof keyed, SessionProvider<string, string, { config: Config }>>()
const stored = session({ keys, store: ({ redis }: { redis: Redis }) => redis.sessions })
sameType<typeof stored, SessionProvider<string, string, { redis: Redis }>>()
// @ts-expect-error - no keys
session({ keys: ({ config }: { config: Config }) => config })
// @ts-expect-error - a promise of no store
session({ keys, store: async ({ redis }: { redis: Redis }) => redis })
// @ts-expect-error - a function of services may not forget the store
session({ keys, store: () => undefined })

const member = signedIn(served, ({ userId }, { db }: { db: Db }) => db.user(userId))
sameType<typeof member, CredentialsProvider<User, { db: Db } & { config: Config } & { redis: Redis }>>()
const anyone = optional(
  anyOf(
    bearer((token) => token === 'a' && { robot: token }),
    member,
  ),
)
class Visits extends Route {
  static readonly get = this.contract({ uses: { served } })
  get() {}
}
class Anyone extends Route {
  static readonly get = this.contract({ uses: { anyone } })
  get() {}
}
createApp({ routes: { Visits }, services: { config, redis } })
// @ts-expect-error - the service of the keys is missing
createApp({ routes: { Visits }, services: { redis } })
// @ts-expect-error - the service of the store is missing
createApp({ routes: { Visits }, services: { config } })
createApp({ routes: { Anyone }, services: { config, redis, db } })
// @ts-expect-error - the service of the keys is missing
createApp({ routes: { Anyone }, services: { redis, db } })
// @ts-expect-error - the service of the store is missing
createApp({ routes: { Anyone }, services: { config, db } })
// @ts-expect-error - the service of "signedIn" is missing
createApp({ routes: { Anyone }, services: { config, redis } })

// Values in cookies.
const seen = signedCookie('seen', { keys: ({ config }: { config: Config }) => config.sessionKeys })
sameType<typeof seen, Provider<CookieValue<string>, { config: Config }>>()
const hidden = sealedCookie('hidden', { keys: async ({ config }: { config: Config }) => config.sessionKeys, schema })
sameType<(typeof hidden)['~services'], (services: { config: Config }) => void>()
const theme = signedCookie('theme', { keys, schema: z.enum(['light', 'dark']), lifetime: 1, path: '/shop' })
sameType<typeof theme, Provider<CookieValue<'light' | 'dark'>>>()
const sealed = sealedCookie('sealed', { keys })
sameType<typeof sealed, Provider<CookieValue<string>>>()
// @ts-expect-error - keys are needed
signedCookie('theme', {})
// @ts-expect-error - an option that is not known
sealedCookie('theme', { keys, maxAge: 1 })
