/** Schemas of the OpenAPI document in words. */
import { listOf, objectOf, resolve, textOf, type Json } from '../wire/json-schema.js'

/** A schema in words: `string, email`, `"admin" | "member"`, `integer, at least 13`. */
export function typeOf(document: Json, schema: unknown): string {
  const name = nameOf(schema)
  const resolved = resolve(document, schema)
  if (name !== '') return name
  if (Array.isArray(resolved['enum'])) return resolved['enum'].map((value) => JSON.stringify(value)).join(' | ')
  if ('const' in resolved) return JSON.stringify(resolved['const'])
  const choices = [...listOf(resolved['anyOf']), ...listOf(resolved['oneOf'])]
  if (choices.length > 0) return choices.map((choice) => typeOf(document, choice)).join(' | ')
  const type = resolved['type']
  const base = Array.isArray(type) ? type.join(' | ') : textOf(type) || 'any'
  if (base === 'array') return [arrayOf(document, resolved), ...limitsOf(resolved)].join(', ')
  return [base, ...limitsOf(resolved)].join(', ')
}

function nameOf(schema: unknown): string {
  return textOf(objectOf(schema)['$ref']).replace(/^.*\//, '')
}

function arrayOf(document: Json, schema: Json): string {
  const inner = schema['items'] === undefined ? 'any' : typeOf(document, schema['items'])
  return /[ ,]/.test(inner) ? `(${inner})[]` : `${inner}[]`
}

const LIMITS: readonly (readonly [key: string, write: (value: string) => string])[] = [
  ['format', (value) => value],
  ['minimum', (value) => `≥ ${value}`],
  ['exclusiveMinimum', (value) => `> ${value}`],
  ['maximum', (value) => `≤ ${value}`],
  ['exclusiveMaximum', (value) => `< ${value}`],
  ['minLength', (value) => `at least ${characters(value)}`],
  ['maxLength', (value) => `at most ${characters(value)}`],
  ['minItems', (value) => `at least ${value}`],
  ['maxItems', (value) => `at most ${value}`],
  ['pattern', (value) => `/${value}/`],
  ['default', (value) => `default ${value || '""'}`],
]

function characters(count: string): string {
  return `${count} character${count === '1' ? '' : 's'}`
}

/** What `integer` means of itself is no news. */
const SAFE = Number.MAX_SAFE_INTEGER

function limitsOf(schema: Json): readonly string[] {
  return LIMITS.filter(([key]) => schema[key] !== undefined && schema[key] !== SAFE && schema[key] !== -SAFE).map(
    ([key, write]) => write(typeof schema[key] === 'string' ? schema[key] : JSON.stringify(schema[key])),
  )
}
