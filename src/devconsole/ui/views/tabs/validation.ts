/** What validators said. */
import type { IssueDetail } from '../../../wire/request-types.js'
import { h, type Child } from '../../dom/h.js'
import { secondaryText, section } from '../../dom/parts.js'
import { table } from '../../dom/table.js'
import { bodyView } from '../code-view.js'
import type { RecordSource } from './panel-source.js'

/** The issues, then the bodies they are about. */
export function validationPanel({ record }: RecordSource): Child {
  const vendor = record.vendor === null ? null : `${record.vendor}, through Standard Schema`
  const [asked, answered] = (['request', 'response'] as const).map((side) => {
    return record.issues.filter((issue) => issue.side === side)
  })
  return [
    asked === undefined || asked.length === 0 ? null : section('Issues of the request', vendor, issueTable(asked)),
    answered === undefined || answered.length === 0
      ? null
      : section('Issues of the response', vendor, issueTable(answered)),
    record.request.body === null ? null : section('Body as received', null, bodyView(record.request.body)),
  ]
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
