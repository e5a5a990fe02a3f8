/** The OpenAPI document for the page, with a description of every schema and a form for every operation. */
import { buildExample } from '../../openapi/reading/example.js'
import { formatType } from '../../openapi/reading/format-type.js'
import {
  isJson,
  listOrEmpty,
  objectOrEmpty,
  resolveSchema,
  stringOrEmpty,
  type JsonRecord,
} from '../../openapi/reading/json.js'
import type { TryField, TryForm, TryScheme } from '../wire/view-types.js'

const INSIDE_KEYWORDS = ['properties', 'items', 'allOf', 'anyOf', 'oneOf', 'contentSchema']

/** Adds the descriptions as `x-type`, and the forms as `x-form`. */
export function buildFormDocument(document: JsonRecord): JsonRecord {
  const paths = mapFields(document['paths'], (item) =>
    mapFields(item, (operation) =>
      isJson(operation) ? { ...withWords(document, operation), 'x-form': tryForm(document, operation) } : operation,
    ),
  )
  const components = objectOrEmpty(document['components'])
  const schemas = mapFields(components['schemas'], (schema) => toFormDocument(document, schema))
  return { ...document, paths, components: { ...withWords(document, components), schemas } }
}

/** Adds descriptions to the schemas of parameters, headers and media types, which are in the keys `schema` and `itemSchema`. */
function withWords(document: JsonRecord, parent: JsonRecord): JsonRecord {
  return mapFields(parent, (value, key) => {
    if (key === 'schema' || key === 'itemSchema')
      return toFormDocument(document, withFileTypes(value, parent['encoding']))
    if (Array.isArray(value)) return value.map((item) => (isJson(item) ? withWords(document, item) : item))
    return isJson(value) && key !== 'example' ? withWords(document, value) : value
  })
}

/** Sets the media types of files in a form from `encoding`, because every file is `application/octet-stream` in its schema. */
function withFileTypes(schema: unknown, encoding: unknown): unknown {
  if (!isJson(encoding) || !isJson(schema) || !isJson(schema['properties'])) return schema
  const properties = mapFields(schema['properties'], (property, name) => {
    const contentMediaType = stringOrEmpty(objectOrEmpty(encoding[name])['contentType'])
    if (!isJson(property) || contentMediaType === '') return property
    if ('contentMediaType' in property) return { ...property, contentMediaType }
    const items = objectOrEmpty(property['items'])
    return 'contentMediaType' in items ? { ...property, items: { ...items, contentMediaType } } : property
  })
  return { ...schema, properties }
}

function toFormDocument(document: JsonRecord, schema: unknown): unknown {
  if (!isJson(schema)) return schema
  const inside = INSIDE_KEYWORDS.filter((key) => key in schema).map((key) => [
    key,
    convertPart(document, key, schema[key]),
  ])
  return { ...schema, ...Object.fromEntries(inside), 'x-type': formatType(document, schema) }
}

function convertPart(document: JsonRecord, key: string, part: unknown): unknown {
  const convert = (schema: unknown): unknown => toFormDocument(document, schema)
  if (Array.isArray(part)) return part.map(convert)
  return key === 'properties' ? mapFields(part, convert) : convert(part)
}

function mapFields(value: unknown, change: (member: unknown, name: string) => unknown): JsonRecord {
  return Object.fromEntries(Object.entries(objectOrEmpty(value)).map(([name, member]) => [name, change(member, name)]))
}

export function tryForm(document: JsonRecord, operation: JsonRecord): TryForm {
  const parameters = listOrEmpty(operation['parameters']).map((parameter) => resolveSchema(document, parameter))
  const [body] = Object.entries(objectOrEmpty(resolveSchema(document, operation['requestBody'])['content']))
  const [type, media] = body ?? ['application/json']
  const isForm = type === 'multipart/form-data'
  const fields = parameters.map((parameter) => toField(document, parameter))
  return {
    fields: isForm ? [...fields, ...formParts(document, objectOrEmpty(media))] : fields,
    body: media === undefined || isForm ? null : exampleBody(document, type, objectOrEmpty(media)),
    type,
    ...securityForm(document, operation),
  }
}

/** Returns the security schemes of an operation, and for cookies the operations that look as if they create them. */
function securityForm(document: JsonRecord, operation: JsonRecord): Pick<TryForm, 'schemes' | 'signIn'> {
  const alternatives = listOrEmpty(operation['security'] ?? document['security'])
  const names = new Set(alternatives.flatMap((alternative) => Object.keys(objectOrEmpty(alternative))))
  const declared = objectOrEmpty(objectOrEmpty(document['components'])['securitySchemes'])
  const listed = [...names].map((name) => toScheme(objectOrEmpty(declared[name])))
  // Schemes of `Authorization` share their fields.
  const schemes = [...new Map(listed.map((scheme) => [`${scheme.kind} ${scheme.name}`, scheme])).values()]
  if (schemes.length === 0) return {}
  const signIn = schemes.some(({ kind }) => kind === 'cookie') ? signInOperations(document) : []
  return { schemes, ...(signIn.length > 0 && { signIn }) }
}

function toScheme(scheme: JsonRecord): TryScheme {
  const place = scheme['in']
  const name = stringOrEmpty(scheme['name'])
  if (place === 'header' || place === 'query' || place === 'cookie') return { kind: place, name }
  const word = stringOrEmpty(scheme['scheme']).toLowerCase()
  if (word === 'basic') return { kind: 'basic', name: 'Basic' }
  return { kind: 'http', name: word === 'bearer' || scheme['type'] !== 'http' ? 'Bearer token' : 'Authorization' }
}

const SIGN_IN = /sign.?in|log.?in|session|authenticate/i
const MAX_SIGN_IN = 3

/** Finds operations that anyone can call and whose name suggests a sign-in. */
function signInOperations(document: JsonRecord): (readonly [path: string, method: string])[] {
  const operations = Object.entries(objectOrEmpty(document['paths'])).flatMap(([path, item]) =>
    Object.entries(objectOrEmpty(item))
      .filter(([method, operation]) => method === 'post' && isSignIn(path, objectOrEmpty(operation)))
      .map(([method]) => [path, method] as const),
  )
  return operations.slice(0, MAX_SIGN_IN)
}

function isSignIn(path: string, operation: JsonRecord): boolean {
  const isPublic = listOrEmpty(operation['security']).length === 0
  return isPublic && SIGN_IN.test(`${path} ${stringOrEmpty(operation['summary'])}`)
}

/** Returns a field for each part of a multipart form. */
function formParts(document: JsonRecord, media: JsonRecord): TryField[] {
  const { properties, required } = objectOrEmpty(
    withFileTypes(resolveSchema(document, media['schema']), media['encoding']),
  )
  const types = objectOrEmpty(media['encoding'])
  return Object.entries(objectOrEmpty(properties)).map(([name, schema]) => {
    const field = toField(document, { name, in: 'part', schema, required: listOrEmpty(required).includes(name) })
    const type = stringOrEmpty(objectOrEmpty(types[name])['contentType'])
    if (field.kind === 'file' || field.kind === 'files') return { ...field, options: [type] }
    // A browser sends a media type only for files, so a JSON part is sent as a file.
    return type === 'application/json' ? { ...field, kind: 'file', options: [type], value: '' } : field
  })
}

function toField(document: JsonRecord, parameter: JsonRecord): TryField {
  const schema = resolveSchema(document, parameter['schema'])
  const required = parameter['required'] === true
  // A checkbox would have two states, and an optional boolean has three.
  const choices = schema['type'] === 'boolean' ? ['false', 'true'] : listOrEmpty(schema['enum']).map(String)
  const example = schema['example'] ?? schema['default'] ?? (required ? choices[0] : undefined)
  return {
    // Proof: OpenAPI has only these places.
    place: (parameter['in'] ?? 'query') as TryField['place'],
    name: stringOrEmpty(parameter['name']),
    required,
    options: required || choices.length === 0 ? choices : ['', ...choices],
    kind: fieldKind(schema, choices),
    value: example === undefined ? '' : String(example),
    hint: formatType(document, parameter['schema']),
  }
}

function fieldKind(schema: JsonRecord, choices: readonly string[]): TryField['kind'] {
  if (choices.length > 0) return 'select'
  if ('contentMediaType' in schema) return 'file'
  if ('contentMediaType' in objectOrEmpty(schema['items'])) return 'files'
  return schema['type'] === 'integer' || schema['type'] === 'number' ? 'number' : 'text'
}

function exampleBody(document: JsonRecord, type: string, media: JsonRecord): string {
  if ('itemSchema' in media) return JSON.stringify(buildExample(document, media['itemSchema']))
  const example = media['example'] ?? buildExample(document, media['schema'])
  if (type === 'application/x-www-form-urlencoded') return urlEncoded(example)
  return typeof example === 'string' && !type.endsWith('json') ? example : JSON.stringify(example, null, 2)
}

function urlEncoded(example: unknown): string {
  const pairs = Object.entries(objectOrEmpty(example)).flatMap(([name, value]) =>
    [value].flat().map((each): [string, string] => [name, String(each)]),
  )
  return new URLSearchParams(pairs).toString()
}
