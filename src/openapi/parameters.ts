/** Builds the parameters of path, query, headers and cookies (OpenAPI 3.1.1 section 4.8.12). */
import { PreconditionRecipe } from '../features/caching/precondition.js'
import type { Endpoint } from '../request/endpoint.js'
import type { Segment } from '../router/template.js'
import { listProviders } from '../setup/plans.js'
import {
  collectSchemas,
  namedMembers,
  otherMembers,
  type JsonSchema,
  type SchemaObject,
} from '../validation/json-schema.js'
import type { Schema } from '../validation/schema.js'
import { findJsonShape } from '../validation/text/json-shape.js'
import { parsesText } from '../validation/text/parses-text.js'
import { ownList } from '../values/objects.js'
import type { ShownMembers } from '../route/body-reader.js'
import { describeForDocument, type OperationContext, type HeadSchemas } from './components.js'
import { sendsFile } from './framework-errors.js'
import { withoutNull } from './without-null.js'
import type { OpenApiParameter } from '../setup/document-types.js'

type ParameterPlace = OpenApiParameter['in']

/** Sources other than the path, with their `in` in OpenAPI. */
const PLACES: readonly (readonly [source: keyof HeadSchemas, place: ParameterPlace])[] = [
  ['query', 'query'],
  ['headers', 'header'],
  ['cookies', 'cookie'],
]

/** Headers that have other places in the document. OpenAPI ignores parameters with these names (section 4.8.12.1). */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

export function buildParameters(work: OperationContext): OpenApiParameter[] {
  const { endpoint, path, version } = work
  const { contract, providers } = endpoint
  const needs = listProviders(providers).map((provider) => provider.needs)
  const heads: readonly HeadSchemas[] = contract === undefined ? needs : [contract, ...needs]
  const ofPath = heads.flatMap((head) => buildSourceParameters(work, head.params, 'params', 'path'))
  const operationParameters = heads.flatMap((head) =>
    PLACES.flatMap(([source, place]) => buildSourceParameters(work, head[source], source, place)),
  )
  const inPath = path.segments.flatMap((segment) => pathParameter(segment, ofPath))
  const ofFramework = [...version, ...conditionParameters(endpoint), ...keyParameter(endpoint)]
  return firstOfEach([...inPath, ...operationParameters, ...ofFramework])
}

/** Request headers that a file reads (RFC 9110 sections 13.1 and 14.2). */
const FILE_HEADERS: readonly (readonly [name: string, description: string])[] = [
  ['Range', 'The part of the file to send, such as "bytes=0-99"; 416 if it is outside the file'],
  ['If-Range', 'ETag or date of the file that the client has in part; the whole file if it has changed'],
  ['If-None-Match', 'ETag of a cached file; 304 if it is still current'],
  ['If-Modified-Since', 'Date of a cached file; 304 if it has not changed since'],
  ['If-Match', 'ETag of the file; 412 if it has changed'],
  ['If-Unmodified-Since', 'Date of the file; 412 if it has changed since'],
]

/** Returns the headers for conditional requests: of a file, `If-None-Match` for another GET, and preconditions for other methods. */
function conditionParameters(endpoint: Endpoint): OpenApiParameter[] {
  const { verb, contract, providers } = endpoint
  if (sendsFile(endpoint)) return FILE_HEADERS.map(([name, description]) => condition(name, description))
  if (verb === 'get') {
    return contract?.etag === true
      ? [condition('If-None-Match', 'ETag of a cached response; 304 if it is still current')]
      : []
  }
  const preconditions = listProviders(providers).filter((provider) => provider instanceof PreconditionRecipe)
  if (preconditions.length === 0) return []
  const isRequired = preconditions.some((provider) => provider.isRequired)
  const match = condition(
    'If-Match',
    `ETag of the version that was read; 412 if it has changed${isRequired ? ', 428 if missing' : ''}`,
  )
  // A DELETE creates nothing, so only one of the two conditions is useful.
  if (verb === 'delete') return [isRequired ? { ...match, required: true } : match]
  return [match, condition('If-None-Match', '"*" to create a resource; 412 if it already exists')]
}

/** Documents the key and how long it is stored, as the draft requires (draft-ietf-httpapi-idempotency-key-header section 2.5). */
function keyParameter({ idempotency }: Endpoint): OpenApiParameter[] {
  if (idempotency === null) return []
  const what =
    'Key of this request; send the same key to retry it. The request runs once, and a retry gets its response'
  const description = `${what}, marked by "Idempotent-Replayed: true", for ${idempotency.ttl / 1000} seconds`
  const schema = { type: 'string', minLength: 1, maxLength: 255 }
  return [
    { name: 'Idempotency-Key', in: 'header', description, ...(idempotency.isRequired && { required: true }), schema },
  ]
}

function condition(name: string, description: string): OpenApiParameter {
  return { name, in: 'header', description, schema: { type: 'string' } }
}

/** Describes a parameter of the path, with or without a schema. Names in a schema that are not in the path are reported elsewhere. */
function pathParameter(segment: Segment, described: readonly OpenApiParameter[]): OpenApiParameter[] {
  if (segment.kind === 'literal') return []
  const { name } = segment
  const parameter = described.find((parameter) => parameter.name === name)
  const rest = segment.kind === 'wildcard' ? { description: 'One segment of the path or more' } : {}
  return [{ name, in: 'path', required: true, ...rest, schema: { type: 'string' }, ...parameter }]
}

/** Returns the headers that the schema of a response describes. */
export function parameterHeaders(work: OperationContext, schema: Schema, role: string): OpenApiParameter[] {
  return buildSourceParameters(work, schema, role, 'header')
}

function buildSourceParameters(
  work: OperationContext,
  schema: Schema | undefined,
  source: string,
  place: ParameterPlace,
): OpenApiParameter[] {
  if (schema === undefined) return []
  const { named, rest } = documentMembers(work, schema, source)
  const parameters = named
    .filter(({ name }) => place !== 'header' || !SAID_ELSEWHERE.has(name.toLowerCase()))
    .map(({ name, schema: member, required }) => toParameter(name, place, required || place === 'path', member))
  if (place !== 'query' || rest === undefined || (named.length > 0 && Object.keys(rest).length === 0)) return parameters
  // Each member of the object is a separate parameter. The name `others` is never sent (section 4.8.12.4, `form`).
  return [...parameters, { name: 'others', in: place, schema: { type: 'object', additionalProperties: rest } }]
}

/** Returns the schemas of the members of a source. */
export function documentMembers(work: OperationContext, schema: Schema, source: string): ShownMembers {
  const lift = describeForDocument(work, schema, source, 'input')
  const { root } = lift
  const { named, rest } = collectMembers(root)
  const isRestJson = rest !== undefined && findJsonShape(root, rest) !== null
  return {
    named: named.map(({ isJson: isJsonOnly, ...member }) => {
      const isJson = isJsonOnly && !parsesText(schema, member.name)
      return {
        ...member,
        schema: lift.part(isJson ? member.schema : withoutNull(root, member.schema), member.name),
        isJson,
      }
    }),
    rest: rest === undefined ? undefined : lift.part(isRestJson ? rest : withoutNull(root, rest)),
  }
}

/** Whether a source without members is invalid. */
export function needsMembers(work: OperationContext, schema: Schema, source: string): boolean {
  return collectMembers(describeForDocument(work, schema, source, 'input').root).named.some(({ required }) => required)
}

/** Moves `description` and `deprecated` from the schema to the parameter, where tools expect them. */
function toParameter(name: string, place: ParameterPlace, isRequired: boolean, schema: SchemaObject): OpenApiParameter {
  const required = isRequired && { required: true }
  // References are completed at the end, so this object must not be copied.
  if (Object.hasOwn(schema, '$ref')) return { name, in: place, ...required, schema }
  const { description, deprecated, ...rest } = schema
  return {
    name,
    in: place,
    ...(typeof description === 'string' && { description }),
    ...required,
    ...(deprecated === true && { deprecated }),
    schema: rest,
  }
}

/** Removes duplicates, because several providers may read the same parameter. */
function firstOfEach(parameters: readonly OpenApiParameter[]): OpenApiParameter[] {
  const keyOf = ({ in: place, name }: OpenApiParameter): string => `${place} ${name}`
  const keys = parameters.map(keyOf)
  return parameters.filter((parameter, at) => keys.indexOf(keyOf(parameter)) === at)
}

/** Collects the members of all parts of a schema. Members of alternatives are optional. Several schemas of a member become `anyOf`. */
function collectMembers(root: JsonSchema): ShownMembers<JsonSchema> {
  const schemas = new Map<string, Set<JsonSchema>>()
  const required = new Set<unknown>()
  const rests: JsonSchema[] = []
  for (const [part, isSure] of collectSchemas(root)) {
    for (const [name, member] of namedMembers(root, part)) {
      schemas.set(name, (schemas.get(name) ?? new Set<JsonSchema>()).add(member))
    }
    if (isSure) for (const name of ownList(part, 'required')) required.add(name)
    const rest = otherMembers(root, part)
    if (rest !== undefined) rests.push(rest)
  }
  const named = [...schemas].map(([name, [first = true, ...others]]) => {
    const schema = others.length === 0 ? first : { anyOf: [first, ...others] }
    return { name, schema, required: required.has(name), isJson: findJsonShape(root, schema) !== null }
  })
  return { named, rest: rests[0] }
}
