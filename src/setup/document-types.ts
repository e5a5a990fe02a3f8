/** Types of the OpenAPI document that Verbena generates (OpenAPI 3.1.1 section 4.8, OpenAPI 3.2.0 section 4). */
import type { JsonSchema, SchemaObject } from '../validation/json-schema.js'

/** Version of OpenAPI that a document follows. */
export type OpenApiVersion = '3.1' | '3.2'

/** An OpenAPI document. */
export interface OpenApiDocument {
  /** Version of OpenAPI: `3.2.0` with the option `openapi: { version: '3.2' }`. */
  readonly openapi: '3.1.1' | '3.2.0'
  /** Title, version and other details of the API. */
  readonly info: OpenApiInfo
  /** Base URLs of the API; default: the server of the document. */
  readonly servers: readonly OpenApiServer[]
  /** An empty array if no operation requires credentials. */
  readonly security?: readonly never[]
  /** Tags of all operations, starting with the tags that the app describes. */
  readonly tags: readonly OpenApiTag[]
  /** Operations by path and method. */
  readonly paths: Readonly<Record<string, OpenApiPath>>
  /** Paths of mounted handlers, which the document does not describe; missing without handlers. */
  readonly 'x-mounted'?: readonly string[]
  /** Schemas, responses and security schemes that operations reference. */
  readonly components: OpenApiComponents
}

/** The Info Object: title and version, and optional fields such as `description`, `contact` and `license`. */
export interface OpenApiInfo {
  /** Name of the API. */
  readonly title: string
  /** Version of the API. */
  readonly version: string
  /** Other fields of the Info Object. */
  readonly [key: string]: unknown
}

/** A base URL of the API. */
export interface OpenApiServer {
  /** Absolute, or relative to the document. */
  readonly url: string
  /** Other fields of the Server Object, such as `description` and `variables`. */
  readonly [key: string]: unknown
}

/** A tag of operations. */
export interface OpenApiTag {
  /** Name, as listed in operations. */
  readonly name: string
  /** Description of the tagged operations, in Markdown. */
  readonly description?: string
  /** Other fields of the Tag Object, such as `externalDocs`. */
  readonly [key: string]: unknown
}

/** The operations of a path by method, lower case. OpenAPI 3.1 has no QUERY, so it is `x-query` there. */
export type OpenApiPath = Readonly<Record<string, OpenApiOperation>>

/** An operation: one endpoint. */
export interface OpenApiOperation {
  /** `operationId` of the contract; default `<Route>.<verb>`. */
  readonly operationId: string
  /** One line. */
  readonly summary?: string
  /** Description in Markdown. */
  readonly description?: string
  /** Tags of groups, class and contract; default: the name of the route. */
  readonly tags: readonly string[]
  /** Whether clients should stop using the operation. */
  readonly deprecated?: true
  /** Date of removal in ISO 8601, from `sunset` of `@deprecated`. */
  readonly 'x-sunset'?: string
  /** Alternative security requirements. All schemes of one alternative are required together. */
  readonly security?: readonly Readonly<Record<string, readonly string[]>>[]
  /** Parameters in path, query, headers and cookies. */
  readonly parameters?: readonly OpenApiParameter[]
  /** The request body. */
  readonly requestBody?: OpenApiBody
  /** Responses by status; `default` for all other statuses. */
  readonly responses: Readonly<Record<string, OpenApiResponse | OpenApiReference>>
  /** Extensions, from `meta`. */
  readonly [extension: `x-${string}`]: unknown
}

/** A parameter. */
export interface OpenApiParameter {
  /** Name, as sent. */
  readonly name: string
  /** Location of the parameter. */
  readonly in: 'path' | 'query' | 'header' | 'cookie'
  /** Description of the parameter. */
  readonly description?: string
  /** Whether the parameter is required. */
  readonly required?: boolean
  /** Whether clients should stop using the parameter. */
  readonly deprecated?: true
  /** Schema of the value. */
  readonly schema: JsonSchema
}

/** A request body. */
export interface OpenApiBody {
  /** Whether the body is required. */
  readonly required?: true
  /** Content by media type. */
  readonly content: OpenApiContent
}

/** Content by media type. Without a schema, the content is bytes. */
export type OpenApiContent = Readonly<Record<string, OpenApiMediaType>>

/** Content of one media type. */
export interface OpenApiMediaType {
  /** Schema of the content. */
  readonly schema?: JsonSchema
  /** Schema of each item of a stream; only in OpenAPI 3.2. */
  readonly itemSchema?: JsonSchema
  /** Encoding of the parts of a multipart body, by name. */
  readonly encoding?: Readonly<Record<string, OpenApiEncoding>>
}

/** Encoding of a part of a multipart body. */
export interface OpenApiEncoding {
  /** Media types, separated by commas. */
  readonly contentType: string
}

/** A response. */
export interface OpenApiResponse {
  /** Meaning of the response. */
  readonly description: string
  /** Described headers by name. */
  readonly headers?: Readonly<Record<string, OpenApiHeader>>
  /** Content by media type; omitted without a body. */
  readonly content?: OpenApiContent
}

/** A response header. */
export interface OpenApiHeader extends Pick<OpenApiParameter, 'description' | 'required' | 'deprecated' | 'schema'> {}

/** A reference to a component. */
export interface OpenApiReference {
  /** Reference, such as `#/components/responses/Problem404`. */
  readonly $ref: string
}

/** Schemas, responses and security schemes that operations reference. */
export interface OpenApiComponents {
  /** Shared problem responses by name. */
  readonly responses: Readonly<Record<string, OpenApiResponse>>
  /** Schemas by name. */
  readonly schemas: Readonly<Record<string, JsonSchema>>
  /** Security schemes by name. */
  readonly securitySchemes?: Readonly<Record<string, SchemaObject>>
}
