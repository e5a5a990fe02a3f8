/**
 * Data about one request on the wire: a summary for the list, and all data for the detail.
 * All secrets are replaced, and values that are absent, unknown or not stored are `null`.
 */

/** Version of the protocol, in each event and in the snapshot. */
export const WIRE_VERSION = 1

/** Phases of a request, in the order of their durations in `dev.phases`. */
export const PHASES = ['route', 'guards', 'readBody', 'validate', 'providers', 'handler', 'serialize', 'send'] as const

export type Phase = (typeof PHASES)[number]

/** Replaces a secret. Can be a part of a longer string (`Bearer redacted`). */
export const REDACTED_MARK = 'redacted'

/** Whether a string contains a redacted secret. */
export function containsSecret(text: string): boolean {
  return text.split(/\W+/).includes(REDACTED_MARK)
}

export { SAFE_METHODS } from '../../http/methods.js'

/** Header of a request that the page replays. Contains the id of the original. */
export const REPLAY_HEADER = 'x-dev-replay'

export const TOKEN_HEADER = 'x-dev-token'

/** Problems of a request. The page displays unknown flags by their name. */
export type Flag = 'slow' | 'error' | 'invalid' | 'n+1' | 'version' | 'aborted' | 'mismatch'

interface VersionOutcome {
  readonly asked: string | null
  /** Version constraint of the endpoint; if no endpoint matches, the constraints of all alternatives. */
  readonly constraint: string
  readonly ok: boolean
}

/** A request in the list. Names with a dot are OpenTelemetry's or start with `dev.`; durations are in ms. */
export interface RequestSummary {
  readonly id: string
  /** `X-Request-Id` of the response and `requestId` of the log lines; `null` if neither contains an id. */
  readonly 'dev.requestId': string | null
  /** Sequence number within a process, without gaps. */
  readonly seq: number
  /** Id of the start of the process, 6 characters. */
  readonly boot: string
  readonly time: number
  readonly 'http.request.method': string
  readonly 'url.path': string
  readonly 'url.query': string
  /** Path template that matches, even if the path has no such method or version; `null` if no path matches. */
  readonly 'http.route': string | null
  /** 0 if no response was sent. */
  readonly 'http.response.status_code': number
  readonly 'code.function.name': string | null
  readonly 'process.pid': number
  readonly 'client.address': string | null
  readonly 'http.request.body.size': number
  readonly 'http.response.body.size': number
  readonly 'error.type': string | null
  readonly 'dev.duration': number
  /** Durations in the order of `PHASES`; 0 for a phase that did not run. Empty if phases and service calls were not recorded. */
  readonly 'dev.phases': readonly number[]
  readonly 'dev.db': number
  readonly 'dev.queries': number
  readonly 'dev.logs': number
  readonly 'dev.issues': number
  readonly 'dev.flags': readonly string[]
  readonly 'dev.version': VersionOutcome | null
  readonly 'dev.replayOf': string | null
  readonly 'dev.pinned': boolean
}

export type HeaderList = readonly (readonly [name: string, value: string])[]

export interface CapturedBody {
  readonly type: string | null
  readonly size: number
  readonly text: string | null
  /** The first 64 bytes of a binary body in hexadecimal; `null` for other bodies. */
  readonly hex: string | null
  readonly truncated: boolean
  readonly omitted: string | null
}

export interface Message {
  readonly headers: HeaderList
  readonly body: CapturedBody | null
}

export interface CodePlace {
  /** Path relative to `AppFacts.root`; absolute outside of it. */
  readonly file: string
  readonly line: number
}

export interface RecordedServiceCall {
  readonly name: string
  /** Start in ms, relative to the start of the request. */
  readonly start: number
  readonly duration: number
  /** Duration without the queries of this call, in ms. */
  readonly own: number
  readonly args: string
  /** Shape of the result, such as `10 × { id, title }`; `null` if the call failed or has not ended. */
  readonly result: string | null
  readonly error: string | null
  readonly site: CodePlace | null
}

/** A database query, an HTTP request to another server, or another outgoing call. */
export interface Query {
  /** `sql`, `http`, `redis`, `mongodb`, or another kind from an adapter. */
  readonly kind: string
  readonly text: string
  /** Parameters as JSON values, separated by commas; `null` without parameters. */
  readonly params: string | null
  /** Name of the database, collection or server. */
  readonly target: string | null
  /** Start in ms, relative to the start of the request. */
  readonly start: number
  /** `null` if the query was in progress at the end of the request. */
  readonly duration: number | null
  /** Number of returned or changed rows. */
  readonly rows: number | null
  /** Status of an HTTP response. */
  readonly status: number | null
  readonly error: string | null
  readonly site: CodePlace | null
  /** Index in `calls` of the service call that sent it. */
  readonly call: number | null
  /** Index of the first query of the request that differs only in its values. */
  readonly shape: number
}

/** Calls of the same shape: service calls, or queries if `kind` is not `null`. */
export interface RepeatedCall {
  readonly kind: string | null
  /** Name of the service method, or text of the first query. */
  readonly name: string
  readonly count: number
  readonly total: number
  readonly site: CodePlace | null
}

export interface LogLine {
  readonly seq: number
  readonly time: number
  readonly level: string
  readonly message: string
  readonly fields: Readonly<Record<string, unknown>> | null
  readonly request: string | null
}

export interface IssueDetail {
  readonly side: 'request' | 'response'
  /** `body.email`, `query.limit`. */
  readonly where: string
  readonly message: string
  readonly code: string | null
  readonly received: string | null
  /** Whether the client did not send the value. */
  readonly missing?: boolean
}

export interface StackFrame extends CodePlace {
  /** Number of the frame among all errors of the request. `source?frame=<id>.<n>` returns its source. */
  readonly n: number
  readonly function: string
  readonly column: number
  readonly kind: 'app' | 'library' | 'node'
}

export interface SourceExcerpt extends CodePlace {
  readonly first: number
  readonly lines: readonly string[]
}

export interface ErrorDetail {
  readonly name: string
  /** `code` of the error, such as `ECONNREFUSED`; missing without one. */
  readonly code?: string
  readonly message: string
  readonly frames: readonly StackFrame[]
  readonly source: SourceExcerpt | null
  readonly cause: ErrorDetail | null
  readonly members: readonly ErrorDetail[]
}

export interface VersionDetail extends VersionOutcome {
  /** Source of the version: a lower-case header name or a description. */
  readonly from: string
  readonly isDefault: boolean
  readonly alternatives: readonly string[]
}

/** Full data of a request, for `GET api/requests/<id>`. */
export interface RequestRecord extends RequestSummary {
  readonly 'url.scheme': string
  readonly 'server.address': string
  readonly 'user_agent.original': string | null
  readonly 'network.protocol.version': string
  readonly 'code.file.path': string | null
  readonly 'code.line.number': number | null
  readonly 'dev.traceId': string | null
  readonly params: Readonly<Record<string, string>>
  readonly decorators: readonly string[]
  readonly request: Message
  readonly response: Message
  readonly calls: readonly RecordedServiceCall[]
  readonly callsMore: number
  readonly queries: readonly Query[]
  /** Number of queries that are not in `queries`. */
  readonly queriesMore: number
  readonly repeated: readonly RepeatedCall[]
  readonly logs: readonly LogLine[]
  readonly issues: readonly IssueDetail[]
  readonly vendor: string | null
  readonly error: ErrorDetail | null
  readonly version: VersionDetail | null
  readonly aborted: boolean
}
