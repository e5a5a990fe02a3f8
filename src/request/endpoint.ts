/** Types of prepared paths and endpoints. Registration prepares them once, so that requests only execute the result. */
import type { Middleware } from '../context/middleware.js'
import type { Exchange, ResponseMessage } from '../http/exchange.js'
import type { Level } from '../observe/logger.js'
import type { Meta, RequestView } from '../context/types.js'
import type { HttpError } from '../errors/http-error.js'
import type { HeaderChange } from '../http/fields.js'
import type { ItemWriter } from '../http/item-writer.js'
import type { MediaType } from '../http/media-type.js'
import type { EndpointVerb } from '../http/methods.js'
import type { ProviderPlan } from '../injection/plan.js'
import type { NumberedEndpoint } from '../observe/event-types.js'
import type { PhaseName, PhaseNumber } from '../observe/request-recorder.js'
import type { ResponseSettings } from '../route/response-options.js'
import type { AroundCall } from '../route/decorator.js'
import type { PreparedReader } from '../route/body-reader.js'
import type { ErrorFormatSpec } from '../route/error-format.js'
import type { IdempotencyRecipe } from '../route/idempotency.js'
import type { ContractSpec, Source } from '../route/contract.js'
import type { Kind, KindName } from '../route/kinds.js'
import type { DeclaredProblem } from '../route/problems.js'
import type { Project } from '../validation/projection/project-value.js'
import type { Pass } from '../validation/projection/projector.js'
import type { Schema } from '../validation/schema.js'
import type { StringSource } from '../validation/text/string-source.js'
import type { Outcome } from '../validation/validate.js'
import type { Constraint } from '../versioning/constraint.js'

/** Returned by a step if an event continues the request. */
export const WAITING: unique symbol = Symbol('waiting')

/** Returns nothing if it is done, a promise if the next step has to wait for it, or `WAITING`. */
export type Step<C> = (call: C) => PromiseLike<unknown> | typeof WAITING | void

/** Description of a step. */
export interface StepFacts {
  /** The part of the pipeline that the step begins. */
  readonly part?: 'route' | 'request' | 'reply' | 'send' | 'end'
  readonly name: string
  /** Condition of the step, such as `with cors`; missing if every pipeline has the step. */
  readonly when?: string
  /** Phase that the step begins; missing if its time belongs to the phase of the step before it. `handler` is the method. */
  readonly phase?: PhaseName
  /** Statuses with which the step rejects requests. */
  readonly statuses?: string
}

export interface Pipeline<C> {
  readonly steps: readonly Step<C>[]
  /** Description of each step. */
  readonly entries: readonly StepFacts[]
  /** Phase that each step begins; `null` if it belongs to the phase of the step before it. */
  readonly phases: readonly (PhaseNumber | null)[]
  /** Index of the first step after an error: the reply steps. */
  readonly onError: number
  /** Index of the first step after the outermost middleware has returned: the send steps. */
  readonly onReply: number
  /** Index of the first step after a response that could not be sent. */
  readonly onSent: number
}

/** Settings of requests without an endpoint: OPTIONS, and errors such as 404. An app, a path and the mount of a group have them. */
export interface EndpointlessSettings<C = never> {
  readonly pipeline: Pipeline<C>
  /** Pipeline of CORS preflights; `null` without the option `cors`. */
  readonly preflightPipeline: Pipeline<C> | null
  /** Format of errors that do not belong to an endpoint; `null` for problem details. */
  readonly errorFormat: FormatPlan | null
}

/** A registered path. `C` is the type of a request; code that only reads the entry omits it. */
export interface PathEntry<C = never> extends EndpointlessSettings<C> {
  /** Path template, mount and prefix included. */
  readonly path: string
  /** Endpoints that support every version, by request method. HEAD uses the endpoint of GET. */
  readonly endpoints: ReadonlyMap<string, Endpoint<C>>
  /** A mounted handler, which handles every method; `null` for other paths. */
  readonly mounted: Endpoint<C> | null
  /** Endpoints by request method and version; `null` if no endpoint of the path has a version constraint. */
  readonly versions: PathVersions<C> | null
  /** Whether Verbena adds headers to some of its responses. */
  readonly hasFrameworkHeaders: boolean
  readonly allow: string
  /** Media types of the bodies of QUERY; `null` if the path does not handle it. */
  readonly acceptQuery: string | null
  readonly notAllowed: HttpError
  /** `null` if the path does not support upgrades. */
  readonly upgrade: PathUpgrade | null
}

export interface PathUpgrade {
  /** Protocol that clients must request. */
  readonly protocol: string
  /** Error for a GET that requests something else, if the path has no other endpoint for GET. */
  readonly required: HttpError
}

export interface PathVersions<C = never> extends Pick<VersionSource, 'read' | 'vary'> {
  /** Tables by request method. A method without a table supports every version. */
  readonly tables: ReadonlyMap<string, VersionTable<C>>
}

export interface VersionTable<C = never> {
  readonly endpoints: readonly VersionedEndpoint<C>[]
  readonly vary: string
  /** Used if the request specifies no version. */
  readonly fallback: VersionChoice<C> | HttpError
  readonly malformed: HttpError
  readonly unsupported: HttpError
  /** Cached choices by requested string: 40 ns instead of 160. */
  readonly known: Map<string, VersionChoice<C>>
}

export interface VersionChoice<C = never> {
  readonly endpoint: Endpoint<C>
  readonly version: string
  readonly frameworkHeaders: FrameworkHeaders
}

/** Headers that Verbena adds to every response, computed when the app is created. */
export interface FrameworkHeaders {
  /** Used if the response has other headers. */
  readonly changes: readonly HeaderChange[]
  /** Used if the response has no other headers: alternating names and values. */
  readonly lines: readonly string[]
}

export interface EndpointPlan extends NumberedEndpoint {
  readonly route: string
  readonly verb: EndpointVerb
  /** Request method in upper case; `*` for a mounted handler. */
  readonly method: string
  /** Path template, mount and prefix included. */
  readonly path: string
  readonly meta: Meta
  readonly contract: ContractSpec | undefined
  readonly tags: readonly string[]
  /** Whether the author declared it public, so that clients do not authenticate. */
  readonly isPublic: boolean
  /** Response options of its app or group. */
  readonly responseSettings: ResponseSettings
  /** Whether it handles only paths that no other route matches. */
  readonly isFallback: boolean
  readonly isHidden: boolean
  /** Protocol that takes over the connection, such as `websocket`; `null` if it handles requests. */
  readonly upgrade: string | null
  /** Supported versions; `null` for all. */
  readonly constraint: Constraint | null
  /** Middleware of app, groups and class, outermost first. */
  readonly middleware: readonly Middleware[]
  readonly create: new () => object
  /** The verb method. */
  readonly handler: (this: object, input: unknown) => unknown
  /** Composed decorators of the method; `null` if there are none. */
  readonly wrapper: AroundCall | null
  /** Declared problems by status, for the document and for validating their extension members. */
  readonly problems: ReadonlyMap<number, DeclaredProblem>
  /** Names of its decorators, outermost first: `@log`. */
  readonly decorators: readonly string[]
  /** Whether its responses have the header `Server-Timing`. */
  readonly isTimed: boolean
  /** Time of its withdrawal, in ms since 1970; `Infinity` if deprecated without a date, `null` if not deprecated. */
  readonly sunset: number | null
  readonly frameworkHeaders: FrameworkHeaders
  /** Providers in the order in which they run; `null` if there are none. */
  readonly providers: ProviderPlan | null
  /** Detects retries; `null` without `idempotency` in the contract. */
  readonly idempotency: IdempotencyRecipe | null
  /** Media type of all responses; `null` if the contract does not determine it. */
  readonly produces: string | null
  readonly body: BodyPlan | null
  readonly sources: readonly SourcePlan[]
  readonly response: ResponsePlan | null
  /** Status of a successful response; `undefined` if the contract does not set it. */
  readonly status: number | undefined
  /** In ms; 0 for none. */
  readonly timeout: number
  /** Format of its errors; `null` for problem details. */
  readonly errorFormat: FormatPlan | null
}

export interface Endpoint<C = never> extends EndpointPlan {
  readonly pipeline: Pipeline<C>
  /** For requests that fail during routing, such as for an invalid path parameter: runs middleware, then sends the error. */
  readonly errorPipeline: Pipeline<C>
  /** Returns whether pages of an origin may act for their users; `null` if pages of other origins may not. */
  readonly trustsOrigin: ((call: C, origin: string) => Promise<boolean>) | null
  /** Adds headers for caches to a response after the guards; `null` if the endpoint reads no credentials. */
  readonly credentialHeaders: CredentialHeaders<C> | null
}

export interface CredentialHeaders<C> {
  /** `Vary` of responses with CORS headers. */
  readonly varyWithOrigin: readonly HeaderChange[]
  add(call: C, message: ResponseMessage): ResponseMessage
}

export interface VersionedEndpoint<C = never> extends Endpoint<C> {
  readonly constraint: Constraint
}

export interface BodyPlan {
  /** `unparsed` is read only for providers. */
  readonly kind: KindName | 'unparsed'
  readonly acceptsType: (media: MediaType) => boolean
  readonly types: string
  /** Headers that name the types in a rejection: `Accept` (RFC 9110 section 15.5.16), and `Accept-Query` (RFC 10008 section 3). */
  readonly typeHeaders: Readonly<Record<string, string>>
  /** Media type of a body without `Content-Type`; `undefined` if the header is required. */
  readonly missingType: string | undefined
  /** In bytes. */
  readonly limit: number
  /** Decodes a body; `null` if its bytes are not stored. */
  readonly decode: NonNullable<Kind['facts']['decode']> | null
  /** Returns the value of an empty body. */
  readonly empty: () => unknown
  /** Validates the parsed body; `null` if every value of the kind is valid. */
  readonly validate: ((value: unknown) => Outcome | Promise<Outcome>) | null
  readonly isRaw: boolean
  /** Parser of bodies of the kind `read`; `null` for other kinds. */
  readonly reader: PreparedReader | null
}

interface SourcePlan {
  /** Slot of the provider that needs the source; `null` for the contract. */
  readonly slot: number | null
  readonly source: Exclude<Source, 'body'>
  readonly text: StringSource
}

/** Plan of all responses of an endpoint, or one plan for each status. With several plans, handlers set the status with `reply`. */
export type ResponsePlan = ReplyPlan | ReadonlyMap<number, ReplyPlan>

export type ReplyPlan = FreePlan | CheckedPlan

export interface FreePlan extends PlanParts {
  readonly kind: 'none' | 'text' | 'bytes' | 'stream' | 'file'
  readonly schema: null
  /** Declared media types of the response; `null` allows any. */
  readonly types: readonly string[] | null
}

export interface CheckedPlan extends PlanParts {
  readonly kind: 'json' | 'events' | 'jsonLines'
  readonly schema: Schema
  readonly mayContainDate: boolean
  /** Name of the event that reports a failure. */
  readonly errorEvent: string
  /** Writes the items; `null` if the kind is not from a feature. */
  readonly write: ItemWriter | null
  /** Removes properties before validation, if the schema has a function whose result is not described; otherwise `null`. */
  readonly before: BeforePlan | null
}

export interface BeforePlan {
  /** For values that are validated. */
  readonly pass: Pass
  /** For values that are not validated. */
  readonly project: Project
}

/** Converts a problem to the body of an error response. */
export interface FormatPlan {
  readonly write: ErrorFormatSpec['write']
  /** Media type. */
  readonly type: string
  readonly plan: CheckedPlan
}

interface PlanParts {
  /** Media type; `undefined` without a body. */
  readonly type: string | undefined
  /** Removes properties that the schema does not describe; `null` if there is nothing to remove. */
  readonly project: Project | null
  /** Whether the schema has no JSON Schema. Then every response is validated, which removes unknown properties. */
  readonly isOpaque: boolean
  /** Interval between keep-alive comments of an event stream, in ms. */
  readonly heartbeat: number
  /** Schema of the response headers; `null` if the contract does not declare them. */
  readonly headers: StringSource | null
}

/** A request whose version is read. */
export interface VersionedRequest {
  readonly exchange: Pick<Exchange, 'header'>
  readonly context: { readonly request: RequestView }
  report(level: Level, fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Source of the requested version. */
export interface VersionSource {
  /** Returns the requested version as the client sent it; `undefined` if the request specifies none. */
  readonly read: (request: VersionedRequest) => string | undefined
  /** Location of the version for error messages, such as ` in the header accept-version`; empty if only a function knows it. */
  readonly place: string
  /** Name of the header, in lower case, if its whole value is the version; otherwise `undefined`. */
  readonly header: string | undefined
  /** Returns the header field that selects a version, such as `accept-version: 1.4.0`; `undefined` if only a function knows it. */
  readonly field: ((version: string) => string) | undefined
  /** Value of `Vary`: headers on which the response depends. */
  readonly vary: string
}
