/** Overrides: providers replaced for a test. The replacement stands where the provider stood, and asks for nothing. */
import { startStackAtCaller } from '../errors/author-calls.js'
import { SetupError } from '../errors/setup-error.js'
import { CredentialsRecipe } from './credentials.js'
import { ProviderRecipe, readUses, type AnyProvider } from './provide.js'

startStackAtCaller(override)

/** A provider replaced for a test. */
export interface Override {
  /** A type only. */
  readonly '~override': true
}

/** An override at run time. It stands in the place of a provider, reads nothing of the request, and needs no other. */
export class StandIn extends ProviderRecipe implements Override {
  declare readonly '~override': true
  readonly replaced: ProviderRecipe

  constructor(replaced: ProviderRecipe, value: () => unknown) {
    const { guard, security, errors } = replaced.needs
    const needs = {
      ...(guard === undefined ? {} : { guard }),
      ...(security === undefined ? {} : { security }),
      ...(errors === undefined ? {} : { errors }),
    }
    super(Object.freeze(needs), () => value())
    this.replaced = replaced
  }
}

/**
 * Replaces a provider for a test, and with it those that `optional` or `anyOf` made of it. The request need not hold what the
 * provider reads, and the providers it uses do not run for it.
 *
 * @param provider of the app
 * @param value gives the value for each request; may be async. To refuse the request, throw an `HttpError`
 * @returns the override, for `testApp`
 * @throws SetupError `TEST_INVALID` when an argument is something else
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
  if (!(replaced instanceof ProviderRecipe)) throw overrideError('it is not a provider. Give what "provide(…)" returns')
  if (typeof value !== 'function')
    throw overrideError('its value is not a function. Write "override(provider, () => value)"')
  return new StandIn(replaced, value)
}

export class Overrides {
  readonly #standIns: readonly StandIn[]
  readonly #used = new Set<StandIn>()

  constructor(standIns: readonly StandIn[]) {
    this.#standIns = standIns
  }

  /** What stands in the place of a provider: another one, or itself. */
  of(provider: ProviderRecipe): ProviderRecipe {
    const isItself = ({ replaced }: StandIn): boolean => replaced === provider
    const standIn = this.#standIns.find(isItself) ?? this.#standIns.find(({ replaced }) => wraps(provider, replaced))
    if (standIn === undefined) return provider
    this.#used.add(standIn)
    return standIn
  }

  checkUsed(): void {
    const at = this.#standIns.findIndex((standIn) => !this.#used.has(standIn))
    if (at < 0) return
    const fix = 'Give the very object that stands in "uses", and each one once'
    throw overrideError(`no endpoint of the app uses that of override[${at}]. ${fix}`)
  }
}

export const NO_OVERRIDES: Overrides = new Overrides([])

/** By `optional` and `anyOf`: they take over the schemes of those they are given. */
function wraps(provider: ProviderRecipe, replaced: ProviderRecipe): boolean {
  if (!(provider instanceof CredentialsRecipe) || !(replaced instanceof CredentialsRecipe)) return false
  return !replaced.isOptional && replaced.schemes.every((scheme) => provider.schemes.includes(scheme))
}

/** What a provider stands for in a test: it runs, and refuses, as that would have. */
export function unwrapOverride(provider: ProviderRecipe): ProviderRecipe {
  return provider instanceof StandIn ? provider.replaced : provider
}

/** Whether a provider, or one that it uses, has a security scheme. */
export function isSecured(provider: ProviderRecipe, seen: Set<ProviderRecipe> = new Set()): boolean {
  if (seen.has(provider)) return false
  seen.add(provider)
  const { security, uses = {} } = unwrapOverride(provider).needs
  return security !== undefined || readUses(uses, 'a provider').some((used) => isSecured(used.provider, seen))
}

function overrideError(why: string): SetupError {
  return new SetupError('TEST_INVALID', `Cannot override a provider: ${why}`)
}
