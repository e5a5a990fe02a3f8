/** The step that ends the requests of a proof after the guards. Only the variant of an app that a proof creates has it. */
import { serializedReply } from '../context/reply.js'
import { NO_PAYLOAD } from '../http/payload.js'
import { namesRejection } from '../injection/credentials.js'
import type { Call } from '../request/call.js'
import type { Endpoint, Pipeline, Step, StepFacts } from '../request/endpoint.js'
import { PIPELINE_STEPS } from '../request/steps.js'
import { ProofExchange } from './proof-exchange.js'

const STOP: StepFacts = { name: 'end of a proof' }

/** Ends a request of a proof with a success, so that providers clean up and middleware returns as for every other request. */
function stopAfterGuards(call: Call): void {
  const { exchange, pipeline } = call
  if (!(exchange instanceof ProofExchange)) return
  exchange.hasPassed = true
  call.reply = serializedReply(204, null, NO_PAYLOAD)
  call.stepIndex = pipeline.onError
}

/** Whether a provider verifies the bytes of the body, as `webhook` does. It decides who may call, so the body is read for it. */
export function verifiesBody({ providers }: Pick<Endpoint, 'providers'>): boolean {
  return providers !== null && providers.raw.some(({ provider }) => namesRejection(provider.needs.errors))
}

/** Adds the step to the pipeline of an endpoint. */
export function addStop(endpoint: Endpoint<Call>): void {
  const lastStep = verifiesBody(endpoint) ? 'raw body providers' : 'guards'
  // Proof: endpoints are plain objects of the variant, which has not handled a request yet.
  Object.assign(endpoint, { pipeline: insertStop(endpoint.pipeline, lastStep) })
}

function insertStop(pipeline: Pipeline<Call>, last: string): Pipeline<Call> {
  const end = PIPELINE_STEPS.findIndex(({ name }) => name === last)
  const isLater = (facts: StepFacts): boolean => PIPELINE_STEPS.findIndex((entry) => entry === facts) > end
  const at = pipeline.entries.findIndex(isLater)
  const steps = pipeline.steps.map((step, index) => skipKeyOfProof(step, pipeline.entries[index]))
  return {
    steps: steps.toSpliced(at, 0, stopAfterGuards),
    entries: pipeline.entries.toSpliced(at, 0, STOP),
    phases: pipeline.phases.toSpliced(at, 0, null),
    onError: pipeline.onError + 1,
    onReply: pipeline.onReply + 1,
    onSent: pipeline.onSent + 1,
  }
}

/** The lookup of an idempotency key comes before providers of the body. A request of a proof skips it, because it would lock the key. */
function skipKeyOfProof(step: Step<Call>, facts: StepFacts | undefined): Step<Call> {
  if (facts?.name !== 'idempotency key') return step
  return (call) => (call.exchange instanceof ProofExchange ? undefined : step(call))
}
