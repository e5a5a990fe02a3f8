/** Values of an OpenAPI document, of which nothing is known: read so that what is not there is empty. */
import { parsePointer } from '../../values/json-pointer.js'

export type JsonRecord = Readonly<Record<string, unknown>>

/** References in a row after which a schema is given up. */
const MAX_CHAIN_LENGTH = 8

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

/** Follows references to the schema meant. */
export function resolveSchema(document: JsonRecord, schema: unknown): JsonRecord {
  let current = objectOrEmpty(schema)
  for (let step = 0; step < MAX_CHAIN_LENGTH && typeof current['$ref'] === 'string'; step++) {
    current = followPointer(document, current['$ref'])
  }
  return typeof current['$ref'] === 'string' ? {} : current
}

function followPointer(document: JsonRecord, reference: string): JsonRecord {
  if (!reference.startsWith('#/')) return {}
  let current = document
  for (const name of parsePointer(reference)) current = Object.hasOwn(current, name) ? objectOrEmpty(current[name]) : {}
  return current
}
