/** Examples of schemas: the example of the author, or a simple value that may be valid. */
import { listEntries, isJson, listOrEmpty, resolveSchema, stringOrEmpty, type JsonRecord } from './json.js'

const MAX_DEPTH = 5
/** Maximum number of values in an example. If schemas refer to each other, an example of maximum depth can have millions. */
const MAX_VALUES = 500
/** Maximum number of members that are null because the example is too large. */
const MAX_NULLS = 2_000
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
  const members: (readonly [name: string, value: unknown])[] = []
  for (const [name, member] of listEntries(schema['properties'])) {
    // The example is built again with less depth, so its other members are not needed.
    if (work.left < (work.maxDepth > 1 ? 0 : -MAX_NULLS)) break
    members.push([name, nestedExample(work, member, depth + 1)])
  }
  return Object.fromEntries(members)
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
