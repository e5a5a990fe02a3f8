/** An example of a schema: what the author gave, or the simplest value that may fit. */
import { isJson, listOf, objectOf, resolve, textOf, type Json } from '../wire/json-schema.js'

const DEEPEST = 5
/** Values of an example: where many schemas name each other, one of that depth could have millions. */
const MOST_VALUES = 500

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

export function exampleOf(document: Json, schema: unknown): unknown {
  for (let deepest = DEEPEST; ; deepest--) {
    const making = { document, deepest, left: MOST_VALUES }
    const example = exampleAt(making, schema, 0)
    if (making.left >= 0 || deepest === 1) return example
  }
}

interface Making {
  readonly document: Json
  readonly deepest: number
  /** Values that it may still get; below 0 where there were more. */
  left: number
}

function exampleAt(making: Making, schema: unknown, depth: number): unknown {
  if (--making.left < 0) return null
  const resolved = resolve(making.document, schema)
  const given = givenBy(resolved)
  if (given !== undefined) return given
  if (depth > making.deepest) return null
  const choice = listOf(resolved['anyOf'])[0] ?? listOf(resolved['oneOf'])[0]
  if (choice !== undefined) return exampleAt(making, choice, depth + 1)
  if (Array.isArray(resolved['allOf'])) return mergedExample(making, resolved, depth)
  return exampleOfType(making, resolved, depth)
}

function givenBy(schema: Json): unknown {
  const keys = [schema['example'], listOf(schema['examples'])[0], schema['default'], schema['const']]
  return keys.find((value) => value !== undefined) ?? listOf(schema['enum'])[0]
}

function mergedExample(making: Making, schema: Json, depth: number): unknown {
  const parts = listOf(schema['allOf']).map((part) => exampleAt(making, part, depth + 1))
  return Object.assign({}, ...parts.filter(isJson), membersOf(making, schema, depth))
}

function exampleOfType(making: Making, schema: Json, depth: number): unknown {
  const type = listOf(schema['type'])[0] ?? schema['type']
  if (type === 'object' || schema['properties'] !== undefined) return membersOf(making, schema, depth)
  if (type === 'array') return schema['items'] === undefined ? [] : [exampleAt(making, schema['items'], depth + 1)]
  if (type === 'integer' || type === 'number') return leastNumber(schema)
  if (type === 'boolean') return false
  return type === 'string' ? textExample(schema) : null
}

function membersOf(making: Making, schema: Json, depth: number): Json {
  const members = Object.entries(objectOf(schema['properties']))
  return Object.fromEntries(members.map(([name, member]) => [name, exampleAt(making, member, depth + 1)]))
}

function leastNumber(schema: Json): number {
  const { minimum, exclusiveMinimum } = schema
  if (typeof minimum === 'number' && minimum > 0) return minimum
  if (typeof exclusiveMinimum === 'number' && exclusiveMinimum >= 0) return exclusiveMinimum + 1
  return 0
}

function textExample(schema: Json): string {
  const known = TEXTS.get(textOf(schema['format']))
  if (known !== undefined) return known
  const least = typeof schema['minLength'] === 'number' ? schema['minLength'] : 0
  return 'text'.padEnd(Math.min(least, 100), 'x')
}
