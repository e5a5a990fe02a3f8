/** The two contexts of a request: the view of middleware, and the input of handlers and providers. */
import { AsyncResource } from 'node:async_hooks'
import { serializeCookie, type CookieOptions } from '../http/cookies.js'
import type { Exchange } from '../http/exchange.js'
import { fieldChange, type HeaderChange } from '../http/fields.js'
import type { TrustedProxies } from '../http/forwarded.js'
import { serializeLink } from '../http/link.js'
import { joinMount } from '../http/target.js'
import type { Logger } from '../observe/logger.js'
import type { MiddlewareContext } from './middleware.js'
import type {
  Context,
  EndpointView,
  Linkable,
  LinkAttributes,
  QueryValues,
  RequestView,
  ResponseView,
} from './types.js'

/** The request as the context sees it; `Call` implements it. */
export interface ContextSource {
  readonly exchange: Exchange
  /** Path of the target, percent-encoded as sent, without the mount. */
  readonly path: string
  readonly query: string
  readonly id: string
  readonly log: Logger
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** The endpoint as middleware sees it; `undefined` if no endpoint matches. */
  readonly endpointView: EndpointView | undefined
  readonly app: SourceApp
  /** Whether the endpoint has a credentials provider. */
  readonly readsCredentials: boolean
  /** Idempotency key of the request, if its endpoint has `idempotency`. */
  readonly requestKey: string | undefined
  /** Whether the origin is in `cors.origins` of the endpoint with `credentials: true`, so its pages may act for their users. */
  trustsOrigin(origin: string): boolean | Promise<boolean>
  /** Adds a header change; changes are applied in order. `survives`: the response has it even if the endpoint fails. */
  change(change: HeaderChange, survives: boolean): void
  /** Tasks to run after the response is sent. */
  tasks: (() => unknown)[] | null
}

export interface SourceApp {
  /** Returns the address of the client, from the headers of a trusted proxy if there is one. */
  clientOf(exchange: Exchange): string
  readonly proxies: TrustedProxies
  /** Identifies the app: providers keep their settings for each app. */
  readonly services: object
  href(route: Linkable, params: object, query: QueryValues | undefined): string
}

/** Base of both contexts. Views of the request and the response are created when they are first read. */
export class BaseContext implements Context {
  readonly #source: ContextSource
  #request: RequestView | undefined = undefined
  #response: ResponseView | undefined = undefined
  #signal: AbortSignal | undefined = undefined
  /** Whether header changes survive a failure of the endpoint. */
  #survives: boolean

  constructor(source: ContextSource, survives: boolean) {
    this.#source = source
    this.#survives = survives
  }

  /** All contexts of one request share one source. */
  static sourceOf(context: BaseContext): ContextSource {
    return context.#source
  }

  /** Marks the context as the input of a guard. Headers that a guard sets are sent even if the endpoint fails. */
  static giveToGuard(context: BaseContext): void {
    context.#survives = true
  }

  get request(): RequestView {
    return (this.#request ??= new CallRequest(this.#source))
  }

  get response(): ResponseView {
    return (this.#response ??= new CallResponse(this.#source, this.#survives))
  }

  get signal(): AbortSignal {
    return (this.#signal ??= this.#source.signal)
  }

  get log(): Logger {
    return this.#source.log
  }
}

/** Context of middleware, `mapError` and providers without `needs`. It never has the body, validated sources or values of providers. */
export class ContextView extends BaseContext implements MiddlewareContext {
  get endpoint(): EndpointView | undefined {
    return BaseContext.sourceOf(this).endpointView
  }
}

/** Input of a handler or a provider. Validation and providers add their values. */
export class RequestContext extends BaseContext {
  params: unknown = undefined
  query: unknown = undefined
  headers: unknown = undefined
  cookies: unknown = undefined
  body: unknown = undefined
  rawBody: unknown = undefined

  /** Explicit, because the implicit constructor of a subclass costs 2 % of a small request on Node 20. */
  constructor(source: ContextSource) {
    super(source, false)
  }
}

class CallRequest implements RequestView {
  readonly #source: ContextSource
  #headers: Readonly<Record<string, string | undefined>> | undefined = undefined

  constructor(source: ContextSource) {
    this.#source = source
  }

  get id(): string {
    return this.#source.id
  }

  get method(): string {
    return this.#source.exchange.method
  }

  get url(): string {
    return joinMount(this.#source.exchange.mount, this.#source.exchange.url)
  }

  get path(): string {
    return joinMount(this.#source.exchange.mount, this.#source.path)
  }

  get ip(): string {
    return this.#source.app.clientOf(this.#source.exchange)
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    return (this.#headers ??= this.#source.exchange.headers())
  }

  get idempotencyKey(): string | undefined {
    return this.#source.requestKey
  }

  href(route: Linkable, params: object, query?: QueryValues): string {
    return this.#source.exchange.mount + this.#source.app.href(route, params, query)
  }
}

class CallResponse implements ResponseView {
  readonly #source: ContextSource
  readonly #survives: boolean

  constructor(source: ContextSource, survives: boolean) {
    this.#source = source
    this.#survives = survives
  }

  header(name: string, value: string | null): void {
    this.#source.change(fieldChange(name, value, false), this.#survives)
  }

  append(name: string, value: string): void {
    this.#source.change(fieldChange(name, value, true), this.#survives)
  }

  link(rel: string, href: string, attributes: LinkAttributes = {}): void {
    this.append('link', serializeLink(rel, href, attributes))
  }

  cookie(name: string, value: string | null, options?: CookieOptions): void {
    this.#source.change(fieldChange('set-cookie', serializeCookie(name, value, options), true), this.#survives)
  }

  after(task: () => unknown): void {
    const place = new AsyncResource('verbena.task')
    ;(this.#source.tasks ??= []).push(() => place.runInAsyncScope(task))
  }
}
