/** Answers held to their contract. A breach is the author's mistake: a 500 for the client and a full report in the log. */
import type { FullReply } from '../context/reply.js'
import type { Fields } from '../http/fields.js'
import { discard } from '../http/payload.js'
import { ShownIssues, type Issue, type Issues } from '../validation/issues.js'
import { screen } from '../validation/projection/screen.js'
import type { TextSource } from '../validation/text/text-source.js'
import { validate, type Outcome } from '../validation/validate.js'
import type { Call } from './call.js'
import type { CheckedPlan } from './endpoint.js'

type Shown = Pick<ShownIssues, 'list' | 'omitted'>

export class ContractBreach extends Error {
  readonly issues: readonly Issue[]
  /** Private, so that no log shows it; for the console. */
  readonly #received: unknown

  constructor(state: string, { list, omitted }: Shown = new ShownIssues(0), received?: unknown) {
    const lines = list.map(({ pointer, message }) => `\n  ${pointer === '' ? '(whole)' : pointer}: ${message}`)
    const more = omitted === 0 ? '' : `\n  and ${omitted} more`
    super(`The answer does not keep to its contract: ${state}${lines.join('')}${more}`)
    this.name = 'ContractBreach'
    this.issues = list
    this.#received = received
  }

  get received(): unknown {
    return this.#received
  }
}

/** Validates and projects an answer. Without a description of its schema, only validation keeps unknown members back, so it always runs. */
export function checkAnswer({ app }: Call, plan: CheckedPlan, value: unknown): unknown {
  if (value instanceof Promise) refusePromise(value)
  const { schema, isScreened, project } = plan
  if (!isScreened && !app.validateResponses) return project === null ? value : project(value)
  const outcome = isScreened ? screen(schema, value) : validate(schema, value)
  const accept = ({ value: made, issues }: Outcome): unknown => {
    if (issues !== undefined) throw breachOf(issues, app.limits.issues, value, 'the value does not follow its schema')
    return project === null ? made : project(made)
  }
  return outcome instanceof Promise ? outcome.then(accept) : accept(outcome)
}

/** A reply whose header fields break their schema is not sent: what its payload has opened ends. */
export function checkHeaders(
  call: Call,
  described: TextSource,
  fields: Fields,
  reply: FullReply,
): FullReply | Promise<FullReply> {
  const { limits, validateResponses } = call.app
  if (!validateResponses) return reply
  const given = Object.fromEntries(fields)
  const accept = ({ issues }: Outcome): FullReply => {
    if (issues === undefined) return reply
    discard(reply.payload)
    throw breachOf(issues, limits.issues, given, 'its header fields do not follow their schema')
  }
  const outcome = described.read(given)
  return outcome instanceof Promise ? outcome.then(accept) : accept(outcome)
}

/** What it will give would be sent as it is: a promise here says that somebody has forgotten to await it. */
function refusePromise(value: Promise<unknown>): never {
  value.catch(() => {})
  throw new ContractBreach('a promise was returned where its value belongs. Await it')
}

export function breachOf(issues: Issues, most: number, given: unknown, state: string): ContractBreach {
  const shown = new ShownIssues(most)
  shown.add(issues, (issue) => issue)
  return new ContractBreach(state, shown, given)
}
