/** `verbena/session`: sessions, credentials that are a session, and cookies that nobody else can have written. */

// # Sessions
export { session } from './session/session.js'
export type { Session, SessionCookie, SessionOptions, SessionProvider } from './session/session.js'
export { signedIn } from './session/signed-in.js'
export { sealedCookie, signedCookie } from './session/cookie-value.js'
export type { CookieValue, CookieValueOptions } from './session/cookie-value.js'
export type { CookieAttributes } from './session/cookie.js'
export { redisSessions } from './session/redis-sessions.js'
export type { RedisSessionsOptions } from './session/redis-sessions.js'
export type { SessionStore, SessionWrite } from './session/store.js'
export type { RedisClient } from './stores/redis.js'

// # Inferred types
export type { TextSchema } from './session/draft.js'
