/** Log lines, in the view of logs and in the detail of a request. */
import type { LogLine } from '../../../src/devconsole/wire/request-types.js'
import { h, type Child } from '../dom/h.js'

export function logLine(line: LogLine, time: string, link: Child): HTMLElement {
  const fields = Object.entries(line.fields ?? {}).map(([name, value]) => {
    return `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`
  })
  // `bdi`: right-to-left text in a field must not move the other fields.
  const isolated = fields.map((field, index) => [index === 0 ? '' : ' ', h('bdi', null, field)])
  const isError = line.level === 'error' || line.level === 'fatal'
  return h(
    'li',
    { class: isError ? 'e' : null },
    h('time', { class: 'dim', datetime: new Date(line.time).toISOString() }, time),
    h('span', { class: `lv ${line.level.replaceAll(/\W/g, '')}` }, line.level),
    h('span', { class: 'msg' }, h('bdi', null, line.message), ' ', h('span', { class: 'f' }, isolated)),
    link,
  )
}
