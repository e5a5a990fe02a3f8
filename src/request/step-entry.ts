/** Entries of the step list, and pipelines built from the entries that an endpoint needs. */
import type { Middleware } from '../context/middleware.js'
import type { PhaseNumber } from '../observe/request-recorder.js'
import type { Call } from './call.js'
import type { Endpoint, EndpointPlan, Step, StepFacts, Pipeline } from './endpoint.js'

type BuiltStep = Step<Call> | readonly Step<Call>[] | null | false

export interface StepEntry extends StepFacts {
  /** Fields of the call that the step reads, an arrow, and the fields that it sets: `path → endpoint failure`. */
  readonly fields: string
  /** Creates the step, or several related steps, if the target needs them. */
  readonly make: (from: PipelineTarget) => BuiltStep
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

/** Target of a pipeline: an endpoint, or a path or app without one; with or without middleware. */
export interface PipelineTarget {
  readonly endpoint: EndpointPlan | null
  readonly chain: readonly Middleware[]
  readonly hasMiddleware: boolean
  readonly answers: ResponseSteps
  readonly isPreflight: boolean
}

/** @param title name, with the condition in parentheses unless the step is in every pipeline: `request id (with requestId)` */
export function step(title: string, fields: string, statuses: string, make: StepEntry['make']): StepEntry {
  const [name = title, when = 'always'] = title.split(/ \(|\)$/)
  return { name, when, fields, statuses, make, phase: null }
}

export function endpointStep(
  title: string,
  fields: string,
  statuses: string,
  make: (of: EndpointPlan) => BuiltStep,
): StepEntry {
  return step(title, fields, statuses, ({ endpoint }) => endpoint !== null && make(endpoint))
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
  const built: StepEntry[] = []
  const append = (group: readonly StepEntry[]): number => {
    const first = steps.length
    for (const entry of group) {
      for (const made of [entry.make(target) || []].flat()) {
        steps.push(made)
        built.push(entry)
      }
    }
    return first
  }
  append(entries.request)
  const [onError, onReply, onSent] = [append(entries.reply), append(entries.send), append(entries.end)]
  return { steps, entries: built, onError, onReply, onSent }
}
