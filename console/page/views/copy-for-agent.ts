/** Copies a request with a problem for a coding agent, as `verbena last --markdown` prints it. */
import { describeRecord } from '../../../src/devconsole/wire/describe-record.js'
import { requestToMarkdown } from '../../../src/devconsole/wire/record-text.js'
import type { ShownRecord } from '../../../src/devconsole/wire/view-types.js'
import { copyText } from '../dom/notice.js'

export function copyForAgent(record: ShownRecord): Promise<void> {
  return copyText(requestToMarkdown(describeRecord({ ...record, run: null })), 'for an agent')
}
