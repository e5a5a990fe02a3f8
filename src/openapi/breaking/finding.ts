/** Inputs and results of comparisons. */
import { isRecord } from '../../values/objects.js'
import type { Alternative } from './alternatives.js'
import { child, type DocumentLocation } from './place.js'

/** Direction of the data. Narrowing a request breaks clients, and so does widening a response. */
export type Side = 'request' | 'response'

/** A breaking change in a schema. */
export interface ChangeFinding {
  /** Id of the rule. Its `*` is replaced by the part of the operation, such as `request-property`. */
  readonly rule: string
  /** Place in the data: names of members, and `*` for all items of an array. */
  readonly trail: readonly string[]
  /** JSON Pointer (RFC 6901) into the document. */
  readonly pointer: string
  /** Description of the change, without its subject. */
  readonly says: string
}

/** A change that breaks the clients of an operation. */
export interface Change {
  /** Id of the rule, such as `request-property-became-required`. It is the id of oasdiff if oasdiff has this rule. */
  readonly rule: string
  /** JSON Pointer (RFC 6901) into the new document, or into the old one for a removed part. */
  readonly pointer: string
  /** Description of the change, for people. */
  readonly message: string
}

/** An operation in its document. */
export interface Operation {
  readonly operation: DocumentLocation
  /** Path Item Object of the operation. */
  readonly item: DocumentLocation
  readonly path: string
  readonly document: DocumentLocation
}

/** An old and a new alternative to compare. */
export interface Pair {
  readonly before: Alternative
  readonly after: Alternative
  readonly side: Side
}

export function finding(rule: string, pointer: string, says: string): ChangeFinding {
  return { rule, trail: [], pointer, says }
}

/** Returns the values of a keyword in all schemas of an alternative. */
export function keywordPlaces({ schemas }: Alternative, keyword: string): DocumentLocation[] {
  return schemas
    .filter(({ value }) => isRecord(value))
    .map((schema) => child(schema, keyword))
    .filter(({ value }) => value !== undefined)
}

/** Returns the pointer to a keyword, or to the schema if no schema has this keyword. */
export function keywordPointer(alternative: Alternative, keyword: string): string {
  const [first] = keywordPlaces(alternative, keyword)
  return first?.pointer ?? schemaPointer(alternative)
}

/** Returns the pointer to the schema itself, not to a reference. */
export function schemaPointer({ schemas }: Alternative): string {
  const plain = schemas.filter(({ value }) => !isRecord(value) || value['$ref'] === undefined)
  return plain.at(-1)?.pointer ?? ''
}
