/** The observer of a request, and what it reads of the request. */
import type { ContextSource, RequestContext, SourceApp } from '../context/request-context.js'
import type { FullReply } from '../context/reply.js'
import type { ResponseMessage, SentListener } from '../http/exchange.js'
import type { ScopeFailure } from '../injection/scope.js'
import type { AppServices, ServiceValues } from '../injection/services.js'
import type { Channel } from '../observe/channel.js'
import type { PhaseNumber } from '../observe/request-recorder.js'
import type { Params } from '../router/match.js'
import type { Endpoint, PathEntry, VersionChoice } from './endpoint.js'

/** Properties of a request that events and records use. */
export interface CallFacts extends ContextSource {
  readonly app: SourceApp & { readonly channel: Channel; readonly services: AppServices }
  readonly traceId: string | undefined
  /** Whether the response can no longer change. */
  readonly isSent: boolean
  readonly pathMatch: { readonly entry: PathEntry; readonly choice: VersionChoice | null } | null
  readonly params: Params
  readonly endpoint: Endpoint | null
  readonly input: RequestContext
  readonly reply: FullReply
  readonly failure: ScopeFailure | null
  /** Why the response could not be sent; `undefined` if the client disconnected. */
  readonly sendError: unknown
  report(level: 'warn', fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Observes one request for the log, the metrics and the console. */
export interface CallObserver {
  /** The requested version, if the path has versions. */
  requestedVersion: string | undefined
  /** Bytes of the body, if they were collected. */
  body: Uint8Array | null
  /** Field of error lines in the log, with the URL of the request in the console; `null` if it is not recorded. */
  readonly linkField: Readonly<Record<'console', string>> | null
  /** Time in ms until the response could be written or, if the request waits for that, was sent. */
  readonly duration: number
  /** Emits `start`. It reads the id of the request, so `call.observer` must be set before. */
  begin(): void
  /** Called when the request gets its id. */
  named(id: string): void
  /** Calls `next` in the async context of the request. */
  run<T>(next: (of: T) => void, of: T): void
  enter(phase: PhaseNumber | null | undefined): void
  routed(): void
  /** Creates a route whose services are observed. */
  create(route: new () => object): object
  services(values: ServiceValues): ServiceValues
  stopWatch(): void
  send(message: ResponseMessage, listener: SentListener | null): void
  abandon(message: ResponseMessage): void
  failed(error: unknown, message: string): void
  responded(): void
  leaves(): void
}
