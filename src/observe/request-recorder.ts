/** Records one request for the console. Without the console, each step costs one comparison with `null`. */
import { performance } from 'node:perf_hooks'
import type { Exchange, ResponseMessage } from '../http/exchange.js'
import type { CountedCall, NumberedEndpoint } from './event-types.js'

/** Phases of a request by name. `rest` is the time between them, mostly in middleware. */
export const PHASE = {
  route: 0,
  guards: 1,
  readBody: 2,
  validate: 3,
  providers: 4,
  handler: 5,
  serialize: 6,
  send: 7,
  rest: 8,
} as const

export type PhaseName = keyof typeof PHASE
export type PhaseNumber = (typeof PHASE)[PhaseName]

export interface RecordedResponse {
  readonly status: number
  /** By lower-case name. Several `Set-Cookie` values are separated by line feeds. */
  readonly headers: ReadonlyMap<string, string>
  readonly payload: { readonly type: string | undefined; readonly data: unknown; readonly plain?: unknown }
}

export interface RecordedVersion {
  /** Version as the client sent it; `undefined` if the request has no version. */
  readonly requested: string | undefined
  /** Version constraint of the matching endpoint; `undefined` if no endpoint matches. */
  readonly constraint: string | undefined
  /** Version constraints of all endpoints with this path and method. */
  readonly alternatives: readonly string[]
}

/** A request at its end. Expensive properties are getters. */
export interface RecordedRequest {
  readonly traceId: string | undefined
  readonly path: string
  /** Without `?`. */
  readonly query: string
  readonly client: string
  readonly endpoint: NumberedEndpoint | undefined
  readonly params: Readonly<Record<string, string>>
  readonly error: unknown
  /** Error of the endpoint, even if middleware has replaced it. */
  readonly failure: unknown
  readonly isSecure: boolean
  readonly isAborted: boolean
  /** Request headers by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Bytes of the body; `null` if it was not collected. */
  readonly body: Uint8Array | null
  /** `null` if the client had disconnected. */
  readonly response: RecordedResponse | null
  /** Number of bytes sent of a streamed response. */
  readonly streamed: number
  /** Response headers as sent; names and values alternate. */
  readonly lines: readonly string[]
  /** `undefined` if the path has no versions. */
  readonly version: RecordedVersion | undefined
}

/** Input of the client that is available during a request. */
export type TrailSources = Pick<RecordedRequest, 'headers' | 'query' | 'params' | 'body'>

export interface OpenServiceCall {
  /** Calls the method. Queries that start in it belong to this call. */
  run(method: Function, self: unknown, args: readonly unknown[]): unknown
  /** Records the end of the call; `error` is `undefined` if it succeeded. */
  end(error: unknown, result?: unknown): void
}

export interface CallHead {
  readonly method: string
  readonly url: string
}

const NO_PHASES: number[] = []

export abstract class RequestRecorder {
  readonly method: string
  readonly url: string
  /** In ms of `performance.now()`. */
  readonly began: number
  /** Durations in ms by phase number; empty if phases are not recorded. */
  durations: number[] = NO_PHASES
  /** Whether phases and service calls are recorded. */
  isDetailed: boolean = false
  endpoint: NumberedEndpoint | null = null
  /** Path template that matches, even if no endpoint matches. */
  template: string | null = null
  /** Input of the client; `null` after the request, so that its memory can be freed. */
  sources: TrailSources | null = null
  /** Start of the current phase, in ms of `performance.now()`; after the last phase, its end. */
  since: number
  phase: PhaseNumber = PHASE.route

  constructor({ method, url }: CallHead, began: number) {
    this.method = method
    this.url = url
    this.began = began
    this.since = began
  }

  detail(): void {
    this.isDetailed = true
    this.durations = [0, 0, 0, 0, 0, 0, 0, 0, 0]
  }

  enter(phase: PhaseNumber): void {
    if (this.isDetailed) this.stop()
    this.phase = phase
  }

  stop(): void {
    const now = performance.now()
    // Proof: phases are the indices of `durations`.
    if (this.isDetailed) this.durations[this.phase] = (this.durations[this.phase] as number) + now - this.since
    this.since = now
  }

  /** Called when the request gets its id, which its log lines contain. */
  abstract named(requestId: string): void

  /** Called before a service call. Returns an object that records its end; `null` if the call is not recorded. */
  abstract called(name: string, args: readonly unknown[], method?: object): OpenServiceCall | null

  /** Returns the URL of the request in the console, for the log; `null` if it is not known. */
  abstract link(exchange: Exchange): string | null

  /** Adds the URL of the request in the console to a response. Returns the same object if the client must not get it. */
  abstract linkResponse(message: ResponseMessage, exchange: Exchange): ResponseMessage

  /** Called when the response was sent or has failed. Only the first call has an effect. */
  abstract end(facts: RecordedRequest): void
}

export interface ObservedLine {
  readonly level: string
  /** Includes the fields of child loggers. Must be copied before it is stored. */
  readonly fields: object
  readonly message: string
}

export interface CallContext {
  /** Runs a part of a request. All async work that it starts belongs to this request. */
  run(trail: RequestRecorder, next: () => void): void
}

/** A finished request without a recorder. */
export interface FinishedRequest extends CountedCall {
  readonly exchange: CallHead
}

export interface AppObserver {
  observes(begun: CallHead): boolean
  /** Called at the start of an observed request. Returns its recorder; `null` if the request is only counted. */
  begin(begun: CallHead, began: number): RequestRecorder | null
  /** Creates a recorder for a request that was only counted, because it writes a log line. */
  observe(begun: CallHead, began: number): RequestRecorder
  /** Counts a finished request. For a notable one, returns a recorder instead, which counts the request when it ends. */
  passed(call: FinishedRequest, status: number): RequestRecorder | null
  line(line: ObservedLine): void
}
