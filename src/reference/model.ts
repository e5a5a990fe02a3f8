/** Reads an OpenAPI document of version 3.0 to 3.2, of any framework, into the parts of its page. */
import { KNOWN_METHODS } from '../http/methods.js'
import {
  isJson,
  listEntries,
  listOrEmpty,
  objectOrEmpty,
  resolveSchema,
  stringOrEmpty,
  type JsonRecord,
} from '../openapi/reading/json.js'
import { Ids } from './ids.js'

/** An operation with its place in the document. */
export interface ShownOperation {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly about: JsonRecord
  /** Parameters of the operation and of its path, resolved. */
  readonly parameters: readonly JsonRecord[]
  /** Whether the API sends the request, so that clients have no line for it. */
  readonly isWebhook: boolean
}

/** Operations with the same first tag. */
interface OperationGroup {
  readonly id: string
  readonly name: string
  readonly description: string
  readonly operations: readonly ShownOperation[]
}

/** A schema of the components. */
export interface NamedSchema {
  readonly id: string
  readonly name: string
  readonly schema: unknown
}

/** A document as its page shows it. */
export interface Model {
  readonly document: JsonRecord
  readonly groups: readonly OperationGroup[]
  readonly schemas: ReadonlyMap<string, NamedSchema>
  readonly schemes: readonly (readonly [name: string, scheme: JsonRecord])[]
  /** Whether the page must save bytes: closed sections refer to schemas instead of repeating them. */
  readonly isLarge: boolean
}

/** Fields of a path item that contain an operation (OpenAPI 3.2.0 section 4.9.1), and `x-query` of 3.1. */
const METHODS = [...[...KNOWN_METHODS].map((method) => method.toLowerCase()), 'x-query']
/** Maximum number of operations and schemas on a page. */
const MAX_ENTRIES = 10_000
/** A page with more operations is large. */
const SMALL = 120

export function readModel(document: JsonRecord): Model {
  const ids = new Ids()
  const operations = readOperations(document, ids)
  const components = objectOrEmpty(document['components'])
  const schemas = firstEntries(components['schemas'])
  return {
    document,
    groups: groupByTag(document, operations, ids),
    schemas: new Map(schemas.map(([name, schema]) => [name, { id: ids.create(`schema.${name}`), name, schema }])),
    schemes: firstEntries(components['securitySchemes']).map(([name, scheme]) => [
      name,
      resolveSchema(document, scheme),
    ]),
    isLarge: operations.length > SMALL,
  }
}

function firstEntries(value: unknown): ReturnType<typeof listEntries> {
  return listEntries(value).slice(0, MAX_ENTRIES)
}

type FoundOperation = Pick<ShownOperation, 'method' | 'path' | 'parameters' | 'isWebhook'> & {
  readonly about: JsonRecord
}

function readOperations(document: JsonRecord, ids: Ids): ShownOperation[] {
  const places = [
    ...firstEntries(document['paths']).map(([path, item]) => ({ path, item, isWebhook: false })),
    ...firstEntries(document['webhooks']).map(([path, item]) => ({ path, item, isWebhook: true })),
  ]
  const found = places.flatMap(({ path, item, isWebhook }) => {
    const fields = resolveSchema(document, item)
    const shared = resolveAll(document, fields['parameters'])
    return listOperations(fields).map(([method, about]): FoundOperation => ({
      method,
      path,
      about,
      isWebhook,
      parameters: mergeParameters(shared, resolveAll(document, about['parameters'])),
    }))
  })
  return found.slice(0, MAX_ENTRIES).map((each) => ({
    ...each,
    id: ids.create(stringOrEmpty(each.about['operationId']) || `${each.method} ${each.path}`),
  }))
}

function listOperations(item: JsonRecord): [method: string, about: JsonRecord][] {
  const fields = METHODS.map((name): [string, unknown] => [name.replace('x-', '').toUpperCase(), item[name]])
  const all = [...fields, ...Object.entries(objectOrEmpty(item['additionalOperations']))]
  return all.flatMap(([method, about]) => (isJson(about) ? [[method, about] as [string, JsonRecord]] : []))
}

/** Maximum number of parameters, alternatives and other lists of one operation. */
export const MAX_ITEMS = 200

function resolveAll(document: JsonRecord, list: unknown): JsonRecord[] {
  return listOrEmpty(list)
    .slice(0, MAX_ITEMS)
    .map((each) => resolveSchema(document, each))
}

/** Parameters of an operation replace parameters of its path with the same name and place. */
function mergeParameters(shared: readonly JsonRecord[], own: readonly JsonRecord[]): JsonRecord[] {
  const key = ({ in: place, name }: JsonRecord): string => JSON.stringify([place, name])
  return [...new Map([...shared, ...own].map((parameter) => [key(parameter), parameter])).values()]
}

function groupByTag(document: JsonRecord, operations: readonly ShownOperation[], ids: Ids): OperationGroup[] {
  const described = new Map(
    listOrEmpty(document['tags'])
      .slice(0, MAX_ENTRIES)
      .map((tag) => [stringOrEmpty(objectOrEmpty(tag)['name']), objectOrEmpty(tag)]),
  )
  const byTag = new Map<string, ShownOperation[]>([...described.keys()].map((name) => [name, []]))
  for (const operation of operations) {
    const name = firstTag(operation)
    const same = byTag.get(name)
    if (same === undefined) byTag.set(name, [operation])
    else same.push(operation)
  }
  const filled = [...byTag].filter(([, own]) => own.length > 0)
  return filled.map(([name, own]) => ({
    id: ids.create(`tag.${name}`),
    name: stringOrEmpty(described.get(name)?.['summary']) || name,
    description: stringOrEmpty(described.get(name)?.['description']),
    operations: own,
  }))
}

function firstTag({ about, isWebhook }: ShownOperation): string {
  if (isWebhook) return 'Webhooks'
  return stringOrEmpty(listOrEmpty(about['tags'])[0]) || 'Operations'
}

/** A response of an operation. */
export interface StatusResponse {
  /** Status code, range such as `4XX`, or `default`. */
  readonly status: string
  readonly response: JsonRecord
}

export function listResponses({ document }: Model, about: JsonRecord): StatusResponse[] {
  const entries = listEntries(about['responses']).slice(0, MAX_ITEMS)
  return entries.map(([status, response]) => ({ status, response: resolveSchema(document, response) }))
}

export function isError(status: string): boolean {
  return status === 'default' || /^[45]/.test(status)
}
