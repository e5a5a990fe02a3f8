/** The types of contracts: what an author may write, and what is kept of it. */
import type { Meta, ParamsAt } from '../context/types.js'
import type { TextSources, Uses, UsesIn } from '../injection/provider-types.js'
import type { AnySchema, Schema } from '../validation/schema.js'
import type { EndpointDecorator } from './decorator-types.js'
import type { BodyKind, ReplyKind } from './kinds.js'

/** Where the values of a request come from. */
export interface Sources extends TextSources {
  /** The body: a schema means JSON, which is never converted; other kinds are `json(…)`, `form(…)`, `text()`, `bytes()`, `stream()`. */
  readonly body?: AnySchema | AnyBody
}

/** The name of a source. */
export type Source = keyof Sources

// `any` because a kind of a text is no kind of `unknown`: its type stands for input and for output.
// oxlint-disable-next-line no-explicit-any -- see above
type AnyBody = BodyKind<any>
// oxlint-disable-next-line no-explicit-any -- see above
type AnyReply = ReplyKind<any>

/** What one status may return: a value that follows a schema, a kind (`text()`, `events(…)`), or no body (`null`). */
export type Returnable = AnySchema | AnyReply | null

/** What an endpoint accepts and returns, and what is said of it. */
export interface ContractSpec extends Sources {
  /** Providers by the names under which the handler gets their values. */
  readonly uses?: Uses
  /** What a handler returns: one schema, `null` for no body (204), or one of these for each status. */
  readonly returns?: Returnable | { readonly [status: number]: Returnable }
  /** Status of a success, 200 unless given; 204 without a body. */
  readonly status?: number
  /** Statuses of problems it answers on purpose, for document and client. */
  readonly errors?: readonly number[] | { readonly [status: number]: string | Schema }
  /** How long the handler may take, in ms: then 503, and `signal` is aborted. */
  readonly timeout?: number
  /** One line for the document. */
  readonly summary?: string
  /** More for the document, in Markdown. */
  readonly description?: string
  /** Tags in the document, besides those of class and group. */
  readonly tags?: readonly string[]
  /** Id of the operation in the document; `<Route>.<verb>` unless given. */
  readonly operationId?: string
  /** Leaves the endpoint out of the document. */
  readonly hidden?: boolean
  /** Decorators of the endpoint, outermost first: the same as on its method. */
  readonly decorators?: readonly EndpointDecorator[]
  /** The author's own data, for middleware. */
  readonly meta?: Meta
}

/** The part of a contract that types are made of; the rest can be redeclared in a subclass. */
export type Typed = Source | 'uses' | 'returns' | 'status'

/** The contract of an endpoint. */
export interface Contract<Spec = unknown, Params = unknown, ClassUses = unknown> {
  /** What it says. */
  readonly '~spec': Spec
  /** Parameters of the path it stands under; a type only. */
  readonly '~params'?: Params
  /** Providers that its class uses; a type only. */
  readonly '~uses'?: ClassUses
}

/** What `this.contract(…)` gives for a class and what was written. */
export type ContractOf<Class, Spec> = Contract<
  { [K in keyof Spec & Typed]: Spec[K] } & {},
  ParamsAt<Class>,
  UsesIn<Class>
>
