/** The components of a document: each schema described once for each side, and referred to by name. */
import { describeSchema, type Converters, type JsonSchema, type Side } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import type { OpenApiResponse } from './document-types.js'
import type { DocumentedEndpoint, DocumentFinding } from './documented-endpoint.js'
import { Drafts } from './drafts.js'
import { Lift } from './lift.js'
import { joinedName } from './naming.js'

/** Where a schema is used. */
interface Use {
  /** Name of the component, where the schema has none of its own. */
  readonly name: string
  readonly side: Side
  readonly dangling: (reference: string) => void
}

interface Described {
  /** Its description as the library gave it. */
  readonly root: JsonSchema
  readonly lift: Lift
}

const NOT_DESCRIBED: JsonSchema = { description: 'Not described' }

export class Components {
  readonly #converters: Converters
  readonly #drafts = new Drafts()
  readonly #described: Readonly<Record<Side, Map<Schema, Described>>> = { input: new Map(), output: new Map() }

  constructor(converters: Converters) {
    this.#converters = converters
  }

  show(schema: Schema, use: Use): JsonSchema {
    return this.describe(schema, use).lift.whole(use.name)
  }

  /** Describes a schema, to show parts of it. */
  describe(schema: Schema, use: Use): Described {
    const known = this.#described[use.side].get(schema)
    if (known !== undefined) return known
    const { schema: root = NOT_DESCRIBED } = describeSchema(schema, use.side, this.#converters)
    const description = { root, side: use.side, owner: schema }
    const made = { root, lift: new Lift(description, this.#drafts, use.dangling) }
    this.#described[use.side].set(schema, made)
    return made
  }

  /** Gives all components that are needed their names, when the document is complete. */
  finish(document: unknown, reserved: readonly string[]): Record<string, JsonSchema> {
    return this.#drafts.finish(document, reserved)
  }
}

/** The making of one operation. */
export interface OperationWork {
  readonly endpoint: DocumentedEndpoint
  readonly components: Components
  /** Takes answers that several operations have. */
  readonly responses: Map<string, OpenApiResponse>
  /** Takes what the document cannot say. */
  readonly findings: DocumentFinding[]
}

/** Says where an operation uses a schema. */
export function useOf(work: OperationWork, role: string, side: Side): Use {
  const { route, verb } = work.endpoint
  return {
    name: joinedName(route, verb, role),
    side,
    dangling: (reference) => {
      const message = `The schema of "${role}" refers to "${reference}", which leads nowhere`
      report(work, message, 'Define what it refers to within the schema')
    },
  }
}

/** Notes what the document cannot say. */
export function report({ endpoint, findings }: OperationWork, message: string, wayOut: string): void {
  findings.push({ route: endpoint.route, verb: endpoint.verb, message, wayOut })
}
