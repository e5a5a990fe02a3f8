/** Schemas by hand, which describe themselves as a test wants it. */
import type { JsonSchema, Schema } from 'verbena'

/** A schema that takes anything, and describes both sides alike unless a second description is given. */
export function describedSchema(input: JsonSchema, output: JsonSchema = input): Schema {
  const jsonSchema = { input: () => input, output: () => output }
  return { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }), jsonSchema } }
}

/** A schema of a record of texts. */
export function record(...names: readonly string[]): Schema {
  return describedSchema({
    type: 'object',
    properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
  })
}
