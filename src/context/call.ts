/** A call: everything that is known of one request while it is answered. */
import { AsyncResource } from 'node:async_hooks'
import type { Exchange } from '../http/exchange.js'
import type { FieldChange } from '../http/fields.js'
import { childLogger, type Level, type Logger } from '../logging/logger.js'
import { traceIdOf } from '../observe/trace.js'
import type { EndpointView, Linkable, QueryValues } from './types.js'

/** What all calls of an app share. */
export interface CallScope {
  /** The app's logger. */
  readonly logger: Logger
  /** Gives each request its id. */
  idOf(exchange: Exchange): string
  /** The address of the client. */
  clientOf(exchange: Exchange): string
  /** Reverse routing. */
  href(route: Linkable, params: object, query: QueryValues | undefined): string
}

/** A signal that somebody has read. */
interface Listened {
  readonly controller: AbortController
  /** The async context of its listeners. */
  place: AsyncResource
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
  #listened: Listened | undefined = undefined
  #abortion: unknown = undefined

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
    return (this.#id ??= this.newId())
  }

  /** Makes the id. */
  protected newId(): string {
    return this.scope.idOf(this.exchange)
  }

  /** Id of the trace that the request belongs to; `undefined` without a `traceparent` that can be read. */
  get traceId(): string | undefined {
    return traceIdOf(this.exchange.header('traceparent'))
  }

  /** The request's logger, made when it is first asked for. */
  get log(): Logger {
    return (this.#log ??= this.#makeLog())
  }

  #makeLog(): Logger {
    const { id, traceId, scope } = this
    return childLogger(scope.logger, traceId === undefined ? { requestId: id } : { requestId: id, traceId })
  }

  /** Writes a line of the framework's own. A logger that fails must not take the request, or the process, with it. */
  report(level: Level, fields: object, message: string): void {
    try {
      this.log[level](fields, message)
    } catch {
      // Where a line cannot be written, this cannot be written either.
    }
  }

  /**
   * Aborted when the client goes away. Its listeners run in the async context that read this last: middleware reads it before the
   * method does. An `AbortController` costs 7 µs on Node 20, so only calls that read this pay for it.
   */
  get signal(): AbortSignal {
    const place = new AsyncResource('verbena.signal')
    if (this.#listened !== undefined) this.#listened.place = place
    else {
      this.#listened = { controller: new AbortController(), place }
      if (this.#abortion !== undefined) this.abort(this.#abortion)
      else if (this.exchange.aborted) this.abort(clientGone())
      else this.exchange.onAbort(() => this.abort(clientGone()))
    }
    return this.#listened.controller.signal
  }

  /** Tells everybody who works on this request to stop. */
  abort(reason: unknown): void {
    this.#abortion = reason
    const listened = this.#listened
    if (listened !== undefined) listened.place.runInAsyncScope(() => listened.controller.abort(reason))
  }
}

/** The reason of an abortion by the client. Returns an error of the name `AbortError`. */
export function clientGone(): DOMException {
  return new DOMException('The client went away', 'AbortError')
}
