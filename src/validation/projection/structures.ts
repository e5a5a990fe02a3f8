/** The structures (object, array) that a JSON Schema describes, and the error for values with another structure. */
import { isRecord, ownValue } from '../../values/objects.js'
import { isJsonSchema, isNever, type SchemaObject } from '../json-schema.js'

type Structure = 'object' | 'array'

export interface Structures extends Readonly<Record<Structure, boolean>> {
  /** Whether the schema has no `type`, `const` or `enum`, so that its other keywords decide. */
  readonly isImplied: boolean
}

export const BOTH_STRUCTURES: Structures = { object: true, array: true, isImplied: false }
export const NO_STRUCTURE: Structures = { object: false, array: false, isImplied: false }

const MEMBER_KEYWORDS = ['properties', 'patternProperties', 'additionalProperties', 'unevaluatedProperties']

/** Returns the structures of a schema, without its references and unions; `undefined` if the schema describes no type at all. */
export function readStructures(schema: SchemaObject): Structures | undefined {
  if (isNever(schema)) return NO_STRUCTURE
  const names = Object.hasOwn(schema, 'type') ? [ownValue(schema, 'type')].flat() : undefined
  const literals = readLiterals(schema)
  if (names === undefined && literals === undefined) {
    const [object, array] = [describesMembers(schema), describesItems(schema)]
    return object || array ? { object, array, isImplied: true } : undefined
  }
  const admits = (structure: Structure): boolean =>
    names?.includes(structure) !== false && literals?.some((literal) => isStructure(literal, structure)) !== false
  return { object: admits('object'), array: admits('array'), isImplied: false }
}

/** Returns the values of `const` or `enum`; `undefined` if the schema has neither. */
export function readLiterals(schema: SchemaObject): readonly unknown[] | undefined {
  if (Object.hasOwn(schema, 'const')) return [schema['const']]
  const values = ownValue(schema, 'enum')
  return Array.isArray(values) ? values : undefined
}

export function describesMembers(schema: SchemaObject): boolean {
  return MEMBER_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword))
}

export function describesItems(schema: SchemaObject): boolean {
  const [items, first] = [ownValue(schema, 'items'), ownValue(schema, 'prefixItems')]
  return (
    isJsonSchema(items) || Array.isArray(items) || Array.isArray(first) || Object.hasOwn(schema, 'unevaluatedItems')
  )
}

function isStructure(value: unknown, structure: Structure): boolean {
  return structure === 'array' ? Array.isArray(value) : isRecord(value)
}

/** Returns the structures that match all schemas of a list. If one has a `type`, those without do not count. */
export function intersectStructures(list: readonly Structures[]): Structures {
  const explicit = list.filter(({ isImplied }) => !isImplied)
  if (explicit.length === 0) return list.length === 0 ? BOTH_STRUCTURES : uniteStructures(list)
  return {
    object: explicit.every(({ object }) => object),
    array: explicit.every(({ array }) => array),
    isImplied: false,
  }
}

/** Returns the structures that match at least one schema of a list. */
export function uniteStructures(list: readonly Structures[]): Structures {
  return { object: list.some(({ object }) => object), array: list.some(({ array }) => array), isImplied: false }
}

export function toStructure(value: object): Structure {
  return Array.isArray(value) ? 'array' : 'object'
}

/** Thrown for an object or array that the schema does not describe, because its members could be private. */
export class StructureError extends Error {
  /** Keys from the whole value to the object or array. */
  readonly path: (string | number)[] = []

  constructor(state: string) {
    super(state)
    this.name = 'StructureError'
  }
}

/** Returns the error for an object or array where the schema describes only other types. */
export function structureError(value: object): StructureError {
  return new StructureError(toStructure(value) === 'array' ? 'must not be an array' : 'must not be an object')
}
