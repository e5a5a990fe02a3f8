/** Readers: what takes a body apart that has a form of its own, for kinds whose code an app loads only when it uses them. */
import type { MediaType } from '../http/media-type.js'
import type { Converters, SchemaObject } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import type { Outcome } from '../validation/validate.js'

/** Reads the bodies of a kind, and says what the document shows of them. */
export interface BodyReader {
  /** Name of the function that makes the kind. */
  readonly label: string
  /** Decides all that can be decided before the first request. */
  prepare(context: ReaderContext): PreparedReader
  /** `membersOf` gives what a schema says of its members. */
  describe(membersOf: (schema: Schema) => ShownMembers): ShownBody
}

/** What the app says of bodies. */
export interface ReaderContext {
  readonly limits: { readonly body: number; readonly depth: number; readonly keys: number }
  readonly converters: Converters
  /** Such as `Pictures.put`. */
  readonly where: string
}

export interface PreparedReader {
  /** Of the whole body, in bytes. */
  readonly limit: number
  /** Gives what is validated, or what the handler gets where nothing is. `null` stands for a request without a body. */
  read(body: IncomingBody | null): unknown
  readonly validate: ((value: unknown) => Outcome | Promise<Outcome>) | null
}

/** A body that is about to be read. */
export interface IncomingBody {
  readonly chunks: AsyncIterable<Buffer>
  readonly media: MediaType
  /** Takes what is done when nothing of the request is left to do, whatever has become of it. */
  onEnd(cleanUp: () => Promise<void>): void
}

interface ShownMember<Shown = SchemaObject> {
  readonly name: string
  readonly schema: Shown
  readonly required: boolean
  /** Whether text cannot express it. */
  readonly isJson: boolean
}

/** What a description says of the members of an object; `rest` is the schema of all others, where there may be some. */
export interface ShownMembers<Shown = SchemaObject> {
  readonly named: readonly ShownMember<Shown>[]
  readonly rest: Shown | undefined
}

/** A body in the document. */
export interface ShownBody {
  /** Whether there must be one. */
  readonly isRequired: boolean
  readonly media: {
    readonly schema: SchemaObject
    readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
  }
}
