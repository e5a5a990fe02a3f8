/** Values of an OpenAPI document, of which nothing is known: read so that what is not there is empty. */
import { parsePointer } from '../../values/json-pointer.js'

export type Json = Readonly<Record<string, unknown>>

/** References in a row after which a schema is given up. */
const LONGEST_CHAIN = 8

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function objectOf(value: unknown): Json {
  return isJson(value) ? value : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Follows references to the schema meant. */
export function resolve(document: Json, schema: unknown): Json {
  let current = objectOf(schema)
  for (let step = 0; step < LONGEST_CHAIN && typeof current['$ref'] === 'string'; step++) {
    current = pointedAt(document, current['$ref'])
  }
  return typeof current['$ref'] === 'string' ? {} : current
}

function pointedAt(document: Json, reference: string): Json {
  if (!reference.startsWith('#/')) return {}
  let current = document
  for (const name of parsePointer(reference)) current = Object.hasOwn(current, name) ? objectOf(current[name]) : {}
  return current
}
