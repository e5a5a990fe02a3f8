/** Parses records from files and from the storage of the browser, which other programs can have changed. */
import { objectOrEmpty, type JsonRecord } from '../../../src/devconsole/wire/json-schema.js'
import { parseList, numberOr, textOr, parseStrings } from './parse-values.js'
import type {
  CapturedBody,
  CodePlace,
  ErrorDetail,
  HeaderList,
  IssueDetail,
  LogLine,
  Message,
  Query,
  RepeatedCall,
  RequestSummary,
  RecordedServiceCall,
  SourceExcerpt,
  StackFrame,
  VersionDetail,
} from '../../../src/devconsole/wire/request-types.js'
import type { About, AboutPart, CallOut, CallOutPart, ShownRecord } from '../../../src/devconsole/wire/view-types.js'

const ID = /^[\w-]{1,60}$/
const BOOT = /^[\w-]{1,40}$/
const MAX_CAUSES = 6
/** Maximum time of a `Date` (ECMAScript, "Time Values and Time Range"). */
const MAX_TIME = 8.64e15

/** Parses a stored request. Returns `null` if it has no id, method, path, status or time. */
export function parseRecord(value: unknown): ShownRecord | null {
  const json = objectOrEmpty(value)
  const summary = parseSummary(json)
  if (summary === null) return null
  return {
    ...summary,
    'url.scheme': json['url.scheme'] === 'https' ? 'https' : 'http',
    'server.address': textOr(json['server.address'], ''),
    'user_agent.original': textOr(json['user_agent.original'], null),
    'network.protocol.version': textOr(json['network.protocol.version'], '1.1'),
    'code.file.path': textOr(json['code.file.path'], null),
    'code.line.number': numberOr(json['code.line.number'], null),
    'dev.traceId': textOr(json['dev.traceId'], null),
    params: textMembers(json['params']),
    decorators: parseStrings(json['decorators']),
    request: parseMessage(json['request']),
    response: parseMessage(json['response']),
    calls: parseList(json['calls'], parseCall),
    callsMore: numberOr(json['callsMore'], 0),
    queries: parseList(json['queries'], parseQuery),
    queriesMore: numberOr(json['queriesMore'], 0),
    repeated: parseList(json['repeated'], parseRepeated),
    logs: parseList(json['logs'], parseLine),
    issues: parseList(json['issues'], parseIssue),
    vendor: textOr(json['vendor'], null),
    error: parseError(json['error'], 0),
    version: parseVersion(json['version']),
    aborted: json['aborted'] === true,
    callOuts: parseList(json['callOuts'], parseCallOut),
    about: parseList(json['about'], parseAbout),
  }
}

function parseSummary(json: JsonRecord): RequestSummary | null {
  const { id, boot, time } = json
  const { 'http.request.method': method, 'url.path': path, 'http.response.status_code': status } = json
  if (typeof id !== 'string' || !ID.test(id) || typeof boot !== 'string' || !BOOT.test(boot)) return null
  if (typeof method !== 'string' || typeof path !== 'string' || !isTime(time) || !isStatus(status)) return null
  const version = parseVersion(json['dev.version'])
  return {
    id,
    boot,
    time,
    'http.request.method': method,
    'url.path': path,
    'http.response.status_code': status,
    'dev.requestId': textOr(json['dev.requestId'], null),
    seq: numberOr(json['seq'], 0),
    'url.query': textOr(json['url.query'], ''),
    'http.route': textOr(json['http.route'], null),
    'code.function.name': textOr(json['code.function.name'], null),
    'process.pid': numberOr(json['process.pid'], 0),
    'client.address': textOr(json['client.address'], null),
    'http.request.body.size': numberOr(json['http.request.body.size'], 0),
    'http.response.body.size': numberOr(json['http.response.body.size'], 0),
    'error.type': textOr(json['error.type'], null),
    'dev.duration': numberOr(json['dev.duration'], 0),
    'dev.phases': parseList(json['dev.phases'], (each) => numberOr(each, null)),
    'dev.db': numberOr(json['dev.db'], 0),
    'dev.queries': numberOr(json['dev.queries'], 0),
    'dev.logs': numberOr(json['dev.logs'], 0),
    'dev.issues': numberOr(json['dev.issues'], 0),
    'dev.flags': parseStrings(json['dev.flags']).filter((flag) => flag !== 'inflight'),
    'dev.version': version && { asked: version.asked, constraint: version.constraint, ok: version.ok },
    'dev.replayOf': textOr(json['dev.replayOf'], null),
    'dev.pinned': json['dev.pinned'] === true,
  }
}

function isTime(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_TIME
}

function isStatus(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < 1_000
}

function textMembers(value: unknown): Record<string, string> {
  const entries = Object.entries(objectOrEmpty(value))
  return Object.fromEntries(entries.flatMap(([name, each]) => (typeof each === 'string' ? [[name, each]] : [])))
}

function parseMessage(value: unknown): Message {
  const { headers, body } = objectOrEmpty(value)
  return { headers: parseHeaders(headers), body: body === null || body === undefined ? null : parseBody(body) }
}

function parseHeaders(value: unknown): HeaderList {
  return parseList(value, (pair): readonly [string, string] | null => {
    const [name, text, ...rest] = parseStrings(pair)
    return name === undefined || text === undefined || rest.length > 0 ? null : [name, text]
  })
}

function parseBody(value: unknown): CapturedBody {
  const { type, size, text, hex, truncated, omitted } = objectOrEmpty(value)
  return {
    type: textOr(type, null),
    size: numberOr(size, 0),
    text: textOr(text, null),
    hex: typeof hex === 'string' && /^[\da-f]*$/.test(hex) ? hex : null,
    truncated: truncated === true,
    omitted: textOr(omitted, null),
  }
}

function parseCall(value: unknown): RecordedServiceCall | null {
  const json = objectOrEmpty(value)
  if (typeof json['name'] !== 'string') return null
  return {
    name: json['name'],
    start: numberOr(json['start'], 0),
    duration: numberOr(json['duration'], 0),
    own: numberOr(json['own'], 0),
    args: textOr(json['args'], ''),
    result: textOr(json['result'], null),
    error: textOr(json['error'], null),
    site: parsePlace(json['site']),
  }
}

function parseQuery(value: unknown): Query | null {
  const json = objectOrEmpty(value)
  if (typeof json['kind'] !== 'string' || typeof json['text'] !== 'string') return null
  return {
    kind: json['kind'],
    text: json['text'],
    params: textOr(json['params'], null),
    target: textOr(json['target'], null),
    start: numberOr(json['start'], 0),
    duration: numberOr(json['duration'], null),
    rows: numberOr(json['rows'], null),
    status: numberOr(json['status'], null),
    error: textOr(json['error'], null),
    site: parsePlace(json['site']),
    call: numberOr(json['call'], null),
    shape: numberOr(json['shape'], 0),
  }
}

function parseRepeated(value: unknown): RepeatedCall | null {
  const { kind, name, count, total, site } = objectOrEmpty(value)
  if (typeof name !== 'string') return null
  return {
    kind: textOr(kind, null),
    name,
    count: numberOr(count, 1),
    total: numberOr(total, 0),
    site: parsePlace(site),
  }
}

function parsePlace(value: unknown): CodePlace | null {
  const { file, line } = objectOrEmpty(value)
  return typeof file === 'string' && typeof line === 'number' ? { file, line } : null
}

function parseLine(value: unknown): LogLine | null {
  const { seq, time, level, message, fields, request } = objectOrEmpty(value)
  if (typeof level !== 'string' || typeof message !== 'string' || !isTime(time)) return null
  const parsedFields = fields === null || fields === undefined ? null : objectOrEmpty(fields)
  return { seq: numberOr(seq, 0), time, level, message, fields: parsedFields, request: textOr(request, null) }
}

function parseIssue(value: unknown): IssueDetail | null {
  const { side, where, message, code, received, missing } = objectOrEmpty(value)
  if (typeof where !== 'string' || typeof message !== 'string') return null
  return {
    side: side === 'response' ? 'response' : 'request',
    where,
    message,
    code: textOr(code, null),
    received: textOr(received, null),
    missing: missing === true,
  }
}

function parseError(value: unknown, depth: number): ErrorDetail | null {
  const { name, code, message, frames, source, cause, members } = objectOrEmpty(value)
  if (typeof name !== 'string' || depth > MAX_CAUSES) return null
  return {
    name,
    ...(typeof code === 'string' ? { code } : {}),
    message: textOr(message, ''),
    frames: parseList(frames, parseFrame),
    source: parseSource(source),
    cause: parseError(cause, depth + 1),
    members: parseList(members, (member) => parseError(member, depth + 1)),
  }
}

function parseFrame(value: unknown): StackFrame | null {
  const json = objectOrEmpty(value)
  const place = parsePlace(json)
  if (place === null) return null
  const kind = (['app', 'library', 'node'] as const).find((each) => each === json['kind']) ?? 'library'
  const [n, column] = [numberOr(json['n'], 0), numberOr(json['column'], 0)]
  return { ...place, n, function: textOr(json['function'], ''), column, kind }
}

function parseSource(value: unknown): SourceExcerpt | null {
  const { first, lines } = objectOrEmpty(value)
  const place = parsePlace(value)
  return place === null ? null : { ...place, first: numberOr(first, 1), lines: parseStrings(lines) }
}

function parseVersion(value: unknown): VersionDetail | null {
  const { asked, constraint, ok, from, isDefault, alternatives } = objectOrEmpty(value)
  if (typeof constraint !== 'string') return null
  return {
    asked: textOr(asked, null),
    constraint,
    ok: ok === true,
    from: textOr(from, ''),
    isDefault: isDefault === true,
    alternatives: parseStrings(alternatives),
  }
}

function parseCallOut(value: unknown): CallOut | null {
  const { kind, title, text } = objectOrEmpty(value)
  const knownKind = (['bad', 'warn', 'note'] as const).find((name) => name === kind)
  if (knownKind === undefined) return null
  return { kind: knownKind, title: parseList(title, parseCallOutPart), text: parseList(text, parseCallOutPart) }
}

function parseCallOutPart(value: unknown): CallOutPart | null {
  if (typeof value === 'string') return value
  const { code, place, ms, tab, text } = objectOrEmpty(value)
  if (typeof code === 'string') return { code }
  const parsedPlace = parsePlace(place)
  const column = numberOr(objectOrEmpty(place)['column'], undefined)
  if (parsedPlace !== null) return { place: { ...parsedPlace, ...(column !== undefined && { column }) } }
  if (typeof ms === 'number') return { ms }
  return typeof tab === 'string' && typeof text === 'string' ? { tab, text } : null
}

function parseAbout(value: unknown): About | null {
  const [name, parts]: readonly unknown[] = Array.isArray(value) ? value : []
  if (typeof name !== 'string') return null
  return [name, parseList<AboutPart>(parts, parseAboutPart)]
}

function parseAboutPart(value: unknown): AboutPart | null {
  const { dim } = objectOrEmpty(value)
  return typeof dim === 'string' ? { dim } : parseCallOutPart(value)
}
