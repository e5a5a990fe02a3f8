/** What comparisons find, and what they compare. */
import { isRecord } from '../../values/objects.js'
import type { Alternative } from './alternatives.js'
import { child, type DocumentPlace } from './place.js'

/** Which way the data goes. A request may not be narrowed, a response may not be widened. */
export type Side = 'request' | 'response'

/** Something that breaks clients. */
export interface ChangeFinding {
  /** Id of the rule; `*` stands for what the schema is of, such as `request-property`. */
  readonly rule: string
  /** Where in the data: names of members, and `*` for all items. */
  readonly trail: readonly string[]
  /** Where in the document. */
  readonly pointer: string
  /** What happened, without its subject. */
  readonly says: string
}

/** Something that breaks the clients of an operation. */
export interface Change {
  /** Id of the rule; where oasdiff has that rule, its id, such as `request-property-became-required`. */
  readonly rule: string
  /** JSON Pointer (RFC 6901) into the new document; into the old one for what is gone. */
  readonly pointer: string
  /** What happened, in a sentence. */
  readonly message: string
}

/** An operation in its document. */
export interface Operation {
  readonly operation: DocumentPlace
  /** Its path. */
  readonly item: DocumentPlace
  readonly path: string
  readonly document: DocumentPlace
}

/** Two alternatives that are compared: what was, and what is. */
export interface Pair {
  readonly before: Alternative
  readonly after: Alternative
  readonly side: Side
}

export function finding(rule: string, pointer: string, says: string): ChangeFinding {
  return { rule, trail: [], pointer, says }
}

/** All that schemas say under a keyword. */
export function keywordPlaces({ schemas }: Alternative, keyword: string): DocumentPlace[] {
  return schemas
    .filter(({ value }) => isRecord(value))
    .map((schema) => child(schema, keyword))
    .filter(({ value }) => value !== undefined)
}

/** Where a keyword stands, or else the schema. */
export function keywordPointer(alternative: Alternative, keyword: string): string {
  const [first] = keywordPlaces(alternative, keyword)
  return first?.pointer ?? schemaPointer(alternative)
}

/** Where a schema stands: behind its references. */
export function schemaPointer({ schemas }: Alternative): string {
  const plain = schemas.filter(({ value }) => !isRecord(value) || value['$ref'] === undefined)
  return plain.at(-1)?.pointer ?? ''
}
