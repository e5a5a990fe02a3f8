/** Shared state of a document while it is built: endpoints, schemas and security schemes. */
import { describeSchema } from '../validation/json-schema.js'
import type { Converters, JsonSchema, SchemaSide, SchemaObject } from '../validation/json-schema.js'
import type { OpenApiOperation, OpenApiParameter, OpenApiResponse } from '../setup/document-types.js'
import type { Drafts } from './component-drafts.js'
import { SchemaRewrite } from './rewrite-schema.js'
import { freeName, safeName } from './naming.js'
import type { ContractSpec } from '../route/contract.js'
import type { DeclaredProblem } from '../route/problems.js'
import type { Template } from '../router/template.js'
import type { Schema } from '../validation/schema.js'

/** The properties of an endpoint that a document describes. */
export interface DocumentedEndpoint {
  readonly route: string
  readonly verb: string
  readonly path: Template
  readonly contract: ContractSpec | undefined
  readonly tags: readonly string[]
  /** Whether the document omits the endpoint. */
  readonly isHidden: boolean
  /** `meta` of the contract. Only keys that start with `x-` are documented. */
  readonly meta: object
  readonly isDeprecated: boolean
  /** Time from which the endpoint responds with 410, in ms since the epoch; `null` if no time is set. */
  readonly sunset: number | null
  /** Whether the endpoint is declared as public, so that it requires no credentials. */
  readonly isPublic: boolean
  /** Required credentials. A request must satisfy all of these needs. */
  readonly security: readonly SecurityNeed[]
  /** Schemas of the path parameters, query, headers and cookies that providers read. */
  readonly needs: readonly HeadSchemas[]
  /** Whether a provider reads the bytes of a body that the contract does not declare. */
  readonly isBodyRaw: boolean
  readonly parameters: readonly OpenApiParameter[]
  /** Declared problems by status. */
  readonly problems: ReadonlyMap<number, DeclaredProblem>
  /** Statuses of Verbena's own problems. */
  readonly refusals: readonly number[]
  /** Headers that providers add to the responses. */
  readonly fields: readonly AnswerField[]
  /** Custom format of errors; `null` for problem details. */
  readonly errorFormat: DocumentedFormat | null
}

/** A response header. Without `statuses`, it is part of every response. */
export interface AnswerField {
  readonly name: string
  readonly description: string
  readonly schema: SchemaObject
  readonly statuses?: readonly number[]
}

export interface DocumentedFormat {
  /** Media type. */
  readonly type: string
  readonly plan: { readonly schema: Schema }
}

/** Security Scheme Objects. One of them is sufficient. */
export interface SecurityNeed {
  readonly schemes: readonly SchemaObject[]
  /** Whether requests without credentials are accepted, too. */
  readonly isOptional: boolean
}

/** Schemas of the parts of a request that are read before its body. */
export type HeadSchemas = Pick<ContractSpec, 'params' | 'query' | 'headers' | 'cookies'>

/** Something that a document cannot express. */
export interface DocumentFinding {
  readonly route: string
  readonly verb: string
  readonly message: string
  readonly fix: string
}

/** State that the operations of a document share while it is built. */
export interface ComponentContext {
  readonly converters: Converters
  readonly drafts: Drafts
  readonly lifts: Readonly<Record<SchemaSide, Map<Schema, SchemaRewrite>>>
  readonly schemes: SecuritySchemes
  readonly responses: Map<string, OpenApiResponse>
  readonly formats: Set<DocumentedFormat>
  readonly operationIds: Set<string>
  readonly tags: Set<string>
  readonly findings: DocumentFinding[]
}

export interface OperationContext extends ComponentContext {
  readonly endpoint: DocumentedEndpoint
}

const NOT_DESCRIBED: JsonSchema = { description: 'Not described' }

/** Returns the JSON Schema of a schema, which is created once for each side, and records its use. */
export function describeForDocument(
  work: OperationContext,
  schema: Schema,
  role: string,
  side: SchemaSide,
): SchemaRewrite {
  const { route, verb } = work.endpoint
  const lift = work.lifts[side].get(schema) ?? newLift(work, schema, role, side)
  lift.uses.push({ route, verb, role })
  return lift
}

function newLift(work: OperationContext, schema: Schema, role: string, side: SchemaSide): SchemaRewrite {
  const { schema: root = NOT_DESCRIBED } = describeSchema(schema, side, work.converters)
  const dangling = (reference: string): void => {
    const message = `The schema of "${role}" has the reference "${reference}", which has no target`
    reportProblem(work, message, 'Define the target of the reference in the schema')
  }
  const rewrite = new SchemaRewrite({ root, side, owner: schema, drafts: work.drafts, dangling })
  work.lifts[side].set(schema, rewrite)
  return rewrite
}

export function documentSchema(work: OperationContext, schema: Schema, role: string, side: SchemaSide): JsonSchema {
  return describeForDocument(work, schema, role, side).whole()
}

/** Records something that the document cannot express. */
export function reportProblem({ endpoint, findings }: OperationContext, message: string, fix: string): void {
  findings.push({ route: endpoint.route, verb: endpoint.verb, message, fix })
}

type Requirement = Readonly<Record<string, readonly string[]>>

/** The security schemes of a document. Equal schemes share one name. */
export class SecuritySchemes {
  readonly #named = new Map<string, readonly [name: string, scheme: SchemaObject]>()
  readonly #taken = new Set<string>()

  /** The schemes by name, in the order of their first use; `undefined` if there are none. */
  get all(): Readonly<Record<string, SchemaObject>> | undefined {
    return this.#named.size === 0 ? undefined : Object.fromEntries(this.#named.values())
  }

  requirements(needs: readonly SecurityNeed[]): OpenApiOperation['security'] {
    if (needs.length === 0) return undefined
    const alternatives = needs.reduce<readonly Requirement[]>(
      (before, need) => before.flatMap((one) => this.#waysOf(need).map((other) => ({ ...one, ...other }))),
      [{}],
    )
    const byText = new Map(alternatives.map((alternative) => [JSON.stringify(alternative), alternative]))
    return [...byText.values()]
  }

  #waysOf({ schemes, isOptional }: SecurityNeed): Requirement[] {
    const ways = schemes.map((scheme) => ({ [this.#nameOf(scheme)]: [] }))
    return isOptional ? [...ways, {}] : ways
  }

  #nameOf(scheme: SchemaObject): string {
    const text = JSON.stringify(scheme)
    const [name = freeName(wantedName(scheme), this.#taken)] = this.#named.get(text) ?? []
    this.#named.set(text, [name, scheme])
    return name
  }
}

function wantedName({ type, scheme, name }: SchemaObject): string {
  const prefix = { http: scheme, apiKey: name }[String(type)]
  return safeName(String(prefix ?? type))
}
