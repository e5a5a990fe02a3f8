/** A line of the log. */
import type { LogLine } from '../../wire/request-types.js'
import { h, type Child } from '../dom/h.js'

export function logLine(line: LogLine, time: string, link: Child): HTMLElement {
  const fields = Object.entries(line.fields ?? {}).map(([name, value]) => `${name}=${valueText(value)}`)
  // A field with right-to-left text must not move the others.
  const marks = fields.map((field, index) => [index === 0 ? '' : ' ', h('bdi', null, field)])
  const fieldMarks = h('span', { class: 'f' }, marks)
  const isError = line.level === 'error' || line.level === 'fatal'
  return h(
    'li',
    { class: isError ? 'e' : null },
    h('time', { class: 'dim', datetime: new Date(line.time).toISOString() }, time),
    h('span', { class: `lv ${line.level.replaceAll(/\W/g, '')}` }, line.level),
    h('span', { class: 'msg' }, h('bdi', null, line.message), ' ', fieldMarks),
    link,
  )
}

function valueText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
