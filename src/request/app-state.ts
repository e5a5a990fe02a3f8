/** State shared by all requests of an app. */
import type { SourceApp } from '../context/request-context.js'
import type { Context } from '../context/types.js'
import type { HttpError } from '../errors/http-error.js'
import type { OpenStreams } from '../http/event-stream.js'
import type { Exchange } from '../http/exchange.js'
import type { AppServices } from '../injection/services.js'
import type { Logger } from '../observe/logger.js'
import type { Channel } from '../observe/channel.js'
import type { Secrets } from '../secrets/secrets.js'
import type { Mounts } from '../router/mounts.js'
import type { Router } from '../router/router.js'
import type { PathEntry, EndpointlessSettings } from './endpoint.js'
import type { CallFacts, CallObserver } from './observer-types.js'

/** Requests in progress. Methods instead of properties, so that code without access to the requests does not need their type. */
export interface Work<C = never> {
  /** Number of requests in progress, including requests that wait for services and requests whose method outlives them. */
  readonly running: number
  /** Counts a request that is not in the list yet, because it waits for services. */
  hold(): void
  release(): void
  add(call: C): void
  remove(call: C): void
  /** Resolves when `running` is 0. Call it once. */
  idle(): Promise<void>
}

/**
 * Turns a thrown error into an `HttpError` for the client, or returns `undefined` to leave it to the next mapper. It also receives
 * `HttpError`s, including errors from Verbena (see `source`). An `HttpError` is replaced only by another `HttpError`, and a result with
 * status 500 does not replace one with a different status.
 */
export type ErrorMapper = (error: unknown, context: Context) => HttpError | undefined

/** Limits on requests and connections. */
export interface Limits {
  /** Maximum size of a body, in bytes. */
  readonly body: number
  /** Maximum nesting depth of JSON. */
  readonly depth: number
  /** Maximum number of values in a query. */
  readonly keys: number
  /** Maximum number of request headers. */
  readonly headers: number
  /** Maximum size of the request line and headers, in bytes. */
  readonly headerBytes: number
  /** Maximum length of the request target, in characters. */
  readonly url: number
  /** Maximum number of issues in a 422, and in the log line of a response that violates its contract. */
  readonly issues: number
  /** Maximum number of open connections; default: no limit. */
  readonly connections: number | undefined
}

/** Handling of a trailing slash that no route has: `strict` does not match, `ignore` drops the slash, `redirect` redirects without it. */
export type TrailingSlash = 'strict' | 'ignore' | 'redirect'

/** State of an app that requests use. `C` is the type of a request; code that does not run requests omits it. */
export interface AppState<C = never> extends SourceApp, EndpointlessSettings<C> {
  readonly router: Router<PathEntry<C>>
  /** Searched if `router` has no match; `null` if no route is a fallback. */
  readonly fallbacks: Router<PathEntry<C>> | null
  /** Mounted handlers, searched if `router` has no match; `null` without handlers. */
  readonly handlers: Mounts<PathEntry<C>> | null
  readonly trailingSlash: TrailingSlash
  /** Settings of paths below a group that match no route; `null` if all groups have the settings of the app. */
  readonly mounts: Mounts<EndpointlessSettings<C>> | null
  readonly mappers: readonly ErrorMapper[]
  /** Whether the app or a group has an `errorFormat`. Otherwise, all errors are problem details. */
  readonly hasErrorFormats: boolean
  readonly limits: Limits
  readonly services: AppServices
  readonly validateResponses: boolean
  /** Whether mistakes that the response would not reveal throw an error: in development, and in strict tests. */
  readonly isStrict: boolean
  readonly logger: Logger
  readonly work: Work<C>
  /** `timeouts.close` in ms: for how long provider cleanup waits for a method after its timeout. */
  readonly closeTimeout: number
  readonly openStreams: OpenStreams
  readonly channel: Channel
  readonly secrets: Secrets
  /** Starts to observe a request; called only if the log, the metrics or the console observe requests. */
  readonly observe: (call: CallFacts) => CallObserver
  /** Returns an id that is unique in this process, or the id that a trusted proxy sent. */
  idOf(exchange: Exchange): string
}
