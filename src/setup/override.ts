/** `override`, which replaces providers in tests. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { describeForeign } from '../errors/copies.js'
import { SetupError } from '../errors/setup-error.js'
import { CredentialsRecipe } from '../injection/credentials.js'
import { StandIn, type Override } from '../injection/override.js'
import { ProviderRecipe, type AnyProvider } from '../injection/provide.js'

startStackAtCaller(override)

/**
 * Replaces a provider in a test, and all providers that `optional` or `anyOf` created from it. Requests do not need the data that the
 * provider reads. The providers that it uses do not run, unless something else uses them.
 *
 * @param provider a provider of the app
 * @param value returns the value for each request; may be async. To reject a request, throw an `HttpError`
 * @returns the override, for `testApp`
 * @throws SetupError `TEST_INVALID` if `provider` is not a provider or `value` is not a function
 *
 * @example
 * ```ts
 * import { bearer, createApp, Route, type Input } from 'verbena'
 * import { override, testApp } from 'verbena/testing'
 *
 * const currentUser = bearer(async (token) => (token === 'a1b2' ? { name: 'ada' } : undefined))
 * class Me extends Route {
 *   static readonly get = this.contract({ uses: { user: currentUser } })
 *   async get({ user }: Input<typeof Me.get>) {
 *     return user.name
 *   }
 * }
 * const app = createApp({ routes: { Me } })
 * const { api } = await testApp(app, { override: [override(currentUser, () => ({ name: 'ben' }))] })
 * const { body } = await api('/me').get()
 * body // => 'ben'
 * ```
 */
export function override<P extends AnyProvider>(
  provider: P,
  value: () => P['~value'] | Promise<P['~value']>,
): Override {
  const replaced: unknown = provider
  if (!(replaced instanceof ProviderRecipe)) {
    const foreign = describeForeign(replaced)
    const why = 'must be a provider. Pass the result of "provide(…)"'
    throw overrideError(`its first argument ${foreign === undefined ? why : `is ${foreign}`}`)
  }
  if (typeof value !== 'function')
    throw overrideError('its second argument must be a function. Write "override(provider, () => value)"')
  return new StandIn(replaced, value)
}

export class Overrides {
  readonly #standIns: readonly StandIn[]
  readonly #used = new Set<StandIn>()

  constructor(standIns: readonly StandIn[]) {
    this.#standIns = standIns
  }

  /** Returns the override of a provider; without an override, the provider itself. */
  of(provider: ProviderRecipe): ProviderRecipe {
    const isItself = ({ replaced }: StandIn): boolean => replaced === provider
    const standIn =
      this.#standIns.find(isItself) ?? this.#standIns.find(({ replaced }) => wrapsProvider(provider, replaced))
    if (standIn === undefined) return provider
    this.#used.add(standIn)
    return standIn
  }

  checkUsed(): void {
    const at = this.#standIns.findIndex((standIn) => !this.#used.has(standIn))
    if (at < 0) return
    const fix = 'Pass the same object as in "uses", and override each provider only once'
    throw overrideError(`no endpoint uses the provider of override[${at}]. ${fix}`)
  }
}

export const NO_OVERRIDES: Overrides = new Overrides([])

/** Whether `optional` or `anyOf` created `provider` from `replaced`. It then contains the schemes of `replaced`. */
function wrapsProvider(provider: ProviderRecipe, replaced: ProviderRecipe): boolean {
  if (!(provider instanceof CredentialsRecipe) || !(replaced instanceof CredentialsRecipe)) return false
  return !replaced.isOptional && replaced.schemes.every((scheme) => provider.schemes.includes(scheme))
}

function overrideError(why: string): SetupError {
  return new SetupError('TEST_INVALID', `Cannot override a provider: ${why}`)
}
