/**
 * What the console sends of one request: the summary that stands in the list, and the record that the detail shows.
 * Secrets are replaced everywhere, and `null` stands for what is absent, unknown or was not kept.
 */

/** Version of the protocol; each event and the snapshot carry it. */
export const WIRE_VERSION = 1

/** The phases of a request, in the order in which `dev.phases` holds their durations. */
export const PHASES = ['route', 'guards', 'readBody', 'validate', 'providers', 'handler', 'serialize', 'send'] as const

export type Phase = (typeof PHASES)[number]

/** What stands for a secret, alone or inside a longer text (`Bearer redacted`). */
export const REDACTED_MARK = 'redacted'

/** Header of a request that the page sends again: the id of the original. */
export const REPLAY_HEADER = 'x-dev-replay'

export const TOKEN_HEADER = 'x-dev-token'

/** What is notable of a request; the page shows others it does not know by their name. */
export type Flag = 'slow' | 'error' | 'invalid' | 'n+1' | 'version' | 'aborted' | 'mismatch'

interface VersionOutcome {
  readonly asked: string | null
  /** Constraint of the endpoint, or of the nearest one when none fits. */
  readonly constraint: string
  readonly ok: boolean
}

/** The one line of a request in the list. Names with a dot follow OpenTelemetry or stand under `dev.`; durations are ms. */
export interface RequestSummary {
  readonly id: string
  /** Counts up within a process, without gaps. */
  readonly seq: number
  /** The start of the process that answered, 6 characters. */
  readonly boot: string
  readonly time: number
  readonly 'http.request.method': string
  readonly 'url.path': string
  readonly 'url.query': string
  /** Path template; `null` where no path matched. One that has no such method, or no such version, is named, too. */
  readonly 'http.route': string | null
  /** 0 when no head was sent. */
  readonly 'http.response.status_code': number
  readonly 'code.function.name': string | null
  readonly 'process.pid': number
  readonly 'client.address': string | null
  readonly 'http.request.body.size': number
  readonly 'http.response.body.size': number
  readonly 'error.type': string | null
  readonly 'dev.duration': number
  /** In the order of `PHASES`; 0 for one that did not run. Empty when there was no room to record phases and service calls. */
  readonly 'dev.phases': readonly number[]
  readonly 'dev.db': number
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
  /** The first 64 bytes of a binary body in hexadecimal; `null` for others. */
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

export interface ServiceCall {
  readonly name: string
  /** ms after the begin of the request. */
  readonly start: number
  readonly duration: number
  readonly args: string
  readonly error: string | null
}

export interface RepeatedCall {
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
}

export interface StackFrame extends CodePlace {
  /** Number within the record, over all its errors; `source?frame=<id>.<n>` asks for its source. */
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
  readonly message: string
  readonly frames: readonly StackFrame[]
  readonly source: SourceExcerpt | null
  readonly cause: ErrorDetail | null
  readonly members: readonly ErrorDetail[]
}

export interface VersionDetail extends VersionOutcome {
  /** What was read, as a lower-case header name or in words. */
  readonly from: string
  readonly isDefault: boolean
  readonly alternatives: readonly string[]
}

/** All that is kept of a request: `GET api/requests/<id>`. */
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
  readonly calls: readonly ServiceCall[]
  readonly callsMore: number
  readonly repeated: readonly RepeatedCall[]
  readonly logs: readonly LogLine[]
  readonly issues: readonly IssueDetail[]
  readonly vendor: string | null
  readonly error: ErrorDetail | null
  readonly version: VersionDetail | null
  readonly aborted: boolean
}
