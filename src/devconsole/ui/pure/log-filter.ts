/** Which log lines show. */
import type { LogLine, RequestSummary } from '../../wire/request-types.js'

/** What is chosen of the levels. */
export type LevelChoice = 'all' | 'debug' | 'info' | 'warn' | 'error'

/** The choices and their labels. */
export const LEVELS: readonly (readonly [choice: LevelChoice, label: string])[] = [
  ['all', 'all'],
  ['debug', 'debug'],
  ['info', 'info'],
  ['warn', 'warn and up'],
  ['error', 'error'],
]

const TOGETHER: Readonly<Record<Exclude<LevelChoice, 'all'>, readonly string[]>> = {
  debug: ['debug', 'trace'],
  info: ['info'],
  warn: ['warn', 'error', 'fatal'],
  error: ['error', 'fatal'],
}

/** Tells whether a line shows. */
export function isShown(
  line: LogLine,
  request: RequestSummary | undefined,
  wanted: { readonly level: LevelChoice; readonly text: string },
): boolean {
  if (wanted.level !== 'all' && !TOGETHER[wanted.level].includes(line.level)) return false
  if (wanted.text === '') return true
  const place =
    request === undefined
      ? ''
      : `${request['code.function.name'] ?? ''} ${request['url.path']} ${request['dev.requestId'] ?? ''}`
  const fields = line.fields === null ? '' : JSON.stringify(line.fields)
  return `${line.message} ${fields} ${place} ${line.request ?? ''}`.toLowerCase().includes(wanted.text)
}
