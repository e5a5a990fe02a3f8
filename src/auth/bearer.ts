/** Bearer tokens (RFC 6750). */
import { challenge, type CredentialsProvider, makeCredentials, type Verified } from '../injection/credentials.js'
import { checkTexts, checkedVerify, credentialsOf, invalidToken, isToken68 } from './authorization.js'

/** What is said of bearer tokens. */
export interface BearerOptions {
  /** Name of what is protected, for the challenge. */
  readonly realm?: string
  /** Form of the tokens, such as `JWT`, for the document. */
  readonly format?: string
}

/**
 * Makes a guard that takes a token from `Authorization: Bearer …`. Without a valid token the answer is 401 with a challenge.
 *
 * @param verify gets token and services; gives the value, or something falsy to refuse; may be async. `jwt` makes one
 * @param options realm and format
 * @returns the provider, for `uses`
 * @throws SetupError `PROVIDER_INVALID`
 *
 * @example
 * ```ts
 * import { bearer, createApp, Route, type Input } from 'verbena'
 *
 * const sessions = new Map([['a1b2', { id: 'ada' }]])
 * const currentUser = bearer((token) => sessions.get(token))
 * class Me extends Route {
 *   static readonly get = this.contract({ uses: { user: currentUser } })
 *   async get({ user }: Input<typeof Me.get>) {
 *     return user.id
 *   }
 * }
 * const app = createApp({ routes: { Me } })
 * const refused = await app.fetch(new Request('http://localhost/me'))
 * refused.headers.get('www-authenticate') // => 'Bearer'
 * ```
 */
export function bearer<T, Services extends object = {}>(
  verify: (token: string, services: Services) => T,
  options: BearerOptions = {},
): CredentialsProvider<Verified<T>, Services> {
  const author = checkedVerify<string>('bearer', verify)
  checkTexts('bearer', options, ['realm', 'format'])
  const { realm, format } = options
  return makeCredentials({
    place: 'Authorization: Bearer',
    security: { type: 'http', scheme: 'bearer', ...(format === undefined ? {} : { bearerFormat: format }) },
    challenge: challenge('Bearer', { realm }),
    find: (call) => credentialsOf(call.exchange.header('authorization'), 'bearer'),
    verify: (token, services) => isToken68(token) && author(token, services),
    refusal: () => invalidToken('The token is not valid', realm),
  })
}
