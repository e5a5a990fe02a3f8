/** The parts of an OpenAPI document that are written here (OpenAPI 3.1.1 section 4.8). */
import type { JsonSchema, SchemaObject } from '../validation/json-schema.js'

/** A description of an API. */
export interface OpenApiDocument {
  /** Version of the format. */
  readonly openapi: '3.1.1'
  /** What the API is. */
  readonly info: OpenApiInfo
  /** Where it is reached; at the server of the document unless given. */
  readonly servers: readonly OpenApiServer[]
  /** An empty list where no operation asks for credentials. */
  readonly security?: readonly never[]
  /** The tags of all operations: those that the app describes, then the others. */
  readonly tags: readonly OpenApiTag[]
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, OpenApiPath>>
  /** What operations refer to. */
  readonly components: OpenApiComponents
}

/** What an API is: title and version, and what else OpenAPI knows, such as `description`, `contact` and `license`. */
export interface OpenApiInfo {
  /** Name of the API. */
  readonly title: string
  /** Version of the API. */
  readonly version: string
  /** What else OpenAPI knows. */
  readonly [key: string]: unknown
}

/** Where an API is reached. */
export interface OpenApiServer {
  /** Absolute, or relative to the document. */
  readonly url: string
  /** What else OpenAPI knows, such as `description` and `variables`. */
  readonly [key: string]: unknown
}

/** A tag of operations. */
export interface OpenApiTag {
  /** What operations name. */
  readonly name: string
  /** What they have in common, in Markdown. */
  readonly description?: string
  /** What else OpenAPI knows, such as `externalDocs`. */
  readonly [key: string]: unknown
}

/** The operations of a path by method, lower case. */
export type OpenApiPath = Readonly<Record<string, OpenApiOperation>>

/** An operation: one endpoint. */
export interface OpenApiOperation {
  /** `<Route>.<verb>`, unless the contract says otherwise. */
  readonly operationId: string
  /** One line. */
  readonly summary?: string
  /** More, in Markdown. */
  readonly description?: string
  /** Tags of groups, class and contract; the name of the route where nobody has given any. */
  readonly tags: readonly string[]
  /** Whether clients should turn to something else. */
  readonly deprecated?: true
  /** When it is withdrawn, in ISO 8601: `sunset` of `@deprecated`. */
  readonly 'x-sunset'?: string
  /** Alternatives; each names what is needed together. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  /** What is read of path, query, headers and cookies. */
  readonly parameters?: readonly OpenApiParameter[]
  /** What is read of the body. */
  readonly requestBody?: OpenApiBody
  /** Answers by status; `default` is every other. */
  readonly responses: Readonly<Record<string, OpenApiResponse | OpenApiReference>>
  /** Extensions, from `meta`. */
  readonly [extension: `x-${string}`]: unknown
}

/** A parameter. */
export interface OpenApiParameter {
  /** As it is sent. */
  readonly name: string
  /** Where it is sent. */
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** What it is for. */
  readonly description?: string
  /** Whether it must be there. */
  readonly required?: boolean
  /** Whether it should not be used any more. */
  readonly deprecated?: true
  /** What its value follows. */
  readonly schema: JsonSchema
}

/** A body. */
export interface OpenApiBody {
  /** Whether it must be there. */
  readonly required?: true
  /** By media type. */
  readonly content: OpenApiContent
}

/** Content by media type; without a schema it is bytes. */
export type OpenApiContent = Readonly<Record<string, OpenApiMediaType>>

/** What the content of one media type follows. */
export interface OpenApiMediaType {
  /** Its schema. */
  readonly schema?: JsonSchema
  /** How the parts of a body of several parts are sent, by name. */
  readonly encoding?: Readonly<Record<string, OpenApiEncoding>>
}

/** How a part is sent. */
export interface OpenApiEncoding {
  /** Its media types, with commas in between. */
  readonly contentType: string
}

/** An answer. */
export interface OpenApiResponse {
  /** When it is given. */
  readonly description: string
  /** Its header fields by name, where they are described. */
  readonly headers?: Readonly<Record<string, OpenApiHeader>>
  /** By media type; none without a body. */
  readonly content?: OpenApiContent
}

/** A header field of an answer. */
export interface OpenApiHeader extends Pick<OpenApiParameter, 'description' | 'required' | 'deprecated' | 'schema'> {}

/** A reference to a component. */
export interface OpenApiReference {
  /** Where it is, such as `#/components/responses/Problem404`. */
  readonly $ref: string
}

/** What operations refer to. */
export interface OpenApiComponents {
  /** Answers by name: the problems of which nothing more is said. */
  readonly responses: Readonly<Record<string, OpenApiResponse>>
  /** Schemas by name. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** How clients show who they are, by name. */
  readonly securitySchemes?: Readonly<Record<string, SchemaObject>>
}
