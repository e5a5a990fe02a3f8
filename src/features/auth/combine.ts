/** Providers made of other providers of credentials: one of several, and credentials that may be left out. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkMembers, rule, type Rules } from '../../errors/known-keys.js'
import { type CredentialsProvider, CredentialsRecipe, type Strictness } from '../../injection/credentials.js'
import type { ServicesOf } from '../../injection/provide.js'
import { isRecord } from '../../values/objects.js'
import { authorizationError } from './authorization.js'

startStackAtCaller(anyOf, optional)

type AnyCredentials = CredentialsProvider<unknown, never>

/**
 * Takes the first credentials that a request holds: those of the first provider, else those of the next. Wrong ones are a 401,
 * whatever else the request holds. Without any, the answer is a 401 that names all schemes.
 *
 * @param providers made by `bearer`, `basic` or `apiKey`, for different places
 * @returns a provider of what one of them gives
 * @throws SetupError `PROVIDER_INVALID`
 *
 * @example
 * ```ts
 * import { anyOf, apiKey, bearer, createApp, Route, type Input } from 'verbena'
 *
 * const user = bearer((token) => token === 'a1b2' && { name: 'ada' })
 * const robot = apiKey({ in: 'header', name: 'X-API-Key' }, (key) => key === 'k-3141' && { name: 'the robot' })
 *
 * class Jobs extends Route {
 *   static readonly get = this.contract({ uses: { caller: anyOf(user, robot) } })
 *   async get({ caller }: Input<typeof Jobs.get>) {
 *     return caller.name
 *   }
 * }
 * const app = createApp({ routes: { Jobs } })
 * const refused = await app.fetch(new Request('http://localhost/jobs'))
 * refused.headers.get('www-authenticate') // => 'Bearer, ApiKey in="header", name="X-API-Key"'
 * ```
 */
export function anyOf<const P extends readonly [AnyCredentials, ...AnyCredentials[]]>(
  ...providers: P
): CredentialsProvider<P[number]['~value'], object & ServicesOf<P[number]['~services']>> {
  const recipes = providers.map((provider) => requireCredentials('anyOf', provider))
  if (recipes.length === 0) throw authorizationError('anyOf', 'it is given nothing. Give at least one provider')
  if (recipes.some(({ isOptional }) => isOptional)) {
    throw authorizationError('anyOf', 'one of its providers is optional. Write "optional(anyOf(…))"')
  }
  const schemes = recipes.flatMap((recipe) => recipe.schemes)
  const places = schemes.map(({ parts }) => parts.place)
  const repeated = places.find((place, index) => places.some((other, at) => at !== index && includesPart(other, place)))
  if (repeated !== undefined) {
    throw authorizationError('anyOf', `two of its providers read "${repeated}". Let one function verify both kinds`)
  }
  return sharing(schemes, 'refused')
}

/** Two schemes may read different parts of one header, but none may read a part of what another one reads whole. */
function includesPart(whole: string, part: string): boolean {
  return part === whole || part.startsWith(`${whole}: `)
}

/** What `optional` does with credentials that are there. */
export interface OptionalOptions {
  /** Wrong credentials are a 401 with `'reject'`, the default; with `'ignore'` they count as absent, as that of a session that has ended. */
  readonly invalid?: 'reject' | 'ignore'
}

/**
 * Lets in requests without credentials: their value is `undefined`. Wrong credentials are still a 401, unless `invalid: 'ignore'` lets
 * them in too. Used beside the provider it is made of, credentials are verified once.
 *
 * @param provider made by `bearer`, `basic`, `apiKey` or `anyOf`
 * @param options what wrong credentials are
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
 * const open = await app.fetch(new Request('http://localhost/feed'))
 * await open.text() // => 'for everybody'
 * ```
 */
export function optional<T, Services extends object>(
  provider: CredentialsProvider<T, Services>,
  options: OptionalOptions = {},
): CredentialsProvider<T | undefined, Services> {
  const recipe = requireCredentials('optional', provider)
  if (!isRecord(options))
    throw authorizationError('optional', 'its options are no record. Write "{ invalid: \'ignore\' }"')
  checkMembers(options, OPTIONS, (why) => authorizationError('optional', why))
  const { invalid: wrong = recipe.strictness === 'open' ? 'ignore' : 'reject' } = options
  return sharing(recipe.schemes, wrong === 'ignore' ? 'open' : 'open without')
}

const OPTIONS: Rules = {
  invalid: rule((value) => value === 'reject' || value === 'ignore', `"invalid" must be 'reject' or 'ignore'`),
}

function requireCredentials(name: string, provider: unknown): CredentialsRecipe {
  if (provider instanceof CredentialsRecipe) return provider
  const fix = 'Give what bearer, basic, apiKey or anyOf has made; whoever uses that is resolved after it'
  throw authorizationError(name, `it is given something that does not tell absent credentials from wrong ones. ${fix}`)
}

function sharing(schemes: CredentialsRecipe['schemes'], strictness: Strictness): CredentialsRecipe {
  for (const scheme of schemes) scheme.share()
  return new CredentialsRecipe(schemes, strictness)
}
