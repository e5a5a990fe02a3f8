/** The components of a document: each schema described once for each side, and referred to by name. */
import { describeSchema, type Converters, type JsonSchema, type Side } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import { Drafts } from './drafts.js'
import { Lift } from './lift.js'

/** Where a schema is used. */
export interface Use {
  /** Name of the component, where the schema has none of its own. */
  readonly name: string
  readonly side: Side
  /** Takes a reference that leads nowhere. */
  dangling(reference: string): void
}

/** A described schema. */
export interface Described {
  /** Its description as the library gave it. */
  readonly root: JsonSchema
  readonly lift: Lift
}

const NOT_DESCRIBED: JsonSchema = { description: 'Not described' }

/** Makes the components of one document. */
export class Components {
  readonly #converters: Converters
  readonly #drafts = new Drafts()
  readonly #described: Readonly<Record<Side, Map<Schema, Described>>> = { input: new Map(), output: new Map() }

  constructor(converters: Converters) {
    this.#converters = converters
  }

  /** Shows a schema as a whole. */
  show(schema: Schema, use: Use): JsonSchema {
    return this.describe(schema, use).lift.whole(use.name)
  }

  /** Describes a schema, to show parts of it. */
  describe(schema: Schema, use: Use): Described {
    const known = this.#described[use.side].get(schema)
    if (known !== undefined) return known
    const { schema: root = NOT_DESCRIBED } = describeSchema(schema, use.side, this.#converters)
    const description = { root, side: use.side, owner: schema }
    const made = { root, lift: new Lift(description, this.#drafts, (reference) => use.dangling(reference)) }
    this.#described[use.side].set(schema, made)
    return made
  }

  /** Gives all components that are needed their names, when the document is complete. */
  finish(document: unknown, reserved: readonly string[]): Record<string, JsonSchema> {
    return this.#drafts.finish(document, reserved)
  }
}
