/** The top-level members that a description of query, headers, cookies or parameters has. */
import { isJsonSchema, type JsonSchema, type SchemaObject } from './json-schema.js'
import { own, ownEntries } from '../values/objects.js'
import { joined, unionsOf } from './reference.js'
import { textTypeOf, type TextType } from './text-type.js'

/** What is known of the keys. */
export interface TextMembers {
  /** The type of each described key. */
  readonly types: ReadonlyMap<string, TextType>
  /** The type of all other keys, where the description allows any. */
  readonly rest: TextType | undefined
  /** True when the keys are all there are. */
  readonly closed: boolean
  /** True when the whole is a union, so that a key can mean one thing in one branch and another in the next. */
  readonly union: boolean
}

/** Reads the members of a description, through `$ref`, `allOf`, `anyOf` and `oneOf`. */
export function textMembersOf(root: JsonSchema): TextMembers | undefined {
  const parts = partsOf(root)
  const keys = new Set(parts.flatMap((part) => ownEntries(part, 'properties').map(([key]) => key)))
  const rests = parts.flatMap(restsOf)
  if (keys.size === 0 && rests.length === 0 && !parts.some((part) => isClosed(part))) return undefined
  return {
    types: new Map([...keys].map((key) => [key, typeOfKey(root, key)])),
    rest: rests.length === 0 ? undefined : textTypeOf(root, { anyOf: rests }),
    closed: rests.length === 0,
    union: parts.some((part) => unionsOf(part).length > 0),
  }
}

function isClosed(part: SchemaObject): boolean {
  return Object.hasOwn(part, 'properties') || own(part, 'additionalProperties') === false
}

function restsOf(part: SchemaObject): readonly JsonSchema[] {
  const patterns = ownEntries(part, 'patternProperties').map(([, schema]) => schema)
  return [...patterns, own(part, 'additionalProperties')].filter(isJsonSchema).filter((schema) => schema !== false)
}

function partsOf(root: JsonSchema): readonly SchemaObject[] {
  const parts = new Set<SchemaObject>()
  const visit = (schema: JsonSchema): void => {
    if (typeof schema === 'boolean' || parts.has(schema)) return
    parts.add(schema)
    for (const next of [...joined(root, schema), ...unionsOf(schema).flat()]) visit(next)
  }
  visit(root)
  return [...parts]
}

function typeOfKey(root: JsonSchema, key: string): TextType {
  return textTypeOf(root, { allOf: schemasOfKey({ root, key, path: new Set() }, root) })
}

interface Search {
  readonly root: JsonSchema
  readonly key: string
  /** The schemas being looked into, so that recursive ones end. */
  readonly path: ReadonlySet<JsonSchema>
}

// What holds for one key, put together as the schemas around it are: a list to be read like `allOf`.
function schemasOfKey(search: Search, schema: JsonSchema): readonly JsonSchema[] {
  if (typeof schema === 'boolean' || search.path.has(schema)) return []
  const inner: Search = { ...search, path: new Set(search.path).add(schema) }
  const described = ownEntries(schema, 'properties').filter(([key]) => key === search.key)
  return [
    ...described.map(([, member]) => member).filter(isJsonSchema),
    ...joined(search.root, schema).flatMap((part) => schemasOfKey(inner, part)),
    ...unionsOf(schema).flatMap((branches) => unionOfKey(inner, branches)),
  ]
}

function unionOfKey(search: Search, branches: readonly JsonSchema[]): readonly JsonSchema[] {
  const found = branches.map((branch) => schemasOfKey(search, branch)).filter((schemas) => schemas.length > 0)
  return found.length === 0 ? [] : [{ anyOf: found.map((allOf) => ({ allOf })) }]
}
