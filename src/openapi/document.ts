/** The OpenAPI document of an app, made of plain records. */
import type { Template } from '../router/template.js'
import { Components, report, type OperationWork } from './components.js'
import type { OpenApiDocument, OpenApiOperation, OpenApiResponse, OpenApiTag } from './document-types.js'
import type { DocumentedEndpoint, DocumentFinding, DocumentInput } from './documented-endpoint.js'
import type { Converters } from '../validation/json-schema.js'
import { byName, freeName } from './naming.js'
import { operationOf, tagsOf } from './operation.js'
import { PROBLEM_SCHEMAS } from './responses.js'
import { SecuritySchemes } from './security.js'

/** A document, and what it cannot say. */
export interface MadeDocument {
  readonly document: OpenApiDocument
  readonly findings: readonly DocumentFinding[]
}

/** Makes a document. The same input gives the same document, to the letter. */
export function makeDocument({ info, servers, endpoints, converters }: DocumentInput): MadeDocument {
  const making = new Making(converters)
  const shown = endpoints.filter(({ contract }) => contract?.hidden !== true)
  const tame = shown.map(({ path }) => path).filter((path) => !isWild(path))
  const shapes = new Map(tame.map((path) => [shapeOf(path), path]))
  for (const endpoint of shown) making.add(endpoint, shapes)
  const paths = Object.fromEntries(
    [...making.paths].map(([path, operations]) => [path, Object.fromEntries(operations)]),
  )
  const schemas = { ...PROBLEM_SCHEMAS, ...making.components.finish(paths, Object.keys(PROBLEM_SCHEMAS)) }
  const responses = Object.fromEntries([...making.responses].toSorted(byName))
  const securitySchemes = making.schemes.all
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info,
    ...(servers && { servers }),
    tags: [...making.tags].map((name): OpenApiTag => ({ name })),
    paths,
    components: { responses, schemas, ...(securitySchemes && { securitySchemes }) },
  }
  return { document: asJson(document), findings: making.findings }
}

/** A copy: what authors and libraries put into a document may be shared, or have no form in JSON. */
function asJson(document: OpenApiDocument): OpenApiDocument {
  const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
  return JSON.parse(JSON.stringify(document, plain))
}

class Making {
  readonly components: Components
  readonly schemes: SecuritySchemes = new SecuritySchemes()
  readonly paths = new Map<string, Map<string, OpenApiOperation>>()
  readonly tags = new Set<string>()
  readonly responses = new Map<string, OpenApiResponse>()
  readonly findings: DocumentFinding[] = []
  readonly #ids = new Set<string>()

  constructor(converters: Converters) {
    this.components = new Components(converters)
  }

  add(endpoint: DocumentedEndpoint, shapes: ReadonlyMap<string, Template>): void {
    const { components, responses, findings } = this
    const work: OperationWork = { endpoint, components, responses, findings }
    const rival = isWild(endpoint.path) ? shapes.get(shapeOf(endpoint.path)) : undefined
    if (rival !== undefined) {
      const message = `The path "${endpoint.path.text}" is not in the document: to OpenAPI it is the same as "${rival.text}"`
      report(work, message, 'Put a literal segment before the wildcard')
      return
    }
    for (const tag of tagsOf(endpoint)) this.tags.add(tag)
    const path = documentPath(endpoint.path)
    if (!this.paths.has(path)) reportNames(work)
    const operations = this.paths.get(path) ?? new Map<string, OpenApiOperation>()
    this.paths.set(path, operations)
    operations.set(endpoint.verb, operationOf(work, this.#idFor(work), this.schemes.requirements(endpoint.security)))
  }

  #idFor(work: OperationWork): string {
    const { route, verb, contract } = work.endpoint
    const wanted = contract?.operationId ?? `${route}.${verb}`
    const id = freeName(wanted, this.#ids)
    if (id !== wanted && contract?.operationId !== undefined) {
      report(work, `The operation id "${wanted}" is taken by another endpoint; this one has "${id}"`, 'Give it another')
    }
    return id
  }
}

/** Parameter names that tools for OpenAPI find in a path. */
const READ_BY_TOOLS = /^[A-Za-z0-9_]+$/

/** Once for a path: all its operations have the same parameters. */
function reportNames(work: OperationWork): void {
  const { names, text } = work.endpoint.path
  const misread = names.filter((name) => !READ_BY_TOOLS.test(name)).map((name) => `"${name}"`)
  if (misread.length === 0) return
  const message = `Several tools for OpenAPI do not find ${misread.join(' and ')} in the path "${text}"`
  report(work, message, 'Name parameters with the letters A to Z, digits and "_"')
}

/** A path as a document has it: OpenAPI has no wildcards, they look like parameters there. */
export function documentPath({ segments }: Template): string {
  return `/${segments.map((segment) => (segment.kind === 'literal' ? segment.text : `{${segment.name}}`)).join('/')}`
}

/** To OpenAPI the names of parameters do not tell paths apart (section 4.8.8.1). */
function shapeOf(path: Template): string {
  return documentPath(path).replace(/{[^}]*}/g, '{}')
}

function isWild({ segments }: Template): boolean {
  return segments.at(-1)?.kind === 'wildcard'
}
