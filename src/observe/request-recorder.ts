/** The trail of a call: what it leaves on its way for the console. Without the console, each step costs one test against `null`. */
import { performance } from 'node:perf_hooks'
import type { CountedCall, NumberedEndpoint } from './event-types.js'

/** The phases of a call by name, and `rest` for what lies between them: middleware, for the most part. */
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

export type PhaseNumber = (typeof PHASE)[keyof typeof PHASE]

export interface TrailAnswer {
  readonly status: number
  /** By lower-case name; several `Set-Cookie` values are split by line feeds. */
  readonly headers: ReadonlyMap<string, string>
  readonly payload: { readonly type: string | undefined; readonly data: unknown; readonly plain?: unknown }
}

export interface TrailVersion {
  /** As the client named it; `undefined` when it named none. */
  readonly asked: string | undefined
  /** Constraint of the endpoint that answered; `undefined` when none did. */
  readonly constraint: string | undefined
  /** Constraints of path and method. */
  readonly alternatives: readonly string[]
}

/** What is known of a call at its end; what costs something is made when it is asked for. */
export interface RecordedRequest {
  readonly traceId: string | undefined
  readonly path: string
  /** Without `?`. */
  readonly query: string
  readonly client: string
  readonly endpoint: NumberedEndpoint | undefined
  readonly params: Readonly<Record<string, string>>
  readonly error: unknown
  /** What its endpoint failed of, whatever middleware has made of it. */
  readonly failure: unknown
  readonly isSecure: boolean
  readonly isAborted: boolean
  /** Fields of the request by lower-case name. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The bytes of its body, where it was collected. */
  readonly body: Uint8Array | null
  /** `null` where the client was gone. */
  readonly answer: TrailAnswer | null
  /** Bytes of a streamed answer that have left. */
  readonly streamed: number
  /** Fields of the answer as they were written, names and values in turn. */
  readonly lines: readonly string[]
  /** `undefined` where the path has no versions. */
  readonly version: TrailVersion | undefined
}

/** What a client has sent, as far as it is known while the call goes on. */
export type TrailSources = Pick<RecordedRequest, 'headers' | 'query' | 'params' | 'body'>

export interface OpenServiceCall {
  /** Ends it; `undefined` where nothing was thrown. */
  end(error: unknown): void
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
  /** ms by the number of a phase; empty where no phases are taken. */
  durations: number[] = NO_PHASES
  /** Whether its phases and its calls of services are taken. */
  isDetailed: boolean = false
  endpoint: NumberedEndpoint | null = null
  /** The path template that matched, whether an endpoint answers or not. */
  template: string | null = null
  /** What the client has sent; `null` once the call has ended, which it must not outlive. */
  sources: TrailSources | null = null
  /** When the phase that lasts has begun, in ms of `performance.now()`. */
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

  /** The request has got its id, which stands in the lines of its log. */
  abstract named(requestId: string): void

  /** A service is called. Returns what is told of its end; `null` when nobody asks. */
  abstract called(name: string, args: readonly unknown[], method?: object): OpenServiceCall | null

  /** The answer has left, or cannot leave any more. Told again, it is passed over. */
  abstract end(facts: RecordedRequest): void
}

export interface ObservedLine {
  readonly level: string
  /** With those that a logger was bound to; not to be kept. */
  readonly fields: object
  readonly message: string
}

export interface CallContext {
  /** Does a piece of the work of a call; everything that it leads to belongs to that call. */
  run(trail: RequestRecorder, next: () => void): void
}

/** A call that was answered, and left no trail. */
export interface FinishedRequest extends CountedCall {
  readonly exchange: CallHead
}

export interface AppObserver {
  observes(begun: CallHead): boolean
  /** An observed call begins. Returns its trail; `null` for a call that is only counted. */
  begin(begun: CallHead, began: number): RequestRecorder | null
  /** Gives a trail to a call that was to be counted only, because it writes a line. */
  observe(begun: CallHead, began: number): RequestRecorder
  /** Counts a call that was answered without a trail. A notable one gets a trail instead, and is counted when that ends. */
  passed(call: FinishedRequest, status: number): RequestRecorder | null
  line(line: ObservedLine): void
}
