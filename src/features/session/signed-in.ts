/** `signedIn`: sessions as credentials. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { unauthorizedError } from '../../errors/http-error.js'
import { checkArgument, functionRule, rule } from '../../errors/options.js'
import { formatChallenges, makeCredentials } from '../../injection/credentials.js'
import type { CredentialsProvider, Verified } from '../../injection/credentials.js'
import type { ServiceValues } from '../../injection/services.js'
import type { SessionProvider } from './session.js'
import { SessionRecipe } from './session-guard.js'

startStackAtCaller(signedIn)

/**
 * Creates a guard that requires a session. It responds with 401 if there is no session, or if `find` returns a falsy value. `anyOf` and
 * `optional` accept it like `bearer`. As for every endpoint that uses the session, requests from pages of other origins get 403, unless
 * the method is GET, HEAD or OPTIONS. In `anyOf` with `bearer`, a request with a valid token skips this check.
 *
 * @param visitor provider created by `session`
 * @param find receives the value of the session and the services; returns the value of the guard, or a falsy value to reject; may be async
 * @returns the provider, for `uses`
 * @throws SetupError `OPTION_INVALID`
 *
 * @example
 * ```ts
 * import { createApp, Route, type Input } from 'verbena'
 * import { session, signedIn } from 'verbena/session'
 *
 * const names = new Map([['7', 'ada']])
 * const visitor = session({ keys: ['a text of 32 bytes that nobody knows'] })
 * const user = signedIn(visitor, (userId) => names.get(userId))
 *
 * class Me extends Route {
 *   static readonly get = this.contract({ uses: { user } })
 *   async get({ user }: Input<typeof Me.get>) {
 *     return user
 *   }
 * }
 * const app = createApp({ routes: { Me } })
 * const refused = await app.fetch(new Request('http://localhost/me'))
 * refused.headers.get('www-authenticate') // => 'ApiKey in="cookie", name="__Host-session"'
 * ```
 */
export function signedIn<Value, T, Services extends object = {}, VisitorServices extends object = {}>(
  visitor: SessionProvider<Value, never, VisitorServices>,
  find: (value: Value, services: Services) => T,
): CredentialsProvider<Verified<T>, Services & VisitorServices> {
  checkArgument(visitor, VISITOR, 'visitor', 'signedIn()')
  checkArgument(find, functionRule(CALL), 'find', 'signedIn()')
  // Proof: the rules have checked both, and the types have the value of the session and the services.
  const { guard } = visitor as unknown as SessionRecipe
  const author = find as (value: unknown, services: ServiceValues) => T
  const { cookieName: name } = guard
  const text = formatChallenges('ApiKey', { in: 'cookie', name })
  return makeCredentials({
    place: `Cookie: ${name}`,
    security: { type: 'apiKey', in: 'cookie', name },
    challenge: text,
    find: (source) => (guard.sessionOf(source)?.value === undefined ? null : name),
    hasExpired: (source) => guard.sessionOf(source)?.hasStaleCookie === true,
    verify: (_name: string, services: ServiceValues, source) => author(guard.sessionOf(source)?.value, services),
    rejectionError: () => unauthorizedError('The session is not valid', text, 'rejected'),
    sender: guard,
  })
}

const CALL = 'signedIn(visitor, (value) => user)'
const VISITOR = rule((value) => value instanceof SessionRecipe, 'be the result of "session({ … })"', CALL)
