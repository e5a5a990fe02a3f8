/** References inside one description (JSON Schema 2020-12 section 8.2.3). */
import { isJsonSchema, type JsonSchema, type SchemaObject } from './json-schema.js'
import { follow } from './pointer.js'
import { own, ownList } from '../values/objects.js'

/**
 * The schema that `$ref` of a schema means. References that lead out of the description are not followed. Returns the
 * schema meant; undefined without `$ref` or when it leads nowhere.
 */
export function referenced(root: JsonSchema, schema: SchemaObject): JsonSchema | undefined {
  const reference = own(schema, '$ref')
  if (typeof reference !== 'string' || !/^#(?:\/|$)/.test(reference)) return undefined
  const found = follow(root, decode(reference.slice(1)))
  return isJsonSchema(found) ? found : undefined
}

function decode(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}

/** The schemas that must all hold beside the own keywords of a schema: `$ref` and `allOf`. */
export function joined(root: JsonSchema, schema: SchemaObject): readonly JsonSchema[] {
  const target = referenced(root, schema)
  const all = ownList(schema, 'allOf').filter(isJsonSchema)
  return target === undefined ? all : [target, ...all]
}

/** The unions of a schema: `anyOf` and `oneOf`. */
export function unionsOf(schema: SchemaObject): readonly (readonly JsonSchema[])[] {
  return ['anyOf', 'oneOf']
    .map((keyword) => ownList(schema, keyword).filter(isJsonSchema))
    .filter((branches) => branches.length > 0)
}
