/** The OpenAPI document for the page: every schema in words, and every operation with the form that tries it out. */
import { isJson, objectOf, type Json, listOf, resolve, textOf } from '../wire/json-schema.js'
import { exampleOf } from './example.js'
import type { TryField, TryForm } from '../wire/view-types.js'

const INSIDE = ['properties', 'items', 'allOf', 'anyOf', 'oneOf']

/** Adds the words, as `x-type`, and the forms, as `x-form`. */
export function wordedDocument(document: Json): Json {
  const paths = mapped(document['paths'], (item) =>
    mapped(item, (operation) =>
      isJson(operation) ? { ...withWords(document, operation), 'x-form': tryForm(document, operation) } : operation,
    ),
  )
  const components = objectOf(document['components'])
  const schemas = mapped(components['schemas'], (schema) => worded(document, schema))
  return { ...document, paths, components: { ...withWords(document, components), schemas } }
}

/** Parameters, headers and media types have their schema under that key. */
function withWords(document: Json, parent: Json): Json {
  return mapped(parent, (value, key) => {
    if (key === 'schema') return worded(document, value)
    if (Array.isArray(value)) return value.map((item) => (isJson(item) ? withWords(document, item) : item))
    return isJson(value) && key !== 'example' ? withWords(document, value) : value
  })
}

function worded(document: Json, schema: unknown): unknown {
  if (!isJson(schema)) return schema
  const inside = INSIDE.filter((key) => key in schema).map((key) => [key, wordedPart(document, key, schema[key])])
  return { ...schema, ...Object.fromEntries(inside), 'x-type': typeOf(document, schema) }
}

function wordedPart(document: Json, key: string, part: unknown): unknown {
  if (Array.isArray(part)) return part.map((it) => worded(document, it))
  return key === 'properties' ? mapped(part, (it) => worded(document, it)) : worded(document, part)
}

function mapped(value: unknown, change: (member: unknown, name: string) => unknown): Json {
  return Object.fromEntries(Object.entries(objectOf(value)).map(([name, member]) => [name, change(member, name)]))
}

export function tryForm(document: Json, operation: Json): TryForm {
  const parameters = listOf(operation['parameters']).map((it) => resolve(document, it))
  const [body] = Object.entries(objectOf(resolve(document, operation['requestBody'])['content']))
  const [type, media] = body ?? ['application/json']
  return {
    fields: parameters.filter((it) => it['in'] !== 'cookie').map((it) => fieldOf(document, it)),
    body: media === undefined ? null : bodyOf(document, objectOf(media)),
    type,
  }
}

function fieldOf(document: Json, parameter: Json): TryField {
  const place = parameter['in']
  const schema = resolve(document, parameter['schema'])
  const choices = listOf(schema['enum']).map(String)
  const required = parameter['required'] === true
  const given = schema['example'] ?? schema['default'] ?? (required ? choices[0] : undefined)
  return {
    place: place === 'path' || place === 'header' ? place : 'query',
    name: textOf(parameter['name']),
    required,
    options: required || choices.length === 0 ? choices : ['', ...choices],
    kind: kindOf(schema, choices),
    value: given === undefined ? '' : String(given),
    hint: typeOf(document, parameter['schema']),
  }
}

function kindOf(schema: Json, choices: readonly string[]): TryField['kind'] {
  if (choices.length > 0) return 'select'
  if (schema['type'] === 'boolean') return 'checkbox'
  return schema['type'] === 'integer' || schema['type'] === 'number' ? 'number' : 'text'
}

function bodyOf(document: Json, media: Json): string {
  return JSON.stringify(media['example'] ?? exampleOf(document, media['schema']), null, 2)
}

/** A schema in words: `string, email`, `"admin" | "member"`, `integer, at least 13`. */
export function typeOf(document: Json, schema: unknown): string {
  const name = textOf(objectOf(schema)['$ref']).replace(/^.*\//, '')
  const resolved = resolve(document, schema)
  if (name !== '') return name
  if (Array.isArray(resolved['enum'])) return resolved['enum'].map((value) => JSON.stringify(value)).join(' | ')
  if ('const' in resolved) return JSON.stringify(resolved['const'])
  const choices = [...listOf(resolved['anyOf']), ...listOf(resolved['oneOf'])]
  if (choices.length > 0) return choices.map((choice) => typeOf(document, choice)).join(' | ')
  const type = resolved['type']
  const base = Array.isArray(type) ? type.join(' | ') : textOf(type) || 'any'
  return [base === 'array' ? arrayOf(document, resolved) : base, ...limitsOf(resolved)].join(', ')
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
