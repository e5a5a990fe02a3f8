/** Which log lines show. */
import type { LogLine, RequestSummary } from '../../wire/request-types.js'

/** What is chosen of the levels. */
export type LevelChoice = 'all' | 'debug' | 'info' | 'warn' | 'error'

/** The choices and their labels. */
export const LEVELS: readonly (readonly [choice: LevelChoice, label: string])[] = [
  ['all', 'all'],
  ['debug', 'debug and up'],
  ['info', 'info and up'],
  ['warn', 'warn and up'],
  ['error', 'error and up'],
]

/** Levels in ascending order; a choice shows its level and all above it. Unknown levels only show with `all`. */
const ORDER = ['trace', 'debug', 'info', 'warn', 'error', 'fatal']

/** Tells whether a line shows. */
export function isShown(
  line: LogLine,
  request: RequestSummary | undefined,
  wanted: { readonly level: LevelChoice; readonly text: string },
): boolean {
  if (ORDER.indexOf(line.level) < ORDER.indexOf(wanted.level)) return false
  if (wanted.text === '') return true
  const place =
    request === undefined
      ? ''
      : `${request['code.function.name'] ?? ''} ${request['url.path']} ${request['dev.requestId'] ?? ''}`
  const fields = line.fields === null ? '' : JSON.stringify(line.fields)
  return `${line.message} ${fields} ${place} ${line.request ?? ''}`.toLowerCase().includes(wanted.text)
}
