/** Validation of the extension members of problems, against the schemas of contract, class, groups and providers. */
import type { HttpError } from '../errors/http-error.js'
import { toProblem, type Problem } from '../errors/problem.js'
import { topLevelKey } from '../validation/text/open-text.js'
import type { Schema } from '../validation/schema.js'
import { validate, type Outcome } from '../validation/validate.js'
import { thenSync } from '../values/promises.js'
import type { Call } from './call.js'
import { contractViolation, type ContractViolation } from './check-response.js'

type Extensions = HttpError['extensions']

/** Violations of these schemas by request, for tests. */
const breaches = new WeakMap<Call, ContractViolation>()

export function membersBreach(call: Call): ContractViolation | undefined {
  return breaches.get(call)
}

/** Returns the members to send, as converted by their schema. If they are invalid, logs the violation and returns none. */
export function checkProblemMembers(
  call: Call,
  error: HttpError,
  schemas: readonly Schema[],
): Extensions | Promise<Extensions> {
  const { extensions, status } = error
  const accept = ({ value, issues }: Outcome): Extensions => {
    if (issues === undefined) return { ...extensions, ...Object(value) }
    const state = `the extension members of the ${status} problem do not match their schema. Throw it with members that match`
    const breach = contractViolation(call, issues, extensions, state)
    breaches.set(call, breach)
    // Errors thrown by Verbena are caused by the client, not the author. They are sent unchanged, and only tests see the violation.
    if (error.source === 'framework') return extensions
    call.reportError(breach, 'Problem sent without its extension members')
    return {}
  }
  const outcome = firstThatHolds(toProblem(error, call.id), extensions, schemas)
  return thenSync(outcome, accept)
}

/** Tries each schema until one matches, because several providers may describe the members of the same status differently. */
function firstThatHolds(problem: Problem, members: Extensions, schemas: readonly Schema[]): Outcome | Promise<Outcome> {
  return schemas
    .map((schema) => () => checkMember(problem, members, schema))
    .reduce(
      (before, next) => () => thenSync(before(), (outcome) => (outcome.issues === undefined ? outcome : next())),
    )()
}

/** Validates again with the standard members that the issues name, such as `status`. Strict schemas would reject all of them. */
function checkMember(problem: Problem, members: Extensions, schema: Schema): Outcome | Promise<Outcome> {
  return thenSync(validate(schema, members), (outcome) => {
    if (outcome.issues === undefined) return outcome
    const tops = new Set(Array.from(outcome.issues.rawIssues, topLevelKey))
    const ours = Object.entries(problem).filter(([name]) => !Object.hasOwn(members, name))
    const named = ours.filter(([name]) => tops.has(name))
    if (named.length > 0) return validate(schema, { ...Object.fromEntries(named), ...members })
    // A union reports its issues for the whole value, without the name of a member.
    if (!tops.has(undefined)) return outcome
    return thenSync(validate(schema, problem), (second) => (second.issues === undefined ? second : outcome))
  })
}
