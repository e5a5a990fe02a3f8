/** `session`: what is remembered of a visitor from one request to the next. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkMembers, rule, type Rule, type Rules } from '../../errors/known-keys.js'
import { SetupError } from '../../errors/setup-error.js'
import { schemaRule, type Provider } from '../../injection/provide.js'
import { readMode } from '../../values/mode.js'
import type { AnySchema, In, Out, Schema } from '../../validation/schema.js'
import { isWhole } from '../../values/numbers.js'
import { hasMethods, isRecord } from '../../values/objects.js'
import { checkAttributes, Cookie, COOKIE, KEYS, type CookieAttributes } from './cookie.js'
import { signing, type Keys } from './cookie-code.js'
import { TEXT, type TextSchema } from './draft.js'
import { SessionGuard, SessionRecipe } from './session-guard.js'
import { memorySessions, type SessionStore } from './store.js'

startStackAtCaller(session)

/** What is remembered of a visitor. It is written when the request has gone well, before the head of the answer leaves. */
export interface Session<Value, Given = Value> {
  /** What is remembered; `undefined` without a session. */
  readonly value: Value | undefined
  /**
   * Begins a session under a new id, in the place of one that is there: call it when somebody signs in, and when their rights grow.
   *
   * @param value to remember; as JSON it must fit the schema
   * @throws Error once the provider has ended; TypeError for a value that does not fit
   */
  start(value: Given): void
  /**
   * Remembers another value in the session that is there. When another request ends the session meanwhile, it stays ended.
   *
   * @param value as above
   * @throws Error without a session, and once the provider has ended; TypeError for a value that does not fit
   */
  set(value: Given): void
  /**
   * Ends the session: the store forgets it, and the browser its cookie. This also holds when the request fails afterwards.
   *
   * @throws Error once the provider has ended
   */
  end(): void
}

/** A guard that gives the session of a request. */
export interface SessionProvider<Value, Given = Value> extends Provider<Session<Value, Given>> {
  /** A type only. */
  readonly '~session': Value
}

/** How browsers keep the cookie of a session. */
export interface SessionCookie extends CookieAttributes {
  /** Its name; `session` unless given. `__Host-` is put before it; `__Secure-` where it has a domain or another path than `/`. */
  readonly name?: string
}

/** How sessions are made and kept. */
export interface SessionOptions<S extends AnySchema> {
  /** Of the value; any text unless given. A session whose value does not fit any more, because the schema has changed, is over. */
  readonly schema?: S
  /** Texts of 32 bytes at least, of which keys are made: the first one signs new cookies, the others are still read. */
  readonly keys: readonly string[]
  /** Where sessions are kept; the memory of this process unless given, where the log warns in production. */
  readonly store?: SessionStore
  /** Name and attributes of the cookie. */
  readonly cookie?: SessionCookie
  /** Ends a session after so many ms without a request; 86_400_000 unless given, a day. */
  readonly idle?: number
  /** Ends a session so many ms after its start; 2_592_000_000 unless given, 30 days. */
  readonly absolute?: number
}

const A_DAY = 86_400_000

/**
 * Makes a guard that gives the session of a request: a value of yours, kept in a store under a random id of 256 bits that a signed
 * cookie holds. The cookie is `HttpOnly`, `Secure`, `SameSite=Lax` and bound to this host.
 *
 * Requests that may change something, all but GET, HEAD and OPTIONS, are answered with 403 where a page of another origin has sent
 * them, whether there is a session or not: pages of this host may, and those of the credentialed `cors.origins`.
 *
 * @param options schema, keys, store, cookie, and when sessions end
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { session } from 'verbena/session'
 *
 * const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })
 *
 * class Name extends Route {
 *   static readonly get = this.contract({ uses: { visitor } })
 *   async get({ visitor }: Input<typeof Name.get>) {
 *     return `You are ${visitor.value ?? 'nobody'}`
 *   }
 *   static readonly put = this.contract({ uses: { visitor } })
 *   async put({ visitor }: Input<typeof Name.put>) {
 *     visitor.start('Ada')
 *   }
 * }
 * const app = createApp({ routes: { Name } })
 * const { headers } = await app.fetch(new Request('http://localhost/name', { method: 'PUT' }))
 * const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? []
 * const answer = await app.fetch(new Request('http://localhost/name', { headers: { cookie } }))
 * await answer.text() // => 'You are Ada'
 * ```
 */
export function session<const S extends AnySchema = TextSchema>(
  options: SessionOptions<S>,
): SessionProvider<Out<S>, In<S>> {
  const untrusted: unknown = options
  if (!isRecord(untrusted)) throw sessionOptionError('it is given no options. Write "session({ keys: [current] })"')
  checkMembers(untrusted, RULES, sessionOptionError)
  if (options.keys === undefined) throw sessionOptionError('it has no keys. Write "session({ keys: [current] })"')
  const { store, idle = A_DAY, absolute = 30 * A_DAY } = options
  const { name = 'session', ...attributes } = options.cookie ?? {}
  checkAttributes(attributes, sessionOptionError)
  const cookie = new Cookie(name, attributes)
  // Proof: both were checked.
  const { schema = TEXT, keys } = untrusted as { readonly schema?: Schema; readonly keys: Keys }
  const code = signing(keys, `session ${cookie.name}`)
  const settings = { schema, store: store ?? memorySessions(), cookie, code, idle, absolute }
  const warning = store === undefined && readMode() === 'production' ? IN_MEMORY : null
  const guard = new SessionGuard(settings, warning, store === undefined ? [] : [503])
  // Proof: it gives what its guard has found, whose values the schema gives.
  return new SessionRecipe(guard) as unknown as SessionProvider<Out<S>, In<S>>
}

const IN_MEMORY =
  'Sessions are kept in the memory of this process: they end with it, and no other process knows them. Give "session" a store'

const RULES: Rules = {
  schema: schemaRule('schema'),
  keys: KEYS,
  store: rule(
    (value) => hasMethods(value, ['get', 'set', 'delete', 'touch']),
    '"store" has not the methods get, set, delete and touch. Give what "redisSessions(client)" makes',
  ),
  cookie: cookieFlaw,
  idle: durationRule('idle'),
  absolute: durationRule('absolute'),
}

function cookieFlaw(cookie: unknown): string | null {
  if (!isRecord(cookie)) return '"cookie" is no record. Write "cookie: { name: \'session\' }"'
  checkMembers(cookie, COOKIE, (why) => sessionOptionError(`"cookie" is wrong, ${why}`))
  return null
}

function durationRule(key: string): Rule {
  return rule((value) => isWhole(value, 1), `"${key}" is not a whole number of ms from 1 up. Write "${key}: 3_600_000"`)
}

function sessionOptionError(why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot make a provider by session: ${why}`)
}
