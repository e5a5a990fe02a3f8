/** Logs tab: log lines of a request. */
import { h, type Child } from '../../dom/h.js'
import { emptyMessage } from '../../dom/parts.js'
import { ms } from '../../pure/format.js'
import { logLine } from '../log-line.js'
import type { RecordSource } from './panel-source.js'

/** Lists the log lines with their time since the start of the request. */
export function logsPanel({ record }: RecordSource): Child {
  if (record.logs.length === 0) return emptyMessage('This request wrote no log lines.')
  const lines = record.logs.map((line) => logLine(line, `+${ms(Math.max(0, line.time - record.time))}`, null))
  const moreLines = record['dev.logs'] - record.logs.length
  return [h('ol', { class: 'lg' }, lines), moreLines > 0 && emptyMessage(`${moreLines} more lines were not kept.`)]
}
