/** Describes a request: the stable JSON of `verbena last` and `verbena request`. `record-text.ts` formats it. */
import {
  SAFE_METHODS,
  type CodePlace,
  type ErrorDetail,
  type IssueDetail,
  type LogLine,
  type Query,
  type RequestSummary,
  type RecordedServiceCall,
  type SourceExcerpt,
} from './request-types.js'
import type { AboutPart, CallOut, ShownRecord } from './view-types.js'

/** Lines before and after the line of an error. */
const LINES_AROUND = 1
/** Causes of an error that are described. */
const MAX_CAUSES = 5

/** An item, with the number of the run of the app that it belongs to; `null` if the runs are not known. */
export type InRun<Item> = Item & { readonly run: number | null }

/** An error of a request, without the frames of libraries. */
export interface ShownError {
  readonly name: string
  readonly code: string | null
  readonly message: string
  /** The first frame in a file of the project. */
  readonly place: CodePlace | null
}

/** A request, as `--json` prints it. */
export interface ShownRequest {
  readonly kind: 'request'
  readonly id: string
  /** Number of the run of the app; `null` with `--url`. */
  readonly run: number | null
  /** In ms since 1970. */
  readonly time: number
  readonly method: string
  /** Path and query. */
  readonly target: string
  /** Path template; `null` if none matches. */
  readonly route: string | null
  readonly handler: string | null
  /** 0 if no response was sent. */
  readonly status: number
  /** In ms. */
  readonly duration: number
  readonly flags: readonly string[]
  /** Sentences, most serious first. */
  readonly problems: readonly string[]
  /** The error, then its causes. */
  readonly errors: readonly ShownError[]
  /** Where to look first: the place of the error, or else of the method. */
  readonly place: CodePlace | null
  readonly source: SourceExcerpt | null
  readonly issues: readonly IssueDetail[]
  readonly calls: readonly RecordedServiceCall[]
  readonly queries: readonly Query[]
  /** Number of calls and queries that are not listed. */
  readonly more: number
  readonly logs: readonly LogLine[]
  /** Command that sends it again. */
  readonly repeat: string
}

export function describeRecord(record: InRun<ShownRecord>): ShownRequest {
  const errors = listErrors(record.error)
  const source = record.error?.source ?? null
  return {
    kind: 'request',
    id: record.id,
    run: record.run,
    time: record.time,
    method: record['http.request.method'],
    target: formatTarget(record),
    route: record['http.route'],
    handler: record['code.function.name'],
    status: record['http.response.status_code'],
    duration: record['dev.duration'],
    flags: record['dev.flags'],
    problems: record.callOuts.map(formatCallOut),
    errors,
    place: findErrorPlace(record, errors),
    source: source === null ? null : cutSource(source),
    issues: record.issues,
    calls: record.calls,
    queries: record.queries,
    more: record.callsMore + record.queriesMore,
    logs: record.logs,
    repeat: `npx verbena replay ${record.id}${SAFE_METHODS.has(record['http.request.method']) ? '' : ' --yes'}`,
  }
}

export function formatTarget({ 'url.path': path, 'url.query': query }: RequestSummary): string {
  return query === '' ? path : `${path}?${query}`
}

/** Whether something went wrong: a 5xx, an unsent response, or another problem that the console marks. */
export function isProblem(summary: RequestSummary): boolean {
  return summary['http.response.status_code'] >= 500 || summary['dev.flags'].length > 0
}

/** A problem of a request, as `verbena dev` prints it. */
export interface ProblemEvent {
  readonly event: 'problem'
  readonly id: string
  readonly run: number | null
  /** 0 if no response was sent. */
  readonly status: number
  /** Method and path template. */
  readonly request: string
  /** The error, or the first problem that the console describes. */
  readonly problem: string
  /** `src/app.ts:12`; `null` if it is not known. */
  readonly place: string | null
  /** The query that failed, was repeated or took the longest. */
  readonly query: string | null
}

export function describeProblem(record: InRun<ShownRecord>): ProblemEvent {
  const { id, run, status, method, route, target, errors, problems, place } = describeRecord(record)
  const [error] = errors
  return {
    event: 'problem',
    id,
    run,
    status,
    request: `${method} ${route ?? target}`,
    problem: error === undefined ? (problems[0] ?? 'No problem is described') : `${error.name}: ${error.message}`,
    place: place === null ? null : `${place.file}:${place.line}`,
    query: mainQuery(record),
  }
}

function mainQuery({ queries, repeated, 'dev.flags': flags }: ShownRecord): string | null {
  const failed = queries.find(({ error }) => error !== null)?.text
  const again = repeated.find(({ kind }) => kind !== null)?.name
  const [slowest] = flags.includes('slow') ? queries.toSorted((a, b) => Number(b.duration) - Number(a.duration)) : []
  return failed ?? again ?? slowest?.text ?? null
}

function listErrors(error: ErrorDetail | null): ShownError[] {
  const errors: ShownError[] = []
  for (let each = error; each !== null && errors.length < MAX_CAUSES; each = each.cause) {
    const { name, code = null, message, frames } = each
    const frame = frames.find(({ kind }) => kind === 'app')
    errors.push({ name, code, message, place: frame === undefined ? null : { file: frame.file, line: frame.line } })
  }
  return errors
}

function findErrorPlace(record: ShownRecord, errors: readonly ShownError[]): CodePlace | null {
  const place = errors.find((error) => error.place !== null)?.place
  if (place !== undefined && place !== null) return place
  const { 'code.file.path': file, 'code.line.number': line } = record
  return file === null || line === null ? null : { file, line }
}

function cutSource({ file, line, first, lines }: SourceExcerpt): SourceExcerpt {
  const from = Math.max(0, line - first - LINES_AROUND)
  return { file, line, first: first + from, lines: lines.slice(from, line - first + LINES_AROUND + 1) }
}

function formatCallOut({ title, text }: CallOut): string {
  return [title, text]
    .map((parts) => parts.map(formatPart).join('').trim())
    .filter((part) => part !== '')
    .join('. ')
}

function formatPart(part: AboutPart): string {
  if (typeof part === 'string') return part
  if ('code' in part) return part.code
  if ('place' in part) return `${part.place.file}:${part.place.line}`
  // The page shows a link to further data here.
  return 'ms' in part ? `${part.ms.toFixed(1)} ms` : ''
}
