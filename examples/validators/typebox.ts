/** An adapter from TypeBox to Standard Schema. TypeBox schemas are JSON Schema; `Value` validates values. */
import type { Static, TSchema } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

/** A Standard Schema without JSON Schema. Set `jsonSchema: { typebox: describe }` to strip undeclared properties from responses. */
export interface TypeBoxSchema<T extends TSchema> {
  readonly schema: T
  readonly '~standard': {
    readonly version: 1
    readonly vendor: 'typebox'
    readonly validate: (value: unknown) => unknown
    readonly types?: { readonly input: Static<T>; readonly output: Static<T> }
  }
}

/** Converts a TypeBox schema to a schema for contracts. */
export function adapt<T extends TSchema>(schema: T): TypeBoxSchema<T> {
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

/** Converter for the option `jsonSchema`. */
export function describe({ schema }: { readonly schema: TSchema }): unknown {
  return schema
}
