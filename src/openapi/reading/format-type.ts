/** Types of schemas as short text, such as `string, email`. */
import { isObject } from '../../values/objects.js'
import { upgradeSchema } from '../breaking/upgrade-document.js'
import { isJson, listOrEmpty, resolveSchema, stringOrEmpty, objectOrEmpty, type JsonRecord } from './json.js'

/** A part of the text of a type. */
interface TypePart {
  readonly text: string
  /** Whether the text is the name of a schema in the components of the document. */
  readonly isName?: true
  /** Whether the text is a bound or a default after the type. */
  readonly isLimit?: true
}

const MAX_DEPTH = 8
/** Maximum number of values of an enum, and of alternatives. */
const MAX_CHOICES = 30
const MAX_TEXT_LENGTH = 80
const MORE: TypePart = { text: '…' }
const NAMED_SCHEMA = '#/components/schemas/'

/** Follows references until a schema without a reference, with the keywords of OpenAPI 3.1. */
export function readSchema(document: JsonRecord, schema: unknown): JsonRecord {
  const resolved = resolveSchema(document, schema)
  const stored = upgraded.get(resolved)
  if (stored !== undefined) return stored
  const current = upgradeSchema(resolved)
  upgraded.set(resolved, current)
  return current
}

/** Schemas with the keywords of OpenAPI 3.1, because many places of a document refer to the same schema. */
const upgraded = new WeakMap<JsonRecord, JsonRecord>()

/** Returns the name of the schema that a reference points to; an empty string if it is not a reference. */
export function referenceName(schema: unknown): string {
  return stringOrEmpty(objectOrEmpty(schema)['$ref']).replace(/^.*\//, '')
}

/** Describes a schema: `string, email`, `"admin" | "member"`, `integer, ≥ 13`. */
export function formatType(document: JsonRecord, schema: unknown): string {
  return joinText(describeType(document, schema))
}

/** Describes a schema like `formatType`, with the names of other schemas as separate parts. */
export function describeType(document: JsonRecord, schema: unknown, depth: number = 0): readonly TypePart[] {
  const name = referenceName(schema)
  if (name !== '') return [isNamed(document, schema) ? { text: name, isName: true } : { text: name }]
  if (depth > MAX_DEPTH) return [MORE]
  const resolved = readSchema(document, schema)
  if (Array.isArray(resolved['enum'])) return join(resolved['enum'], ' | ', (value) => [{ text: formatValue(value) }])
  if ('const' in resolved) return [{ text: formatValue(resolved['const']) }]
  const inner = (part: unknown): readonly TypePart[] => describeType(document, part, depth + 1)
  const choices = [...listOrEmpty(resolved['anyOf']), ...listOrEmpty(resolved['oneOf'])]
  if (choices.length > 0) return join(choices, ' | ', inner)
  const types = [resolved['type']].flat().filter((type) => typeof type === 'string')
  const all = listOrEmpty(resolved['allOf'])
  if (types.length === 0 && all.length > 0) return join(all, ' & ', inner)
  const bases = types.length > 0 ? types : [untypedBase(resolved)]
  const limits = formatLimits(resolved).map((limit): TypePart => ({ text: `, ${limit}`, isLimit: true }))
  return [...join(bases, ' | ', (base) => describeBase(base, resolved, inner)), ...limits]
}

/** Returns the type of a schema without `type`. */
function untypedBase(schema: JsonRecord): string {
  if ('properties' in schema) return 'object'
  return 'contentMediaType' in schema ? 'file' : 'any'
}

function isNamed(document: JsonRecord, schema: unknown): boolean {
  const schemas = objectOrEmpty(objectOrEmpty(document['components'])['schemas'])
  const reference = stringOrEmpty(objectOrEmpty(schema)['$ref'])
  return reference.startsWith(NAMED_SCHEMA) && Object.hasOwn(schemas, reference.slice(NAMED_SCHEMA.length))
}

function join<T>(items: readonly T[], separator: string, describe: (item: T) => readonly TypePart[]): TypePart[] {
  const parts = items
    .slice(0, MAX_CHOICES)
    .flatMap((item, index) => (index === 0 ? describe(item) : [{ text: separator }, ...describe(item)]))
  return items.length > MAX_CHOICES ? [...parts, { text: separator }, MORE] : parts
}

function joinText(parts: readonly TypePart[]): string {
  return parts.map(({ text }) => text).join('')
}

function describeBase(
  base: string,
  schema: JsonRecord,
  describe: (part: unknown) => readonly TypePart[],
): readonly TypePart[] {
  const values = schema['additionalProperties']
  if (base === 'object' && isJson(values) && schema['properties'] === undefined) {
    return [{ text: '{ [key]: ' }, ...describe(values), { text: ' }' }]
  }
  if (base !== 'array') return [{ text: base }]
  const inner = schema['items'] === undefined ? [{ text: 'any' }] : describe(schema['items'])
  return /[ ,]/.test(joinText(inner)) ? [{ text: '(' }, ...inner, { text: ')[]' }] : [...inner, { text: '[]' }]
}

/** Returns a value as JSON in one line. */
function formatValue(value: unknown): string {
  return cutText(printJson(value).replaceAll(/\n */g, ' '), MAX_TEXT_LENGTH)
}

/** Maximum length of the JSON of a value. */
const MAX_JSON_LENGTH = 4_000
const printed = new WeakMap<object, string>()

/** Returns a value as indented JSON, cut if it is long. */
export function printJson(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(cutText(value, MAX_JSON_LENGTH))
  const stored = isObject(value) ? printed.get(value) : undefined
  if (stored !== undefined) return stored
  const text = cutText(JSON.stringify(value, null, 2), MAX_JSON_LENGTH)
  if (isObject(value)) printed.set(value, text)
  return text
}

/** Returns the text, or its start and `…` if it is longer than `length`. */
export function cutText(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}

const LIMITS: readonly (readonly [key: string, write: (value: string) => string])[] = [
  ['format', (value) => value],
  ['contentMediaType', (value) => (value === '*/*' ? 'any type' : value)],
  ['minimum', (value) => `≥ ${value}`],
  ['exclusiveMinimum', (value) => `> ${value}`],
  ['maximum', (value) => `≤ ${value}`],
  ['exclusiveMaximum', (value) => `< ${value}`],
  ['multipleOf', (value) => `multiple of ${value}`],
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
  return LIMITS.filter(([key]) => !UNSAID.has(limits[key])).map(([key, write]) => {
    const value = schema[key]
    return write(typeof value === 'string' ? cutText(value, MAX_TEXT_LENGTH) : formatValue(value))
  })
}
