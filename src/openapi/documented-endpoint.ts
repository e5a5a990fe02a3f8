/** What a document is made of: plain records, so that nothing of the app is needed. */
import type { ContractSpec } from '../route/contract.js'
import type { Template } from '../router/template.js'
import type { Converters, SchemaObject } from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import type { OpenApiInfo, OpenApiParameter, OpenApiServer } from './document-types.js'

export interface DocumentInput {
  readonly info: OpenApiInfo
  readonly servers?: readonly OpenApiServer[] | undefined
  /** In the order of registration; no two with the same path and verb. */
  readonly endpoints: readonly DocumentedEndpoint[]
  readonly converters: Converters
}

/** An endpoint, as far as the document shows it. */
export interface DocumentedEndpoint {
  readonly route: string
  readonly verb: string
  readonly path: Template
  readonly contract: ContractSpec | undefined
  readonly tags: readonly string[]
  /** The author's own data; keys that begin with `x-` are shown. */
  readonly meta: object
  readonly isDeprecated: boolean
  /** What clients must show of who they are: all of these. */
  readonly security: readonly SecurityNeed[]
  /** What providers read of the head of the request. */
  readonly needs: readonly HeadSchemas[]
  /** Whether a provider takes the bytes of a body of which the contract says nothing. */
  readonly isBodyRaw: boolean
  readonly parameters: readonly OpenApiParameter[]
  /** Problems of providers and decorators, in the form they have in a contract. */
  readonly errors: readonly ErrorsSpec[]
  /** Statuses of the problems that the framework itself answers with. */
  readonly refusals: readonly number[]
}

/** Security Scheme Objects; any one of them will do. */
export interface SecurityNeed {
  readonly schemes: readonly SchemaObject[]
  /** Whether no scheme will do too. */
  readonly isOptional: boolean
}

/** Schemas of what is read of the head of a request. */
export interface HeadSchemas {
  readonly params?: Schema | undefined
  readonly query?: Schema | undefined
  /** By lower-case name. */
  readonly headers?: Schema | undefined
  readonly cookies?: Schema | undefined
}

/** Statuses of problems, with words or with a schema of what they hold. */
export type ErrorsSpec = NonNullable<ContractSpec['errors']>

/** Something that a document cannot say. */
export interface DocumentFinding {
  readonly route: string
  readonly verb: string
  readonly message: string
  readonly wayOut: string
}
