/** Entries of the step list, and pipelines built from the entries that an endpoint needs. */
import type { Middleware } from '../context/middleware.js'
import type { PhaseNumber } from '../observe/request-recorder.js'
import type { AnswerSteps } from './response-steps.js'
import type { Call } from './call.js'
import type { EndpointPlan, Step, Pipeline } from './endpoint.js'

type StepPhase = PhaseNumber | null
type BuiltStep = Step<Call> | readonly Step<Call>[] | null | false

export interface StepEntry {
  readonly name: string
  /** Statuses with which the step rejects requests. */
  readonly statuses: string
  /** Phase to which its time belongs; `null` for the phase of the step before it. */
  readonly phase: StepPhase
  /** Creates the step, or several related steps, if the target needs them. */
  readonly make: (from: PipelineTarget) => BuiltStep
}

/** Target of a pipeline: an endpoint, or a path or app without one; with or without middleware. */
export interface PipelineTarget {
  readonly endpoint: EndpointPlan | null
  readonly chain: readonly Middleware[]
  readonly hasMiddleware: boolean
  readonly answers: AnswerSteps
  readonly isPreflight: boolean
}

export function step(name: string, statuses: string, phase: StepPhase, make: StepEntry['make']): StepEntry {
  return { name, statuses, phase, make }
}

export function endpointStep(
  name: string,
  refuses: string,
  phase: StepPhase,
  make: (of: EndpointPlan) => BuiltStep,
): StepEntry {
  return step(name, refuses, phase, ({ endpoint }) => endpoint !== null && make(endpoint))
}

/** Builds a pipeline from the steps that the target needs. After an error, it continues with the first step of `back`. */
export function buildPipeline(
  into: readonly StepEntry[],
  back: readonly StepEntry[],
  around: PipelineTarget,
): Pipeline<Call> {
  const steps = into.flatMap((entry) => buildSteps(entry, around))
  const all = [...steps, ...back.flatMap((entry) => buildSteps(entry, around))]
  return { steps: all.map(({ run }) => run), phases: all.map(({ phase }) => phase), onError: steps.length }
}

function buildSteps({ make, phase }: StepEntry, around: PipelineTarget): { run: Step<Call>; phase: StepPhase }[] {
  return [make(around) || []].flat().map((run) => ({ run, phase }))
}
