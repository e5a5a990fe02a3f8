/** The own structure of one object of JSON Schema, read once: what it says of members and items. */
import { isJsonSchema, type JsonSchema, type SchemaObject } from './json-schema.js'
import { own, ownEntries, ownList } from '../values/objects.js'

/** What a schema itself, without the schemas it refers to, says of the structure of a value. */
export interface Leaf {
  /** What it says of records; undefined when it says nothing of their members. */
  readonly members: MemberRules | undefined
  /** What it says of lists; undefined when it says nothing of their items. */
  readonly items: ItemRules | undefined
}

/** What a schema says of the members of a record. */
export interface MemberRules {
  readonly properties: ReadonlyMap<string, JsonSchema>
  readonly patterns: readonly (readonly [RegExp, JsonSchema])[]
  /** The schema of all other members; undefined when they are not described. */
  readonly rest: JsonSchema | undefined
}

/** What a schema says of the items of a list. */
export interface ItemRules {
  readonly first: readonly JsonSchema[]
  readonly rest: JsonSchema
}

/** Reads the structure of a schema. */
export function leafOf(schema: SchemaObject): Leaf {
  return { members: memberRules(schema), items: itemRules(schema) }
}

function memberRules(schema: SchemaObject): MemberRules | undefined {
  const describes = ['properties', 'patternProperties', 'additionalProperties'].some((key) =>
    Object.hasOwn(schema, key),
  )
  if (!describes) return undefined
  const rest = own(schema, 'additionalProperties')
  return {
    properties: new Map(schemasIn(schema, 'properties')),
    patterns: schemasIn(schema, 'patternProperties').flatMap(([source, member]) => patternRule(source, member)),
    rest: isJsonSchema(rest) && rest !== false ? rest : undefined,
  }
}

function schemasIn(schema: SchemaObject, keyword: string): readonly (readonly [string, JsonSchema])[] {
  return ownEntries(schema, keyword).flatMap(([key, member]) => (isJsonSchema(member) ? [[key, member] as const] : []))
}

// A pattern that is no regular expression describes nothing.
function patternRule(source: string, schema: JsonSchema): readonly (readonly [RegExp, JsonSchema])[] {
  try {
    return [[new RegExp(source, 'u'), schema]]
  } catch {
    return []
  }
}

// `items` as a list is how drafts before 2020-12 write `prefixItems`.
function itemRules(schema: SchemaObject): ItemRules | undefined {
  const items = own(schema, 'items')
  const first = [...ownList(schema, 'prefixItems'), ...ownList(schema, 'items')].filter(isJsonSchema)
  if (first.length === 0 && !isJsonSchema(items)) return undefined
  return { first, rest: isJsonSchema(items) ? items : true }
}

/** The schemas by which some rules describe a member. */
export function schemasOfMember(rules: readonly MemberRules[], key: string): readonly JsonSchema[] {
  return rules.flatMap((rule) => schemasByRule(rule, key)).filter((schema) => schema !== false)
}

function schemasByRule(rule: MemberRules, key: string): readonly JsonSchema[] {
  const property = rule.properties.get(key)
  const patterns = rule.patterns.filter(([pattern]) => pattern.test(key)).map(([, schema]) => schema)
  if (property !== undefined) return [property, ...patterns]
  if (patterns.length > 0 || rule.rest === undefined) return patterns
  return [rule.rest]
}

/** The schemas by which some rules describe an item. */
export function schemasOfItem(rules: readonly ItemRules[], index: number): readonly JsonSchema[] {
  return rules.map((rule) => rule.first[index] ?? rule.rest)
}
