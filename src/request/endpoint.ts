/** What registration prepares of paths and endpoints, so that a request only carries it out. */
import type { Middleware } from '../context/middleware.js'
import type { Meta } from '../context/types.js'
import type { HttpError } from '../errors/http-error.js'
import type { HeaderChange } from '../http/fields.js'
import type { MediaType } from '../http/media-type.js'
import type { Verb } from '../http/methods.js'
import type { ProviderPlan } from '../injection/plan.js'
import type { NumberedEndpoint } from '../observe/event-types.js'
import type { PhaseNumber } from '../observe/request-recorder.js'
import type { ResponseSettings } from '../route/answer-options.js'
import type { AroundCall } from '../route/endpoints.js'
import type { PreparedReader } from '../route/body-reader.js'
import type { ErrorFormatSpec } from '../route/error-format.js'
import type { IdempotencyRecipe } from '../route/idempotency.js'
import type { ContractSpec, Source } from '../route/contract.js'
import type { DeclaredProblem } from '../route/problems.js'
import type { Project } from '../validation/projection/project-value.js'
import type { Schema } from '../validation/schema.js'
import type { StringSource } from '../validation/text/string-source.js'
import type { Outcome } from '../validation/validate.js'
import type { Constraint } from '../versioning/constraint.js'
import type { VersionSource } from './version-source.js'

/** What a step returns when an event continues the call. */
export const WAITING: unique symbol = Symbol('waiting')

/**
 * One step of a request. It returns nothing when it is done, a promise when the next step needs its value, which is then
 * `call.value`, or `WAITING`.
 */
export type Step<C> = (call: C) => PromiseLike<unknown> | typeof WAITING | void

export interface Pipeline<C> {
  readonly steps: readonly Step<C>[]
  /** What each step counts as where requests are timed; `null` for what the step before it counts as. `handler` is the method. */
  readonly phases: readonly (PhaseNumber | null)[]
  /** Where the way back begins: an error goes on here. */
  readonly onError: number
}

/** The ways of requests that no endpoint answers: OPTIONS and refusals. */
export interface EndpointlessPipelines<C = never> {
  readonly pipeline: Pipeline<C>
  /** For the question of a browser whether a page may ask; `null` where pages of other origins may not. */
  readonly preflightPipeline: Pipeline<C> | null
}

/** Everything that answers one path. `C` is the call; whoever only reads the record does not name it. */
export interface PathEntry<C = never> extends EndpointlessPipelines<C> {
  /** Path template, mount and prefix included. */
  readonly path: string
  /** Endpoints by request method that answer every version; HEAD is answered by the endpoint of GET. */
  readonly endpoints: ReadonlyMap<string, Endpoint<C>>
  /** Endpoints by request method and version; `null` where no endpoint of the path has a version constraint. */
  readonly versions: PathVersions<C> | null
  /** Whether some of its answers have fields of the framework's own. */
  readonly hasFrameworkHeaders: boolean
  readonly allow: string
  readonly notAllowed: HttpError
  /** `null` where it takes no upgrades. */
  readonly upgrade: PathUpgrade | null
  /** Of answers that are none of its endpoints'; `null` for problem details. */
  readonly errorFormat: FormatPlan | null
}

/** A path that takes upgrades. */
export interface PathUpgrade {
  /** What clients have to ask for. */
  readonly protocol: string
  /** For a GET that asks for something else, where the path has no other answer. */
  readonly required: HttpError
}

/** The versions of a path. */
export interface PathVersions<C = never> extends Pick<VersionSource, 'read' | 'vary'> {
  /** By request method; a method without a table answers every version. */
  readonly tables: ReadonlyMap<string, VersionTable<C>>
}

export interface VersionTable<C = never> {
  readonly endpoints: readonly VersionedEndpoint<C>[]
  /** Value of `Vary`. */
  readonly vary: string
  /** For a request that names no version. */
  readonly fallback: VersionChoice<C> | HttpError
  readonly malformed: HttpError
  readonly unsupported: HttpError
  /** Choices by the text that was asked for: 40 ns instead of 160. */
  readonly known: Map<string, VersionChoice<C>>
}

export interface VersionChoice<C = never> {
  readonly endpoint: Endpoint<C>
  /** The version, in full. */
  readonly version: string
  readonly frameworkHeaders: FrameworkHeaders
}

/** Header fields that answers have whatever their author does, known when the app is made. */
export interface FrameworkHeaders {
  /** For an answer that has fields. */
  readonly changes: readonly HeaderChange[]
  /** Names and values in turn: the same for an answer without fields. */
  readonly lines: readonly string[]
}

/** An endpoint, as registration describes it. */
export interface EndpointPlan extends NumberedEndpoint {
  readonly route: string
  readonly verb: Verb
  readonly method: string
  /** Path template, mount and prefix included. */
  readonly path: string
  readonly meta: Meta
  readonly contract: ContractSpec | undefined
  readonly tags: readonly string[]
  /** Whether its author says that nobody has to say who they are. */
  readonly isPublic: boolean
  /** Options of its app or group for all responses. */
  readonly answers: ResponseSettings
  /** Whether it answers only where no other route has the path. */
  readonly isFallback: boolean
  /** Whether the document leaves it out. */
  readonly isHidden: boolean
  /** What it hands the connection over for, such as `websocket`; `null` where it answers requests. */
  readonly upgrade: string | null
  /** Which versions it answers; `null` for all. */
  readonly constraint: Constraint | null
  /** Middleware of app, groups and class, outermost first. */
  readonly middleware: readonly Middleware[]
  readonly create: new () => object
  /** The verb method. */
  readonly handler: (this: object, input: unknown) => unknown
  /** What decorators put around the method; `null` where none does. */
  readonly wrapper: AroundCall | null
  /** Problems that it answers on purpose, by status: for the document, and to hold their members to it. */
  readonly problems: ReadonlyMap<number, DeclaredProblem>
  /** Names of its decorators, outermost first: `@log`. */
  readonly decorators: readonly string[]
  /** Whether its answers say how long they took. */
  readonly isTimed: boolean
  /** When it is withdrawn, in ms since 1970, `Infinity` where that is not known; `null` where it is not deprecated. */
  readonly sunset: number | null
  readonly frameworkHeaders: FrameworkHeaders
  /** Providers in the order in which they run; `null` where none is used. */
  readonly providers: ProviderPlan | null
  /** What finds requests that repeat another; `null` where all are answered for themselves. */
  readonly idempotency: IdempotencyRecipe | null
  /** Media type of every answer, where the contract fixes it. */
  readonly produces: string | null
  readonly body: BodyPlan | null
  readonly sources: readonly SourcePlan[]
  readonly response: ResponsePlan | null
  /** Status of a success, when the contract says one. */
  readonly status: number | undefined
  /** For the handler, in ms; 0 for none. */
  readonly timeout: number
  /** What its errors look like; `null` for problem details. */
  readonly errorFormat: FormatPlan | null
}

/** One endpoint, with the steps that its requests take. */
export interface Endpoint<C = never> extends EndpointPlan {
  readonly pipeline: Pipeline<C>
  /** For requests to this endpoint that are refused while they are located, for a bad path parameter: middleware, then the refusal. */
  readonly errorPipeline: Pipeline<C>
  /** Tells whether pages of an origin may act for their users; `null` where those of no other origin may. */
  readonly trustsOrigin: ((call: C, origin: string) => Promise<boolean>) | null
}

/** An endpoint that answers certain versions only. */
export interface VersionedEndpoint<C = never> extends Endpoint<C> {
  readonly constraint: Constraint
}

export interface BodyPlan {
  /** `unparsed` is read for providers alone. */
  readonly kind: 'json' | 'form' | 'text' | 'bytes' | 'stream' | 'read' | 'unparsed'
  readonly acceptsType: (media: MediaType) => boolean
  readonly types: string
  /** In bytes. */
  readonly limit: number
  readonly depth: number
  /** Validates what was read; `null` where any value of the kind is taken. */
  readonly validate: ((value: unknown) => Outcome | Promise<Outcome>) | null
  /** Whether the handler gets the bytes too. */
  readonly isRaw: boolean
  /** What takes bodies of the kind `read` apart; `null` for all others. */
  readonly reader: PreparedReader | null
}

interface SourcePlan {
  /** Of the provider that needs it; `null` for the contract's own. */
  readonly slot: number | null
  readonly source: Exclude<Source, 'body'>
  readonly text: StringSource
}

/** What any answer of an endpoint must hold to, or what each status returns: then a handler names its status with `reply`. */
export type ResponsePlan = AnswerPlan | ReadonlyMap<number, AnswerPlan>

export type AnswerPlan = FreePlan | CheckedPlan

export interface FreePlan extends PlanParts {
  readonly kind: 'none' | 'text' | 'bytes' | 'stream'
  readonly schema: null
}

export interface CheckedPlan extends PlanParts {
  readonly kind: 'json' | 'events'
  readonly schema: Schema
}

/** How the body of an error answer is made of its problem. */
export interface FormatPlan {
  readonly write: ErrorFormatSpec['write']
  /** Media type. */
  readonly type: string
  readonly plan: CheckedPlan
}

interface PlanParts {
  /** Media type; `undefined` without a body. */
  readonly type: string | undefined
  /** Drops what the schema does not describe; `null` where there is nothing to drop. */
  readonly project: Project | null
  /** Whether nothing describes the schema: then each answer is validated so that no unknown member leaves. */
  readonly isOpaque: boolean
  /** ms between signs of life of an event stream. */
  readonly heartbeat: number
  /** Reads its header fields as its schema has them; `null` where nobody says what they are. */
  readonly headers: StringSource | null
}
