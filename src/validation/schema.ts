/** Types of schemas: the parts of Standard Schema 1.1 and Standard JSON Schema 1.1 that Verbena uses. */
import { rule, type Rule } from '../errors/options.js'
import { isObject } from '../values/objects.js'

/** A schema of any validation library that follows Standard Schema 1. */
export interface Schema {
  /** Properties that the standard defines. */
  readonly '~standard': SchemaMembers
}

/** Value of `~standard` in Standard Schema. */
export interface SchemaMembers {
  /** Version of the standard. */
  readonly version: 1
  /** Name of the library. */
  readonly vendor: string
  /** Validates a value. Returns `{ value }` or `{ issues }`, or a promise of either. */
  readonly validate: (value: unknown) => unknown
  /** The types of the schema. Missing at run time. */
  readonly types?: SchemaTypes | undefined
  /** Converts the schema to JSON Schema, if the library supports this. */
  readonly jsonSchema?: SchemaDescriber | undefined
}

/** Types of a schema, for the compiler. */
interface SchemaTypes {
  /** Type of the values that the schema accepts. */
  readonly input: unknown
  /** Type of the values that the schema returns. */
  readonly output: unknown
}

/** Functions that convert a schema to JSON Schema (Standard JSON Schema). Both may throw. */
export interface SchemaDescriber {
  /** Returns the JSON Schema of the values that the schema accepts. */
  readonly input: (options: DescribeOptions) => unknown
  /** Returns the JSON Schema of the values that the schema returns. */
  readonly output: (options: DescribeOptions) => unknown
}

/** Options of the conversion to JSON Schema. */
export interface DescribeOptions {
  /** Requested version of JSON Schema. */
  readonly target: 'draft-2020-12'
  /** Options of the library. */
  readonly libraryOptions?: Record<string, unknown> | undefined
}

/**
 * A schema, as types check it: any object with `~standard`. `isSchema` checks its properties at run time. If types compared all
 * properties, a large program would need 381,000 instead of 320,000 type instantiations.
 */
export interface AnySchema {
  /** Properties that the standard defines; `any`, so that the compiler does not compare them. */
  // oxlint-disable-next-line no-explicit-any -- see above
  readonly '~standard': any
}

/** Type of the values that a schema accepts. Indexed access costs the compiler less than inference. */
export type In<S> = S extends AnySchema ? NonNullable<S['~standard']['types']>['input'] : never
/** Type of the values that a schema returns. */
export type Out<S> = S extends AnySchema ? NonNullable<S['~standard']['types']>['output'] : never

/** Whether a value is a schema: an object or a function with the properties of Standard Schema 1. */
export function isSchema(value: unknown): value is Schema {
  const mayHold = typeof value === 'object' || typeof value === 'function'
  if (!mayHold || value === null || !('~standard' in value)) return false
  const members = value['~standard']
  return isObject(members) && members['version'] === 1 && typeof members['validate'] === 'function'
}

export const SCHEMA_RULE: Rule = rule(isSchema, 'be a schema of a library that supports Standard Schema 1', 'Value')
