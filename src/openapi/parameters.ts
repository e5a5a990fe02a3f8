/** Parameters: what is read of path, query, headers and cookies (OpenAPI 3.1.1 section 4.8.12). */
import type { Segment } from '../router/template.js'
import type { JsonSchema } from '../validation/json-schema.js'
import { isObject } from '../values/objects.js'
import type { Schema } from '../validation/schema.js'
import type { OpenApiParameter } from './document-types.js'
import type { HeadSchemas } from './documented-endpoint.js'
import { membersOf, type Member } from './members.js'
import { joinedName } from './naming.js'
import { useOf, type Work } from './work.js'

type Place = OpenApiParameter['in']

/** A source, and the place that OpenAPI has for it. */
interface Source {
  readonly source: keyof HeadSchemas
  readonly place: Place
}

const SOURCES: readonly Source[] = [
  { source: 'query', place: 'query' },
  { source: 'headers', place: 'header' },
  { source: 'cookies', place: 'cookie' },
]

/** Said in other places of the document; a parameter of such a name is ignored (section 4.8.12.1). */
const SAID_ELSEWHERE: ReadonlySet<string> = new Set(['accept', 'content-type', 'authorization'])

/** The parameters of an operation. */
export function parametersOf(work: Work): OpenApiParameter[] {
  const { path, contract, needs, parameters } = work.endpoint
  const heads: readonly HeadSchemas[] = contract === undefined ? needs : [contract, ...needs]
  const ofPath = heads.flatMap((head) => readFrom(work, head.params, { source: 'params', place: 'path' }))
  const others = heads.flatMap((head) => SOURCES.flatMap((source) => readFrom(work, head[source.source], source)))
  const inPath = path.segments.flatMap((segment) => pathParameter(segment, ofPath))
  return firstOfEach([...inPath, ...others, ...parameters])
}

/** A parameter of the path is there whether a schema says so or not; a schema may name others, which is a finding of its own. */
function pathParameter(segment: Segment, described: readonly OpenApiParameter[]): OpenApiParameter[] {
  if (segment.kind === 'literal') return []
  const { name } = segment
  const known = described.find((parameter) => parameter.name === name)
  const rest = segment.kind === 'wildcard' ? { description: 'One segment of the path or more' } : {}
  return [{ name, in: 'path', required: true, ...rest, schema: { type: 'string' }, ...known }]
}

function readFrom(work: Work, schema: Schema | undefined, { source, place }: Source): OpenApiParameter[] {
  if (schema === undefined) return []
  const use = useOf(work, source, 'input')
  const { root, lift } = work.components.describe(schema, use)
  const { named, rest } = membersOf(root)
  const parameters = [...named]
    .filter(([name]) => place !== 'header' || !SAID_ELSEWHERE.has(name.toLowerCase()))
    .map(([name, member]) => {
      const shown = lift.part(member.schema, joinedName(use.name, name))
      return parameterOf({ name, place, required: member.required || place === 'path', schema: shown })
    })
  const isOpen = place === 'query' && rest !== undefined && (named.size === 0 || isSaid(rest))
  return isOpen
    ? [...parameters, { name: 'others', in: place, schema: openRecord(lift.part(rest, use.name)) }]
    : parameters
}

interface Shown extends Member {
  readonly name: string
  readonly place: Place
}

/** What a schema says of a parameter as a whole stands at the parameter, where tools look for it. */
function parameterOf({ name, place, required, schema }: Shown): OpenApiParameter {
  // A reference is completed when the document is, so it must stay the same object.
  if (typeof schema === 'boolean' || Object.hasOwn(schema, '$ref')) {
    return { name, in: place, ...mustBe(required), schema }
  }
  const { description, deprecated, ...rest } = schema
  const isText = typeof description === 'string'
  return {
    name,
    in: place,
    ...(isText ? { description } : undefined),
    ...mustBe(required),
    ...(deprecated === true ? { deprecated } : undefined),
    schema: rest,
  }
}

function mustBe(required: boolean): { required?: true } {
  return required ? { required } : {}
}

function isSaid(schema: JsonSchema): boolean {
  return isObject(schema) && Object.keys(schema).length > 0
}

/** Each member of the object is a parameter of its own; the name of the whole is never sent (section 4.8.12.4, `form`). */
function openRecord(rest: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: rest }
}

/** Several providers may read the same. */
function firstOfEach(parameters: readonly OpenApiParameter[]): OpenApiParameter[] {
  const byPlace = new Map<string, OpenApiParameter>()
  for (const parameter of parameters) {
    const key = `${parameter.in} ${parameter.name}`
    if (!byPlace.has(key)) byPlace.set(key, parameter)
  }
  return [...byPlace.values()]
}
