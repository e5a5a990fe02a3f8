/** A document in the making: the endpoints it is made of, and the schemas and security schemes that its operations share. */
import { describeSchema } from '../validation/json-schema.js'
import type { Converters, JsonSchema, SchemaSide, SchemaObject } from '../validation/json-schema.js'
import type { OpenApiOperation, OpenApiParameter, OpenApiResponse } from '../route/document-types.js'
import type { Drafts } from './component-drafts.js'
import { SchemaRewrite } from './rewrite-schema.js'
import { freeName, safeName } from './naming.js'
import type { ContractSpec } from '../route/contract.js'
import type { DeclaredProblem } from '../route/problems.js'
import type { Template } from '../router/template.js'
import type { Schema } from '../validation/schema.js'

/** An endpoint, as far as the document shows it. */
export interface DocumentedEndpoint {
  readonly route: string
  readonly verb: string
  readonly path: Template
  readonly contract: ContractSpec | undefined
  readonly tags: readonly string[]
  /** Whether it is left out. */
  readonly isHidden: boolean
  /** The author's own data; keys that begin with `x-` are shown. */
  readonly meta: object
  readonly isDeprecated: boolean
  /** When it is withdrawn, in ms since the epoch; `null` unless its author has said so. */
  readonly sunset: number | null
  /** Whether its author says that clients need not show who they are. */
  readonly isPublic: boolean
  /** What clients must show of who they are: all of these. */
  readonly security: readonly SecurityNeed[]
  /** What providers read of the head of the request. */
  readonly needs: readonly HeadSchemas[]
  /** Whether a provider takes the bytes of a body of which the contract says nothing. */
  readonly isBodyRaw: boolean
  readonly parameters: readonly OpenApiParameter[]
  /** Problems that are answered on purpose, by status. */
  readonly problems: ReadonlyMap<number, DeclaredProblem>
  /** Statuses of the problems that the framework itself answers with. */
  readonly refusals: readonly number[]
  /** What providers add to its answers. */
  readonly fields: readonly AnswerField[]
  /** What its errors look like; `null` for problem details. */
  readonly errorFormat: DocumentedFormat | null
}

/** A header field of answers; of all of them where no statuses are named. */
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

/** Security Scheme Objects; any one of them will do. */
export interface SecurityNeed {
  readonly schemes: readonly SchemaObject[]
  /** Whether no scheme will do too. */
  readonly isOptional: boolean
}

/** Schemas of what is read of the head of a request. */
export type HeadSchemas = Pick<ContractSpec, 'params' | 'query' | 'headers' | 'cookies'>

/** Something that a document cannot say. */
export interface DocumentFinding {
  readonly route: string
  readonly verb: string
  readonly message: string
  readonly fix: string
}

/** What the operations of a document share while it is made. */
export interface Making {
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

export interface OperationWork extends Making {
  readonly endpoint: DocumentedEndpoint
}

const NOT_DESCRIBED: JsonSchema = { description: 'Not described' }

/** Describes a schema, to show all or parts of it. */
export function describeForDocument(
  work: OperationWork,
  schema: Schema,
  role: string,
  side: SchemaSide,
): SchemaRewrite {
  const { route, verb } = work.endpoint
  const lift = work.lifts[side].get(schema) ?? newLift(work, schema, role, side)
  lift.uses.push({ route, verb, role })
  return lift
}

function newLift(work: OperationWork, schema: Schema, role: string, side: SchemaSide): SchemaRewrite {
  const { schema: root = NOT_DESCRIBED } = describeSchema(schema, side, work.converters)
  const dangling = (reference: string): void => {
    const message = `The schema of "${role}" refers to "${reference}", which leads nowhere`
    report(work, message, 'Define what it refers to within the schema')
  }
  const rewrite = new SchemaRewrite({ root, side, owner: schema, drafts: work.drafts, dangling })
  work.lifts[side].set(schema, rewrite)
  return rewrite
}

export function documentSchema(work: OperationWork, schema: Schema, role: string, side: SchemaSide): JsonSchema {
  return describeForDocument(work, schema, role, side).whole()
}

/** Notes what the document cannot say. */
export function report({ endpoint, findings }: OperationWork, message: string, fix: string): void {
  findings.push({ route: endpoint.route, verb: endpoint.verb, message, fix })
}

type Requirement = Readonly<Record<string, readonly string[]>>

/** The security schemes of a document: the same scheme has one name, wherever it is used. */
export class SecuritySchemes {
  readonly #named = new Map<string, readonly [name: string, scheme: SchemaObject]>()
  readonly #taken = new Set<string>()

  /** The schemes by name, in the order of their first use; `undefined` for an API without authentication. */
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
