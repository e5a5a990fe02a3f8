/** `verbena requests`: lists the recorded requests. */
import type { RequestSummary } from '../devconsole/wire/request-types.js'
import { CommandError, EXIT, printResult, readString, type Command, type CommandInput } from './command.js'
import { describeRecord, formatTarget, type InRun, type ShownRequest } from '../devconsole/wire/describe-record.js'
import { escapeLine, escapeText, formatCall, formatQuery } from '../devconsole/wire/record-text.js'
import { findRequest, openSource, SOURCE_OPTIONS } from './records/open-source.js'
import type { RecordSource } from './records/record-source.js'
import { formatTable, type Column, type Terminal } from './terminal.js'

export const DETAILS = ['queries', 'calls', 'problems'] as const
type Detail = (typeof DETAILS)[number]

/** A row, as `--json` prints it. */
interface ListedRequest extends Pick<
  ShownRequest,
  'id' | 'run' | 'time' | 'method' | 'target' | 'route' | 'status' | 'duration' | 'flags'
> {
  /** Number of queries. */
  readonly queries: number
  /** Calls, queries or problems, with `--show`. */
  readonly details?: readonly unknown[]
}

export const requests: Command = {
  name: 'requests',
  summary: 'List the requests that were recorded',
  args: [],
  options: {
    ...SOURCE_OPTIONS,
    where: { type: 'string', value: '<filter>', help: 'Filter of the console, such as "status:>=500 path:/orders"' },
    show: { type: 'string', value: '<what>', help: `Show ${DETAILS.join(', ')} below each request` },
  },
  details:
    'The newest request is first. The filter has the same terms as the list of the console, all of which must match.',
  example: 'requests --where "status:5xx" --show queries',
  async run(input, terminal) {
    const detail = toDetail(input)
    const rows = await listRequests(await openSource(input), readString(input, 'where') ?? '', detail)
    await printResult(
      input,
      rows.map(({ row }) => row),
      () => formatRows(rows, terminal),
      terminal,
    )
    return EXIT.fine
  },
}

function toDetail(input: CommandInput): Detail | null {
  const show = readString(input, 'show')
  if (show === undefined) return null
  const detail = DETAILS.find((each) => each === show)
  if (detail !== undefined) return detail
  throw new CommandError(`Cannot show "${show}": "--show" must be ${DETAILS.join(', ')}`)
}

interface Row {
  readonly row: ListedRequest
  /** Lines below it. */
  readonly lines: readonly string[]
}

/** Returns the requests that match a filter, newest first. */
export async function listRequests(source: RecordSource, where: string, detail: Detail | null): Promise<Row[]> {
  const list = await source.requests(where)
  return Promise.all(list.map((summary) => listRequest(source, summary, detail)))
}

async function listRequest(source: RecordSource, summary: InRun<RequestSummary>, detail: Detail | null): Promise<Row> {
  const row = {
    id: summary.id,
    run: summary.run,
    time: summary.time,
    method: summary['http.request.method'],
    target: formatTarget(summary),
    route: summary['http.route'],
    status: summary['http.response.status_code'],
    duration: summary['dev.duration'],
    queries: summary['dev.queries'],
    flags: summary['dev.flags'],
  }
  if (detail === null) return { row, lines: [] }
  const { calls, queries, problems } = describeRecord(await findRequest(source, summary.id))
  if (detail === 'calls') return { row: { ...row, details: calls }, lines: calls.map(formatCall) }
  if (detail === 'queries') return { row: { ...row, details: queries }, lines: queries.map(formatQuery) }
  return { row: { ...row, details: problems }, lines: problems.map(escapeLine) }
}

export function formatRows(rows: readonly Row[], terminal: Pick<Terminal, 'style' | 'width'>): string {
  if (rows.length === 0) return 'No request is recorded, or none matches'
  const { style } = terminal
  const columns: Column[] = [
    { title: 'STATUS', paint: (text) => (/^(?:5|-)/.test(text) ? style('red', text) : text) },
    { title: 'METHOD', paint: (text) => style('cyan', text) },
    { title: 'PATH', paint: (text) => style('bold', text) },
    { title: 'MS' },
    { title: 'FLAGS', paint: (text) => style('yellow', text) },
    { title: 'RUN' },
    { title: 'ID', paint: (text) => style('dim', text) },
  ]
  const cells = rows.map(({ row }) => [
    row.status === 0 ? '-' : String(row.status),
    escapeLine(row.method),
    escapeLine(row.target),
    row.duration.toFixed(1),
    row.flags.map(escapeText).join(' ') || '-',
    String(row.run ?? '-'),
    row.id,
  ])
  if (rows.every(({ lines }) => lines.length === 0)) return formatTable(columns, cells, terminal)
  // Rows of several lines would separate the lines from their request.
  const [title, ...table] = formatTable(columns, cells, { ...terminal, width: Infinity }).split('\n')
  return [title, ...rows.flatMap(({ lines }, at) => [table[at], ...lines.map((line) => `    ${line}`)])].join('\n')
}
