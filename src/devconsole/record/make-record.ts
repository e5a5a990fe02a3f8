/** Creates the stored form of a request. Secrets are replaced here, so that pages can display it. */
import { toMicros } from '../../observe/histogram.js'
import { detachString } from '../../secrets/detach-string.js'
import type { RecordedRequest, RecordedVersion } from '../../observe/request-recorder.js'
import type { ConsoleSettings } from '../host/console-settings.js'
import type { HostEndpoint } from '../host/console-host.js'
import { cutToLength, cut } from '../redact/cut.js'
import type { RequestRedactor } from '../redact/request-redactor.js'
import { findFlags } from '../store/detectors.js'
import type { StoredRecord } from '../store/record-store.js'
import { PHASES, REPLAY_HEADER } from '../wire/request-types.js'
import type { ErrorDetail, RepeatedCall, RequestRecord, VersionDetail } from '../wire/request-types.js'
import { describeError, nameRoute } from './error-detail.js'
import { readIssues } from './issues.js'
import { captureRequest, captureResponse, type LongJson } from './capture-messages.js'
import type { RecordedTrail } from './recorded-trail.js'

/** Maximum length of a path, and of a query. Request targets are shorter, unless `limits.url` is raised. */
const MAX_TARGET_LENGTH = 8_192
const MAX_METHOD_LENGTH = 50
const MAX_HOST_LENGTH = 300
const MAX_AGENT_LENGTH = 500
const MAX_CLIENT_LENGTH = 100
const MAX_REQUEST_ID_LENGTH = 200
const MAX_VERSION_LENGTH = 100
/** Estimated sizes in bytes, without contents. The estimates are rather too high. */
const [RECORD_BYTES, STRING_BYTES, ARRAY_BYTES, OBJECT_BYTES] = [1_800, 32, 72, 120]
/** Minimum length of a string for which a check for wide characters is worth its cost. */
const MIN_CHECKED_LENGTH = 200
const WIDE_CHARACTER = /[^\0-\xff]/

/** Data that all records share. */
export interface RecordScope {
  readonly boot: string
  readonly pid: number
  readonly root: string
  readonly hider: RequestRedactor
  readonly settings: ConsoleSettings
  readonly endpoints: readonly HostEndpoint[]
  readonly longJson: LongJson
  /** Source of the version, and the version of requests without one; `null` if they get 400. */
  readonly versioning: { readonly place: string; readonly fallback: string | null }
}

export interface EndedRequest {
  readonly trail: RecordedTrail
  readonly facts: RecordedRequest
  /** Request headers. They are read once, because each read creates a new object. */
  readonly headers: RecordedRequest['headers']
  readonly duration: number
  readonly endpoint: HostEndpoint | null
}

export function makeRecord(scope: RecordScope, ended: EndedRequest, seq: number): StoredRecord {
  const { trail, facts, duration } = ended
  if (facts.response !== null) trail.gatherResponse(facts.response)
  completeCalls(scope.root, trail)
  const unflagged = createRecord(scope, seq, recordParts(scope, ended))
  // An upgraded connection can be open for a long time.
  const isSlow = duration > scope.settings.slow && unflagged['http.response.status_code'] !== 101
  const { list: queries, count } = trail.queries ?? NO_CALLS
  const queryMembers: QueryMembers = { 'dev.queries': count, queries, queriesMore: count - queries.length }
  const record = Object.assign(unflagged, { 'dev.flags': findFlags(unflagged, isSlow), ...queryMembers })
  return { record, bytes: estimateSize(record) + trail.lineBytes }
}

/** Adds data to service calls and queries that is only known at the end of the request. */
function completeCalls(root: string, { calls, queries }: RecordedTrail): void {
  calls?.hideAgain()
  queries?.hideAgain()
  calls?.complete(root, queries?.list ?? NONE)
  queries?.complete(root, calls?.list ?? NONE)
}

/** Returns repeated queries, and repeated service calls that are not the senders of these queries. */
function repeatedCalls(root: string, { calls, queries }: RecordedTrail): readonly RepeatedCall[] {
  const repeatedServiceCalls = calls?.repeated(root) ?? NONE
  const repeatedQueries = queries?.repeated() ?? NONE
  if (queries === null || repeatedQueries.length === 0) return repeatedServiceCalls
  const senders = new Set(queries.list.map(({ call }) => call))
  const senderNames = (calls?.list ?? NONE).filter((_, index) => senders.has(index)).map(({ name }) => name)
  return [...repeatedQueries, ...repeatedServiceCalls.filter(({ name }) => !senderNames.includes(name))]
}

type QueryMembers = Pick<RequestRecord, 'dev.queries' | 'queries' | 'queriesMore'>

type RecordParts = ReturnType<typeof recordParts>

/** One object literal, so that all records have the same hidden class. With spread syntax, each took 22 µs instead of 1 (Node 20). */
function createRecord(scope: RecordScope, seq: number, parts: RecordParts): Omit<RequestRecord, keyof QueryMembers> {
  const { trail, facts, headers, hider, by, place, request, response, origin, services, version, issues } = parts
  return {
    id: trail.id,
    'dev.requestId': trail.requestId === null ? null : hider.hide(cut(trail.requestId, MAX_REQUEST_ID_LENGTH)),
    seq,
    boot: scope.boot,
    time: trail.time,
    'http.request.method': cut(trail.method, MAX_METHOD_LENGTH),
    'url.path': parts.path,
    'url.query': cut(hider.query(facts.query), MAX_TARGET_LENGTH),
    'http.route': trail.template,
    'http.response.status_code': facts.response?.status ?? 0,
    'code.function.name': by.id,
    'process.pid': scope.pid,
    'http.request.body.size': request.body?.size ?? 0,
    'http.response.body.size': response.body?.size ?? 0,
    'error.type': parts.error === null ? null : parts.error.name,
    'dev.duration': toMicros(parts.duration),
    'dev.phases': trail.durations.slice(0, PHASES.length).map(toMicros),
    'dev.db': services.count,
    'dev.logs': trail.lineCount,
    'dev.issues': issues.length,
    'dev.flags': NONE,
    'dev.version': version && { asked: version.asked, constraint: version.constraint, ok: version.ok },
    'dev.replayOf': parseReplayId(headers[REPLAY_HEADER]),
    'dev.pinned': false,
    'url.scheme': origin.scheme,
    'server.address': origin.server,
    'client.address': origin.client,
    'user_agent.original': origin.agent,
    'network.protocol.version': '1.1',
    'code.file.path': place.file,
    'code.line.number': place.line,
    'dev.traceId': origin.traceId,
    params: hider.params(facts.params),
    decorators: by.decorators,
    request,
    response,
    calls: services.list,
    callsMore: services.count - services.list.length,
    repeated: repeatedCalls(scope.root, trail),
    logs: trail.lines.map(({ line }) => line),
    issues,
    vendor: issues.length > 0 ? by.vendor : null,
    error: parts.error,
    version,
    aborted: facts.isAborted,
  }
}

const NONE: readonly never[] = []
const NO_ENDPOINT = { id: null, place: null, decorators: NONE, vendor: null }
const NO_PLACE = { file: null, line: null }
const NO_CALLS = { count: 0, list: NONE }

function recordParts(scope: RecordScope, ended: EndedRequest) {
  const { trail, facts, headers, duration, endpoint } = ended
  const { hider } = trail
  const by = endpoint ?? NO_ENDPOINT
  const messageScope = { hider, capture: scope.settings.captureBodies, longJson: scope.longJson }
  const request = captureRequest(messageScope, facts.body, headers)
  // In the beginning of a form, later fields would seem to be missing.
  const body = request.body?.truncated === false ? request.body.text : null
  const { query, params } = facts
  return {
    trail,
    facts,
    headers,
    duration,
    hider,
    by,
    place: by.place ?? NO_PLACE,
    path: recordedPath(ended, hider),
    request,
    response: captureResponse(messageScope, facts, trail.method),
    origin: readOrigin(facts, headers, hider),
    services: trail.calls ?? NO_CALLS,
    version: versionDetail(facts.version, scope.versioning, hider),
    error: errorDetail(ended, scope.root, hider),
    issues: facts.failure === undefined ? NONE : readIssues(facts.failure, { query, params, headers, body }, hider),
  }
}

/** A malformed request target has no path, so it is recorded as sent. */
function recordedPath({ trail, facts }: EndedRequest, hider: RequestRedactor): string {
  const path = facts.path === '' ? trail.url.split('?', 1).join('') : facts.path
  const redacted = hider.path(path, facts.params, trail.template)
  // A short path is a copy already, and a part of a long one would keep it in memory.
  return redacted.length > MAX_TARGET_LENGTH ? cut(redacted, MAX_TARGET_LENGTH) : redacted
}

function parseReplayId(id: string | undefined): string | null {
  return id !== undefined && /^r_[a-z0-9]{1,30}$/.test(id) ? id : null
}

interface RecordOrigin {
  readonly scheme: string
  readonly server: string
  readonly client: string | null
  readonly agent: string | null
  readonly traceId: string | null
}

export function readOrigin(
  facts: RecordedRequest,
  headers: EndedRequest['headers'],
  hider: RequestRedactor,
): RecordOrigin {
  const { client, isSecure, traceId } = facts
  const { host = '', 'user-agent': agent } = headers
  return {
    scheme: isSecure ? 'https' : 'http',
    server: hider.known(host.slice(0, MAX_HOST_LENGTH)),
    client: client === '' ? null : cut(client, MAX_CLIENT_LENGTH),
    agent: agent === undefined ? null : hider.known(agent, MAX_AGENT_LENGTH),
    traceId: traceId === undefined ? null : detachString(traceId),
  }
}

/** Describes the requested version and whether an endpoint satisfies it; `null` if the path has no versions. */
export function versionDetail(
  version: RecordedVersion | undefined,
  { place, fallback }: RecordScope['versioning'],
  hider: RequestRedactor,
): VersionDetail | null {
  if (version === undefined) return null
  const { requested, constraint, alternatives } = version
  return {
    asked: requested === undefined ? fallback : hider.hide(cutToLength(requested, MAX_VERSION_LENGTH)),
    constraint: constraint ?? alternatives.join(', '),
    ok: constraint !== undefined,
    from: place,
    isDefault: requested === undefined && fallback !== null,
    alternatives,
  }
}

function errorDetail({ facts, endpoint }: EndedRequest, root: string, hider: RequestRedactor): ErrorDetail | null {
  const { error, response } = facts
  if (error === undefined || response === null || response.status < 500) return null
  const described = describeError(error, root, hider)
  return endpoint === null ? described : nameRoute(described, endpoint.class)
}

/** Estimates the bytes of a stored request without its log lines. */
function estimateSize(record: RequestRecord): number {
  const { request, response, params, calls, queries, issues, repeated, error } = record
  const ids = [record['dev.requestId'], record['user_agent.original']]
  const strings = [record['url.path'], record['url.query'], record['server.address'], ...ids]
  return RECORD_BYTES + estimateBytes([strings, request, response, params, calls, queries, issues, repeated, error])
}

/** V8 uses two bytes per character if a string contains a character outside of Latin-1. */
function estimateBytes(value: object): number {
  const isList = Array.isArray(value)
  const contents: readonly unknown[] = isList ? value : Object.values(value)
  let sum = isList ? ARRAY_BYTES : OBJECT_BYTES
  for (const content of contents) {
    if (typeof content === 'string') {
      const isLatin1 = content.length > MIN_CHECKED_LENGTH && !WIDE_CHARACTER.test(content)
      sum += STRING_BYTES + content.length * (isLatin1 ? 1 : 2)
    } else if (typeof content === 'object' && content !== null) sum += estimateBytes(content)
  }
  return sum
}
