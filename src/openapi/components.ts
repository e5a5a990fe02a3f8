/** The components of a document: each schema described once for each side, and referred to by name. */
import { describeSchema, type Converters, type JsonSchema, type Side } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import type { OpenApiResponse } from './document-types.js'
import type { DocumentedEndpoint, DocumentFinding } from './documented-endpoint.js'
import { Drafts } from './drafts.js'
import { Lift } from './lift.js'
import { joinedName } from './naming.js'

interface Described {
  /** As the library gave it. */
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

  describe(schema: Schema, side: Side, dangling: (reference: string) => void): Described {
    const known = this.#described[side].get(schema)
    if (known !== undefined) return known
    const { schema: root = NOT_DESCRIBED } = describeSchema(schema, side, this.#converters)
    const made = { root, lift: new Lift({ root, side, owner: schema }, this.#drafts, dangling) }
    this.#described[side].set(schema, made)
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

/** Shows a schema as a whole. */
export function shownSchema(work: OperationWork, schema: Schema, role: string, side: Side): JsonSchema {
  return describedSchema(work, schema, role, side).lift.whole(nameOf(work, role))
}

/** Describes a schema, to show parts of it. */
export function describedSchema(work: OperationWork, schema: Schema, role: string, side: Side): Described {
  return work.components.describe(schema, side, (reference) => {
    const message = `The schema of "${role}" refers to "${reference}", which leads nowhere`
    report(work, message, 'Define what it refers to within the schema')
  })
}

/** The name of a component, where the schema has none of its own. */
export function nameOf({ endpoint: { route, verb } }: OperationWork, role: string): string {
  return joinedName(route, verb, role)
}

/** Notes what the document cannot say. */
export function report({ endpoint, findings }: OperationWork, message: string, wayOut: string): void {
  findings.push({ route: endpoint.route, verb: endpoint.verb, message, wayOut })
}
