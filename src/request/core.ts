/** The inside of an app: what every call of it needs. */
import type { CallScope } from '../context/call.js'
import type { Middleware } from '../context/middleware.js'
import type { Context } from '../context/types.js'
import type { HttpError } from '../errors/http-error.js'
import type { ServiceStore } from '../injection/service-store.js'
import type { Router } from '../router/router.js'
import type { Channel } from '../observe/channel.js'
import type { Secrets } from '../observe/secrets.js'
import type { PathRecord } from './endpoint.js'
import type { OpenStreams } from './open-streams.js'
import type { Work } from './work.js'

/** Turns an application's own error into one that speaks to the client; `undefined` leaves it to the next. */
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

/** What every call of an app needs. */
export interface Core extends CallScope {
  readonly router: Router<PathRecord>
  /** Middleware around answers that no route gives. */
  readonly chain: readonly Middleware[]
  readonly mappers: readonly ErrorMapper[]
  readonly limits: Limits
  readonly services: ServiceStore
  readonly validateResponses: boolean
  readonly work: Work
  /** Event streams that are open; closing ends them. */
  readonly openStreams: OpenStreams
  readonly telemetry: Channel
  /** What no line of the log shows. */
  readonly secrets: Secrets
}
