/** Public types of the input of handlers, providers and middleware. */
import type { CookieOptions } from '../http/cookies.js'
import type { Verb } from '../http/methods.js'
import type { Logger } from '../observe/logger.js'
import type { ParamsOf } from '../router/template.js'
import type { In } from '../validation/schema.js'

/** Resolves an intersection, so that editors list its properties. */
export type Flat<T> = { [K in keyof T]: T[K] } & {}

/** A route class that `href` can link to. */
export type Linkable = abstract new () => object

/** Type of a static member of a class; `{}` without it. */
export type StaticAt<T, K extends string> = T extends { readonly [X in K]: infer V } ? V : {}

/** Path parameters of a route class, from its static `prefix` and `path`. */
type ParamsAt<T> = ParamsOf<StaticAt<T, 'prefix'>> & ParamsOf<StaticAt<T, 'path'>>

/** Path parameters that `href` accepts: the inputs of the `params` schemas of the class; without such a schema, strings and numbers. */
export type LinkParams<T> = { readonly [K in keyof ParamsAt<T>]: LinkParam<ParamsAt<T>[K], TakenAt<T, K>> }

// If the type of `path` is not a literal, `ParamsOf` returns a parameter of type `never` whose name describes the error.
type LinkParam<Text, Taken> = [Text] extends [never] ? never : [Taken] extends [never] ? string | number : Known<Taken>
// A schema that converts any value, such as `z.coerce`, has the input type `unknown`.
type Known<Taken> = unknown extends Taken ? QueryValue : Exclude<Taken, undefined>

type TakenAt<T, K> = { [V in Verb]: MemberOf<ParamsTakenBy<T, V>, K> }[Verb]
type ParamsTakenBy<T, V extends Verb> =
  T extends Readonly<Record<V, { readonly '~spec': { readonly params: infer S } }>> ? In<S> : never
type MemberOf<Params, K> = K extends keyof Params ? Params[K] : never

/** Query values for a link: numbers and booleans are converted to strings, arrays become repeated keys, `undefined` is omitted. */
export interface QueryValues {
  readonly [key: string]: QueryValue | readonly QueryValue[] | undefined
}

/** One query value for a link. */
export type QueryValue = string | number | boolean

/** Read-only view of the request. */
export interface RequestView {
  /** Id of this request. It also appears in the log and in every problem. */
  readonly id: string
  /** HTTP method in upper case. A HEAD request that `get` handles has the method `HEAD`. */
  readonly method: string
  /** Path and query, percent-encoded as sent. If a server such as Express has mounted the app, they contain the mount. */
  readonly url: string
  /** Path, percent-encoded as sent, with the mount. */
  readonly path: string
  /** Address of the client: the peer's, or the one reported by a proxy in `trustProxy`; an empty string if unknown. */
  readonly ip: string
  /** Headers by lower-case name, in an object without a prototype. Repeated headers are combined. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /** Idempotency key without quotes; `undefined` without `idempotency` in the contract, or if the request has no valid key. */
  readonly idempotencyKey: string | undefined
  /**
   * Returns the path of a route, including its prefix and all mounts (reverse routing).
   *
   * @param route a route class of this app
   * @param params values of the path parameters, not encoded; the inputs of the `params` schema
   * @param query values to append
   * @returns path and query, percent-encoded
   */
  href<T extends Linkable>(route: T, params: Flat<LinkParams<T>>, query?: QueryValues): string
}

/** Attributes of a link by name (RFC 8288 section 3.4). */
export interface LinkAttributes {
  readonly [name: string]: string | undefined
}

/** Sets headers and cookies of the response, and adds tasks to run after it. */
export interface ResponseView {
  /**
   * Sets a header; `null` removes it. Headers of the returned reply override it. After the headers are sent, it throws in development and
   * in strict tests; otherwise Verbena logs one warning per endpoint.
   *
   * @param name case-insensitive
   * @param value Latin-1 without control characters
   */
  header(name: string, value: string | null): void
  /**
   * Appends a value to a header.
   *
   * @param name case-insensitive
   * @param value added to the existing values
   */
  append(name: string, value: string): void
  /**
   * Adds a link to the `Link` header (RFC 8288).
   *
   * @param rel relation type, such as `next`; several are separated by spaces
   * @param href path or URL; invalid characters are percent-encoded, existing escapes stay as they are
   * @param attributes values by name, such as `title` and `type`; `undefined` omits an attribute
   */
  link(rel: string, href: string, attributes?: LinkAttributes): void
  /**
   * Sets a cookie. Defaults: `HttpOnly`, `Secure`, `SameSite=Lax` and `Path=/`.
   *
   * @param name a token (RFC 9110 section 5.6.2)
   * @param value any string; `null` deletes the cookie in the browser
   * @param options attributes
   * @throws TypeError for a cookie that browsers would ignore, such as one with more than 4096 bytes
   */
  cookie(name: string, value: string | null, options?: CookieOptions): void
  /**
   * Runs a task after the response is sent, in the async context of the caller. `close()` waits for it. Errors are logged. If the request
   * fails, the task is discarded.
   *
   * @param task may be async
   */
  after(task: () => unknown): void
}

/** Properties that every handler, provider and middleware receives. */
export interface Context {
  /** Read-only view of the request. */
  readonly request: RequestView
  /** Headers and cookies of the response, and tasks to run after it. */
  readonly response: ResponseView
  /** Aborted when the client disconnects. */
  readonly signal: AbortSignal
  /** Logger whose lines contain the request id. */
  readonly log: Logger
}

/** Custom data on contracts and classes. Declare its keys by declaration merging. */
export interface Meta {}

/** The endpoint that matches a request, as middleware sees it. */
export interface EndpointView {
  /** Name of the route. */
  readonly route: string
  /** HTTP method in upper case. */
  readonly method: string
  /** Path template, including prefix and mount. */
  readonly path: string
  /** Path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Custom data of the class and the contract. */
  readonly meta: Meta
}
