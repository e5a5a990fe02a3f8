/**
 * Steps of providers: one for each, or two if the provider validates sources. Cleanup runs in the reply steps. `injection/plan` decides
 * which providers are guards, and `injection/scope` rejects the request if a provider returns `false`.
 */
import { RequestContext, ContextView, type BaseContext } from '../context/request-context.js'
import type { NamedSlot, ProviderStep } from '../injection/plan.js'
import { TEXT_SOURCES } from '../injection/provide.js'
import type { RequestScope, ScopeFailure } from '../injection/scope.js'
import { clientGone } from '../http/exchange.js'
import type { Call } from './call.js'
import type { EndpointPlan, Step } from './endpoint.js'
import { openInput, openScope, validateSources } from './input.js'

/** Returns the steps of guards. Header changes of guards are kept if the request fails. Without guards, a step begins their phase. */
export function guardSteps({ providers, path }: EndpointPlan): Step<Call>[] | null {
  if (providers === null) return null
  const { guards } = providers
  return guards.length === 0 ? [(call) => void openScope(call)] : providerSteps(guards, path, true)
}

export function rawBodyProviders({ providers, path }: EndpointPlan): Step<Call>[] | null {
  return providers && providerSteps(providers.raw, path)
}

/** Returns the steps of providers, in order. Before the body is parsed, providers cannot wait for the sources of the contract. */
function providerSteps(providers: readonly ProviderStep[], path: string, isGuard: boolean = false): Step<Call>[] {
  return providers.flatMap((provider) => {
    const sources = provider.sources.map((source) => ({ ...source, slot: provider.slot }))
    const validate = validateSources({ sources, body: null, path })
    const resolve = resolveProvider(provider, isGuard)
    return validate === null ? [resolve] : [validate, resolve]
  })
}

const INPUT_NEEDS = [...TEXT_SOURCES, 'rawBody', 'uses'] as const

/** A provider without its own input shares one with the others or, as a guard, gets the context of middleware. */
function resolveProvider(provider: ProviderStep, isGuard: boolean): Step<Call> {
  const { slot, uses } = provider
  const { needs } = provider.provider
  const hasInput = INPUT_NEEDS.some((need) => needs[need] !== undefined)
  return function resolveProvider(call) {
    const { observer } = call
    const scope = openScope(call)
    let input: BaseContext
    if (hasInput) {
      const ownInput = openInput(call, slot)
      setValues(ownInput, uses, scope)
      if (isGuard) RequestContext.giveToGuard(ownInput)
      if (needs.rawBody === true) ownInput.rawBody = call.body?.bytes ?? NO_BYTES
      input = ownInput
    } else if (isGuard) input = call.context
    else input = scope.sharedInput ??= new ContextView(call, false)
    const { forProviders } = call.app.services
    const services = observer === null ? forProviders : observer.services(forProviders)
    return scope.resolve(provider, input, services) ?? undefined
  }
}

const NO_BYTES = new Uint8Array()

/** Returns the steps of the providers that need validated sources, and the step that passes provider values to the handler. */
export function otherProviders({ providers, path }: EndpointPlan): Step<Call>[] | null {
  if (providers === null) return null
  const { others, contractSlots } = providers
  const steps = providerSteps(others, path)
  if (contractSlots.length === 0) return steps
  return [
    ...steps,
    function passValues(call) {
      setValues(call.input, contractSlots, openScope(call))
    },
  ]
}

function setValues(input: RequestContext, slots: readonly NamedSlot[], { values }: RequestScope): void {
  // Proof: setup rejects provider names that the context or every object has, so no other property is overwritten.
  const record = input as unknown as Record<string, unknown>
  for (const { name, slot } of slots) record[name] = values[slot]
}

/** Starts provider cleanup. The response is not sent yet, so a cleanup error can still change it. */
export function endProviders(call: Call): Promise<void> | undefined {
  const { providers, failure, overrun } = call
  if (providers === null || overrun?.isLate === true) return undefined
  if (failure === null && providers.isOpen('before-response') && call.isAborted) call.failure = { error: clientGone() }
  providers.failure ??= call.failure
  return providers.end('before-response') ?? undefined
}

/** Passes an error of the response to the providers that have not ended. */
export function noteSendFailure(call: Call): void {
  const { providers, reply, sendError } = call
  const cause = sendError ?? reply.error ?? (call.isAborted ? clientGone() : undefined)
  if (cause !== undefined && providers !== null) providers.failure ??= { error: cause }
}

/** Cleans up providers with `ends: 'after-response'`. An error can now only be logged, and drops the tasks. */
export function endAfterResponse(call: Call): Promise<void> | undefined {
  const { providers } = call
  if (providers === null) return undefined
  noteSendFailure(call)
  const before = providers.failure
  const check = (): void => {
    if (reportCleanupError(call, before)) call.tasks = null
  }
  const waiting = providers.end('after-response')
  if (waiting !== null) return waiting.then(check)
  check()
  return undefined
}

/** Logs an error of provider cleanup that occurred since `before`. Returns whether there was one. */
export function reportCleanupError(call: Call, before: ScopeFailure | null): boolean {
  const failure = call.providers?.failure ?? null
  if (failure === before || failure === null) return false
  call.reportError(failure.error, 'Provider cleanup failed after the response')
  return true
}
