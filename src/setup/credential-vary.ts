/** Finds which request headers the guards of an endpoint read. */
import { isToken } from '../http/fields.js'
import type { ProviderPlan } from '../injection/plan.js'
import { unwrapOverride } from '../injection/override.js'
import type { ProviderRecipe, SecurityScheme } from '../injection/provide.js'

/**
 * Returns the headers with credentials, and other headers that guards read according to their schemas, as the value of `Vary`. Empty if the
 * credentials are in the URL or the TLS connection. `null` if the endpoint reads no credentials.
 */
export function varyOfCredentials(plan: ProviderPlan | null): string | null {
  if (plan === null || !plan.readsCredentials) return null
  const names = plan.guards.flatMap(({ provider, sources }) => [
    ...headersOfCredentials(unwrapOverride(provider)),
    ...sources.flatMap(({ source, text }) => {
      if (source === 'cookies') return ['cookie']
      return source === 'headers' ? (text.keys ?? []) : []
    }),
  ])
  return [...new Set(names)].filter(isToken).join(', ')
}

/** Sessions, and cookies that Verbena signs or seals, have no security scheme. */
function headersOfCredentials({ needs, readsCredentials }: ProviderRecipe): string[] {
  if (needs.security === undefined) return readsCredentials ? ['cookie'] : []
  return [needs.security].flat().flatMap(headersOfScheme)
}

function headersOfScheme({ type, in: place, name }: SecurityScheme): string[] {
  if (type === 'mutualTLS') return []
  if (type !== 'apiKey') return ['authorization']
  if (place === 'cookie') return ['cookie']
  return place === 'header' ? [String(name).toLowerCase()] : []
}
