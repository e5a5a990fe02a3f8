/** Authentication: parameters of verifying functions, and the values of their providers. */
import {
  anyOf,
  apiKey,
  basic,
  bearer,
  createApp,
  jwt,
  optional,
  provide,
  Route,
  type Claims,
  type CredentialsProvider,
  type Input,
  type JwkSet,
  type JwtVerifier,
  type NamedUser,
  type Provider,
  type RemoteKeySet,
} from 'verbena'
import { hashPassword, jwtSigner, signWebhook, verifyPassword, webhook } from 'verbena/auth'
import type { JwtSigner, JwtSignerOptions, Webhook } from 'verbena/auth'
import { sameType } from './same-type.js'

interface User {
  readonly id: string
  readonly roles: readonly string[]
}
interface Database {
  user(token: string): Promise<User | undefined>
}
interface Partners {
  byKey(key: string): { readonly name: string } | null
}
declare const db: Database
declare const partners: Partners

// Services come from the second parameter; what counts as false is taken off the value.
const currentUser = bearer((token, { db }: { db: Database }) => db.user(token))
sameType<typeof currentUser, CredentialsProvider<User, { db: Database }>>()
const partner = apiKey({ in: 'header', name: 'x-key' }, (key, { partners }: { partners: Partners }) =>
  partners.byKey(key),
)
sameType<typeof partner, CredentialsProvider<{ readonly name: string }, { partners: Partners }>>()
const flag = bearer((token) => token === 'a')
sameType<typeof flag, CredentialsProvider<true>>()
const conditional = bearer((token) => token === 'a' && { id: token })
sameType<typeof conditional, CredentialsProvider<{ id: string }>>()

// A record of passwords, or a function.
const operator = basic({ ada: 'x' })
sameType<typeof operator, CredentialsProvider<NamedUser>>()
const checked = basic(({ username, password }, { db }: { db: Database }) => db.user(username + password))
sameType<typeof checked, CredentialsProvider<User, { db: Database }>>()
const checkedUntil = basic(({ password }, _services, { signal }) => !signal.aborted && { password })
sameType<typeof checkedUntil, CredentialsProvider<{ password: string }>>()
// @ts-expect-error - a password is a text
basic({ ada: 1 })
// @ts-expect-error - the body is no place for a key
apiKey({ in: 'body', name: 'key' }, () => 1)
// @ts-expect-error - a misspelt option
bearer(() => 1, { relm: 'a' })

// Optional: the value or undefined; several: one of their values, and the services of all.
const perhaps = optional(currentUser)
sameType<typeof perhaps, CredentialsProvider<User | undefined, { db: Database }>>()
const lenient = optional(currentUser, { invalid: 'ignore' })
sameType<typeof lenient, typeof perhaps>()
// @ts-expect-error - credentials are refused or ignored
optional(currentUser, { invalid: 'skip' })
bearer(() => 1, { scheme: 'Token' })
const caller = anyOf(currentUser, partner, operator)
sameType<(typeof caller)['~value'], User | NamedUser | { readonly name: string }>()
const admin = provide({ uses: { user: currentUser }, errors: [403] }, ({ user }) => user.roles)
// @ts-expect-error - it cannot tell absent credentials from wrong ones
optional(admin)
// @ts-expect-error - the same
anyOf(currentUser, admin)
// @ts-expect-error - nothing to choose from
anyOf()

// Tokens: only verified claims have a known type.
const options = { algorithms: ['ES256'], keys: new URL('https://login.example/keys') } as const
const token = bearer(jwt(options))
sameType<typeof token, CredentialsProvider<Claims>>()
const named = bearer(async (text, { db }: { db: Database }) => db.user((await jwt(options)(text)).sub ?? ''))
sameType<typeof named, CredentialsProvider<User, { db: Database }>>()
declare const claims: Claims
sameType<(typeof claims)['sub'], string | undefined>()
sameType<(typeof claims)['roles'], unknown>()
const remote: RemoteKeySet = { url: options.keys, onFailure: (error) => sameType<typeof error, unknown>() }
jwt({ ...options, keys: remote, issuer: ['a'], audience: 'b', leeway: 10, expiry: 'optional', type: 'at+jwt' })

// Keys from services, which the app must provide and `bearer` passes to the verifier.
interface Config {
  readonly tokenKeys: JwkSet
}
declare const config: Config
const verify = jwt({ ...options, keys: ({ config }: { config: Config }) => config.tokenKeys })
sameType<typeof verify, JwtVerifier<{ config: Config }>>()
sameType<typeof verify, (token: string, services: { config: Config }) => Claims | Promise<Claims>>()
sameType<JwtVerifier, (token: string) => Claims | Promise<Claims>>()
verify('a', { config })
// @ts-expect-error - the services are missing
verify('a')
const served = bearer(verify)
sameType<typeof served, CredentialsProvider<Claims, { config: Config }>>()
const found = bearer(async (text, { db, config }: { db: Database; config: Config }) =>
  db.user((await verify(text, { config })).sub ?? ''),
)
sameType<typeof found, CredentialsProvider<User, { db: Database; config: Config }>>()
const later = apiKey(
  { in: 'cookie', name: 'token' },
  jwt({ ...options, keys: async ({ config }: { config: Config }) => config.tokenKeys }),
)
sameType<typeof later, CredentialsProvider<Claims, { config: Config }>>()
class Served extends Route {
  static readonly get = this.contract({ uses: { user: optional(anyOf(served, partner)) } })
  get() {}
}
createApp({ routes: { Served }, services: { config, partners } })
// @ts-expect-error - the service of the keys is missing
createApp({ routes: { Served }, services: { partners } })
// @ts-expect-error - a promise of no key
jwt({ ...options, keys: async ({ config }: { config: Config }) => config })
// @ts-expect-error - no such algorithm
jwt({ ...options, algorithms: ['none'] })
// @ts-expect-error - a text is no key
jwt({ ...options, keys: 'secret' })
// @ts-expect-error - the keys are missing
jwt({ algorithms: ['ES256'] })
// @ts-expect-error - a misspelt option
jwt({ ...options, audiense: 'a' })

// In classes: values by name, services at createApp.
abstract class SignedIn extends Route {
  static readonly uses = { user: currentUser }
}
class Me extends SignedIn {
  static readonly get = this.contract({ uses: { perhaps, caller } })
  async get({ user, perhaps, caller }: Input<typeof Me.get>) {
    sameType<typeof user, User>()
    sameType<typeof perhaps, User | undefined>()
    return [user.id, perhaps?.id, 'username' in caller ? caller.username : '']
  }
}
createApp({ services: { db, partners }, routes: { Me } })
// @ts-expect-error - `partners` is needed by one of `anyOf`
createApp({ services: { db }, routes: { Me } })
// @ts-expect-error - `db` is needed by the class
createApp({ services: { partners }, routes: { Me } })
// @ts-expect-error - the guard would be made optional
class Slack extends SignedIn {
  static override readonly uses = { user: perhaps }
}
void Slack

// Signing: claims that options set are compiler errors, other claims may have any type.
const signing: JwtSignerOptions = { key: new Uint8Array(32), algorithm: 'HS256', expiresIn: 60 }
const sign = jwtSigner(signing)
sameType<typeof sign, JwtSigner>()
sameType<ReturnType<typeof sign>, string>()
sign({ sub: 'ada', aud: ['a'], roles: ['editor'], level: 7 })
// @ts-expect-error - expiresIn sets exp
sign({ exp: 1 })
// @ts-expect-error - sub must be a string
sign({ sub: 7 })
// @ts-expect-error - expiresIn is missing
jwtSigner({ key: new Uint8Array(32), algorithm: 'HS256' })
// @ts-expect-error - a key must not be a string
jwtSigner({ ...signing, key: 'secret' })

// Passwords: the hash may be missing.
const hash = hashPassword('swordfish')
sameType<typeof hash, Promise<string>>()
const row: { readonly hash: string | null } | undefined = undefined as { readonly hash: string | null } | undefined
const isCorrect = verifyPassword('swordfish', row?.hash)
sameType<typeof isCorrect, Promise<boolean>>()
// @ts-expect-error - a promise is not a hash
void verifyPassword('swordfish', hash)
const { signal } = new AbortController()
void verifyPassword('swordfish', row?.hash, { signal })
void hashPassword('swordfish', { signal })
// @ts-expect-error - the signal is an option
void verifyPassword('swordfish', row?.hash, signal)

// Webhooks: the value, the services of a function, and a provider inside `uses`.
interface Webhooks {
  readonly secrets: readonly string[]
}
const event = webhook({ secrets: async ({ config }: { config: Webhooks }) => config.secrets, tolerance: 60 })
sameType<typeof event, Provider<Webhook, { config: Webhooks }>>()
class Events extends Route {
  static readonly post = this.contract({ uses: { event } })
  async post({ event }: Input<typeof Events.post>) {
    sameType<typeof event, Webhook>()
    return event.timestamp.toISOString()
  }
}
class Pings extends Route {
  static readonly post = this.contract({ uses: { event: webhook({ secrets: ['whsec_…'] }) } })
  async post({ event }: Input<typeof Pings.post>) {
    return event.id
  }
}
createApp({ services: { config: { secrets: ['whsec_…'] } }, routes: { Events, Pings } })
createApp({ routes: { Pings } })
// @ts-expect-error - `config` is needed by the secrets
createApp({ routes: { Events } })
// @ts-expect-error - secrets are an array
webhook({ secrets: 'whsec_…' })
const signature = signWebhook({ id: 'msg_1', timestamp: new Date(), body: new Uint8Array(), secret: 'whsec_…' })
void new Request('http://localhost', { headers: signature })
// @ts-expect-error - the time is a Date, so that it cannot be in ms by mistake
signWebhook({ id: 'msg_1', timestamp: 1, body: '', secret: 'whsec_…' })
