/** What the panels of the detail are made of. */
import type { ShownRecord } from '../../../wire/view-types.js'
import type { RequestSummary } from '../../../wire/request-types.js'
import type { ViewContext } from '../context.js'

/** What a panel is made of. */
export interface PanelSource {
  readonly summary: RequestSummary
  /** `null` before it was read, and when it cannot be. */
  readonly record: ShownRecord | null
  /** Whether it cannot be read. */
  readonly isGone: boolean
  readonly context: ViewContext
}

/** What a panel is made of once its record was read. */
export interface RecordSource extends PanelSource {
  readonly record: ShownRecord
}
