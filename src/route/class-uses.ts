/** `static uses` of a class: what it uses, and that nothing of what it inherits is lost. */
import type { ProviderRecipe } from '../injection/provide.js'
import { readUses, usesError, type NamedProvider } from '../injection/uses.js'

/**
 * Reads `static uses` of a class. One that overrides an inherited one contains all its entries: a guard that a base
 * class says holds for every subclass.
 */
export function readClassUses(routeClass: new () => object, name: string): readonly NamedProvider[] {
  const [own, ...inherited] = declaredUses(routeClass).map((value) => readUses(value, `the class "${name}"`))
  if (own === undefined) return []
  for (const uses of inherited) for (const entry of uses) checkKept(entry, own, name)
  return own
}

/** Refuses providers that have the name of a member of the class. */
export function checkUsedNames(routeClass: new () => object, name: string, uses: readonly NamedProvider[]): void {
  for (const used of uses) {
    if (!(used.name in routeClass.prototype)) continue
    throw usesError(`the class "${name}"`, `it has a member "${used.name}". Rename the provider or the member`)
  }
}

/** From the class up to `Route`. */
function declaredUses(routeClass: new () => object): unknown[] {
  const found: unknown[] = []
  for (let owner: object | null = routeClass; owner !== null; owner = Object.getPrototypeOf(owner)) {
    const descriptor = Object.getOwnPropertyDescriptor(owner, 'uses')
    if (descriptor !== undefined) found.push(Reflect.get(owner, 'uses'))
  }
  return found
}

/** Another provider may take its place when it uses it. */
function checkKept({ name: kept, provider }: NamedProvider, own: readonly NamedProvider[], name: string): void {
  const now = own.find((entry) => entry.name === kept)
  if (now !== undefined && isBuiltOn(now.provider, provider, new Set())) return
  const state = now === undefined ? 'it is missing' : 'another provider stands there, which does not use it'
  const wayOut = 'Write "static override readonly uses = { ...super.uses, … }" with the base class for "super"'
  throw usesError(`the class "${name}"`, `"${kept}" is inherited, and ${state}. ${wayOut}`)
}

function isBuiltOn(provider: ProviderRecipe, wanted: ProviderRecipe, seen: Set<ProviderRecipe>): boolean {
  if (provider === wanted) return true
  if (seen.has(provider)) return false
  seen.add(provider)
  const used = readUses(provider.needs.uses ?? {}, 'a provider')
  return used.some((entry) => isBuiltOn(entry.provider, wanted, seen))
}
