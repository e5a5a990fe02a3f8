/** What counts as a schema: the parts of Standard Schema 1.1 and Standard JSON Schema 1.1 that are used, types only. */
import { isObject } from '../values/objects.js'

/** A schema of any validation library that follows Standard Schema 1. */
export interface Schema {
  /** The members of the standard. */
  readonly '~standard': SchemaMembers
}

/** What Standard Schema puts under `~standard`. */
export interface SchemaMembers {
  /** Version of the standard. */
  readonly version: 1
  /** Name of the library. */
  readonly vendor: string
  /** Validates a value: gives `{ value }` or `{ issues }`, or a promise of either. */
  readonly validate: (value: unknown) => unknown
  /** The types of the schema; never there at run time. */
  readonly types?: SchemaTypes | undefined
  /** Describes the schema as JSON Schema, where the library can. */
  readonly jsonSchema?: SchemaDescriber | undefined
}

/** The types that a schema carries for the compiler. */
interface SchemaTypes {
  /** What the schema accepts. */
  readonly input: unknown
  /** What it gives. */
  readonly output: unknown
}

/** Both descriptions of a schema (Standard JSON Schema); each may throw. */
export interface SchemaDescriber {
  /** JSON Schema of what the schema accepts. */
  readonly input: (options: DescribeOptions) => unknown
  /** JSON Schema of what it gives. */
  readonly output: (options: DescribeOptions) => unknown
}

/** What Standard JSON Schema is asked with. */
export interface DescribeOptions {
  /** Version of JSON Schema that is wanted. */
  readonly target: 'draft-2020-12'
  /** Options of the library itself. */
  readonly libraryOptions?: Record<string, unknown> | undefined
}

/**
 * What the types take for a schema: whatever has `~standard`; `isSchema` looks closer. Comparing all members costs
 * the compiler a sixth of what a large program costs it (381,000 instead of 320,000 instantiations).
 */
export interface AnySchema {
  /** The members of the standard: `any`, so that they are not compared. */
  // oxlint-disable-next-line no-explicit-any -- see above
  readonly '~standard': any
}

/** What a schema accepts; indexed access, because inference costs the compiler more. */
export type In<S> = S extends AnySchema ? NonNullable<S['~standard']['types']>['input'] : never
/** What a schema gives. */
export type Out<S> = S extends AnySchema ? NonNullable<S['~standard']['types']>['output'] : never

/** Tells whether a value is a schema: an object or a function with the members of Standard Schema 1. */
export function isSchema(value: unknown): value is Schema {
  const mayHold = typeof value === 'object' || typeof value === 'function'
  if (!mayHold || value === null || !('~standard' in value)) return false
  const members = value['~standard']
  return isObject(members) && members['version'] === 1 && typeof members['validate'] === 'function'
}
