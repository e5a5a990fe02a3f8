/** What registration prepares, so that a request only executes it; `null` stands for a step that nobody asked for. */
import type { Middleware } from '../context/middleware.js'
import type { Meta } from '../context/types.js'
import type { HttpError } from '../errors/http-error.js'
import type { MediaType } from '../http/media-type.js'
import type { Verb } from '../http/methods.js'
import type { ContractSpec, Source } from '../route/contract-types.js'
import type { Schema } from '../validation/schema.js'
import type { Project } from '../validation/project.js'
import type { TextSource } from '../validation/text.js'
import type { Outcome } from '../validation/validate.js'

/** Everything that answers one path. */
export interface PathRecord {
  /** Endpoints by request method; HEAD is answered by that of GET. */
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** Value of `Allow`. */
  readonly allow: string
  /** Thrown for a method that this path does not have. */
  readonly notAllowed: HttpError
  /** Middleware of app, groups and class, outermost first. */
  readonly chain: readonly Middleware[]
}

/** A verb method, called with the instance as `this`. */
export type Handler = (this: object, input: unknown) => unknown

/** One endpoint, prepared. */
export interface Endpoint {
  readonly route: string
  readonly verb: Verb
  /** Upper case. */
  readonly method: string
  /** Path template, mount and prefix included. */
  readonly path: string
  readonly meta: Meta
  readonly contract: ContractSpec | undefined
  readonly tags: readonly string[]
  /** The class, bound to the app's services. */
  readonly create: new () => object
  readonly handler: Handler
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

/** How the body is read. */
export interface BodyPlan {
  readonly kind: 'json' | 'form' | 'text' | 'bytes' | 'stream'
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
export interface ReturnPlan {
  readonly kind: 'none' | 'json' | 'text' | 'bytes' | 'stream' | 'events'
  /** Media type; `undefined` without a body. */
  readonly type: string | undefined
  /** `null` where there is nothing to validate. */
  readonly schema: Schema | null
  /** Drops what the schema does not describe; `null` where there is nothing to drop. */
  readonly project: Project | null
  /** ms between signs of life of an event stream. */
  readonly heartbeat: number
}
