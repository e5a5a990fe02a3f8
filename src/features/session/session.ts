/** `session`: a value that is stored for each user between requests. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkOptions, integerRule, objectRule, rule, type Rules } from '../../errors/options.js'
import type { Provider } from '../../injection/provide.js'
import type { Setting } from '../../injection/services.js'
import { readMode } from '../../values/mode.js'
import { SCHEMA_RULE, type AnySchema, type In, type Out, type Schema } from '../../validation/schema.js'
import { hasMethods } from '../../values/objects.js'
import { buildSettings, settingRules } from '../stores/service-settings.js'
import { ATTRIBUTES, checkAttributes, Cookie, COOKIE_NAME, KEYS, type CookieAttributes } from './cookie.js'
import { signedCode, type Keys } from './cookie-code.js'
import { TEXT, type TextSchema } from './draft.js'
import { SessionGuard, SessionRecipe } from './session-guard.js'
import { memorySessions } from '../stores/memory/sessions.js'
import type { SessionStore } from '../stores/session-store.js'

startStackAtCaller(session)

/** The session of a request. Changes are saved only if the request succeeds, and before the response headers are sent. */
export interface Session<Value, Given = Value> {
  /** Stored value; `undefined` without a session. */
  readonly value: Value | undefined
  /**
   * Starts a session with a new id and ends the previous one. Call it when a user signs in or gains rights.
   *
   * @param value value to store, whose JSON form must match the schema
   * @throws Error after provider cleanup has started; TypeError if the value does not match the schema
   */
  start(value: Given): void
  /**
   * Changes the value of the current session. If another request ends the session at the same time, it stays ended.
   *
   * @param value as for `start`
   * @throws Error without a session, or after provider cleanup has started; TypeError if the value does not match the schema
   */
  set(value: Given): void
  /**
   * Deletes the session from the store, and its cookie from the browser, even if the request fails afterwards.
   *
   * @throws Error after provider cleanup has started
   */
  end(): void
}

/** A guard that provides the session of a request. */
export interface SessionProvider<Value, Given = Value, Services extends object = {}> extends Provider<
  Session<Value, Given>,
  Services
> {
  /** Only a type; not set at run time. */
  readonly '~session': Value
}

/** Name and attributes of the session cookie. */
export interface SessionCookie extends CookieAttributes {
  /** Default `session`. Verbena adds the prefix `__Host-`, or `__Secure-` if the cookie has a domain or a path other than `/`. */
  readonly name?: string
}

/** Options of `session`. */
export interface SessionOptions<
  S extends AnySchema,
  KeyServices extends object = {},
  StoreServices extends object = {},
> {
  /** Schema of the value; default: any string. A session ends if its value no longer matches because the schema has changed. */
  readonly schema?: S
  /**
   * Strings of at least 32 bytes, or a function of the services that returns them. The first key signs new cookies; all keys verify
   * cookies.
   */
  readonly keys: Setting<readonly string[], KeyServices>
  /**
   * Session store, or a function of the services that returns it; default: memory of this process, with a warning in the log in
   * production.
   */
  readonly store?: Setting<SessionStore, StoreServices>
  /** Name and attributes of the cookie. */
  readonly cookie?: SessionCookie
  /** Maximum time in ms without requests; default 86_400_000 (1 day). */
  readonly idle?: number
  /** Maximum lifetime in ms, even if the session is in use; default 2_592_000_000 (30 days). */
  readonly absolute?: number
}

const A_DAY = 86_400_000

/**
 * Creates a guard that provides the session of a request: a value in a store, identified by a random 256-bit id in a signed cookie. By
 * default, the cookie is `HttpOnly`, `Secure`, `SameSite=Lax` and bound to this host.
 *
 * Requests from pages of other origins get 403, even without a session, unless the method is GET, HEAD or OPTIONS or the origin is one
 * of the credentialed `cors.origins`.
 *
 * `keys` and `store` can be functions of the services, sync or async. Each app calls them once when it starts.
 *
 * @param options schema, keys, store, cookie and lifetimes
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`; for the result of a function, when the app starts
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { session } from 'verbena/session'
 *
 * interface Config {
 *   readonly sessionKeys: readonly string[]
 * }
 * const visitor = session({ keys: ({ config }: { config: Config }) => config.sessionKeys })
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
 * const config: Config = { sessionKeys: ['a text of 32 bytes that nobody knows'] }
 * const app = createApp({ services: { config }, routes: { Name } })
 * const { headers } = await app.fetch(new Request('http://localhost/name', { method: 'PUT' }))
 * const [cookie = ''] = headers.getSetCookie()[0]?.split(';') ?? []
 * const answer = await app.fetch(new Request('http://localhost/name', { headers: { cookie } }))
 * await answer.text() // => 'You are Ada'
 * ```
 */
export function session<
  const S extends AnySchema = TextSchema,
  KeyServices extends object = {},
  StoreServices extends object = {},
>(options: SessionOptions<S, KeyServices, StoreServices>): SessionProvider<Out<S>, In<S>, KeyServices & StoreServices> {
  checkOptions(options, RULES, 'session()')
  const { store, idle = A_DAY, absolute = 30 * A_DAY } = options
  const { name = 'session', ...attributes } = options.cookie ?? {}
  checkAttributes(attributes, 'cookie.', 'session()')
  const cookie = new Cookie(name, attributes)
  // Proof: `checkOptions` has checked it.
  const { schema = TEXT } = options as { readonly schema?: Schema }
  const settings = { keys: options.keys, store }
  const sessions = buildSettings(settings, { rules: SETTINGS, owner: 'session()' }, (checked) => {
    // Proof: the rules have checked both.
    const { keys, store = memorySessions() } = checked as { readonly keys: Keys; readonly store?: SessionStore }
    return { schema, store, cookie, code: signedCode(keys, `session ${cookie.name}`), idle, absolute }
  })
  const warning = store === undefined && readMode() === 'production' ? IN_MEMORY : null
  const storeErrors = store === undefined ? [] : [503]
  const guard = new SessionGuard(sessions, { cookieName: cookie.name, warning, storeErrors })
  // Proof: the provider returns the session of its guard, and the schema validates the values.
  return new SessionRecipe(guard) as unknown as SessionProvider<Out<S>, In<S>, KeyServices & StoreServices>
}

const IN_MEMORY =
  'Sessions are stored in memory: they end with this process, and other processes cannot read them. Set "store" of session()'

const SETTINGS: Rules<Pick<SessionOptions<AnySchema>, 'keys' | 'store'>> = {
  keys: KEYS,
  store: rule(
    (value) => hasMethods(value, ['get', 'set', 'delete', 'touch']),
    'have the methods get, set, delete and touch',
    'redisSessions(client)',
  ),
}

const COOKIE: Rules<SessionCookie> = { name: COOKIE_NAME, ...ATTRIBUTES }

const RULES: Rules<SessionOptions<AnySchema>> = {
  schema: SCHEMA_RULE,
  ...settingRules(SETTINGS),
  cookie: objectRule("{ name: 'session' }", COOKIE),
  idle: integerRule(1, '3_600_000', ' of ms'),
  absolute: integerRule(1, '3_600_000', ' of ms'),
}
