/** What decorators put around a verb method, made one function at registration. */
import type { Around, DecoratedEndpoint, DecoratorInput } from './decorator-types.js'

/** Calls a method through its decorators; a method that is no promise stays none. */
export type AroundCall = (input: DecoratorInput, proceed: () => unknown) => unknown

/** Puts decorators around each other. Returns all of them as one, `null` for none. */
export function aroundOf(arounds: readonly Around[], endpoint: DecoratedEndpoint): AroundCall | null {
  return arounds.reduceRight<AroundCall | null>((inner, around) => {
    if (inner === null) return (input, proceed) => around(input, proceed, endpoint)
    return (input, proceed) => around(input, () => inner(input, proceed), endpoint)
  }, null)
}
