/** A call: everything that is known of one request while it is answered. */
import type { Exchange } from '../http/exchange.js'
import type { FieldChange } from '../http/fields.js'
import { childLogger, type Logger } from '../logging/logger.js'
import type { EndpointView, Linkable, QueryValues } from './types.js'

/** What all calls of an app share. */
export interface CallScope {
  /** The app's logger. */
  readonly logger: Logger
  /**
   * Gives each request its id.
   * @returns an id that is unique in this process
   */
  nextId(): string
  /**
   * Reverse routing.
   * @param route a class of the app
   * @param params values of its parameters
   * @param query values to write behind it
   */
  href(route: Linkable, params: object, query: QueryValues | undefined): string
}

/** Everything that is known of one request while it is answered. */
export class Call {
  readonly exchange: Exchange
  readonly scope: CallScope
  /** Path of the target; empty until it was read. */
  path: string = ''
  /** Query of the target, without `?`. */
  query: string = ''
  /** Changes to the answer's headers, in order; `null` when there are none. */
  changes: FieldChange[] | null = null
  /** Work for when the answer has left. */
  tasks: (() => unknown)[] | null = null
  #id: string | undefined = undefined
  #log: Logger | undefined = undefined

  /**
   * @param exchange the request and the way to answer it
   * @param scope of the app
   */
  constructor(exchange: Exchange, scope: CallScope) {
    this.exchange = exchange
    this.scope = scope
  }

  /** What middleware is told of the endpoint; `undefined` where none answers. */
  get endpoint(): EndpointView | undefined {
    return undefined
  }

  /** Id of the request, made when it is first asked for. */
  get id(): string {
    return (this.#id ??= this.scope.nextId())
  }

  /** The request's logger, made when it is first asked for. */
  get log(): Logger {
    return (this.#log ??= childLogger(this.scope.logger, { requestId: this.id }))
  }
}
