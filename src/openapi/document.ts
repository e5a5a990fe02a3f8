/** The OpenAPI document of an app, made of plain records. */
import type { Template } from '../router/template.js'
import { Components } from './components.js'
import type { OpenApiDocument, OpenApiOperation, OpenApiResponse, OpenApiTag } from './document-types.js'
import type { DocumentedEndpoint, DocumentFinding, DocumentInput } from './documented-endpoint.js'
import { freeName } from './naming.js'
import { operationOf, tagsOf } from './operation.js'
import { PROBLEM_SCHEMAS } from './problems.js'
import { SecuritySchemes } from './security.js'
import { report, type Work } from './work.js'

/** A document, and what it cannot say. */
export interface MadeDocument {
  readonly document: OpenApiDocument
  readonly findings: readonly DocumentFinding[]
}

/** Makes a document. The same input gives the same document, to the letter. */
export function makeDocument({ info, servers, endpoints, converters }: DocumentInput): MadeDocument {
  const making = new Making(new Components(converters))
  const shown = endpoints.filter(({ contract }) => contract?.hidden !== true)
  const shapes = shapesOf(shown)
  for (const endpoint of shown) making.add(endpoint, shapes)
  const paths = Object.fromEntries(
    [...making.paths].map(([path, operations]) => [path, Object.fromEntries(operations)]),
  )
  const own = making.components.finish(paths, Object.keys(PROBLEM_SCHEMAS))
  const schemas = { ...PROBLEM_SCHEMAS, ...own }
  const responses = Object.fromEntries([...making.responses].toSorted(byName))
  const securitySchemes = making.schemes.all
  const document: OpenApiDocument = {
    openapi: '3.1.1',
    info,
    ...(servers === undefined ? undefined : { servers }),
    tags: [...making.tags].map((name): OpenApiTag => ({ name })),
    paths,
    components: securitySchemes === undefined ? { responses, schemas } : { responses, schemas, securitySchemes },
  }
  return { document: asJson(document), findings: making.findings }
}

function byName([one]: readonly [string, unknown], [other]: readonly [string, unknown]): number {
  return one < other ? -1 : 1
}

/** What authors and libraries put into it may be shared, or have no form in JSON. */
function asJson(document: OpenApiDocument): OpenApiDocument {
  const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value)
  return JSON.parse(JSON.stringify(document, plain))
}

/** A document that is being made. */
class Making {
  readonly components: Components
  readonly schemes: SecuritySchemes = new SecuritySchemes()
  readonly paths = new Map<string, Map<string, OpenApiOperation>>()
  readonly tags = new Set<string>()
  readonly responses = new Map<string, OpenApiResponse>()
  readonly findings: DocumentFinding[] = []
  readonly #ids = new Set<string>()

  constructor(components: Components) {
    this.components = components
  }

  add(endpoint: DocumentedEndpoint, shapes: ReadonlyMap<string, Template>): void {
    const { components, responses, findings } = this
    const work: Work = { endpoint, components, responses, findings }
    const rival = rivalOf(endpoint.path, shapes)
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

  #idFor(work: Work): string {
    const { route, verb, contract } = work.endpoint
    const wanted = contract?.operationId ?? `${route}.${verb}`
    const id = freeName(wanted, this.#ids)
    if (id !== wanted && contract?.operationId !== undefined) {
      report(work, `The operation id "${wanted}" is taken by another endpoint; this one has "${id}"`, 'Give it another')
    }
    return id
  }
}

/** Of names, tools for OpenAPI read what may stand in a URL as it is. */
const READ_BY_TOOLS = /^[A-Za-z0-9_]+$/

/** Once for a path: all its operations have the same parameters. */
function reportNames(work: Work): void {
  const { names, text } = work.endpoint.path
  const misread = names.filter((name) => !READ_BY_TOOLS.test(name)).map((name) => `"${name}"`)
  if (misread.length === 0) return
  const message = `Several tools for OpenAPI do not find ${misread.join(' and ')} in the path "${text}"`
  report(work, message, 'Name parameters with the letters A to Z, digits and "_"')
}

/**
 * A path as a document has it: OpenAPI has no wildcards, they look like parameters there. Returns the key in `paths`.
 */
export function documentPath({ segments }: Template): string {
  return `/${segments.map((segment) => (segment.kind === 'literal' ? segment.text : `{${segment.name}}`)).join('/')}`
}

/** To OpenAPI the names of parameters do not tell paths apart (section 4.8.8.1). */
function shapeOf({ segments }: Template): string {
  return segments.map((segment) => (segment.kind === 'literal' ? segment.text : '{}')).join('/')
}

function isWild({ segments }: Template): boolean {
  return segments.at(-1)?.kind === 'wildcard'
}

function shapesOf(endpoints: readonly DocumentedEndpoint[]): ReadonlyMap<string, Template> {
  return new Map(endpoints.filter(({ path }) => !isWild(path)).map(({ path }) => [shapeOf(path), path]))
}

function rivalOf(path: Template, shapes: ReadonlyMap<string, Template>): Template | undefined {
  return isWild(path) ? shapes.get(shapeOf(path)) : undefined
}
