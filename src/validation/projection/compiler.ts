/** State of the compilation of a JSON Schema to a projection. */
import type { UnknownRecord } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'
import type { JsonSchema } from '../json-schema.js'
import { branchTests, type BranchTest } from './branch.js'
import type { Project } from './project-value.js'
import type { Structures } from './structures.js'

export interface Compiler {
  readonly root: JsonSchema
  readonly testOf: (schema: JsonSchema) => BranchTest
  readonly slots: Map<string, Slot>
  readonly names: Map<JsonSchema, string>
  /** Structures of schemas, including the schemas that they refer to. */
  readonly structures: Map<JsonSchema, Structures>
  /** Schemas whose structures are being computed. */
  readonly pending: Set<JsonSchema>
  /** Number of recursive schemas around the value that is being projected. */
  depth: number
  /** For values that are passed to a validator; `null` for values that are sent. */
  readonly passing: Passing | null
  /** `null` before the first union. */
  ofUnions: Compiler | null
}

export interface Passing {
  /** Compiler of projections of the JSON form. */
  readonly sending: Compiler
  /** Objects of the current value that JSON Schema cannot express. */
  held: UnknownRecord[]
}

export interface Slot {
  project: Project
  /** `false` while the schema is being compiled. A schema that is used during this time is recursive. */
  finished: boolean
}

export function createCompiler(root: JsonSchema, passing: Passing | null): Compiler {
  return {
    root,
    testOf: branchTests(root),
    slots: new Map(),
    names: new Map(),
    structures: new Map(),
    pending: new Set(),
    depth: 0,
    passing,
    ofUnions: null,
  }
}

/**
 * Returns the compiler of unions, which their projections keep. Without references to the root, it is another one, so that they do not
 * keep the root, which takes 1.4 kB.
 */
export function unionCompiler(compiler: Compiler): Compiler {
  if (compiler.passing !== null) return compiler
  compiler.ofUnions ??= containsReference(compiler.root) ? compiler : createCompiler(true, null)
  compiler.ofUnions.ofUnions = compiler.ofUnions
  return compiler.ofUnions
}

function containsReference(root: JsonSchema): boolean {
  return valueOr(() => JSON.stringify(root).includes('"$ref"'), true)
}

// The name does not depend on the order of the schemas, so that recursion ends.
export function schemaName({ names }: Compiler, schemas: readonly JsonSchema[]): string {
  for (const schema of schemas) if (!names.has(schema)) names.set(schema, String(names.size))
  return [...new Set(schemas.map((schema) => names.get(schema)))].toSorted().join()
}
