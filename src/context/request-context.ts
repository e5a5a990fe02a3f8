/** What a handler or middleware holds in its hands: sources that were bound, and views made when they are first read. */
import { AsyncResource } from 'node:async_hooks'
import { serializeCookie, type CookieOptions } from '../http/cookies.js'
import { fieldChange } from '../http/fields.js'
import type { Logger } from '../logging/logger.js'
import type { Call } from './call.js'
import type { MiddlewareContext } from './middleware.js'
import type { Context, EndpointView, Linkable, QueryValues, RequestView, ResponseView } from './types.js'

/** The input of handlers and providers. */
export class RequestContext implements Context {
  params: unknown = undefined
  query: unknown = undefined
  headers: unknown = undefined
  cookies: unknown = undefined
  body: unknown = undefined
  rawBody: unknown = undefined
  readonly #call: Call
  #request: RequestView | undefined = undefined
  #response: ResponseView | undefined = undefined
  #signal: AbortSignal | undefined = undefined

  constructor(call: Call) {
    this.#call = call
  }

  /** The call behind a context: all contexts of one request have the same. */
  static callOf(context: RequestContext): Call {
    return context.#call
  }

  get request(): RequestView {
    return (this.#request ??= new CallRequest(this.#call))
  }

  get response(): ResponseView {
    return (this.#response ??= new CallResponse(this.#call))
  }

  get signal(): AbortSignal {
    return (this.#signal ??= this.#call.signal)
  }

  get log(): Logger {
    return this.#call.log
  }
}

/** The context of middleware. */
export class OuterContext extends RequestContext implements MiddlewareContext {
  readonly #call: Call

  constructor(call: Call) {
    super(call)
    this.#call = call
  }

  get endpoint(): EndpointView | undefined {
    return this.#call.endpoint
  }
}

class CallRequest implements RequestView {
  readonly #call: Call
  #headers: Readonly<Record<string, string | undefined>> | undefined = undefined

  constructor(call: Call) {
    this.#call = call
  }

  get id(): string {
    return this.#call.id
  }

  get method(): string {
    return this.#call.exchange.method
  }

  get url(): string {
    return this.#call.exchange.url
  }

  get path(): string {
    return this.#call.path
  }

  get ip(): string {
    return this.#call.scope.clientOf(this.#call.exchange)
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    return (this.#headers ??= this.#call.exchange.headers())
  }

  href(route: Linkable, params: object, query?: QueryValues): string {
    return this.#call.scope.href(route, params, query)
  }
}

class CallResponse implements ResponseView {
  readonly #call: Call

  constructor(call: Call) {
    this.#call = call
  }

  header(name: string, value: string | null): void {
    ;(this.#call.changes ??= []).push(fieldChange(name, value, false))
  }

  append(name: string, value: string): void {
    ;(this.#call.changes ??= []).push(fieldChange(name, value, true))
  }

  cookie(name: string, value: string | null, options?: CookieOptions): void {
    ;(this.#call.changes ??= []).push(fieldChange('set-cookie', serializeCookie(name, value, options), true))
  }

  after(task: () => unknown): void {
    const place = new AsyncResource('verbena.task')
    ;(this.#call.tasks ??= []).push(() => place.runInAsyncScope(task))
  }
}
