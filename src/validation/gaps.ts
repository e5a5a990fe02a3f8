/** Gaps in a description: where nothing is said of a value. */
import { isJsonSchema, type JsonSchema } from './json-schema.js'
import { own, ownEntries, ownList } from '../values/objects.js'
import { joined, unionsOf } from './reference.js'

/** Keywords that say nothing of what a value may be. */
const WORDS: ReadonlySet<string> = new Set([
  '$schema',
  '$defs',
  'title',
  'description',
  'default',
  'examples',
  'deprecated',
])

/**
 * Finds where a description says nothing: a library that leaves gaps does not tell them from what may be anything.
 * Returns places by the names of members, such as `/at` or `/items/*`; empty text for the whole.
 */
export function gapsIn(root: JsonSchema): string[] {
  const seen = new Set<JsonSchema>()
  const visit = (schema: JsonSchema, place: string): string[] => {
    if (schema === false || seen.has(schema)) return []
    if (schema === true || saysNothing(schema)) return [place]
    seen.add(schema)
    const inner = [...membersOf(schema), ...itemsOf(schema)].flatMap(([key, part]) => visit(part, `${place}/${key}`))
    const beside = [...joined(root, schema), ...unionsOf(schema).flat()].flatMap((part) => visit(part, place))
    return [...inner, ...beside]
  }
  return [...new Set(visit(root, ''))]
}

function saysNothing(schema: object): boolean {
  return Object.keys(schema).every((keyword) => WORDS.has(keyword))
}

type Part = readonly [key: string, schema: JsonSchema]

function membersOf(schema: Readonly<Record<string, unknown>>): Part[] {
  return ownEntries(schema, 'properties').flatMap(([key, member]) =>
    isJsonSchema(member) ? [[key, member] as const] : [],
  )
}

function itemsOf(schema: Readonly<Record<string, unknown>>): Part[] {
  const rests = [own(schema, 'items'), own(schema, 'additionalProperties'), ...ownList(schema, 'prefixItems')]
  return rests.filter(isJsonSchema).map((part) => ['*', part] as const)
}
