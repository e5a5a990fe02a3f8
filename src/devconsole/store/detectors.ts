/** Finds problems of requests. A flag is the kind of a problem, a call-out explains it for one request, and an incident counts it over all. */
import type { HostEndpoint } from '../host/console-host.js'
import { collectFrames } from '../host/stack.js'
import type { Incident } from '../wire/feed-types.js'
import { PHASES } from '../wire/request-types.js'
import type {
  CodePlace,
  ErrorDetail,
  Flag,
  IssueDetail,
  RepeatedCall,
  RequestRecord,
  VersionDetail,
} from '../wire/request-types.js'
import type { CallOut, CallOutPart } from '../wire/view-types.js'
import { messageShape } from './message-shape.js'

const LARGE_BYTES = 1024 * 1024
const MAX_FIELDS = 5

/** One occurrence of an incident. */
export type Detection = Pick<Incident, 'key' | 'kind' | 'endpoint' | 'title' | 'detail' | 'unit' | 'facts' | 'query'>

type FlaggedParts = Pick<RequestRecord, 'issues' | 'version' | 'aborted' | 'repeated' | 'http.response.status_code'>

/** Returns the flags of a request, most serious first. */
export function findFlags(record: FlaggedParts, isSlow: boolean): Flag[] {
  const { issues, version, aborted, repeated } = record
  const flags: Flag[] = []
  if (record['http.response.status_code'] >= 500) flags.push('error')
  if (aborted) flags.push('aborted')
  if (issues.some(({ side }) => side === 'response')) flags.push('mismatch')
  if (issues.some(({ side }) => side === 'request')) flags.push('invalid')
  if (version !== null && !version.ok) flags.push('version')
  if (isSlow) flags.push('slow')
  if (repeated.length > 0) flags.push('n+1')
  return flags
}

/** Returns explanations of the problems of a request, most serious first. */
export function findCallOuts(record: RequestRecord, slow: number): CallOut[] {
  const { error, issues, repeated, version, aborted } = record
  const callOuts = repeated.map(repeatedCallOut)
  if (issues.length > 0) callOuts.unshift(invalidCallOut(issues, !isFlagged(record, 'invalid')))
  if (error !== null) callOuts.unshift(errorCallOut(error))
  if (version !== null && isFlagged(record, 'version')) callOuts.push(versionCallOut(version))
  if (aborted)
    callOuts.push({ kind: 'warn', title: ['The connection was closed before the response was sent'], text: [] })
  if (error === null && isFlagged(record, 'slow')) callOuts.push(slowCallOut(record, slow))
  return callOuts.toSorted((a, b) => SEVERITIES.indexOf(a.kind) - SEVERITIES.indexOf(b.kind))
}

/** Severities in descending order. */
const SEVERITIES: readonly CallOut['kind'][] = ['bad', 'warn', 'note']

export function detect(record: RequestRecord, slow: number): Detection[] {
  const { error, repeated, version } = record
  return [
    ...(error === null || isFlagged(record, 'mismatch') ? [] : [thrownIncident(record, error)]),
    ...(isFlagged(record, 'slow') ? [slowCall(record, slow)] : []),
    ...(isFlagged(record, 'invalid') ? invalidResponseIncident(record) : []),
    ...repeated.map((call) => repeatedCall(record, call)),
    ...(isFlagged(record, 'mismatch') ? [mismatchIncident(record)] : []),
    ...(version !== null && isFlagged(record, 'version') ? [otherVersion(record, version)] : []),
    ...(record['http.response.body.size'] > LARGE_BYTES ? [largeIncident(record)] : []),
  ]
}

export function plainText({ title, text }: CallOut): string {
  return [title, text].map((parts) => parts.map(plainPart).join('')).join('. ')
}

function plainPart(part: CallOutPart): string {
  if (typeof part === 'string') return part
  if ('code' in part) return part.code
  if ('place' in part) return `${part.place.file}:${part.place.line}`
  return 'ms' in part ? `${part.ms.toFixed(1)} ms` : ''
}

function isFlagged(record: RequestRecord, flag: Flag): boolean {
  return record['dev.flags'].includes(flag)
}

function routeName(record: RequestRecord): string {
  return `${record['http.request.method']} ${record['http.route'] ?? '(no route)'}`
}

function handlerLabel(record: RequestRecord): string {
  return record['code.function.name'] ?? routeName(record)
}

type IncidentWords = Pick<Detection, 'kind' | 'title' | 'detail' | 'query'> & Partial<Detection>

/** Creates a detection at the endpoint of a request. `query` is the part of the filter that follows the handler. */
function toDetection(record: RequestRecord, words: IncidentWords): Detection {
  const handler = record['code.function.name']
  const query = handler === null ? words.query : `handler:${handler} ${words.query}`
  const endpoint = record['http.route'] === null ? null : routeName(record)
  return { ...toDetectionAt(routeName(record), { ...words, query }), endpoint }
}

function toDetectionAt(place: string, words: IncidentWords): Detection {
  return { key: `${words.kind} ${place}`, endpoint: null, unit: 'times', facts: [place], ...words }
}

function errorCallOut({ name, message, frames }: ErrorDetail): CallOut {
  const title = [`${name}: ${message}`]
  const link = { tab: 'error', text: 'See the stack' }
  const frame = frames.find(({ kind }) => kind === 'app') ?? frames[0]
  if (frame === undefined) return { kind: 'bad', title, text: [link] }
  const { file, line, column } = frame
  return { kind: 'bad', title, text: ['Thrown in ', { place: { file, line, column } }, '. ', link] }
}

function thrownIncident(record: RequestRecord, error: ErrorDetail): Detection {
  const frame = collectFrames(error).find(({ kind }) => kind === 'app')
  const site = frame === undefined ? '' : `${frame.file}:${frame.line}`
  return toDetection(record, {
    // The key has no line of code, because it changes with each edit of the file.
    key: `exception ${error.code ?? error.name} ${routeName(record)} ${messageShape(error.message)}`,
    kind: 'exception',
    title: [`${error.name} in `, handlerLabel(record)],
    detail: error.message,
    facts: [routeName(record), ...(site === '' ? [] : [site])],
    query: 'is:error',
  })
}

function slowCallOut(record: RequestRecord, limit: number): CallOut {
  const phases = record['dev.phases']
  const longestPhase = Math.max(...phases)
  const phase = PHASES[phases.indexOf(longestPhase)]
  const title = ['Slower than ', { ms: limit }]
  if (phase === undefined || longestPhase === 0) return { kind: 'warn', title, text: [] }
  const share = formatShare(longestPhase, record['dev.duration'])
  const name = phase.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
  return { kind: 'warn', title, text: [`${share} of the time went into: ${name}.`, ...slowestCallOut(record)] }
}

/** Formats `12%` or `Less than 1%`. */
function formatShare(part: number, whole: number): string {
  const share = Math.round((part / whole) * 100)
  return share === 0 ? 'Less than 1%' : `${share}%`
}

/** Names the slowest query, or the slowest service call if it took longer without its queries. */
function slowestCallOut(record: RequestRecord): CallOutPart[] {
  const slowest = slowestCall(record)
  if (slowest === null) return []
  const { share, name, text, site } = slowest
  const statement = text === '' ? [] : [': ', { code: text }]
  const from = site === null ? [] : [', from ', { place: site }]
  return [` ${share}% in `, { code: name }, ...statement, ...from, '.']
}

interface SlowestCall {
  /** Share of the duration of the request, in percent. */
  readonly share: number
  readonly name: string
  /** Start of the query; empty for a service call. */
  readonly text: string
  readonly site: CodePlace | null
}

function slowestCall({ calls, queries, 'dev.duration': total }: RequestRecord): SlowestCall | null {
  const candidates = [
    ...queries.map(({ call, kind, text, duration, site }) => {
      const sender = call === null ? undefined : calls[call]
      return { time: duration ?? 0, name: sender?.name ?? kind, text: shortText(text), site }
    }),
    ...calls.map(({ name, own, site }) => ({ time: own, name, text: '', site })),
  ]
  const [slowest] = candidates.toSorted((a, b) => b.time - a.time)
  if (slowest === undefined) return null
  const { time, ...named } = slowest
  const share = Math.round((time / total) * 100)
  return share === 0 ? null : { share, ...named }
}

const MAX_TEXT_LENGTH = 120

function shortText(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ').trim()
  return line.length > MAX_TEXT_LENGTH ? `${line.slice(0, MAX_TEXT_LENGTH)}…` : line
}

function slowCall(record: RequestRecord, slow: number): Detection {
  const slowest = slowestCall(record)
  const detail = `It took ${Math.round(record['dev.duration'])} ms, against a limit of ${slow} ms.`
  return toDetection(record, {
    kind: 'slow',
    title: ['Slow endpoint ', handlerLabel(record)],
    detail:
      slowest === null ? detail : `${detail} ${slowest.share}% of the last request was spent in ${callLabel(slowest)}.`,
    unit: 'slow calls',
    query: 'is:slow',
  })
}

function callLabel({ name, text }: SlowestCall): string {
  return text === '' ? name : `${name}: ${text}`
}

function invalidCallOut(issues: readonly IssueDetail[], isResponse: boolean): CallOut {
  const count = issues.length === 1 ? '1 validation issue' : `${issues.length} validation issues`
  const first = issues.slice(0, 1).flatMap(({ where, message }) => [{ code: where }, ` ${message}. `])
  const title = isResponse ? `The response did not fit its schema: ${count}` : `${count} stopped this request`
  return { kind: isResponse ? 'bad' : 'warn', title: [title], text: [...first, { tab: 'validation', text: 'See all' }] }
}

function invalidResponseIncident(record: RequestRecord): Detection[] {
  const issues = new Map(record.issues.map((issue) => [issueKey(issue), issue]))
  return [...issues].slice(0, MAX_FIELDS).map(([key, { where, message }]) =>
    toDetection(record, {
      key: `invalid ${routeName(record)} ${key}`,
      kind: 'invalid',
      title: ['Clients send an invalid ', where],
      detail: message,
      unit: 'requests',
      query: 'is:invalid',
    }),
  )
}

/** Returns a key that is equal for all items of an array. Names such as `line2` remain different. */
function issueKey({ where, message }: IssueDetail): string {
  return `${where.replaceAll(/\.\d+(?=\.|$)/g, '.#')} ${messageShape(message)}`
}

function mismatchIncident(record: RequestRecord): Detection {
  const [issue] = record.issues
  return toDetection(record, {
    kind: 'mismatch',
    title: ['The response does not match its contract: ', handlerLabel(record)],
    detail: issue === undefined ? '' : `${issue.where}: ${issue.message}`,
    query: 'status:5xx',
  })
}

function repeatedCallOut({ kind, name, count, total, site }: RepeatedCall): CallOut {
  const saved = (total * (count - 1)) / count
  const from = site === null ? [] : [', from ', { place: site }]
  const text = ['Looks like one query per row', ...from, '. One call for all would save about ', { ms: saved }, '.']
  const title = kind === null ? [name] : [{ code: shortText(name) }]
  return { kind: 'note', title: [...title, ` ran ${count} times with the same shape`], text }
}

function repeatedCall(record: RequestRecord, { kind, name, count, site }: RepeatedCall): Detection {
  return toDetection(record, {
    key: `repeated ${routeName(record)} ${name}`,
    kind: 'repeated',
    title: kind === null ? ['Looks like a repeated call: ', name] : ['Looks like one query per row: ', shortText(name)],
    detail: `${handlerLabel(record)} ${kind === null ? 'called' : 'sent'} it ${count} times in one request. One call for all may be enough.`,
    unit: 'requests',
    facts: [routeName(record), ...(site === null ? [] : [`${site.file}:${site.line}`])],
    query: 'is:n+1',
  })
}

function versionCallOut({ asked, constraint, alternatives, from }: VersionDetail): CallOut {
  const constraints = alternatives.length === 0 ? [constraint] : alternatives
  const list = constraints.flatMap((code, index) => (index === 0 ? [{ code }] : [', ', { code }]))
  const text = ['Requested by ', { code: from }, '. Versions: ', ...list, '.']
  return { kind: 'warn', title: [`No endpoint satisfies version ${asked ?? '(none)'}`], text }
}

/** No endpoint matches, so the path and its versions identify the incident. */
function otherVersion(record: RequestRecord, version: VersionDetail): Detection {
  const place = routeName(record)
  const missing = version.isDefault ? `, so it got the default ${version.asked}` : ''
  const request =
    version.isDefault || version.asked === null
      ? `did not request a version${missing}`
      : `requested ${version.asked} by ${version.from}`
  return toDetectionAt(`${place} ${version.constraint}`, {
    endpoint: place,
    kind: 'version',
    title: ['Clients request a version that is missing: ', place],
    detail: `The last one ${request}. Versions: ${version.alternatives.join(', ')}.`,
    unit: 'requests',
    facts: [],
    query: `template:${String(record['http.route'])} status:${record['http.response.status_code']}`,
  })
}

function largeIncident(record: RequestRecord): Detection {
  const size = record['http.response.body.size'] / LARGE_BYTES
  return toDetection(record, {
    kind: 'large',
    title: ['Large response of ', handlerLabel(record)],
    detail: `The last one had ${size.toFixed(1)} MB.`,
    query: 'size:>1mb',
  })
}

export function burstIncident(record: RequestRecord, count: number): Detection {
  return toDetection(record, {
    kind: 'burst',
    title: ['Looks like a loop: the same request again and again, ', routeName(record)],
    detail: `One client has sent it ${count} times within a second. The cause may be a retry without a pause, or an effect that runs at each change.`,
    query: `method:${record['http.request.method']}`,
  })
}

export function silentIncident(method: string, endpoint: HostEndpoint | null, age: number): Detection {
  const place = `${method} ${endpoint?.template ?? '(no route)'}`
  return toDetectionAt(place, {
    endpoint: endpoint === null ? null : place,
    kind: 'silent',
    title: ['Looks like it never responds: ', endpoint?.id ?? place],
    detail: `A request has had no response for ${age / 1000} s. A promise may never settle, or a callback may never be called.`,
    query: '',
  })
}

/** Creates a detection of a blocked event loop. The first handler most likely blocked it. */
export function stallIncident(delay: number, handlers: readonly string[]): Detection {
  const [first = ''] = handlers
  const running = first === '' ? 'No request was in progress.' : `In progress: ${handlers.join(', ')}.`
  return toDetectionAt(first, {
    kind: 'stall',
    title: first === '' ? ['The event loop was blocked'] : ['The event loop was blocked during ', first],
    detail: `No other code ran for ${Math.round(delay)} ms. ${running}`,
    facts: [],
    query: '',
  })
}
