/** Resolving the providers of a call, one after the other; nothing waits unless one of them is asynchronous. */
import { RequestContext } from '../context/request-context.js'
import type { NamedSlot, ProviderStep } from '../injection/plan.js'
import { viewServices } from '../observe/service-view.js'
import type { ServedCall, Step } from './served-call.js'
import { rawOf, SourceChecks } from './source-checks.js'

/** Providers to be resolved, and what follows then. */
export interface Resolving<V> {
  readonly steps: readonly ProviderStep[]
  readonly next: Step<V>
  readonly value: V
}

/** Resolves providers and goes on. */
export function resolveSteps<V>(call: ServedCall, { steps, next, value }: Resolving<V>): void {
  const waiting = resolveFrom(call, steps, 0)
  if (waiting === null) next(call, value)
  else call.runLater(waiting, () => next(call, value))
}

function resolveFrom(call: ServedCall, steps: readonly ProviderStep[], first: number): Promise<void> | null {
  for (const [offset, step] of steps.slice(first).entries()) {
    const input = inputOf(call, step)
    const waiting =
      input instanceof Promise
        ? input.then((bound) => resolveOne(call, step, bound) ?? undefined)
        : resolveOne(call, step, input)
    if (waiting !== null) return waiting.then(() => resolveFrom(call, steps, first + offset + 1) ?? undefined)
  }
  return null
}

function resolveOne(call: ServedCall, step: ProviderStep, input: RequestContext): Promise<void> | null {
  const { values } = call.core.services
  return call.providers.resolve(step, input, call.trail === null ? values : viewServices(values, call.trail))
}

function inputOf(call: ServedCall, step: ProviderStep): RequestContext | Promise<RequestContext> {
  const input = inputAt(call, step.slot)
  giveValues(call, input, step.uses)
  if (step.provider.needs.rawBody === true) input.rawBody = call.providers.rawBody
  return step.sources.length === 0 ? input : validated(call, step, input)
}

/** What runs before the body is parsed cannot wait for the contract's sources. */
function validated(
  call: ServedCall,
  step: ProviderStep,
  input: RequestContext,
): RequestContext | Promise<RequestContext> {
  const checks = new SourceChecks()
  for (const { source, text } of step.sources) checks.take(input, source, text.read(rawOf(call, source)))
  const conclude = (): RequestContext => {
    if (checks.refused.length > 0) throw checks.error(call.core.limits.issues)
    return input
  }
  return checks.pending === null ? conclude() : Promise.all(checks.pending).then(conclude)
}

/** What a provider gets. */
export function inputAt(call: ServedCall, slot: number): RequestContext {
  return (call.providers.inputs[slot] ??= new RequestContext(call))
}

/** Puts values of providers into an input. */
export function giveValues(call: ServedCall, input: RequestContext, given: readonly NamedSlot[]): void {
  const { values } = call.providers
  // Proof: names of the context, and of every object, were refused when the app was made: nothing of its own is overwritten.
  const record = input as unknown as Record<string, unknown>
  for (const { name, slot } of given) record[name] = values[slot]
}
