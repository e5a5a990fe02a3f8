/** The OpenAPI document for the page, with a description of every schema and a form for every operation. */
import {
  isJson,
  listOrEmpty,
  objectOrEmpty,
  resolveSchema,
  stringOrEmpty,
  type JsonRecord,
} from '../wire/json-schema.js'
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

/** Describes a schema: `string, email`, `"admin" | "member"`, `integer, ≥ 13`. */
export function formatType(document: JsonRecord, schema: unknown): string {
  const name = stringOrEmpty(objectOrEmpty(schema)['$ref']).replace(/^.*\//, '')
  const resolved = resolveSchema(document, schema)
  if (name !== '') return name
  if (Array.isArray(resolved['enum'])) return resolved['enum'].map((value) => JSON.stringify(value)).join(' | ')
  if ('const' in resolved) return JSON.stringify(resolved['const'])
  const choices = [...listOrEmpty(resolved['anyOf']), ...listOrEmpty(resolved['oneOf'])]
  if (choices.length > 0) return choices.map((choice) => formatType(document, choice)).join(' | ')
  const type = resolved['type']
  const base = Array.isArray(type)
    ? type.join(' | ')
    : stringOrEmpty(type) || ('contentMediaType' in resolved ? 'file' : 'any')
  return [base === 'array' ? formatArray(document, resolved) : base, ...formatLimits(resolved)].join(', ')
}

function formatArray(document: JsonRecord, schema: JsonRecord): string {
  const inner = schema['items'] === undefined ? 'any' : formatType(document, schema['items'])
  return /[ ,]/.test(inner) ? `(${inner})[]` : `${inner}[]`
}

const LIMITS: readonly (readonly [key: string, write: (value: string) => string])[] = [
  ['format', (value) => value],
  ['contentMediaType', (value) => (value === '*/*' ? 'any type' : value)],
  ['minimum', (value) => `≥ ${value}`],
  ['exclusiveMinimum', (value) => `> ${value}`],
  ['maximum', (value) => `≤ ${value}`],
  ['exclusiveMaximum', (value) => `< ${value}`],
  ['minLength', (value) => `at least ${countCharacters(value)}`],
  ['maxLength', (value) => `at most ${countCharacters(value)}`],
  ['minItems', (value) => `at least ${value}`],
  ['maxItems', (value) => `at most ${value}`],
  ['pattern', (value) => `/${value}/`],
  ['default', (value) => `default ${value || '""'}`],
]

function countCharacters(count: string): string {
  return `${count} character${count === '1' ? '' : 's'}`
}

/** Bounds of every safe integer, which are not worth mentioning. */
const UNSAID: ReadonlySet<unknown> = new Set([undefined, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER])

function formatLimits(schema: JsonRecord): readonly string[] {
  // The pattern of a format, such as of an email address, is long and says the same.
  const limits: JsonRecord = { ...schema, ...('format' in schema && { pattern: undefined }) }
  return LIMITS.filter(([key]) => !UNSAID.has(limits[key])).map(([key, write]) =>
    write(typeof schema[key] === 'string' ? schema[key] : JSON.stringify(schema[key])),
  )
}

const MAX_DEPTH = 5
/** Maximum number of values in an example. If schemas refer to each other, an example of maximum depth can have millions. */
const MAX_VALUES = 500
const MAX_ITEMS = 20
const MAX_TEXT_LENGTH = 1_000
const TEXTS: ReadonlyMap<string, string> = new Map([
  ['email', 'ann@example.com'],
  ['date', '2026-01-31'],
  ['date-time', '2026-01-31T09:00:00Z'],
  ['time', '09:00:00Z'],
  ['uuid', '7f9c24e8-3b1a-4f5d-9c2e-1a2b3c4d5e6f'],
  ['uri', 'https://example.com/'],
  ['ipv4', '192.0.2.1'],
  ['ipv6', '2001:db8::1'],
  ['hostname', 'example.com'],
])

/** Returns the example of a schema, or the simplest value that may be valid. */
export function buildExample(document: JsonRecord, schema: unknown, maxDepth: number = MAX_DEPTH): unknown {
  const work = { document, maxDepth, left: MAX_VALUES }
  const example = nestedExample(work, schema, 0)
  return work.left >= 0 || maxDepth === 1 ? example : buildExample(document, schema, maxDepth - 1)
}

interface ExampleWork {
  readonly document: JsonRecord
  readonly maxDepth: number
  /** Number of values that can still be added; below 0 if the example is too large. */
  left: number
}

function nestedExample(work: ExampleWork, schema: unknown, depth: number): unknown {
  if (--work.left < 0) return null
  const resolved = resolveSchema(work.document, schema)
  const sample = schemaExample(resolved)
  if (sample !== undefined) return sample
  if (depth > work.maxDepth) return null
  const choice = listOrEmpty(resolved['anyOf'])[0] ?? listOrEmpty(resolved['oneOf'])[0]
  if (choice !== undefined) return exampleOfChoice(work, resolved, choice, depth)
  if (Array.isArray(resolved['allOf'])) return mergedExample(work, resolved, depth)
  return exampleOfType(work, resolved, depth)
}

/** A choice can be combined with properties that all choices share. */
function exampleOfChoice(work: ExampleWork, shared: JsonRecord, choice: unknown, depth: number): unknown {
  const example = nestedExample(work, choice, depth + 1)
  if (!isJson(example) || !isJson(shared['properties'])) return example
  return { ...exampleMembers(work, shared, depth), ...example }
}

function schemaExample(schema: JsonRecord): unknown {
  const keys = [schema['example'], listOrEmpty(schema['examples'])[0], schema['default'], schema['const']]
  return keys.find((value) => value !== undefined) ?? listOrEmpty(schema['enum'])[0]
}

function mergedExample(work: ExampleWork, schema: JsonRecord, depth: number): unknown {
  const parts = listOrEmpty(schema['allOf']).map((part) => nestedExample(work, part, depth + 1))
  return Object.assign({}, ...parts.filter(isJson), exampleMembers(work, schema, depth))
}

function exampleOfType(work: ExampleWork, schema: JsonRecord, depth: number): unknown {
  const type = listOrEmpty(schema['type'])[0] ?? schema['type']
  if (type === 'object' || schema['properties'] !== undefined) return exampleMembers(work, schema, depth)
  if (type === 'array') return exampleItems(work, schema, depth)
  if (type === 'integer' || type === 'number') return leastNumber(schema)
  if (type === 'boolean') return false
  return type === 'string' ? textExample(schema) : null
}

/** Returns one item, or as many as the schema requires. */
function exampleItems(work: ExampleWork, schema: JsonRecord, depth: number): unknown[] {
  if (schema['items'] === undefined || schema['maxItems'] === 0) return []
  const count = numberOr(schema['minItems'], 1)
  return Array.from({ length: Math.min(Math.max(1, count), MAX_ITEMS) }, () =>
    nestedExample(work, schema['items'], depth + 1),
  )
}

function exampleMembers(work: ExampleWork, schema: JsonRecord, depth: number): JsonRecord {
  const members = Object.entries(objectOrEmpty(schema['properties']))
  return Object.fromEntries(members.map(([name, member]) => [name, nestedExample(work, member, depth + 1)]))
}

/** Returns the number closest to 0 that the limits allow, a multiple if the schema requires one. */
function leastNumber(schema: JsonRecord): number {
  const [above, below] = [
    numberOr(schema['exclusiveMinimum'], -Infinity),
    numberOr(schema['exclusiveMaximum'], Infinity),
  ]
  const step = numberOr(schema['multipleOf'], schema['type'] === 'integer' ? 1 : 0)
  const gap = step > 0 ? step : Math.min(1, (below - above) / 2)
  const lowest = Math.max(numberOr(schema['minimum'], -Infinity), above + gap)
  const highest = Math.min(numberOr(schema['maximum'], Infinity), below - gap)
  const value = Math.max(lowest, Math.min(highest, 0))
  return step > 0 ? Math.ceil(value / step) * step : value
}

function numberOr(value: unknown, fallback: number): number {
  return typeof value === 'number' ? value : fallback
}

function textExample(schema: JsonRecord): string {
  const sample = TEXTS.get(stringOrEmpty(schema['format']))
  if (sample !== undefined) return sample
  const padded = 'text'.padEnd(Math.min(numberOr(schema['minLength'], 0), MAX_TEXT_LENGTH), 'x')
  return padded.slice(0, numberOr(schema['maxLength'], MAX_TEXT_LENGTH))
}
