/** `verbena last`: shows the last thing that went wrong, also while the app is down. */
import { CommandError, EXIT, printResult, type Command, type CommandInput } from './command.js'
import type { DevFailure, DevRun } from './dev/dev-state.js'
import { describeRecord, isProblem, type ShownRequest } from '../devconsole/wire/describe-record.js'
import { requestToMarkdown } from '../devconsole/wire/record-text.js'
import { failureToMarkdown, formatFailure, formatRequest } from './records/format-request.js'
import { findRequest, openSource, SOURCE_OPTIONS } from './records/open-source.js'
import type { RecordSource } from './records/record-source.js'
import type { Terminal } from './terminal.js'

export const MARKDOWN_OPTION = {
  type: 'boolean',
  help: 'Print Markdown, with recorded text marked as data',
} as const

/** A failed start, or an unexpected end of the app, as `--json` prints it. */
interface StartFailure extends DevFailure {
  readonly kind: 'start'
  readonly run: number
}

type LastProblem = ShownRequest | StartFailure

export const last: Command = {
  name: 'last',
  summary: 'Show what went wrong last',
  args: [],
  options: { ...SOURCE_OPTIONS, markdown: MARKDOWN_OPTION },
  details:
    'A request with an error or another problem, or a start that failed: the line of code, its calls and queries, and how to repeat it.',
  example: 'last --markdown',
  async run(input, terminal) {
    const problem = await findLast(await openSource(input))
    await printProblem(input, problem, terminal)
    return problem === null ? EXIT.fine : EXIT.findings
  },
}

/** Returns the newest problem; `null` if nothing went wrong. A failure of the newest run is newer than its requests. */
export async function findLast(source: RecordSource): Promise<LastProblem | null> {
  const failure = findFailure(source.runs)
  const [summary] = (await source.requests('')).filter(isProblem)
  if (failure !== null && (summary === undefined || failure.time >= summary.time)) return failure
  return summary === undefined ? null : describeRecord(await findRequest(source, summary.id))
}

/** Returns the newest failure, unless a newer run serves the app. */
function findFailure([newest]: readonly DevRun[]): StartFailure | null {
  if (newest === undefined || newest.failure === null) return null
  return { kind: 'start', run: newest.number, ...newest.failure }
}

/** Whether the result is Markdown. Throws a `CommandError` if it would also be JSON. */
export function printsMarkdown({ values }: CommandInput): boolean {
  const { markdown, json } = values
  if (markdown === true && json === true) {
    throw new CommandError('Cannot print JSON and Markdown. Remove "--json" or "--markdown"')
  }
  return markdown === true
}

async function printProblem(input: CommandInput, problem: LastProblem | null, terminal: Terminal): Promise<void> {
  const isMarkdown = printsMarkdown(input)
  await printResult(input, problem, () => formatLast(problem, isMarkdown, terminal), terminal)
}

function formatLast(problem: LastProblem | null, isMarkdown: boolean, terminal: Terminal): string {
  if (problem === null) return terminal.style('green', 'Nothing went wrong')
  if (problem.kind === 'request') return isMarkdown ? requestToMarkdown(problem) : formatRequest(problem, terminal)
  const { run } = problem
  return isMarkdown ? failureToMarkdown(problem, run) : formatFailure(problem, run, terminal)
}
