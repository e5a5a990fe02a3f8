/** TypeBox follows Standard Schema through an adapter: its schemas are JSON Schema, and its values are validated by `Value`. */
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** A schema for contracts that does not say what it is: give `jsonSchema: { typebox: describe }` to project its answers. */
export interface Adapted<T extends TSchema> {
  readonly schema: T
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'typebox'
    readonly validate: (value: unknown) => unknown
    readonly types?: { readonly input: Static<T>; readonly output: Static<T> }
  }
}

/** Makes a schema of TypeBox one for contracts. */
export function adapt<T extends TSchema>(schema: T): Adapted<T> {
  const validate = (value: unknown): unknown => {
    if (Value.Check(schema, value)) return { value }
    const issues = [...Value.Errors(schema, value)].map(({ path, message }) => ({
      message,
      path: path.split('/').slice(1),
    }))
    return { issues }
  }
  return { schema, '~standard': { version: 1, vendor: 'typebox', validate } }
}

/** A converter for the option `jsonSchema`. */
export function describe({ schema }: { readonly schema: TSchema }): unknown {
  return schema
}
