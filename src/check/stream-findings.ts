/** Findings about providers that end while a stream still uses their values. */
import { unwrapOverride } from '../injection/override.js'
import { ProviderRecipe } from '../injection/provide.js'
import type { Endpoint } from '../request/endpoint.js'
import { listReplyPlans, listSteps } from '../setup/plans.js'
import type { Finding } from './findings.js'

/**
 * Reports the generators of authors whose cleanup runs at the first chunk of a stream. A provider that stores idempotent responses has to
 * end before the response, and providers of Verbena do so on purpose.
 */
export function earlyCleanups(endpoints: readonly Endpoint[]): Finding[] {
  const within = new Set(endpoints.map(({ idempotency }) => idempotency?.within))
  return endpoints.filter(streams).flatMap(({ route, method, path, providers }) => {
    const early = listSteps(providers).filter(({ provider }) => {
      const recipe = unwrapOverride(provider)
      return endsEarly(recipe) && !within.has(recipe)
    })
    return early.map(({ name }) => {
      const what = `"${method} ${path}" streams, but the code after "yield" of its provider "${name}" runs at the first chunk`
      const message = `${what}. The rest of the stream uses a closed value, such as a transaction that has ended`
      const option = `Write "{ ends: 'after-response' }" as the third argument of "provide"`
      const effect = 'A commit that fails is only logged then, because the client already has the whole response'
      const fix = `${option}. ${effect}. If the method only returns "sendFile(…)", declare "file()" instead of "stream()"`
      return { code: 'CLEANUP_EARLY', route, method, message, fix } as const
    })
  })
}

/** Whether the method returns a stream other than a file. Without `returns`, only generators are known to do so. */
function streams({ response, handler }: Endpoint): boolean {
  const kinds = listReplyPlans(response).map(({ kind }) => kind)
  if (response === null) return isGeneratorFunction(handler, 'Async')
  return kinds.some((kind) => kind === 'stream' || kind === 'events' || kind === 'jsonLines')
}

function endsEarly(provider: ProviderRecipe): boolean {
  const isOfAuthor = Object.getPrototypeOf(provider) === ProviderRecipe.prototype
  const isCleanedUp = isGeneratorFunction(provider.resolve, '') || isGeneratorFunction(provider.resolve, 'Async')
  return isOfAuthor && isCleanedUp && provider.ends === 'before-response'
}

/** Does not detect generators that were compiled to ordinary functions for older engines. */
function isGeneratorFunction(value: unknown, prefix: '' | 'Async'): boolean {
  return Object.prototype.toString.call(value) === `[object ${prefix}GeneratorFunction]`
}
