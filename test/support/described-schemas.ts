/** Schemas with a given JSON Schema. */
import type { JsonSchema, Schema } from 'verbena'

/** Creates a schema that accepts every value. Input and output have the same JSON Schema unless `output` is set. */
export function describedSchema(input: JsonSchema, output: JsonSchema = input): Schema {
  const jsonSchema = { input: () => input, output: () => output }
  return { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }), jsonSchema } }
}

/** Creates a schema of an object with string properties. */
export function record(...names: readonly string[]): Schema {
  return describedSchema({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  })
}
