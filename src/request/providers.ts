/**
 * Steps of providers: one for each, or two if the provider validates sources. Cleanup runs in the reply steps. `injection/plan` decides
 * which providers are guards, and `injection/scope` rejects the request if a provider returns `false`.
 */
import { RequestContext } from '../context/request-context.js'
import type { NamedSlot, ProviderPlan, ProviderStep } from '../injection/plan.js'
import { NO_SCOPE, RequestScope, type ScopeFailure } from '../injection/scope.js'
import { clientGone, type Call } from './call.js'
import type { Step } from './endpoint.js'
import { readInput, validateSources } from './input.js'

type Prepare = (input: RequestContext) => void

/** The following steps fill the new `call.input`, which the handler receives. */
export function beginProviders(call: Call): void {
  call.providers = new RequestScope((error, provider) =>
    call.report('error', { err: error, provider, route: call.endpoint?.route }, 'Provider cleanup failed'),
  )
  // A separate context, because `mapError` receives `call.context` and must not see values of providers.
  call.input = new RequestContext(call)
}

/** Returns the steps of guards. Header changes of guards are kept if the request fails. */
export function guardSteps(guards: readonly ProviderStep[]): Step<Call>[] {
  return providerSteps(guards, RequestContext.giveToGuard)
}

/** Returns the steps of providers, in order. Before the body is parsed, providers cannot wait for the sources of the contract. */
export function providerSteps(providers: readonly ProviderStep[], prepare: Prepare | null = null): Step<Call>[] {
  return providers.flatMap((provider) => {
    const sources = provider.sources.map((source) => ({ ...source, slot: provider.slot }))
    const validate = validateSources({ sources, body: null })
    const resolve = resolveProvider(provider, prepare)
    return validate === null ? [resolve] : [validate, resolve]
  })
}

function resolveProvider(provider: ProviderStep, prepare: Prepare | null): Step<Call> {
  const { slot, uses } = provider
  const needsBytes = provider.provider.needs.rawBody === true
  return (call) => {
    const { providers, observer, app } = call
    const input = readInput(call, slot)
    setProviderValues(call, input, uses)
    prepare?.(input)
    if (needsBytes) input.rawBody = providers.rawBody
    const { forProviders } = app.services
    const services = observer === null ? forProviders : observer.services(forProviders)
    return providers.resolve(provider, input, services) ?? undefined
  }
}

/** Returns the steps of the providers that need validated sources, and the step that passes provider values to the handler. */
export function otherProviders({ others, given }: ProviderPlan): Step<Call>[] {
  return [...providerSteps(others), (call) => setProviderValues(call, call.input, given)]
}

function setProviderValues(call: Call, input: RequestContext, given: readonly NamedSlot[]): void {
  const { values } = call.providers
  // Proof: setup rejects provider names that the context or every object has, so no other property is overwritten.
  const record = input as unknown as Record<string, unknown>
  for (const { name, slot } of given) record[name] = values[slot]
}

/** Starts provider cleanup. The response is not sent yet, so a cleanup error can still change it. */
export function endProviders(call: Call): Promise<void> | undefined {
  const { providers, failure } = call
  if (providers === NO_SCOPE || call.answeredByMiddleware) return undefined
  if (failure === null && call.isAborted && providers.isOpen('before-response')) call.failure = { error: clientGone() }
  providers.failure ??= call.failure
  return providers.end('before-response') ?? undefined
}

/** Passes an error of the response to the providers that have not ended. */
export function noteSendFailure(call: Call): void {
  const { providers, reply, sendError } = call
  const cause = sendError ?? reply.error ?? (call.isAborted ? clientGone() : undefined)
  if (cause !== undefined && providers !== NO_SCOPE) providers.failure ??= { error: cause }
}

/** Cleans up providers with `ends: 'after-response'`. An error can now only be logged, and drops the tasks. */
export function endAfterAnswer(call: Call): Promise<void> | undefined {
  const { providers } = call
  if (providers === NO_SCOPE) return undefined
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
  const { failure } = call.providers
  if (failure === before || failure === null) return false
  call.reportError(failure.error, 'Provider cleanup failed after the response')
  return true
}
