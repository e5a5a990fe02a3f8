/** `uses` at run time: providers by name, on a class, a contract, a group, or another provider. */
import { CONTEXT_NAMES } from '../context/context-names.js'
import { SetupError } from '../errors/setup-error.js'
import { ProviderRecipe } from './provide.js'

/** A provider, and the name it is used under. */
export interface NamedProvider {
  readonly name: string
  readonly provider: ProviderRecipe
}

/** Reads what was given as `uses`. */
export function readUses(value: unknown, where: string): readonly NamedProvider[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw usesError(where, 'it is not a record. Write "uses: { user: currentUser }"')
  }
  return Object.entries(value).map(([name, provider]) => {
    if (CONTEXT_NAMES.includes(name) || name in Object.prototype) {
      throw usesError(where, `the name "${name}" is taken by something else. Use another name`)
    }
    if (provider instanceof ProviderRecipe) return { name, provider }
    const wayOut = 'Give what "provide(…)" returns; it is undefined where two modules import each other'
    throw usesError(where, `"${name}" is not a provider. ${wayOut}`)
  })
}

/** The error for `uses` that cannot hold. */
export function usesError(where: string, why: string): SetupError {
  return new SetupError('USES_INVALID', `Cannot read uses of ${where}: ${why}`)
}
