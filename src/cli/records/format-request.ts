/** Formats requests and failures for terminals, and failures as Markdown. */
import type { ShownRequest } from '../../devconsole/wire/describe-record.js'
import {
  DATA_NOTE,
  escapeControls,
  fence,
  formatSource,
  formatHeadline,
  indentLines,
  listSections,
  formatSummary,
} from '../../devconsole/wire/record-text.js'
import type { DevFailure } from '../dev/dev-state.js'
import type { Terminal } from '../terminal.js'

export function formatRequest(request: ShownRequest, { style }: Pick<Terminal, 'style'>): string {
  const color = request.status >= 500 || request.status === 0 ? 'red' : 'yellow'
  const title = style(color, formatHeadline(request))
  const blocks = listSections(request).map(({ title: name, lines }) =>
    [style('bold', name), ...lines.map(indentLines)].join('\n'),
  )
  return [
    title,
    ...formatSummary(request, style),
    '',
    ...blocks,
    `${style('bold', 'Repeat')}\n  ${request.repeat}`,
  ].join('\n')
}

export function formatFailure(failure: DevFailure, run: number, { style }: Pick<Terminal, 'style'>): string {
  const lines = formatSource(failure.place, failure.source, style)
  const output = escapeControls(failure.output.trimEnd())
  return [style('red', `${failure.message}  run ${run}`), ...lines, '', indentLines(output)].join('\n')
}

export function failureToMarkdown(failure: DevFailure, run: number): string {
  const lines = formatSource(failure.place, failure.source, (_, text) => text)
  return [
    `# ${failure.message} (run ${run})`,
    '',
    DATA_NOTE,
    '',
    ...(lines.length === 0 ? [] : [fence(lines.join('\n')), '']),
    '## Output',
    '',
    fence(escapeControls(failure.output.trimEnd())),
  ].join('\n')
}
