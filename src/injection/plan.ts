/**
 * Plan of the providers of an endpoint: which ones run, in which order, and who receives their values.
 *
 * @see docs/decisions/0042-settings-from-services.md
 */
import type { StringSource } from '../validation/text/string-source.js'
import type { ProviderRecipe, TextSources } from './provide.js'
import { isSecured } from './override.js'
import { namesRejection, type RejectionResponse } from './credentials.js'

export interface NeededSource {
  readonly source: keyof TextSources
  readonly text: StringSource
}

/** A name in an input, and the index of its value in `RequestScope.values`. */
export interface NamedSlot {
  readonly name: string
  readonly slot: number
}

export interface ProviderStep {
  readonly provider: ProviderRecipe
  /** First name under which the provider was found; for log lines and errors. */
  readonly name: string
  readonly slot: number
  readonly uses: readonly NamedSlot[]
  /** Sources to validate before the provider runs. */
  readonly sources: readonly NeededSource[]
  /** Error response for the value `false`; `null` if `false` is an ordinary value. */
  readonly rejection: RejectionResponse | null
}

/** The providers of an endpoint. Each is listed once, after the providers that it uses. */
export interface ProviderPlan {
  /** Run before the body is read. Sessions and preconditions come last. */
  readonly guards: readonly ProviderStep[]
  /** Run after the body is read and before it is parsed. */
  readonly raw: readonly ProviderStep[]
  /** Run after all sources are validated. */
  readonly others: readonly ProviderStep[]
  readonly contractSlots: readonly NamedSlot[]
  /** Sources of `others`, which are validated together with the sources of the contract. */
  readonly sources: readonly (NeededSource & { readonly slot: number })[]
  readonly grouped: readonly number[]
  /** Slot of the `last` argument of `plan()`; `null` without one. */
  readonly last: number | null
  /** Slot of the transaction in which `idempotency` stores replies; `null` without one. */
  readonly within: number | null
  readonly readsCredentials: boolean
}

/** A guard has `guard: true` or a security scheme, or it uses a provider with a scheme and lists 401 or 403 in `errors`, as roles do. */
export function isGuard(provider: ProviderRecipe): boolean {
  const { guard, security, errors } = provider.needs
  return guard === true || security !== undefined || (isSecured(provider) && namesRejection(errors))
}
