/** Reading the issues of an outcome. */
import type { Issue, Issues } from '#src/validation/issues.js'
import type { Outcome } from '#src/validation/validate.js'

/** Every issue, as an answer would show it; undefined when there are none. */
export function readIssues({ issues }: { readonly issues: Issues | undefined }): Issue[] | undefined {
  return issues && Array.from(issues.complaints, (_, index) => issues.at(index))
}

/** An outcome whose issues are read. */
export interface ReadOutcome {
  readonly value: unknown
  readonly issues: Issue[] | undefined
}

/** The outcome with all its issues read. */
export function readOutcome(outcome: Outcome): ReadOutcome {
  return { value: outcome.value, issues: readIssues(outcome) }
}
