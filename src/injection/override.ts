/** Stand-ins of providers, for `override` in tests. */
import { ProviderRecipe, readUses } from './provide.js'

/** Replacement of a provider for `testApp`, created by `override`. */
export interface Override {
  /** Type brand; not present at run time. */
  readonly '~override': true
}

const RETAINED_NEEDS: ReadonlySet<string> = new Set(['guard', 'security', 'errors'])

/** Replaces a provider in plans. It has the same guard, security and errors, but reads no sources and uses no providers. */
export class StandIn extends ProviderRecipe implements Override {
  declare readonly '~override': true
  readonly replaced: ProviderRecipe

  constructor(replaced: ProviderRecipe, value: () => unknown) {
    const needs = Object.entries(replaced.needs).filter(([key]) => RETAINED_NEEDS.has(key))
    super(Object.freeze(Object.fromEntries(needs)), () => value())
    this.replaced = replaced
  }
}

/** Returns the provider that an override replaces. It decides when the override runs, and how it rejects. */
export function unwrapOverride(provider: ProviderRecipe): ProviderRecipe {
  if (provider instanceof StandIn) return provider.replaced
  return provider
}

/** Whether a provider, or one that it uses, has a security scheme. */
export function isSecured(provider: ProviderRecipe, seen: Set<ProviderRecipe> = new Set()): boolean {
  if (seen.has(provider)) return false
  seen.add(provider)
  const { security, uses = {} } = unwrapOverride(provider).needs
  return security !== undefined || readUses(uses, 'a provider').some((used) => isSecured(used.provider, seen))
}

/** Whether a provider is `wanted`, or uses it. A test override counts as the provider that it replaces. */
export function isBuiltOn(
  recipe: ProviderRecipe,
  wanted: ProviderRecipe,
  seen: Set<ProviderRecipe> = new Set(),
): boolean {
  const provider = unwrapOverride(recipe)
  if (provider === unwrapOverride(wanted)) return true
  if (seen.has(provider)) return false
  seen.add(provider)
  const used = readUses(provider.needs.uses ?? {}, 'a provider')
  return used.some((entry) => isBuiltOn(entry.provider, wanted, seen))
}
