/**
 * Entries of the step list, and pipelines built from the entries that an endpoint needs.
 *
 * @see docs/decisions/0021-a-request-is-a-list-of-steps.md
 */
import type { Middleware } from '../context/middleware.js'
import { PHASE } from '../observe/request-recorder.js'
import type { Call } from './call.js'
import type { Endpoint, EndpointPlan, Step, StepFacts, Pipeline } from './endpoint.js'

type BuiltStep = Step<Call> | readonly Step<Call>[] | null | false

/** An entry has either `make` or `makeAny`. Both return the step, or several related steps, if the pipeline needs them. */
export interface StepEntry extends StepFacts {
  /** Creates the step of an endpoint. */
  readonly make?: (endpoint: EndpointPlan) => BuiltStep
  /** Creates the step of any pipeline, also of those without an endpoint. */
  readonly makeAny?: (target: PipelineTarget) => BuiltStep
}

/** Steps of the response options of an app or a group; `null` for options that are not set. */
export interface ResponseSteps {
  readonly preflight: Step<Call> | null
  readonly compression: Step<Call> | null
  readonly securityHeaders: Step<Call> | null
  readonly crossOrigin: Step<Call> | null
  /** Returns whether pages of an origin may act for their users. */
  readonly trustsOrigin: Endpoint<Call>['trustsOrigin']
  readonly hasRequestId: boolean
}

/** Target of a pipeline: an endpoint, or a path or app without one, with the response steps that it needs. */
export interface PipelineTarget extends ResponseSteps {
  readonly endpoint: EndpointPlan | null
  readonly chain: readonly Middleware[]
  readonly isPreflight: boolean
}

/** Returns the steps of an entry that the target needs. Tests wrap them with a `makeAny`, which takes precedence. */
export function makeSteps({ make, makeAny }: StepEntry, target: PipelineTarget): readonly Step<Call>[] {
  const { endpoint } = target
  const madeSteps = makeAny?.(target) || (endpoint !== null && make?.(endpoint)) || []
  return typeof madeSteps === 'function' ? [madeSteps] : madeSteps
}

/** Builds a pipeline from the steps that the target needs. */
export function buildPipeline(entries: readonly StepEntry[], target: PipelineTarget): Pipeline<Call> {
  const steps: Step<Call>[] = []
  const built: StepEntry[] = []
  const starts = { route: 0, request: 0, reply: 0, send: 0, end: 0 }
  let key = ''
  for (const [at, entry] of entries.entries()) {
    if (entry.part !== undefined) starts[entry.part] = steps.length
    for (const step of makeSteps(entry, target)) {
      steps.push(step)
      built.push(entry)
      key += `${at} `
    }
  }
  const facts = known.get(entries)?.get(key) ?? {
    entries: built,
    phases: built.map(({ phase }) => (phase ? PHASE[phase] : null)),
  }
  known.set(entries, (known.get(entries) ?? new Map()).set(key, facts))
  // A copied array has no spare capacity.
  return { steps: [...steps], ...facts, onError: starts.reply, onReply: starts.send, onSent: starts.end }
}

/** Entries and phases of pipelines by the list of entries. Pipelines with the same steps share them. */
const known = new WeakMap<readonly StepEntry[], Map<string, Pick<Pipeline<Call>, 'entries' | 'phases'>>>()
