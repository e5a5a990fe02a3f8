/** Reads values of unknown type in an OpenAPI document. Values that are missing or of another type become empty. */
import { parsePointer } from '../../values/json-pointer.js'

export type JsonRecord = Readonly<Record<string, unknown>>

/** Maximum number of references in a row. */
const MAX_CHAIN_LENGTH = 8
const MAX_REFERENCE_LENGTH = 2_000

export function isJson(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectOrEmpty(value: unknown): JsonRecord {
  return isJson(value) ? value : {}
}

export function listOrEmpty(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function stringOrEmpty(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Follows references until a schema without a reference. */
export function resolveSchema(document: JsonRecord, schema: unknown): JsonRecord {
  let current = objectOrEmpty(schema)
  for (let step = 0; step < MAX_CHAIN_LENGTH && typeof current['$ref'] === 'string'; step++) {
    current = followPointer(document, current['$ref'])
  }
  return typeof current['$ref'] === 'string' ? {} : current
}

function followPointer(document: JsonRecord, reference: string): JsonRecord {
  if (!reference.startsWith('#/') || reference.length > MAX_REFERENCE_LENGTH) return {}
  let current = document
  for (const name of parsePointer(reference)) current = Object.hasOwn(current, name) ? objectOrEmpty(current[name]) : {}
  return current
}

/** Number of entries from which they are stored. */
const MANY = 100
const storedEntries = new WeakMap<JsonRecord, Entries>()

type Entries = readonly (readonly [name: string, member: unknown])[]

/** Returns the entries of an object. Stores the entries of a large object, because many schemas can refer to it. */
export function listEntries(value: unknown): Entries {
  const object = objectOrEmpty(value)
  const stored = storedEntries.get(object)
  if (stored !== undefined) return stored
  const entries = Object.entries(object)
  if (entries.length >= MANY) storedEntries.set(object, entries)
  return entries
}
