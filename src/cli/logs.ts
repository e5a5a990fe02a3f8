/** `verbena logs`: prints the log lines that were recorded, and follows new ones. */
import type { LogLine } from '../devconsole/wire/request-types.js'
import { EXIT, printResult, type Command } from './command.js'
import { escapeLine } from '../devconsole/wire/record-text.js'
import { openSource, SOURCE_OPTIONS } from './records/open-source.js'
import type { InRun } from '../devconsole/wire/describe-record.js'
import type { Terminal } from './terminal.js'

export const logs: Command = {
  name: 'logs',
  summary: 'Print the log lines that were recorded',
  args: [],
  options: { ...SOURCE_OPTIONS, follow: { type: 'boolean', short: 'f', help: 'Print new lines until Ctrl+C' } },
  details: 'The newest line is last. With "--follow --json", each line is a JSON object.',
  example: 'logs -f',
  async run(input, terminal) {
    const source = await openSource(input)
    const lines = await source.lines()
    const isFollowing = input.values['follow'] === true
    const isJson = input.values['json'] === true
    const format = (line: InRun<LogLine>): string => (isJson ? JSON.stringify(line) : formatLog(line, terminal))
    if (!isFollowing) {
      await printResult(input, lines, () => lines.map(format).join('\n') || 'No log line is recorded', terminal)
      return EXIT.fine
    }
    for (const line of lines) await terminal.print(format(line))
    await source.follow((line) => void terminal.print(format(line)))
    return EXIT.fine
  },
}

export function formatLog(
  { time, level, message, fields, request }: InRun<LogLine>,
  { style }: Pick<Terminal, 'style'>,
): string {
  const clock = new Date(time).toTimeString().slice(0, 8)
  const color = level === 'error' || level === 'fatal' ? 'red' : 'yellow'
  const name = escapeLine(level)
  const shownLevel = /^(?:error|fatal|warn)/.test(level) ? style(color, name) : name
  const values = fields === null ? '' : escapeLine(JSON.stringify(fields))
  return [style('dim', clock), shownLevel, escapeLine(message), values, style('dim', request ?? '')]
    .filter(Boolean)
    .join('  ')
}
