/** Providers that combine credentials providers: `anyOf` and `optional`. */
import { startStackAtCaller } from '../../errors/author-calls.js'
import { checkOptions, choiceRule, type Rules } from '../../errors/options.js'
import { SetupError } from '../../errors/setup-error.js'
import { type CredentialsProvider, CredentialsRecipe, type Strictness } from '../../injection/credentials.js'
import type { ServicesOf } from '../../injection/provide.js'

startStackAtCaller(anyOf, optional)

type AnyCredentials = CredentialsProvider<unknown, never>

/**
 * Creates a provider that accepts several kinds of credentials. The first provider that finds credentials in the request verifies them;
 * if they are invalid, the response is 401, and no other provider is tried. Without any credentials, the response is a 401 that names all
 * schemes.
 *
 * @param providers of `bearer`, `basic` or `apiKey`; each must read a different place
 * @returns a provider with the value of the provider that found credentials
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
  if (recipes.length === 0)
    throw combinationError('anyOf', 'the list of providers is empty. Pass at least one provider')
  if (recipes.some(({ isOptional }) => isOptional)) {
    throw combinationError('anyOf', 'one of its providers is optional. Write "optional(anyOf(…))"')
  }
  const schemes = recipes.flatMap((recipe) => recipe.schemes)
  const places = schemes.map(({ parts }) => parts.place)
  const repeated = places.find((place, index) => places.some((other, at) => at !== index && includesPart(other, place)))
  if (repeated !== undefined) {
    throw combinationError(
      'anyOf',
      `two of its providers read "${repeated}". Verify both kinds of credentials in one function`,
    )
  }
  return sharedSchemes(schemes, 'refused')
}

/**
 * Whether two schemes read the same credentials: the same place, or a whole header and a part of it. Different parts of one header do not
 * conflict.
 */
function includesPart(whole: string, part: string): boolean {
  return part === whole || part.startsWith(`${whole}: `)
}

/** Options of `optional`. */
export interface OptionalOptions {
  /**
   * Treatment of invalid credentials. `'reject'` responds with 401; `'ignore'` treats them as missing, which suits expired sessions.
   * Default: the setting of `provider` if that is an `optional` too, otherwise `'reject'`.
   */
  readonly invalid?: 'reject' | 'ignore'
}

/**
 * Accepts requests without credentials; their value is `undefined`. Invalid credentials are still a 401, unless you set
 * `invalid: 'ignore'`. If an endpoint also uses the original provider, the credentials are verified only once per request.
 *
 * @param provider of `bearer`, `basic`, `apiKey` or `anyOf`
 * @param options `invalid`: treatment of invalid credentials
 * @returns a provider with the value of `provider`, or `undefined`
 * @throws SetupError `OPTION_INVALID`, and `PROVIDER_INVALID` for another provider
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
  checkOptions(options, RULES, 'optional()')
  const { invalid: wrong = recipe.strictness === 'open' ? 'ignore' : 'reject' } = options
  return sharedSchemes(recipe.schemes, wrong === 'ignore' ? 'open' : 'open without')
}

const RULES: Rules<OptionalOptions> = { invalid: choiceRule(['reject', 'ignore'], "'ignore'") }

function requireCredentials(name: string, provider: unknown): CredentialsRecipe {
  if (provider instanceof CredentialsRecipe) return provider
  const fix = 'Pass a provider of bearer, basic, apiKey or anyOf, and use the result in your own provider'
  throw combinationError(name, `every provider must distinguish missing credentials from invalid ones. ${fix}`)
}

function sharedSchemes(schemes: CredentialsRecipe['schemes'], strictness: Strictness): CredentialsRecipe {
  for (const scheme of schemes) scheme.share()
  return new CredentialsRecipe(schemes, strictness)
}

function combinationError(name: string, why: string): SetupError {
  return new SetupError('PROVIDER_INVALID', `Cannot create a provider with ${name}(): ${why}`)
}
