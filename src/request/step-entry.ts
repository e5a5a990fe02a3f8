/** Entries of the list of steps, and how a way is made of those that an endpoint needs. */
import type { Middleware } from '../context/middleware.js'
import type { PhaseNumber } from '../observe/request-recorder.js'
import type { AnswerSteps } from './response-steps.js'
import type { Call } from './call.js'
import type { EndpointPlan, Step, Pipeline } from './endpoint.js'

type StepPhase = PhaseNumber | null
type BuiltStep = Step<Call> | readonly Step<Call>[] | null | false

export interface StepEntry {
  readonly name: string
  /** Statuses that it refuses a request with. */
  readonly statuses: string
  /** The phase that its time is added to; `null` for that of the step before it. */
  readonly phase: StepPhase
  /** Makes the step, or several that belong together, for those who need it. */
  readonly make: (from: PipelineTarget) => BuiltStep
}

/** What a way is made for: an endpoint, or a path or an app without one; and whether middleware stands around it. */
export interface PipelineTarget {
  readonly endpoint: EndpointPlan | null
  readonly chain: readonly Middleware[]
  readonly hasMiddleware: boolean
  /** What options say of every answer. */
  readonly answers: AnswerSteps
  /** Whether it answers a preflight. */
  readonly isPreflight: boolean
}

export function step(name: string, statuses: string, phase: StepPhase, make: StepEntry['make']): StepEntry {
  return { name, statuses, phase, make }
}

/** A line that only endpoints need. */
export function endpointStep(
  name: string,
  refuses: string,
  phase: StepPhase,
  make: (of: EndpointPlan) => BuiltStep,
): StepEntry {
  return step(name, refuses, phase, ({ endpoint }) => endpoint !== null && make(endpoint))
}

/** The way of those lines that are needed; an error goes on at the first one of `back`. */
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
