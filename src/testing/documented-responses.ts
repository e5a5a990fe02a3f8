/** Compares the responses of a test app with the OpenAPI document. */
import type { AppParts } from '../app/running-app.js'
import { FullReply } from '../context/reply.js'
import { DeferredBody } from '../http/payload.js'
import type {
  OpenApiComponents,
  OpenApiContent,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiResponse,
} from '../setup/document-types.js'
import { documentPath } from '../openapi/document.js'
import { declaredReturns } from '../openapi/responses.js'
import type { Call } from '../request/call.js'
import { membersBreach } from '../request/check-problem.js'
import type { Endpoint } from '../request/endpoint.js'
import { parseTemplate } from '../router/template.js'
import type { JsonSchema } from '../validation/json-schema.js'
import { formatPointer } from '../validation/path.js'
import { projector } from '../validation/projection/projector.js'
import { StructureError } from '../validation/projection/structures.js'
import { escapeKey } from '../values/json-pointer.js'
import { isObject } from '../values/objects.js'
import type { TestedRequest } from './variant.js'

/** Documented response that no test has received. */
export interface MissingResponse {
  /** Name of the route. */
  readonly route: string
  /** Request method in upper case. */
  readonly method: string
  /** Path template with mount and prefix. */
  readonly path: string
  /** Status of the response. */
  readonly status: number
}

interface DocumentedStatus {
  readonly endpoint: Endpoint
  /** Statuses of `returns`, and of errors declared by contract, providers and decorators. Excludes errors of the framework. */
  readonly statuses: readonly number[]
}

export class DocumentedResponses {
  readonly #parts: AppParts
  readonly #endpoints: readonly DocumentedStatus[]
  readonly #received = new Set<string>()
  readonly #documents = new Map<string | undefined, OpenApiDocument>()

  constructor(parts: AppParts) {
    this.#parts = parts
    this.#endpoints = parts.registry.endpoints.map(findDocumented)
  }

  note({ at, response }: TestedRequest): void {
    this.#received.add(`${at} ${response.status}`)
  }

  /**
   * Returns how a response differs from the document, and a fix; `undefined` if it does not differ.
   *
   * @param value parsed JSON body; `undefined` if the body is not compared
   */
  findViolation(tested: TestedRequest, value: unknown, headers: readonly string[]): string | undefined {
    const endpoint = this.#endpoints[tested.at]
    if (endpoint === undefined || endpoint.endpoint.isHidden) return undefined
    return membersViolation(tested.call) ?? this.#responseViolation(endpoint, tested, value, headers)
  }

  #responseViolation(
    said: DocumentedStatus,
    { response, call }: TestedRequest,
    value: unknown,
    headers: readonly string[],
  ): string | undefined {
    const { status } = response
    if (!isJudged(said.endpoint, status)) return undefined
    const { route, verb } = said.endpoint
    const path = documentPath(parseTemplate(said.endpoint.path, route))
    const { paths, components } = this.#document(call.pathMatch?.choice?.version)
    const operation = paths[path]?.[verb]
    if (operation === undefined) return undefined
    const documentedForStatus = operation.responses[documentedStatus(call, status)]
    if (documentedForStatus === undefined) return statusViolation(status)
    const compared = said.statuses.includes(status) ? value : undefined
    const documentedResponse = resolveResponse(documentedForStatus, components)
    const declaredHeaders = [...headers, ...headerNames(documentedResponse?.headers)]
    return (
      headerViolation(response, declaredHeaders) ??
      contentViolation(response, compared, documentedResponse?.content ?? {}, components)
    )
  }

  /** Returns the documented responses that no test has received, without errors of the framework. */
  missing(): MissingResponse[] {
    return this.#endpoints.flatMap(({ endpoint, statuses }, at) => {
      if (endpoint.isHidden) return []
      const { route, method, path } = endpoint
      const missing = statuses.filter((status) => !this.#received.has(`${at} ${status}`))
      return missing.map((status) => ({ route, method, path, status }))
    })
  }

  #document(version: string | undefined): OpenApiDocument {
    const document = this.#documents.get(version) ?? this.#parts.documents.document(version)
    this.#documents.set(version, document)
    return document
  }
}

function findDocumented(endpoint: Endpoint): DocumentedStatus {
  const returned = declaredReturns(endpoint.contract).map(([status]) => status)
  return { endpoint, statuses: [...new Set([...returned, ...endpoint.problems.keys()])] }
}

/**
 * Whether a response is compared with the document. Without a contract, only 5xx are compared. Without `returns` or `status`, success is
 * not. A 410 of a deprecated endpoint is not compared.
 */
function isJudged({ contract, sunset }: Endpoint, status: number): boolean {
  if (status >= 500) return true
  const isWithdrawn = sunset !== null && status === 410
  if (contract === undefined || isWithdrawn) return false
  return status >= 400 || contract.returns !== undefined || contract.status !== undefined
}

/** Statuses that `sendFile` selects by the headers of the request. */
const FILE_STATUSES: ReadonlySet<number> = new Set([206, 304, 412, 416])

/** Returns 200 for a response to conditions and ranges of a file, because `stream()` does not document these statuses. */
function documentedStatus({ result }: Call, status: number): number {
  const isOfFile = result instanceof FullReply && result.body instanceof DeferredBody
  return isOfFile && FILE_STATUSES.has(status) ? 200 : status
}

function statusViolation(status: number): string {
  const fix = status < 400 ? 'Add it to "returns" or "status"' : 'Add it to "errors"'
  return `the document has no response with status ${status}. ${fix} of the contract`
}

function headerViolation(response: Response, known: readonly string[]): string | undefined {
  const isKnown = (name: string): boolean => KNOWN.has(name) || KNOWN_FAMILY.test(name)
  const unknown = [...response.headers.keys()].find((name) => !isKnown(name) && !known.includes(name))
  if (unknown === undefined) return undefined
  return `its header "${unknown}" is not documented. Declare it in the contract, or write "strict: { headers: ['${unknown}'] }"`
}

/** Checks media type and body. Ignores the media type of text, bytes and streams, because a header can change it. */
function contentViolation(
  response: Response,
  value: unknown,
  content: OpenApiContent,
  components: OpenApiComponents,
): string | undefined {
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const { [type]: entry, ...others } = content
  if (entry === undefined) {
    const types = Object.keys(others)
    if (types.length === 0 || !types.every((each) => each.endsWith('json'))) return undefined
    return `its media type must be ${types.join(', ')}, not ${type || 'missing'}. Send the response that "returns" declares`
  }
  if (entry.schema === undefined || value === undefined) return undefined
  const [field] = unknownFields(entry.schema, components, value)
  if (field === undefined) return undefined
  return `its property "${field}" is not documented. Add it to the schema, or remove it from the response`
}

function membersViolation(call: Call): string | undefined {
  const breach = membersBreach(call)
  return (
    breach &&
    `${breach.message}\nThrow it with "HttpError.of", and pass the members that the schema in "errors" requires`
  )
}

function headerNames(headers: OpenApiResponse['headers'] = {}): string[] {
  return Object.keys(headers).map((name) => name.toLowerCase())
}

function resolveResponse(
  found: OpenApiOperation['responses'][string],
  { responses }: OpenApiComponents,
): OpenApiResponse | undefined {
  return '$ref' in found ? responses[found.$ref.slice(found.$ref.lastIndexOf('/') + 1)] : found
}

/** Returns JSON pointers of properties that are not in a schema of the document: properties that would be stripped or rejected. */
export function unknownFields(schema: JsonSchema, components: OpenApiComponents, value: unknown): string[] {
  if (typeof schema === 'boolean') return []
  const project = projector({ ...schema, components })
  if (project === undefined) return []
  try {
    return findDropped(value, project(value), '')
  } catch (error) {
    if (error instanceof StructureError) return [formatPointer(error.path)]
    throw error
  }
}

function findDropped(value: unknown, stripped: unknown, place: string): string[] {
  if (value === stripped || !isObject(value)) return []
  const rest = new Map(Object.entries(Object(stripped)))
  return Object.entries(value).flatMap(([key, member]) => {
    const at = `${place}/${escapeKey(key)}`
    return rest.has(key) ? findDropped(member, rest.get(key), at) : [at]
  })
}

/** Response headers with a permanent entry in IANA's registry, and headers of the framework. */
const KNOWN: ReadonlySet<string> = new Set([
  ...['accept', 'accept-ch', 'accept-encoding', 'accept-patch', 'accept-post', 'accept-ranges', 'age', 'allow'],
  ...['alt-svc', 'authentication-info'],
  ...['cache-control', 'cdn-cache-control', 'clear-site-data', 'connection', 'date', 'deprecation', 'etag', 'expires'],
  ...[
    'idempotency-key',
    'idempotent-replayed',
    'keep-alive',
    'last-modified',
    'link',
    'location',
    'no-vary-search',
    'origin-agent-cluster',
  ],
  ...['permissions-policy', 'preference-applied', 'ratelimit', 'ratelimit-policy', 'referrer-policy', 'refresh'],
  ...['reporting-endpoints', 'retry-after', 'server', 'server-timing', 'set-cookie', 'strict-transport-security'],
  ...['sunset', 'timing-allow-origin', 'trailer', 'transfer-encoding', 'vary', 'via', 'www-authenticate'],
  ...['api-version', 'x-accel-buffering', 'x-content-type-options', 'x-frame-options', 'x-request-id'],
  ...['x-permitted-cross-domain-policies', 'proxy-authenticate', 'proxy-authentication-info', 'upgrade'],
])

const KNOWN_FAMILY = /^(?:access-control|content|cross-origin)-/
