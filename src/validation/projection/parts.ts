/** Schemas that hold together, taken apart: what each says of members and items, and the unions that the value decides. */
import { own } from '../../values/objects.js'
import { quietly } from '../../values/quietly.js'
import { isJsonSchema, joined, schemasBy, schemasIn, unionsOf } from '../json-schema.js'
import type { JsonSchema, SchemaObject } from '../json-schema.js'

export interface Parts {
  readonly leaves: readonly Leaf[]
  readonly unions: readonly (readonly JsonSchema[])[]
  /** Everything that was taken apart to come here; none of it is looked into again. */
  readonly seen: ReadonlySet<JsonSchema>
}

/** What a schema itself, without those it refers to, says of structure; undefined where it says nothing. */
export interface Leaf {
  readonly members: MemberRules | undefined
  readonly items: ItemRules | undefined
}

interface MemberRules {
  readonly properties: ReadonlyMap<string, JsonSchema>
  readonly patterns: readonly (readonly [RegExp, JsonSchema])[]
  /** The schema of all other members; undefined when they are not described. */
  readonly rest: JsonSchema | undefined
}

interface ItemRules {
  readonly first: readonly JsonSchema[]
  readonly rest: JsonSchema
}

const NO_PARTS: Parts = { leaves: [], unions: [], seen: new Set() }

/** Takes schemas apart in addition to other parts, following `$ref` and `allOf`. */
export function takeApart(root: JsonSchema, schemas: readonly JsonSchema[], before: Parts = NO_PARTS): Parts {
  const seen = new Set(before.seen)
  const objects: SchemaObject[] = []
  const visit = (schema: JsonSchema): void => {
    if (typeof schema === 'boolean' || seen.has(schema)) return
    seen.add(schema)
    objects.push(schema)
    for (const part of joined(root, schema)) visit(part)
  }
  for (const schema of schemas) visit(schema)
  const leaves = objects.map((schema) => ({ members: memberRules(schema), items: itemRules(schema) }))
  return { leaves: [...before.leaves, ...leaves], unions: objects.flatMap(unionsOf), seen }
}

const MEMBER_KEYWORDS: readonly string[] = ['properties', 'patternProperties', 'additionalProperties']

function memberRules(schema: SchemaObject): MemberRules | undefined {
  if (!MEMBER_KEYWORDS.some((keyword) => Object.hasOwn(schema, keyword))) return undefined
  const rest = own(schema, 'additionalProperties')
  return {
    properties: new Map(schemasBy(schema, 'properties')),
    // A pattern that is not a regular expression describes nothing.
    patterns: schemasBy(schema, 'patternProperties').flatMap(([source, member]) =>
      quietly<MemberRules['patterns']>(() => [[new RegExp(source, 'u'), member]], []),
    ),
    rest: isJsonSchema(rest) && rest !== false ? rest : undefined,
  }
}

// `items` as a list is how drafts before 2020-12 write `prefixItems`.
function itemRules(schema: SchemaObject): ItemRules | undefined {
  const items = own(schema, 'items')
  const first = [...schemasIn(schema, 'prefixItems'), ...schemasIn(schema, 'items')]
  if (first.length === 0 && !isJsonSchema(items)) return undefined
  return { first, rest: isJsonSchema(items) ? items : true }
}

export function schemasOfMember(rules: readonly MemberRules[], key: string): readonly JsonSchema[] {
  return rules.flatMap((rule) => schemasByRule(rule, key)).filter((schema) => schema !== false)
}

function schemasByRule({ properties, patterns, rest }: MemberRules, key: string): readonly JsonSchema[] {
  const property = properties.get(key)
  const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, schema]) => schema)
  if (property !== undefined) return [property, ...matching]
  return matching.length > 0 || rest === undefined ? matching : [rest]
}

export function schemasOfItem(rules: readonly ItemRules[], index: number): readonly JsonSchema[] {
  return rules.map(({ first, rest }) => first[index] ?? rest)
}
