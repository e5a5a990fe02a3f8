/** Interface of readers for special body formats, such as multipart. An app loads their code only if it uses them. */
import type { ItemWriter } from '../http/item-writer.js'
import type { MediaType } from '../http/media-type.js'
import type { Converters } from '../validation/describe-schema.js'
import type { SchemaObject } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import type { Outcome } from '../validation/validate.js'

/** Reads the bodies of a kind, and describes them for the OpenAPI document. */
export interface BodyReader {
  /** Name of the function that creates the kind; for messages. */
  readonly label: string
  /** Does all work that does not depend on a request. Called once per endpoint. */
  prepare(context: ReaderContext): PreparedReader
  /** Missing if the kind has a schema. @param membersOf returns the properties of an object schema */
  describe?(membersOf: (schema: Schema) => ShownMembers): ShownBody
  /** Writes responses of the kind; missing if it is only valid for bodies. */
  readonly write?: ItemWriter
}

export interface ReaderContext {
  readonly limits: { readonly body: number; readonly depth: number; readonly keys: number; readonly issues: number }
  readonly converters: Converters
  /** Name of the endpoint, such as `Pictures.put`. */
  readonly where: string
}

export interface PreparedReader {
  /** Maximum size of the whole body, in bytes. */
  readonly limit: number
  /** Returns the value to validate, or the value for the handler if `validate` is `null`. `body` is `null` if the request has no body. */
  read(body: IncomingBody | null): unknown
  readonly validate: ((value: unknown) => Outcome | Promise<Outcome>) | null
}

/** A body that is about to be read. */
export interface IncomingBody {
  readonly chunks: AsyncIterable<Buffer>
  readonly media: MediaType
  /** Adds cleanup that runs last in the request, even if the request fails. */
  onEnd(cleanUp: () => Promise<void>): void
}

interface ShownMember<Shown = SchemaObject> {
  readonly name: string
  readonly schema: Shown
  readonly required: boolean
  /** Whether the value cannot be sent as a string. */
  readonly isJson: boolean
}

/** Properties of an object schema. `rest` is the schema of additional properties; `undefined` if they are not allowed. */
export interface ShownMembers<Shown = SchemaObject> {
  readonly named: readonly ShownMember<Shown>[]
  readonly rest: Shown | undefined
}

export interface ShownBody {
  readonly isRequired: boolean
  readonly media: {
    readonly schema: SchemaObject
    readonly encoding?: Readonly<Record<string, { readonly contentType: string }>>
  }
}
