/** What contexts show: the call behind them, seen from here. */
import type { Exchange } from '../http/exchange.js'
import type { FieldChange } from '../http/fields.js'
import type { Logger } from '../logging/logger.js'
import type { EndpointView, Linkable, QueryValues } from './types.js'

/** What the context of a request reads and changes. */
export interface ContextSource {
  readonly exchange: Exchange
  /** Path of the target, as sent. */
  readonly path: string
  /** Query of the target, without `?`. */
  readonly query: string
  /** Id of the request. */
  readonly id: string
  readonly log: Logger
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** What middleware is told of the endpoint; `undefined` where none answers. */
  readonly endpointView: EndpointView | undefined
  readonly app: SourceApp
  /** Changes to the answer's headers, in order; `null` as long as nothing has changed any. */
  changes: FieldChange[] | null
  /** Work for when the answer has left. */
  tasks: (() => unknown)[] | null
}

/** What the app behind a context knows. */
export interface SourceApp {
  /** The address of the client, which a trusted proxy may have named. */
  clientOf(exchange: Exchange): string
  /** Reverse routing. */
  href(route: Linkable, params: object, query: QueryValues | undefined): string
}
