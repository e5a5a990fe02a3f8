/** What registration prepares, so that a request only executes it; `null` stands for a step that nobody asked for. */
import type { Middleware } from '../context/middleware.js'
import type { Meta } from '../context/types.js'
import type { HttpError } from '../errors/http-error.js'
import type { FieldChange } from '../http/fields.js'
import type { MediaType } from '../http/media-type.js'
import type { Verb } from '../http/methods.js'
import type { NamedSlot, ProviderPlan } from '../injection/plan.js'
import type { ContractSpec, Source } from '../route/contract.js'
import type { AroundCall } from '../route/decorations.js'
import type { NumberedEndpoint } from '../observe/event-types.js'
import type { Constraint } from '../versioning/constraint.js'
import type { Schema } from '../validation/schema.js'
import type { Project } from '../validation/project.js'
import type { TextSource } from '../validation/text.js'
import type { Outcome } from '../validation/validate.js'
import type { VersionSource } from './version-source.js'

/** Everything that answers one path. */
export interface PathRecord {
  /** Path template, mount and prefix included. */
  readonly path: string
  /** Endpoints by request method that answer whatever version is asked for; HEAD is answered by that of GET. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** Endpoints by request method and version; `null` where no endpoint of the path has a version constraint. */
  readonly versions: PathVersions | null
  /** Value of `Allow`. */
  readonly allow: string
  /** Thrown for a method that this path does not have. */
  readonly notAllowed: HttpError
  /** Middleware around what no endpoint answers: that of app, groups and class, of several classes what they share. */
  readonly chain: readonly Middleware[]
}

/** The versions of a path. */
export interface PathVersions extends Pick<VersionSource, 'read' | 'vary'> {
  /** By request method; a method without a table answers whatever version is asked for. */
  readonly tables: ReadonlyMap<string, VersionTable>
}

/** The versions of one method of a path. */
export interface VersionTable {
  readonly endpoints: readonly VersionedEndpoint[]
  /** Value of `Vary`. */
  readonly vary: string
  /** For a request that names no version. */
  readonly fallback: Choice | HttpError
  /** For a text that is no version. */
  readonly malformed: HttpError
  /** For a version that no endpoint answers. */
  readonly unsupported: HttpError
  /** Choices by the text that was asked for, so that most requests are spared the reading of it: 40 ns instead of 160. */
  readonly known: Map<string, Choice>
}

/** What answers a version. */
export interface Choice {
  readonly endpoint: Endpoint
  /** The version, in full. */
  readonly version: string
  /** What its answers say, whatever their author does: of the version, and of the end of the endpoint. */
  readonly own: OwnFields
}

/** Header fields of answers that are known when the app is made. */
export interface OwnFields {
  /** To fields that are there. */
  readonly changes: readonly FieldChange[]
  /** Names and values in turn: the same for an answer without fields. */
  readonly lines: readonly string[]
}

/** A verb method, called with the instance as `this`. */
export type Handler = (this: object, input: unknown) => unknown

/** One endpoint, prepared. */
export interface Endpoint extends NumberedEndpoint {
  readonly route: string
  readonly verb: Verb
  /** Upper case. */
  readonly method: string
  /** Path template, mount and prefix included. */
  readonly path: string
  readonly meta: Meta
  readonly contract: ContractSpec | undefined
  readonly tags: readonly string[]
  /** Which versions it answers; `null` for all. */
  readonly constraint: Constraint | null
  /** Middleware of app, groups and class, outermost first. */
  readonly chain: readonly Middleware[]
  /** The class, bound to the app's services. */
  readonly create: new () => object
  readonly handler: Handler
  /** Whether the app has services, for `this` of the method. */
  readonly hasServices: boolean
  /** What decorators put around the method; `null` where none does. */
  readonly around: AroundCall | null
  /** Statuses of problems that its decorators answer with, for the document. */
  readonly errors: readonly number[]
  /** Names of its decorators, outermost first: `@log`. */
  readonly decorators: readonly string[]
  /** Whether its answers say how long they took. */
  readonly isTimed: boolean
  /** Whether it will be withdrawn; `null` where it is not deprecated. */
  readonly deprecation: EndpointDeprecation | null
  /** What its answers say of its end, whatever their author does. */
  readonly own: OwnFields
  /** Whether its answers say how long they took, or anything of its end. */
  readonly hasFields: boolean
  /** Providers in the order in which they run; `null` where none is used. */
  readonly providers: ProviderPlan | null
  /** What the handler gets of them. */
  readonly given: readonly NamedSlot[]
  /** Media type of every answer, where the contract fixes it. */
  readonly produces: string | null
  readonly body: BodyPlan | null
  readonly sources: readonly SourcePlan[] | null
  /** Whether the raw query is given, because no contract says which. */
  readonly hasRawQuery: boolean
  readonly returns: ReturnsPlan | null
  /** Status of a success, when the contract says one. */
  readonly status: number | undefined
  /** For the handler, in ms; 0 for none. */
  readonly timeout: number
}

/** What is said of an endpoint that will be withdrawn. */
export interface EndpointDeprecation {
  /** When it is withdrawn, in ms since 1970; `Infinity` where that is not known. */
  readonly sunset: number
}

/** An endpoint that answers certain versions only. */
export interface VersionedEndpoint extends Endpoint {
  readonly constraint: Constraint
}

/** How the body is read. */
export interface BodyPlan {
  /** `unparsed` is read for providers alone. */
  readonly kind: 'json' | 'form' | 'text' | 'bytes' | 'stream' | 'unparsed'
  /** Tells whether a media type is taken. */
  readonly takesType: (media: MediaType) => boolean
  /** The media types that are taken, for the client. */
  readonly types: string
  /** In bytes. */
  readonly limit: number
  /** How deep JSON may nest. */
  readonly depth: number
  /** Validates what was read; `null` where any value of the kind is taken. */
  readonly validate: ((value: unknown) => Outcome | Promise<Outcome>) | null
  /** Whether the handler gets the bytes too. */
  readonly isRaw: boolean
}

/** How one source other than the body is read. */
export interface SourcePlan {
  /** Of the provider that needs it; `null` for the contract's own. */
  readonly slot: number | null
  readonly source: Exclude<Source, 'body'>
  readonly text: TextSource
}

/** What answers must hold to. */
export interface ReturnsPlan {
  /** Whether a handler must name its status with `reply`. */
  readonly isRecord: boolean
  /** What each status returns; `single` for all where there is one `returns`. */
  readonly byStatus: ReadonlyMap<number, ReturnPlan>
  readonly single: ReturnPlan
}

/** What one status returns. */
export type ReturnPlan = FreePlan | CheckedPlan

/** Of what has no schema. */
export interface FreePlan extends PlanParts {
  readonly kind: 'none' | 'text' | 'bytes' | 'stream'
  readonly schema: null
}

/** Of what has a schema. */
export interface CheckedPlan extends PlanParts {
  readonly kind: 'json' | 'events'
  readonly schema: Schema
}

interface PlanParts {
  /** Media type; `undefined` without a body. */
  readonly type: string | undefined
  /** Drops what the schema does not describe; `null` where there is nothing to drop. */
  readonly project: Project | null
  /** Whether nothing describes the schema: then each answer is validated so that no unknown member leaves. */
  readonly isScreened: boolean
  /** ms between signs of life of an event stream. */
  readonly heartbeat: number
}
