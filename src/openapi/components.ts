/** The schemas of a document in the making: each is described once for each side, and referred to by name. */
import { describeSchema, type Converters, type JsonSchema, type Side } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import type { OpenApiResponse } from './document-types.js'
import type { DocumentedEndpoint, DocumentFinding } from './documented-endpoint.js'
import type { Drafts } from './drafts.js'
import { Lift } from './lift.js'
import { joinedName } from './naming.js'
import type { SecuritySchemes } from './security.js'

/** What the operations of a document share while it is made. */
export interface Making {
  readonly converters: Converters
  readonly drafts: Drafts
  readonly lifts: Readonly<Record<Side, Map<Schema, Lift>>>
  readonly schemes: SecuritySchemes
  readonly responses: Map<string, OpenApiResponse>
  readonly operationIds: Set<string>
  readonly tags: Set<string>
  readonly findings: DocumentFinding[]
}

export interface OperationWork extends Making {
  readonly endpoint: DocumentedEndpoint
}

const NOT_DESCRIBED: JsonSchema = { description: 'Not described' }

/** Describes a schema, to show all or parts of it. */
export function liftOf(work: OperationWork, schema: Schema, role: string, side: Side): Lift {
  const known = work.lifts[side].get(schema)
  if (known !== undefined) return known
  const { schema: root = NOT_DESCRIBED } = describeSchema(schema, side, work.converters)
  const dangling = (reference: string): void => {
    const message = `The schema of "${role}" refers to "${reference}", which leads nowhere`
    report(work, message, 'Define what it refers to within the schema')
  }
  const made = new Lift({ root, side, owner: schema, drafts: work.drafts, dangling })
  work.lifts[side].set(schema, made)
  return made
}

export function shownSchema(work: OperationWork, schema: Schema, role: string, side: Side): JsonSchema {
  return liftOf(work, schema, role, side).whole(nameOf(work, role))
}

/** The name of a component, where the schema has none of its own. */
export function nameOf({ endpoint: { route, verb } }: OperationWork, role: string): string {
  return joinedName(route, verb, role)
}

/** Notes what the document cannot say. */
export function report({ endpoint, findings }: OperationWork, message: string, wayOut: string): void {
  findings.push({ route: endpoint.route, verb: endpoint.verb, message, wayOut })
}
