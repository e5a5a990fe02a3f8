/** Builds an OpenAPI document as plain objects: its paths, and an operation for each endpoint. */
import { VERB_FACTS, type EndpointVerb } from '../http/methods.js'
import type { Template } from '../router/template.js'
import { reportProblem, SecuritySchemes, documentSchema } from './components.js'
import type { DocumentedEndpoint, DocumentFinding, ComponentContext, OperationContext } from './components.js'
import type {
  OpenApiBody,
  OpenApiContent,
  OpenApiMediaType,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiVersion,
} from '../setup/document-types.js'
import { Drafts } from './component-drafts.js'
import { compareNames, freeName } from './schema-names.js'
import { PROBLEM_SCHEMAS, buildResponses } from './responses.js'
import { describeLines } from './streams.js'
import { toKind, type Kind } from '../route/kinds.js'
import { listProviders } from '../setup/plans.js'
import type { Converters } from '../validation/describe-schema.js'
import { valueOr } from '../values/value-or.js'
import { buildParameters, documentMembers, needsMembers } from './parameters.js'

interface DocumentInput {
  readonly openapi: OpenApiVersion
  readonly info: OpenApiDocument['info']
  readonly servers?: OpenApiDocument['servers'] | undefined
  /** Tags that the author describes. */
  readonly tags?: OpenApiDocument['tags'] | undefined
  /** In the order of registration. Each combination of path and verb is unique. */
  readonly endpoints: readonly DocumentedEndpoint[]
  readonly converters: Converters
}

export interface MadeDocument {
  /** The document as JSON, which takes a quarter of the memory of its objects. */
  readonly text: string
  readonly findings: readonly DocumentFinding[]
}

/** Builds a document. The same input always results in an identical document. */
export function makeDocument({
  openapi,
  info,
  servers,
  tags = [],
  endpoints,
  converters,
}: DocumentInput): MadeDocument {
  const making: ComponentContext = {
    openapi,
    converters,
    drafts: new Drafts(),
    lifts: { input: new Map(), output: new Map() },
    schemes: new SecuritySchemes(),
    responses: new Map(),
    formats: new Set(),
    operationIds: new Set(),
    tags: new Set(),
    findings: [],
  }
  const visible = endpoints.filter(({ endpoint }) => !endpoint.isHidden)
  const paths = buildPaths(visible.map((documented) => ({ ...making, ...documented })))
  const problems = visible.some(({ endpoint }) => endpoint.errorFormat === null) ? PROBLEM_SCHEMAS : {}
  const responses = Object.fromEntries([...making.responses].toSorted(compareNames))
  const schemas = { ...problems, ...making.drafts.finish({ paths, responses }, Object.keys(problems)) }
  const securitySchemes = making.schemes.all
  const mounted = endpoints.filter(({ endpoint }) => endpoint.verb === 'all').map(({ endpoint }) => endpoint.route)
  const document: OpenApiDocument = {
    openapi: EXACT_VERSIONS[openapi],
    info,
    servers: servers ?? SAME_SERVER,
    // States explicitly that no credentials are required. Without it, readers could think that it was forgotten.
    ...(securitySchemes === undefined && { security: [] }),
    tags: buildTags(making.tags, tags),
    paths,
    ...(mounted.length > 0 && { 'x-mounted': mounted.toSorted() }),
    components: { responses, schemas, ...(securitySchemes && { securitySchemes }) },
  }
  return { text: printDocument(document), findings: making.findings }
}

const EXACT_VERSIONS = { '3.1': '3.1.1', '3.2': '3.2.0' } as const

/** Returns the document as JSON, without `ValidationProblem` if the API validates nothing. */
function printDocument(document: OpenApiDocument): string {
  const text = serializeDocument(document)
  const { ValidationProblem, ...schemas } = document.components.schemas
  if (ValidationProblem === undefined || text.includes('/schemas/ValidationProblem"')) return text
  return serializeDocument({ ...document, components: { ...document.components, schemas } })
}

/** Default of `servers` (section 4.8.1.1). */
const SAME_SERVER: OpenApiDocument['servers'] = [{ url: '/' }]

/** Returns the used tags: first the described ones in their order, then the others. */
function buildTags(used: ReadonlySet<string>, described: OpenApiDocument['tags']): OpenApiDocument['tags'] {
  const usedTags = described.filter(({ name }) => used.has(name))
  const otherTags = [...used].filter((name) => !usedTags.some((tag) => tag.name === name))
  return [...usedTags, ...otherTags.map((name) => ({ name }))]
}

/** Only values from authors and libraries can be a bigint. A function for each value takes four times as long. */
function serializeDocument(document: OpenApiDocument): string {
  const print = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
  return valueOr(() => JSON.stringify(document), null) ?? JSON.stringify(document, print)
}

function buildPaths(works: readonly OperationContext[]): OpenApiDocument['paths'] {
  const tame = works.map(({ path }) => path).filter((path) => !isWild(path))
  const shapes = new Map(tame.map((path) => [normalizePath(path), path.text]))
  const paths = new Map<string, Map<string, OpenApiOperation>>()
  for (const work of works) {
    const { path: template, endpoint } = work
    const rival = isWild(template) ? shapes.get(normalizePath(template)) : undefined
    if (rival !== undefined) {
      const message = `The path "${template.text}" is not in the document, because OpenAPI cannot distinguish it from "${rival}"`
      reportProblem(work, message, 'Put a literal segment before the wildcard')
      continue
    }
    const path = documentPath(template)
    if (!paths.has(path)) reportNames(work)
    const operations = paths.get(path) ?? new Map<string, OpenApiOperation>()
    paths.set(path, operations.set(...placeOperation(work.openapi, endpoint.verb, buildOperation(work))))
  }
  return Object.fromEntries([...paths].map(([path, operations]) => [path, Object.fromEntries(operations)]))
}

/** Returns the field of the path item for an operation. OpenAPI 3.1 has no field for QUERY (OpenAPI 3.2.0 section 4.9), so it is an extension there. */
function placeOperation(
  openapi: OpenApiVersion,
  verb: EndpointVerb,
  operation: OpenApiOperation,
): readonly [field: string, operation: OpenApiOperation] {
  if (openapi === '3.2' || verb !== 'query') return [verb, operation]
  const description = [operation.description, QUERY_IN_3_1].filter((part) => part !== undefined).join('\n\n')
  return ['x-query', { ...operation, description }]
}

const QUERY_IN_3_1 =
  'Requests have the method QUERY (RFC 10008) and the request body of this operation; OpenAPI 3.1 has no field for this method.'

/** Parameter names that all OpenAPI tools recognize in a path. */
const READ_BY_TOOLS = /^[A-Za-z0-9_]+$/

/** Reports names that tools do not recognize. Called once for each path, because all its operations have the same parameters. */
function reportNames(work: OperationContext): void {
  const { names, text } = work.path
  const misread = names.filter((name) => !READ_BY_TOOLS.test(name)).map((name) => `"${name}"`)
  if (misread.length === 0) return
  const message = `Several OpenAPI tools do not recognize ${misread.join(' and ')} in the path "${text}"`
  reportProblem(work, message, 'Name parameters with the letters A to Z, digits and "_"')
}

/** Formats a path for the document. A wildcard becomes a parameter, because OpenAPI has no wildcards. */
export function documentPath({ segments }: Template): string {
  return `/${segments.map((segment) => (segment.kind === 'literal' ? segment.text : `{${segment.name}}`)).join('/')}`
}

/** Removes the names of parameters, because OpenAPI does not distinguish paths by them (section 4.8.8.1). */
function normalizePath(path: Template): string {
  return documentPath(path).replace(/{[^{}]*}/g, '{}')
}

function isWild({ segments }: Template): boolean {
  return segments.at(-1)?.kind === 'wildcard'
}

function buildOperation(work: OperationContext): OpenApiOperation {
  const { contract, tags, route, sunset, isPublic, providers, meta } = work.endpoint
  const operationId = uniqueOperationId(work)
  const requirements = isPublic ? [] : work.schemes.requirements(listProviders(providers))
  const parameters = buildParameters(work)
  const shownTags = tags.length === 0 ? [route] : [...new Set(tags)]
  for (const tag of shownTags) work.tags.add(tag)
  const operation: Undescribable<OpenApiOperation> = {
    operationId,
    summary: contract?.summary,
    description: contract?.description,
    tags: shownTags,
    deprecated: sunset === null ? undefined : true,
    'x-sunset': sunset === null || sunset === Infinity ? undefined : new Date(sunset).toISOString(),
    security: requirements,
    parameters: parameters.length === 0 ? undefined : parameters,
    requestBody: buildRequestBody(work),
    responses: buildResponses(work),
    // Other keys of `meta` are for middleware, not for clients.
    ...Object.fromEntries(Object.entries(meta).filter(([key]) => key.startsWith('x-'))),
  }
  // Proof: only optional properties can be undefined, and JSON omits them.
  return operation as OpenApiOperation
}

type Undescribable<T> = { readonly [K in keyof T]: T[K] | undefined }

function uniqueOperationId(work: OperationContext): string {
  const { route, verb, contract } = work.endpoint
  const operationId = contract?.operationId ?? `${route}.${verb}`
  const id = freeName(operationId, work.operationIds)
  if (id !== operationId && contract?.operationId !== undefined) {
    reportProblem(
      work,
      `The operation id "${operationId}" already belongs to another endpoint. This one is called "${id}"`,
      'Choose another id',
    )
  }
  return id
}

function buildRequestBody(work: OperationContext): OpenApiBody | undefined {
  const { contract, verb, body: plan } = work.endpoint
  if (contract === undefined && VERB_FACTS[verb].body === 'any')
    return { content: { 'application/json': { schema: {} } } }
  const body = contract?.body
  if (body === undefined) return plan?.kind === 'unparsed' ? { content: { '*/*': {} } } : undefined
  const kind = toKind(body)
  return describeReadBody(work, kind) ?? toOpenApiBody(isRequired(work, kind), buildContent(work, kind))
}

/** Returns `undefined` if the kind has no reader that describes the body. */
function describeReadBody(work: OperationContext, { reader, types }: Kind): OpenApiBody | undefined {
  const description = reader?.describe?.((schema) => documentMembers(work, schema, 'body'))
  return description && toOpenApiBody(description.isRequired, toOpenApiContent(types, description.media))
}

function toOpenApiBody(required: boolean, content: OpenApiContent): OpenApiBody {
  return required ? { required, content } : { content }
}

/** Strings, bytes, forms and lines can be empty. Generators type a body that is not required as optional. */
function isRequired(work: OperationContext, { facts, schema }: Kind): boolean {
  return facts.isRequired === true || (facts.isForm === true && schema !== null && needsMembers(work, schema, 'body'))
}

function buildContent(work: OperationContext, { name, facts, schema, types }: Kind): OpenApiContent {
  const documentedSchema = schema === null ? facts.shown : documentSchema(work, schema, 'body', 'input')
  if (name === 'jsonLines' && documentedSchema !== undefined)
    return toOpenApiContent(types, describeLines(documentedSchema, work.openapi))
  const media = documentedSchema === undefined ? {} : { schema: documentedSchema }
  // `application/*+json` is not a valid media range (RFC 9110 section 12.5.1).
  return toOpenApiContent(
    types.filter((type) => !type.includes('*+')),
    media,
  )
}

function toOpenApiContent(types: readonly string[], media: OpenApiMediaType): OpenApiContent {
  return Object.fromEntries(types.map((type) => [type, media]))
}
