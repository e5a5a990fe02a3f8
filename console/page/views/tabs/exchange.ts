/** Request and response tabs: query, headers and bodies. */
import { REDACTED_MARK, type HeaderList, type Message } from '../../../../src/devconsole/wire/request-types.js'
import { h, type Child } from '../../dom/h.js'
import { emptyMessage, pairs, section } from '../../dom/parts.js'
import { formatBytes } from '../../pure/format.js'
import { bodyView } from '../code-view.js'
import type { RecordSource } from './panel-source.js'

export function requestPanel({ record }: RecordSource): Child {
  const query = [...new URLSearchParams(record['url.query'])]
  const tables =
    query.length === 0
      ? emptyMessage('No query.')
      : pairs(
          query.map(([name, value]) => [name, highlightRedacted(value)]),
          'wire',
        )
  return [section('Query', null, tables), ...messageParts(record.request)]
}

export function responsePanel({ record }: RecordSource): Child {
  if (record['http.response.status_code'] === 0) return emptyMessage('Nothing was sent.')
  return messageParts(record.response)
}

function messageParts({ headers, body }: Message): readonly HTMLElement[] {
  const note = body === null ? null : [formatBytes(body.size), body.type].filter((part) => part !== null).join(', ')
  const count = headers.length === 0 ? null : String(headers.length)
  return [section('Headers', count, headerList(headers)), section('Body', note, bodyView(body))]
}

function headerList(headers: HeaderList): HTMLElement {
  if (headers.length === 0) return emptyMessage('No headers.')
  return pairs(
    headers.map(([name, value]) => [name, highlightRedacted(value)]),
    'wire',
  )
}

const REDACTED = new RegExp(`\\b(${REDACTED_MARK})\\b`)

/** Highlights redacted secrets. */
function highlightRedacted(value: string): Child {
  const parts = value.split(REDACTED)
  return parts.map((part) => (part === REDACTED_MARK ? h('span', { class: 'red' }, part) : part))
}
