/** Checks that a redeclared contract keeps the guards of the inherited contract. */
import { namesRejection } from '../injection/credentials.js'
import { isBuiltOn, unwrapOverride } from '../injection/override.js'
import { isGuard } from '../injection/plan.js'
import { readUses, usesError, type NamedProvider, type ProviderRecipe } from '../injection/provide.js'
import { readContract, type ContractSpec } from '../route/contract.js'

/**
 * Throws `USES_INVALID` if an endpoint lacks a guard of the inherited contract. The `uses` of class and contract must contain the guard,
 * or a provider that uses it, under the same name. For a guard that only other providers use, any name is valid. Providers that are not
 * guards may be removed.
 */
export function checkInheritedGuards(
  routeClass: object,
  name: string,
  { verb, uses }: { verb: string; uses: readonly NamedProvider[] },
): void {
  for (const contract of declaredContracts(routeClass, verb).slice(1)) {
    for (const entry of readUses(contract?.uses ?? {}, `a contract of "${name}"`)) {
      if (mayReject(entry.provider)) checkInheritedGuard(entry, uses, `"${name}.${verb}"`)
      else checkUsedGuards(entry, uses, `"${name}.${verb}"`)
    }
  }
}

/** Whether the provider is a guard or a session, or lists 401 or 403 in `errors`, such as a provider that verifies a body signature. */
function mayReject(provider: ProviderRecipe): boolean {
  const original = unwrapOverride(provider)
  return isGuard(original) || original.place === 'last guard' || namesRejection(original.needs.errors)
}

/** Returns the contracts that the class and its base classes declare for a verb, starting with the class. `undefined`: not a contract. */
function declaredContracts(routeClass: object, verb: string): (ContractSpec | undefined)[] {
  const contracts: (ContractSpec | undefined)[] = []
  for (let owner: object | null = routeClass; owner !== null; owner = Object.getPrototypeOf(owner)) {
    if (Object.hasOwn(owner, verb)) contracts.push(readContract(Reflect.get(owner, verb)))
  }
  return contracts
}

function checkInheritedGuard({ name, provider }: NamedProvider, uses: readonly NamedProvider[], where: string): void {
  const entry = uses.find((each) => each.name === name)
  if (entry !== undefined && isBuiltOn(entry.provider, provider)) return
  const state = entry === undefined ? 'is missing' : 'is replaced by a provider that does not use it'
  const fix = `Add "${name}" of the inherited contract to "uses", or a provider that uses it`
  throw usesError(where, `the guard "${name}" of the inherited contract ${state}. ${fix}`)
}

function checkUsedGuards({ name, provider }: NamedProvider, uses: readonly NamedProvider[], where: string): void {
  for (const guard of usedGuards(provider, new Set())) {
    if (uses.some((each) => isBuiltOn(each.provider, guard))) continue
    const state = `a guard that "${name}" of the inherited contract uses is missing`
    throw usesError(where, `${state}. Add "${name}" to "uses", or the guard itself`)
  }
}

/** Returns the guards that a provider uses, directly or through others. */
function usedGuards(provider: ProviderRecipe, seen: Set<ProviderRecipe>): ProviderRecipe[] {
  const original = unwrapOverride(provider)
  if (seen.has(original)) return []
  seen.add(original)
  if (mayReject(original)) return [original]
  return readUses(original.needs.uses ?? {}, 'a provider').flatMap((used) => usedGuards(used.provider, seen))
}
