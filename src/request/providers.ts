/**
 * Providers: each is a step of its own, or two where it waits for its sources. What they have opened ends on the way back. Which of them
 * are guards is decided in `injection/plan`; `injection/scope` refuses the call where one gives `false`.
 */
import { RequestContext } from '../context/request-context.js'
import type { NamedSlot, ProviderPlan, ProviderStep } from '../injection/plan.js'
import { NO_SCOPE, RequestScope, type ScopeFailure } from '../injection/scope.js'
import { clientGone, type Call } from './call.js'
import type { Step } from './endpoint.js'
import { inputAt, validateSources } from './input.js'

/** Does something to the context of a provider before that runs. */
type Prepare = (input: RequestContext) => void

/** From here on `call.input` is what the handler gets; the steps that follow fill it. */
export function beginProviders(call: Call): void {
  call.providers = new RequestScope((error, provider) =>
    call.report('error', { err: error, provider, route: call.endpoint?.route }, 'A provider failed at its end'),
  )
  // A context of its own: `mapError` gets `call.context`, and does not see what providers give.
  call.input = new RequestContext(call)
}

/** The steps of an endpoint's guards: what they set through `response` stays when the request fails. */
export function guardSteps(guards: readonly ProviderStep[]): Step<Call>[] {
  return providerSteps(guards, RequestContext.giveToGuard)
}

/** The steps of some of an endpoint's providers, in their order. One that runs before the body is parsed cannot wait for the contract's sources. */
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
    const input = inputAt(call, slot)
    setProviderValues(call, input, uses)
    prepare?.(input)
    if (needsBytes) input.rawBody = providers.rawBody
    const { forProviders } = app.services
    const services = observer === null ? forProviders : observer.services(forProviders)
    return providers.resolve(provider, input, services) ?? undefined
  }
}

/** The steps of the providers that wait for valid sources; then the handler gets the values of those that it uses. */
export function otherProviders({ others, given }: ProviderPlan): Step<Call>[] {
  return [...providerSteps(others), (call) => setProviderValues(call, call.input, given)]
}

function setProviderValues(call: Call, input: RequestContext, given: readonly NamedSlot[]): void {
  const { values } = call.providers
  // Proof: names of the context, and of every object, were refused when the app was made: nothing of its own is overwritten.
  const record = input as unknown as Record<string, unknown>
  for (const { name, slot } of given) record[name] = values[slot]
}

/** Ends what providers have opened. Nothing of the answer has left yet, so one that fails can still change it. */
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

/** Ends the providers that end with the answer. What one throws now can only be logged; tasks are dropped then. */
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

/** Logs what providers have failed of since `before`. Returns whether one has. */
export function reportCleanupError(call: Call, before: ScopeFailure | null): boolean {
  const { failure } = call.providers
  if (failure === before || failure === null) return false
  call.reportError(failure.error, 'A provider failed after the answer')
  return true
}
