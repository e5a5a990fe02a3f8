/** Decides which records can displace which other records, in the store of the console and in the list of the page. */
import type { RequestSummary } from './request-types.js'

/** Groups of records with separate limits. Requests of one group do not displace requests of another group. */
type RetentionGroup = 'failed' | 'rejected' | 'ordinary'

/** Maximum number of failed records, and of rejected ones, that are stored in addition to the newest records. */
export const MAX_OF_GROUP = 100

export function retentionGroup(summary: RequestSummary): RetentionGroup {
  const status = summary['http.response.status_code']
  if (status >= 500 || summary['dev.flags'].length > 0) return 'failed'
  return status >= 400 ? 'rejected' : 'ordinary'
}
