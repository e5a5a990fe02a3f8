/** What all calls of an app share. */
import type { SourceApp } from '../context/request-context.js'
import type { Context } from '../context/types.js'
import type { HttpError } from '../errors/http-error.js'
import type { Exchange } from '../http/exchange.js'
import type { ServiceStore } from '../injection/service-store.js'
import type { Logger } from '../observe/logger.js'
import type { Channel } from '../observe/channel.js'
import type { Secrets } from '../secrets/secrets.js'
import type { Mounts } from '../router/mounts.js'
import type { Router } from '../router/router.js'
import type { PathEntry, EndpointlessPipelines } from './endpoint.js'
import type { ErrorFormats } from './error-format.js'
import type { Work } from './work.js'

/**
 * Turns what was thrown into an error that speaks to the client; `undefined` leaves it to the next. It sees `HttpError`s too, those of
 * Verbena among them (`source` tells): only another `HttpError` replaces one, and one of status 500 does not.
 */
export type ErrorMapper = (error: unknown, context: Context) => HttpError | undefined

/** Bounds on what a request may cost. */
export interface Limits {
  /** Bytes of a body. */
  readonly body: number
  /** Levels of nesting in JSON. */
  readonly depth: number
  /** Values in a query. */
  readonly keys: number
  /** Fields in the head of a request. */
  readonly headers: number
  /** Bytes of the head of a request. */
  readonly headerBytes: number
  /** Characters of a request target. */
  readonly url: number
  /** Issues that a 422 lists, and the log of an answer that breaks its contract. */
  readonly issues: number
  /** Connections at once; no limit unless given. */
  readonly connections: number | undefined
}

/** What a path is that only a slash at its end tells from one that is known. */
export type TrailingSlash = 'strict' | 'ignore' | 'redirect'

/** The event streams of an app that are open, each by the function that ends it. */
export class OpenStreams {
  readonly #open = new Set<() => void>()
  /** Whether the app is closing, or closed. */
  isEnded: boolean = false

  /** A stream begins; where the app is closing it ends at once. */
  add(end: () => void): void {
    if (this.isEnded) end()
    else this.#open.add(end)
  }

  delete(end: () => void): void {
    this.#open.delete(end)
  }

  /** Ends all of them, and every later one. */
  end(): void {
    this.isEnded = true
    for (const end of this.#open) end()
  }
}

/** What every call of an app needs. `C` is the call; whoever does not run calls does not name it. */
export interface AppState<C = never> extends SourceApp, EndpointlessPipelines<C> {
  readonly router: Router<PathEntry<C>>
  /** Asked for a path that the router does not know; `null` where no route is a fallback. */
  readonly fallbacks: Router<PathEntry<C>> | null
  readonly trailingSlash: TrailingSlash
  /** What answers for paths below a group that no route has; `null` where they are answered as all others. */
  readonly mounts: Mounts<EndpointlessPipelines<C>> | null
  readonly mappers: readonly ErrorMapper[]
  /** `null` where all errors are problem details. */
  readonly formats: ErrorFormats | null
  readonly limits: Limits
  readonly services: ServiceStore
  readonly validateResponses: boolean
  /** Whether a slip that would leave no trace in the answer throws: in development, and in strict tests. */
  readonly isStrict: boolean
  readonly logger: Logger
  readonly work: Work<C>
  /** `timeouts.close` in ms: for how long provider cleanup waits for a method after its timeout. */
  readonly closeTimeout: number
  readonly openStreams: OpenStreams
  readonly channel: Channel
  readonly secrets: Secrets
  /** Gives each request an id that is unique in this process; a trusted proxy may have given one. */
  idOf(exchange: Exchange): string
}
