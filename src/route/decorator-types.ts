/** The types of decorators: what an author says with one, and what is made of it. */
import type { Context, Meta } from '../context/types.js'
import type { Verb } from '../http/methods.js'

/** What `around` gets of the request: the input of the method, without the types of its contract. */
export interface DecoratorInput extends Context {
  /** Path parameters, as the method gets them. */
  readonly params: unknown
  /** The query, as the method gets it. */
  readonly query: unknown
  /** Headers that the contract names. */
  readonly headers: unknown
  /** Cookies that the contract names. */
  readonly cookies: unknown
  /** The body, as the method gets it. */
  readonly body: unknown
}

/** The endpoint whose method is decorated. */
export interface DecoratedEndpoint {
  /** Name of the route. */
  readonly route: string
  /** Method of the endpoint, upper case. */
  readonly method: string
  /** Path template, prefix and mount included. */
  readonly path: string
  /** What class, decorators and contract say of it. */
  readonly meta: Meta
}

/** Wraps the call of a verb method: `proceed()` makes it and gives what it returned; what is returned here is answered. */
export type Around = (input: DecoratorInput, proceed: () => unknown, endpoint: DecoratedEndpoint) => unknown

/** What one use of a decorator says of an endpoint. */
export interface DecoratorSpec {
  /** Wraps the call of the method. */
  readonly around?: Around
  /** Joins the `meta` of the endpoint; what the contract says under the same key wins. */
  readonly meta?: Partial<Meta>
  /** Statuses of problems that `around` answers with, for document and client. */
  readonly errors?: readonly number[]
}

/** What the compiler tells a decorator of a verb method; anything else it stands on is an error of the compiler. */
export interface VerbMethodContext {
  /** What is decorated. */
  readonly kind: 'method'
  /** `get`, `post`, `put`, `patch` or `delete`. */
  readonly name: Verb
  /** Verb methods belong to instances. */
  readonly static: false
  /** Asks for a call whenever an instance is made, which is `this` in it. */
  addInitializer(initializer: (this: unknown) => void): void
}

/** A decorator ready to be used: on a verb method, and in a list of `decorators` in a contract or on a class. */
export interface EndpointDecorator {
  (method: object, context: VerbMethodContext): void
  /** A type only, required so that no other function stands in a list of decorators. */
  readonly '~decorator': true
}

type Bare<Options extends readonly unknown[]> = [] extends Options ? EndpointDecorator : unknown

/** A decorator as its author exports it: called with options, and bare where all of them can be left out. */
export type Decorator<Options extends readonly unknown[]> = Bare<Options> & ((...options: Options) => EndpointDecorator)
