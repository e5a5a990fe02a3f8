/** Input of the tabs in the detail. */
import type { ShownRecord } from '../../../../src/devconsole/wire/view-types.js'
import type { RequestSummary } from '../../../../src/devconsole/wire/request-types.js'
import type { ViewContext } from '../context.js'

export interface PanelSource {
  readonly summary: RequestSummary
  /** `null` until the record is read, and if it cannot be read. */
  readonly record: ShownRecord | null
  /** Whether the record cannot be read. */
  readonly isGone: boolean
  readonly context: ViewContext
}

/** Input of the tabs that require the record. */
export interface RecordSource extends PanelSource {
  readonly record: ShownRecord
}
