/** Validation tab: issues of the request and the response. */
import type { IssueDetail } from '../../../../src/devconsole/wire/request-types.js'
import { h, type Child } from '../../dom/h.js'
import { secondaryText, section } from '../../dom/parts.js'
import { table } from '../../dom/table.js'
import { bodyView } from '../code-view.js'
import type { RecordSource } from './panel-source.js'

/** Shows the issues, then the body of the request. */
export function validationPanel({ record }: RecordSource): Child {
  const vendor = record.vendor === null ? null : `${record.vendor}, through Standard Schema`
  const tables = (['request', 'response'] as const).map((side) => {
    const issues = record.issues.filter((issue) => issue.side === side)
    return issues.length > 0 && section(`Issues of the ${side}`, vendor, issueTable(issues))
  })
  const { body } = record.request
  return [tables, body && section('Body as received', null, bodyView(body))]
}

function issueTable(issues: readonly IssueDetail[]): HTMLElement {
  const rows = issues.map(({ where, message, code, received, missing = false }) => [
    h(
      'code',
      null,
      where.split(/(?<=\.)/).map((part) => [part, h('wbr')]),
    ),
    [message, ' ', secondaryText(code)],
    received === null ? secondaryText(missing ? 'missing' : 'not kept') : h('code', null, received),
  ])
  return table(['Where', 'Message', 'Received'], rows)
}
