/** Answers held to their contract. A breach is the author's mistake: a 500 for the client and a full report in the log. */
import type { FullReply } from '../context/reply.js'
import type { HeaderMap } from '../http/fields.js'
import { discard } from '../http/payload.js'
import { Issues, IssueList, type Issue } from '../validation/issues.js'
import { stripOpaque } from '../validation/projection/opaque.js'
import { StructureError } from '../validation/projection/structures.js'
import type { StringSource } from '../validation/text/string-source.js'
import { validate, type Outcome } from '../validation/validate.js'
import { isThenable, promiseIn } from '../values/objects.js'
import { discardPromise } from '../values/promises.js'
import type { Call } from './call.js'
import type { CheckedPlan } from './endpoint.js'

type ViolationLines = Pick<IssueList, 'list' | 'omitted'>

export class ContractViolation extends Error {
  readonly issues: readonly Issue[]
  /** Private, so that no log shows it; for the console. */
  readonly #received: unknown

  constructor(
    { label }: Pick<Call, 'label'>,
    state: string,
    { list, omitted }: ViolationLines = new IssueList(0),
    received?: unknown,
  ) {
    const lines = list.map(({ pointer, message }) => `\n  ${pointer === '' ? '(whole)' : pointer}: ${message}`)
    const more = omitted === 0 ? '' : `\n  and ${omitted} more`
    super(`Cannot send the answer of ${label}: ${state}${lines.join('')}${more}`)
    this.name = 'ContractBreach'
    this.issues = list
    this.#received = received
  }

  get received(): unknown {
    return this.#received
  }
}

/** Validates and projects an answer. Without a description of its schema, only validation keeps unknown members back, so it always runs. */
export function checkAnswer(call: Call, plan: CheckedPlan, value: unknown): unknown {
  if (isThenable(value)) refusePromises(call, value)
  const { schema, isOpaque } = plan
  if (!isOpaque && !call.app.validateResponses) return projectResult(call, plan, value)
  const outcome = isOpaque ? stripOpaque(schema, value) : validate(schema, value)
  const accept = (checked: Outcome): unknown => {
    if (checked.issues === undefined) return projectResult(call, plan, checked.value)
    refusePromises(call, value)
    throw contractViolation(call, checked.issues, value, NOT_AS_DESCRIBED)
  }
  return outcome instanceof Promise ? outcome.then(accept) : accept(outcome)
}

const NOT_AS_DESCRIBED = 'it does not follow its schema. Send what that describes'

function projectResult(call: Call, { project }: CheckedPlan, value: unknown): unknown {
  if (project === null) return refusePromises(call, value)
  try {
    return refusePromises(call, project(value))
  } catch (error) {
    if (!(error instanceof StructureError)) throw error
    refusePromises(call, value)
    throw contractViolation(call, new Issues([error], undefined), value, NOT_AS_DESCRIBED)
  }
}

/** A promise would be sent as `{}`: somebody has forgotten to await it. Gives back a value without one. */
export function refusePromises(call: Call, value: unknown): unknown {
  const flaw = promiseIn(value)
  if (flaw === undefined) return value
  for (const each of [value, ...Object.values(Object(value))]) discardPromise(each)
  throw new ContractViolation(call, `${flaw}. Await it before you return it`)
}

/** A reply whose header fields break their schema is not sent: what its payload has opened ends. */
export function checkResponseHeaders(
  call: Call,
  described: StringSource,
  fields: HeaderMap,
  reply: FullReply,
): FullReply | Promise<FullReply> {
  if (!call.app.validateResponses) return reply
  const names = described.keys ?? [...fields.keys()]
  const values = Object.fromEntries(names.map((name) => [name, fields.get(name.toLowerCase())]))
  const accept = ({ issues }: Outcome): FullReply => {
    if (issues === undefined) return reply
    discard(reply.payload)
    throw contractViolation(
      call,
      issues,
      values,
      'its header fields do not follow their schema. Send what that describes',
    )
  }
  const outcome = described.read(values)
  return outcome instanceof Promise ? outcome.then(accept) : accept(outcome)
}

export function contractViolation(call: Call, issues: Issues, given: unknown, state: string): ContractViolation {
  const issueList = new IssueList(call.app.limits.issues)
  issueList.add(issues, (issue) => issue)
  return new ContractViolation(call, state, issueList, given)
}
