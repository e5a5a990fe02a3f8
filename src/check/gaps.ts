/** Gaps in a description: where it says nothing of a value. */
import { isJsonSchema, joined, schemasBy, schemasIn, unionsOf } from '../validation/json-schema.js'
import type { JsonSchema, SchemaObject } from '../validation/json-schema.js'
import { own } from '../values/objects.js'

/** Keywords that do not restrict a value. */
const WORDS: ReadonlySet<string> = new Set('$schema $defs title description default examples deprecated'.split(' '))

/** Finds where a description says nothing, by the names of members: `/at` or `/items/*`; `''` for the whole. */
export function gapsIn(root: JsonSchema): string[] {
  const seen = new Set<JsonSchema>()
  const visit = (schema: JsonSchema, place: string): string[] => {
    if (schema === false || seen.has(schema)) return []
    if (schema === true || Object.keys(schema).every((keyword) => WORDS.has(keyword))) return [place]
    seen.add(schema)
    const members = schemasBy(schema, 'properties').flatMap(([key, part]) => visit(part, `${place}/${key}`))
    const items = itemsOf(schema).flatMap((part) => visit(part, `${place}/*`))
    const beside = [...joined(root, schema), ...unionsOf(schema).flat()].flatMap((part) => visit(part, place))
    return [...members, ...items, ...beside]
  }
  return [...new Set(visit(root, ''))]
}

function itemsOf(schema: SchemaObject): readonly JsonSchema[] {
  const rests = [own(schema, 'items'), own(schema, 'additionalProperties')].filter(isJsonSchema)
  return [...rests, ...schemasIn(schema, 'prefixItems')]
}
