/** What the parts of the filter share. */
import type { RequestSummary } from './request-types.js'

/** What a filter looks at. */
export interface FilterTarget {
  /** The line of the request. */
  readonly summary: RequestSummary
  /** Its log lines as one text in lower case; left out where they are not at hand. */
  readonly logText?: string
}

/** Whether a request shows. */
export type FilterTest = (target: FilterTarget) => boolean
