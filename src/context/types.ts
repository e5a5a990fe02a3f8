/** What handlers, providers and middleware are given: the public types. */
import type { CookieOptions } from '../http/cookies.js'
import type { Verb } from '../http/methods.js'
import type { Logger } from '../observe/logger.js'
import type { ParamsOf } from '../router/template.js'
import type { In } from '../validation/schema.js'

/** A type whose members are shown one by one. */
export type Flat<T> = { [K in keyof T]: T[K] } & {}

/** A class that can be linked to: its parameters follow from its `prefix` and its `path`. */
export type Linkable = abstract new () => object

type StaticAt<T, K extends string> = T extends { readonly [X in K]: infer V } ? V : {}

/** The parameters of a class, from its `prefix` and its `path`. */
export type ParamsAt<T> = ParamsOf<StaticAt<T, 'prefix'>> & ParamsOf<StaticAt<T, 'path'>>

/** What parameters of a link may be: what the contracts of the class take, or else texts and numbers. */
export type LinkParams<T> = { readonly [K in keyof ParamsAt<T>]: LinkParam<ParamsAt<T>[K], TakenAt<T, K>> }

// A path that is no literal has a parameter of the type `never`, whose name says what is wrong.
type LinkParam<Text, Taken> = [Text] extends [never] ? never : [Taken] extends [never] ? string | number : Known<Taken>
// A schema that converts whatever it gets says nothing of what it takes.
type Known<Taken> = unknown extends Taken ? QueryValue : Exclude<Taken, undefined>

type TakenAt<T, K> = { [V in Verb]: MemberOf<ParamsTakenBy<T, V>, K> }[Verb]
type ParamsTakenBy<T, V extends Verb> =
  T extends Readonly<Record<V, { readonly '~spec': { readonly params: infer S } }>> ? In<S> : never
type MemberOf<Params, K> = K extends keyof Params ? Params[K] : never

/** Values of a query to be written: numbers and booleans as text, arrays as repeated keys, `undefined` left out. */
export interface QueryValues {
  readonly [key: string]: QueryValue | readonly QueryValue[] | undefined
}

/** One value of a query. */
export type QueryValue = string | number | boolean

/** The request, read-only. */
export interface RequestView {
  /** Id of this request, also in the log and in every problem. */
  readonly id: string
  /** Method as sent, upper case: `HEAD` where `get` answers it. */
  readonly method: string
  /** Target as sent: path and query, percent-encoded. */
  readonly url: string
  /** Path of the target, percent-encoded. */
  readonly path: string
  /** Address of the client: that of the peer, or the one that a proxy of `trustProxy` names; empty where nobody knows it. */
  readonly ip: string
  /** Fields by lower-case name, without a prototype; repeated ones joined. */
  readonly headers: Readonly<Record<string, string | undefined>>
  /**
   * The path of a route, its prefix and where it is mounted included (reverse routing).
   *
   * @param route a class of this app
   * @param params values of its parameters, not encoded: what the schema of `params` takes
   * @param query values to write behind it
   * @returns path and query, encoded
   */
  href<T extends Linkable>(route: T, params: Flat<LinkParams<T>>, query?: QueryValues): string
}

/** Attributes of a link by name (RFC 8288 section 3.4). */
export interface LinkAttributes {
  readonly [name: string]: string | undefined
}

/** The answer's headers, and what is to be done once it has left. */
export interface ResponseView {
  /**
   * Sets a header; `null` takes it away. Those of a reply win over it. Once the head of the answer has left, it throws in development and
   * in strict tests; elsewhere the log warns once.
   *
   * @param name any case
   * @param value Latin-1 without control characters
   */
  header(name: string, value: string | null): void
  /**
   * Adds a value to a header.
   *
   * @param name any case
   * @param value joins what is there
   */
  append(name: string, value: string): void
  /**
   * Adds a link to the header `Link` (RFC 8288).
   *
   * @param rel how what it leads to is related, such as `next`; several are split by spaces
   * @param href path or URL; characters that may not stand in one are percent-encoded, once
   * @param attributes such as `title` and `type`, by name; `undefined` gives none
   */
  link(rel: string, href: string, attributes?: LinkAttributes): void
  /**
   * Sets a cookie: `HttpOnly`, `Secure`, `SameSite=Lax` and `Path=/` unless the options say otherwise.
   *
   * @param name a token
   * @param value any text; `null` removes the cookie at the client
   * @param options attributes
   * @throws TypeError for a cookie that browsers would ignore, such as one of more than 4096 bytes
   */
  cookie(name: string, value: string | null, options?: CookieOptions): void
  /**
   * Asks for work to be done once the answer has left. `close()` waits for it; what it throws is logged; it is dropped when
   * the request fails. It runs in the async context of this call.
   *
   * @param task may be async
   */
  after(task: () => unknown): void
}

/** What every handler, provider and middleware gets. */
export interface Context {
  /** The request. */
  readonly request: RequestView
  /** The answer's headers, and tasks for afterwards. */
  readonly response: ResponseView
  /** Aborted when the client goes away. */
  readonly signal: AbortSignal
  /** The request's logger: every line carries its id. */
  readonly log: Logger
}

/** An author's own data on contracts and classes; fill it by declaration merging. */
export interface Meta {}

/** The endpoint that a request was matched to, as middleware sees it. */
export interface EndpointView {
  /** Name of the route. */
  readonly route: string
  /** Method of the endpoint, upper case. */
  readonly method: string
  /** Path template, prefix and mount included. */
  readonly path: string
  /** Values of the path parameters, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** The author's own data, of class and contract. */
  readonly meta: Meta
}
