/** Problems held to what contract, class, groups and providers say of their members. */
import { toProblem, type HttpError, type Problem } from '../errors/http-error.js'
import { topLevelKey } from '../validation/text/open-text.js'
import type { Schema } from '../validation/schema.js'
import { thenSync, validate, type Outcome } from '../validation/validate.js'
import type { Call } from './call.js'
import { contractViolation, type ContractViolation } from './check-response.js'

type Members = HttpError['extensions']

/** By call: why the members of its problem are not those that its schema describes, for tests. */
const breaches = new WeakMap<Call, ContractViolation>()

export function membersBreach(call: Call): ContractViolation | undefined {
  return breaches.get(call)
}

/** What the members of a problem follow, one of these; `undefined` where nobody says it, or answers are not validated. */
export function membersSchemas({ endpoint, app }: Call, status: number): readonly Schema[] | undefined {
  const schemas = app.validateResponses ? endpoint?.problems.get(status)?.schemas : undefined
  return schemas?.length === 0 ? undefined : schemas
}

/** Gives the members to send: what their schema makes of them; none where they break it, which is the author's mistake. */
export function checkProblemMembers(
  call: Call,
  error: HttpError,
  schemas: readonly Schema[],
): Members | Promise<Members> {
  const { extensions, status } = error
  const accept = ({ value, issues }: Outcome): Members => {
    if (issues === undefined) return { ...extensions, ...Object(value) }
    const state = `the members of the problem ${status} do not follow their schema. Throw it with what that describes`
    const breach = contractViolation(call, issues, extensions, state)
    breaches.set(call, breach)
    // What the framework throws is its client's doing: it is sent as it is, and only a test is told.
    if (error.source === 'framework') return extensions
    call.reportError(breach, 'A problem was sent without its members')
    return {}
  }
  const outcome = firstThatHolds(toProblem(error, call.id), extensions, schemas)
  return outcome instanceof Promise ? outcome.then(accept) : accept(outcome)
}

/** Several providers may describe the members of the same status, each in its own way. */
function firstThatHolds(problem: Problem, members: Members, schemas: readonly Schema[]): Outcome | Promise<Outcome> {
  return schemas
    .map((schema) => () => hold(problem, members, schema))
    .reduce(
      (before, next) => () => thenSync(before(), (outcome) => (outcome.issues === undefined ? outcome : next())),
    )()
}

/** A schema that describes one of our members gets that too; the others would be unknown to a strict one. */
function hold(problem: Problem, members: Members, schema: Schema): Outcome | Promise<Outcome> {
  return thenSync(validate(schema, members), (outcome) => {
    if (outcome.issues === undefined) return outcome
    const tops = new Set(Array.from(outcome.issues.complaints, topLevelKey))
    const ours = Object.entries(problem).filter(([name]) => !Object.hasOwn(members, name))
    const named = ours.filter(([name]) => tops.has(name))
    if (named.length > 0) return validate(schema, { ...Object.fromEntries(named), ...members })
    // A union complains of the whole.
    if (!tops.has(undefined)) return outcome
    return thenSync(validate(schema, problem), (second) => (second.issues === undefined ? second : outcome))
  })
}
