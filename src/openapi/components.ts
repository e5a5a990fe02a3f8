/** Shared state of a document while it is built: endpoints, schemas and security schemes. */
import { describeSchema } from '../validation/describe-schema.js'
import type { Converters } from '../validation/describe-schema.js'
import type { JsonSchema, SchemaSide, SchemaObject } from '../validation/json-schema.js'
import type { OpenApiOperation, OpenApiParameter, OpenApiResponse, OpenApiVersion } from '../setup/document-types.js'
import type { Drafts } from './component-drafts.js'
import { SchemaRewrite } from './rewrite-schema.js'
import { freeName, safeName } from './schema-names.js'
import { CredentialsRecipe } from '../injection/credentials.js'
import type { ProviderRecipe } from '../injection/provide.js'
import type { Endpoint, FormatPlan } from '../request/endpoint.js'
import type { ContractSpec } from '../route/contract.js'
import type { Template } from '../router/template.js'
import type { Schema } from '../validation/schema.js'

/** An endpoint in a document. */
export interface DocumentedEndpoint {
  readonly endpoint: Endpoint
  /** Path template; in the document of all versions, with the version constraint as its last segment. */
  readonly path: Template
  /** Parameter for the version; an empty array if clients do not send it in a header. */
  readonly version: readonly OpenApiParameter[]
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
  readonly openapi: OpenApiVersion
  readonly converters: Converters
  readonly drafts: Drafts
  readonly lifts: Readonly<Record<SchemaSide, Map<Schema, SchemaRewrite>>>
  readonly schemes: SecuritySchemes
  readonly responses: Map<string, OpenApiResponse>
  readonly formats: Set<FormatPlan>
  readonly operationIds: Set<string>
  readonly tags: Set<string>
  readonly findings: DocumentFinding[]
}

export interface OperationContext extends ComponentContext, DocumentedEndpoint {}

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
  const patterns = new Set<string>()
  const flagged = (pattern: string): void => {
    if (patterns.has(pattern)) return
    patterns.add(pattern)
    const message = `The schema of "${role}" has the pattern ${pattern}, which the document omits, because JSON Schema has no flags`
    reportProblem(
      work,
      message,
      'Write the pattern without flags, such as "[A-Za-z]" instead of "[a-z]" with the flag "i"',
    )
  }
  const rewrite = new SchemaRewrite({ root, side, owner: schema, drafts: work.drafts, dangling, flagged })
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

  /** Returns the alternatives, each of which satisfies all providers; `undefined` if no provider requires credentials. */
  requirements(providers: readonly ProviderRecipe[]): OpenApiOperation['security'] {
    const needs = providers.flatMap((provider) => this.#waysOf(provider))
    if (needs.length === 0) return undefined
    const alternatives = needs.reduce<readonly Requirement[]>(
      (before, ways) => before.flatMap((one) => ways.map((other) => ({ ...one, ...other }))),
      [{}],
    )
    const byText = new Map(alternatives.map((alternative) => [JSON.stringify(alternative), alternative]))
    return [...byText.values()]
  }

  /** Returns the schemes of a provider, one of which is sufficient, and `{}` if it also accepts requests without credentials. */
  #waysOf(provider: ProviderRecipe): Requirement[][] {
    const { security } = provider.needs
    if (security === undefined) return []
    const ways = [security].flat().map((scheme) => ({ [this.#nameOf(scheme)]: [] }))
    return [provider instanceof CredentialsRecipe && provider.isOptional ? [...ways, {}] : ways]
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
