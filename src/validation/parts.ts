/** Schemas that hold together, taken apart: what they say themselves, and the unions to be decided by the value. */
import type { JsonSchema, SchemaObject } from './json-schema.js'
import { leafOf, type Leaf } from './leaf.js'
import { joined, unionsOf } from './reference.js'

/** Branches of which a value takes one or more. */
export type Union = readonly JsonSchema[]

/** Schemas taken apart. */
export interface Parts {
  readonly leaves: readonly Leaf[]
  readonly unions: readonly Union[]
  /** Everything that was taken apart to come here; none of it is looked into again. */
  readonly seen: ReadonlySet<JsonSchema>
}

/** No parts. */
export const NO_PARTS: Parts = { leaves: [], unions: [], seen: new Set() }

/** Takes schemas apart, following `$ref` and `allOf`. */
export function takeApart(root: JsonSchema, schemas: readonly JsonSchema[], before: Parts): Parts {
  const seen = new Set(before.seen)
  const objects: SchemaObject[] = []
  const visit = (schema: JsonSchema): void => {
    if (typeof schema === 'boolean' || seen.has(schema)) return
    seen.add(schema)
    objects.push(schema)
    for (const part of joined(root, schema)) visit(part)
  }
  for (const schema of schemas) visit(schema)
  return { leaves: [...before.leaves, ...objects.map(leafOf)], unions: objects.flatMap(unionsOf), seen }
}
