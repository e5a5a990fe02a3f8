/** Reads the issues of a validation outcome. */
import type { Issue, Issues } from '#src/validation/issues.js'
import type { Outcome } from '#src/validation/validate.js'

/** Returns all issues as a response lists them; `undefined` if there are none. */
export function readIssues({ issues }: { readonly issues: Issues | undefined }): Issue[] | undefined {
  return issues && Array.from(issues.rawIssues, (_, index) => issues.at(index))
}

/** An outcome with its issues as an array. */
export interface ReadOutcome {
  readonly value: unknown
  readonly issues: Issue[] | undefined
}

export function readOutcome(outcome: Outcome): ReadOutcome {
  return { value: outcome.value, issues: readIssues(outcome) }
}
