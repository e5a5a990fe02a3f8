/**
 * `verbena/session`: sessions, sign-in guards, and signed or sealed cookies.
 *
 * @module
 */

// # Sessions
export { session } from './features/session/session.js'
export type { Session, SessionCookie, SessionOptions, SessionProvider } from './features/session/session.js'
export { signedIn } from './features/session/signed-in.js'
export { sealedCookie, signedCookie } from './features/session/cookie-value.js'
export type { CookieValue, CookieValueOptions } from './features/session/cookie-value.js'
export type { CookieAttributes } from './features/session/cookie.js'
export type { SessionStore, SessionWrite } from './features/stores/session-store.js'

// # Inferred types
export type { Setting } from './injection/services.js'
export type { TextSchema } from './features/session/draft.js'

// # Deprecated
export {
  /** @deprecated Import it from `verbena/redis`. */
  redisSessions,
} from './features/stores/redis/sessions.js'
export type {
  /** @deprecated Import it from `verbena/redis`. */
  RedisSessionsOptions,
} from './features/stores/redis/sessions.js'
export type {
  /** @deprecated Import it from `verbena/redis`. */
  RedisClient,
} from './features/stores/redis/commands.js'
