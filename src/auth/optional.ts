/** Credentials that may be left out. */
import { type CredentialsProvider, CredentialsRecipe } from '../injection/credentials.js'
import { credentialsRecipe } from './authorization.js'

/**
 * Lets in requests without credentials: their value is `undefined`. Wrong credentials are still a 401. Used beside
 * the provider it is made of, credentials are verified once.
 *
 * @param provider made by `bearer`, `basic`, `apiKey` or `anyOf`
 * @returns a provider of the value, or `undefined`
 * @throws SetupError `PROVIDER_INVALID`
 *
 * @example
 * ```ts
 * import { bearer, createApp, optional, Route, type Input } from 'verbena'
 *
 * const currentUser = bearer((token) => (token === 'a1b2' ? { id: 'ada' } : null))
 *
 * class Feed extends Route {
 *   static readonly get = this.contract({ uses: { user: optional(currentUser) } })
 *   async get({ user }: Input<typeof Feed.get>) {
 *     return user === undefined ? 'for everybody' : `for ${user.id}`
 *   }
 * }
 * const app = createApp({ routes: { Feed } })
 * const ask = (headers: Record<string, string>) => app.fetch(new Request('http://localhost/feed', { headers }))
 * const open = await ask({})
 * await open.text() // => 'for everybody'
 * const own = await ask({ authorization: 'Bearer a1b2' })
 * await own.text() // => 'for ada'
 * const wrong = await ask({ authorization: 'Bearer nope' })
 * wrong.status // => 401
 * ```
 */
export function optional<T, Services extends object>(
  provider: CredentialsProvider<T, Services>,
): CredentialsProvider<T | undefined, Services> {
  const { schemes } = credentialsRecipe('optional', provider)
  for (const scheme of schemes) scheme.share()
  return new CredentialsRecipe(schemes, true)
}
