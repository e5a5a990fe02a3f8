/** Filter of the log lines. */
import type { LogLine, RequestSummary } from '../../../src/devconsole/wire/request-types.js'

export type LevelChoice = 'all' | 'debug' | 'info' | 'warn' | 'error'

export const LEVELS: readonly (readonly [choice: LevelChoice, label: string])[] = [
  ['all', 'all'],
  ['debug', 'debug and up'],
  ['info', 'info and up'],
  ['warn', 'warn and up'],
  ['error', 'error and up'],
]

/** Levels in ascending order. A choice includes its level and all above it. Unknown levels are only included in `all`. */
const ORDER = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

/** Whether a line matches the filter. */
export function matchesLogFilter(
  line: LogLine,
  request: RequestSummary | undefined,
  filter: { readonly level: LevelChoice; readonly text: string },
): boolean {
  if (ORDER.indexOf(line.level) < ORDER.indexOf(filter.level)) return false
  if (filter.text === '') return true
  const place =
    request === undefined
      ? ''
      : `${request['code.function.name'] ?? ''} ${request['url.path']} ${request['dev.requestId'] ?? ''}`
  const fields = line.fields === null ? '' : JSON.stringify(line.fields)
  return `${line.message} ${fields} ${place} ${line.request ?? ''}`.toLowerCase().includes(filter.text)
}
