/** Schemas of the OpenAPI document in words. References are followed when they are looked at, and circles are cut. */

/** An object of a document. */
export type Json = Readonly<Record<string, unknown>>

/** A member of an object schema. */
export interface Field {
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
  readonly schema: Json
}

/** References in a row after which a schema is given up. */
const LONGEST_CHAIN = 8

/**
 * Tells whether a value is an object with members.
 *
 * @param value of a document
 */
export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * Gives an object, or an empty one.
 *
 * @param value of a document
 */
export function objectOf(value: unknown): Json {
  return isJson(value) ? value : {}
}

/**
 * Gives a list, or an empty one.
 *
 * @param value of a document
 */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

/**
 * Gives a text, or an empty one.
 *
 * @param value of a document
 */
export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/**
 * Follows references to the schema meant.
 *
 * @param document whole
 * @param schema with or without `$ref`
 * @returns an empty schema when it leads nowhere
 */
export function resolve(document: Json, schema: unknown): Json {
  let current = objectOf(schema)
  for (let step = 0; step < LONGEST_CHAIN && typeof current['$ref'] === 'string'; step++) {
    current = pointedAt(document, current['$ref'])
  }
  return typeof current['$ref'] === 'string' ? {} : current
}

function pointedAt(document: Json, reference: string): Json {
  if (!reference.startsWith('#/')) return {}
  const names = reference
    .slice(2)
    .split('/')
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'))
  let current = document
  for (const name of names) current = Object.hasOwn(current, name) ? objectOf(current[name]) : {}
  return current
}

/**
 * The members of a schema, those of its parts too.
 *
 * @param document whole
 * @param schema of an object
 */
export function fieldsOf(document: Json, schema: unknown): readonly Field[] {
  const fields = new Map<string, Field>()
  collect(document, schema, { fields, depth: 0 })
  return [...fields.values()]
}

function collect(document: Json, schema: unknown, into: { fields: Map<string, Field>; depth: number }): void {
  if (into.depth > LONGEST_CHAIN) return
  const resolved = resolve(document, schema)
  const required = new Set(listOf(resolved['required']))
  for (const part of listOf(resolved['allOf'])) collect(document, part, { ...into, depth: into.depth + 1 })
  for (const [name, member] of Object.entries(objectOf(resolved['properties']))) {
    const inner = resolve(document, member)
    into.fields.set(name, {
      name,
      type: typeOf(document, member),
      required: required.has(name),
      description: textOf(objectOf(member)['description']) || textOf(inner['description']),
      schema: objectOf(member),
    })
  }
}

/**
 * The schema whose members are worth unfolding: an object, or the items of an array of objects.
 *
 * @param document whole
 * @param schema any
 * @returns `null` when there is nothing inside
 */
export function innerOf(document: Json, schema: unknown): Json | null {
  const resolved = resolve(document, schema)
  if (isJson(resolved['items'])) return innerOf(document, resolved['items'])
  return isJson(resolved['properties']) || Array.isArray(resolved['allOf']) ? resolved : null
}

/**
 * A schema in words: `string, email`, `"admin" | "member"`, `integer, at least 13`.
 *
 * @param document whole
 * @param schema any
 */
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
  return textOf(objectOf(schema)['$ref']).split('/').at(-1) ?? ''
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
  ['minLength', (value) => `at least ${value} characters`],
  ['maxLength', (value) => `at most ${value} characters`],
  ['minItems', (value) => `at least ${value}`],
  ['maxItems', (value) => `at most ${value}`],
  ['pattern', (value) => `/${value}/`],
  ['default', (value) => `default ${value}`],
]

/** What `integer` means of itself is no news. */
const SAFE = Number.MAX_SAFE_INTEGER

function limitsOf(schema: Json): readonly string[] {
  return LIMITS.filter(([key]) => schema[key] !== undefined && schema[key] !== SAFE && schema[key] !== -SAFE).map(
    ([key, write]) => write(typeof schema[key] === 'string' ? schema[key] : JSON.stringify(schema[key])),
  )
}
