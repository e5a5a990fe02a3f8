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
  /** Fields of the call that the step reads, an arrow, and the fields that it sets: `path → endpoint failure`. */
  readonly fields: string
  /** Statuses with which the step rejects requests. */
  readonly statuses: string
  /** Creates the step, or several related steps, if the target needs them. */
  readonly make: (from: PipelineTarget) => BuiltStep
  /** Phase to which its time belongs; `null` for the phase of the step before it. */
  readonly phase: StepPhase
}

/** Target of a pipeline: an endpoint, or a path or app without one; with or without middleware. */
export interface PipelineTarget {
  readonly endpoint: EndpointPlan | null
  readonly chain: readonly Middleware[]
  readonly hasMiddleware: boolean
  readonly answers: AnswerSteps
  readonly hasRequestId: boolean
  readonly isPreflight: boolean
}

export function step(name: string, fields: string, statuses: string, make: StepEntry['make']): StepEntry {
  return { name, fields, statuses, make, phase: null }
}

export function endpointStep(
  name: string,
  fields: string,
  statuses: string,
  make: (of: EndpointPlan) => BuiltStep,
): StepEntry {
  return step(name, fields, statuses, ({ endpoint }) => endpoint !== null && make(endpoint))
}

/** Begins a phase with a step. */
export function begin(phase: PhaseNumber, entry: StepEntry): StepEntry {
  return { ...entry, phase }
}

/** Entries of a pipeline, in groups. */
interface PipelineEntries {
  readonly request: readonly StepEntry[]
  /** An error continues with the first of these steps. */
  readonly reply: readonly StepEntry[]
  /** The reply of middleware continues with the first of these steps. */
  readonly send: readonly StepEntry[]
  /** A response that could not be sent continues with the first of these steps. */
  readonly end: readonly StepEntry[]
}

/** Builds a pipeline from the steps that the target needs. */
export function buildPipeline(entries: PipelineEntries, target: PipelineTarget): Pipeline<Call> {
  const steps: Step<Call>[] = []
  const phases: StepPhase[] = []
  const append = (group: readonly StepEntry[]): number => {
    const first = steps.length
    for (const { make, phase } of group) {
      for (const built of [make(target) || []].flat()) {
        steps.push(built)
        phases.push(phase)
      }
    }
    return first
  }
  append(entries.request)
  const [onError, onReply, onSent] = [append(entries.reply), append(entries.send), append(entries.end)]
  return { steps, phases, onError, onReply, onSent }
}
