/** What a handler or middleware holds in its hands: sources that were bound, and views made when they are first read. */
import { AsyncResource } from 'node:async_hooks'
import { parseCookies, serializeCookie, type CookieOptions } from '../http/cookies.js'
import type { Exchange } from '../http/exchange.js'
import { fieldChange, isToken, type HeaderChange } from '../http/fields.js'
import type { TrustedProxies } from '../http/forwarded.js'
import { serializeLink } from '../http/link.js'
import { parseQuery } from '../http/query.js'
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

/** What the context of a request reads and changes. */
export interface ContextSource {
  readonly exchange: Exchange
  /** Path of the target, as sent. */
  readonly path: string
  readonly query: string
  readonly id: string
  readonly log: Logger
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** What middleware is told of the endpoint; `undefined` where none answers. */
  readonly endpointView: EndpointView | undefined
  readonly app: SourceApp
  /** Whether the response may depend on credentials: of a provider of the endpoint, or in `Authorization`. */
  readonly hasCredentials: boolean
  /** Whether pages of an origin may act for their users here: it is one of the credentialed `cors.origins` of the endpoint. */
  trustsOrigin(origin: string): boolean | Promise<boolean>
  /** Takes a change to the answer's headers; they are made in order. `isKept`: it stays when the request fails. */
  change(change: HeaderChange, isKept: boolean): void
  /** Work for when the answer has left. */
  tasks: (() => unknown)[] | null
}

export interface SourceApp {
  /** The address of the client, which a trusted proxy may have named. */
  clientOf(exchange: Exchange): string
  /** Those whose forwarding headers count. */
  readonly proxies: TrustedProxies
  href(route: Linkable, params: object, query: QueryValues | undefined): string
}

export class RequestContext implements Context {
  params: unknown = undefined
  query: unknown = undefined
  headers: unknown = undefined
  cookies: unknown = undefined
  body: unknown = undefined
  rawBody: unknown = undefined
  readonly #source: ContextSource
  #request: RequestView | undefined = undefined
  #response: ResponseView | undefined = undefined
  #signal: AbortSignal | undefined = undefined
  #isOfGuard: boolean = false

  constructor(source: ContextSource) {
    this.#source = source
  }

  /** The call behind a context: all contexts of one request have the same. */
  static sourceOf(context: RequestContext): ContextSource {
    return context.#source
  }

  /** Makes it the context of a guard: what that sets through `response` stays when the request fails. */
  static giveToGuard(context: RequestContext): void {
    context.#isOfGuard = true
  }

  get request(): RequestView {
    return (this.#request ??= new CallRequest(this.#source))
  }

  get response(): ResponseView {
    return (this.#response ??= new CallResponse(this.#source, this.#isOfGuard))
  }

  get signal(): AbortSignal {
    return (this.#signal ??= this.#source.signal)
  }

  get log(): Logger {
    return this.#source.log
  }
}

export class OuterContext extends RequestContext implements MiddlewareContext {
  get endpoint(): EndpointView | undefined {
    return RequestContext.sourceOf(this).endpointView
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
    return this.#source.exchange.url
  }

  get path(): string {
    return this.#source.path
  }

  get ip(): string {
    return this.#source.app.clientOf(this.#source.exchange)
  }

  get headers(): Readonly<Record<string, string | undefined>> {
    return (this.#headers ??= this.#source.exchange.headers())
  }

  href(route: Linkable, params: object, query?: QueryValues): string {
    return this.#source.app.href(route, params, query)
  }
}

class CallResponse implements ResponseView {
  readonly #source: ContextSource
  readonly #isKept: boolean

  constructor(source: ContextSource, isKept: boolean) {
    this.#source = source
    this.#isKept = isKept
  }

  header(name: string, value: string | null): void {
    this.#source.change(fieldChange(name, value, false), this.#isKept)
  }

  append(name: string, value: string): void {
    this.#source.change(fieldChange(name, value, true), this.#isKept)
  }

  link(rel: string, href: string, attributes: LinkAttributes = {}): void {
    this.append('link', serializeLink(rel, href, attributes))
  }

  cookie(name: string, value: string | null, options?: CookieOptions): void {
    this.#source.change(fieldChange('set-cookie', serializeCookie(name, value, options), true), this.#isKept)
  }

  after(task: () => unknown): void {
    const place = new AsyncResource('verbena.task')
    ;(this.#source.tasks ??= []).push(() => place.runInAsyncScope(task))
  }
}

export type ContextPlace = 'header' | 'query' | 'cookie'

/** Reads one value from the head of a request: as sent, decoded; an array for a repeated key of the query. */
export function readContextSource(
  source: ContextSource,
  place: ContextPlace,
  name: string,
): string | readonly string[] | undefined {
  if (place === 'header') return source.exchange.header(name)
  if (place === 'cookie') return parseCookies(source.exchange.header('cookie'))[name]
  return parseQuery(source.query, Number.POSITIVE_INFINITY)[name]
}

export function canBeSent(place: ContextPlace, name: string): boolean {
  return place === 'query' ? name !== '' : isToken(name)
}
