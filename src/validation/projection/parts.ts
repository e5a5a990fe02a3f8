/** Splits schemas that apply together into rules for members and items, and unions whose branch depends on the value. */
import { isObject, isRecord, ownValue, type UnknownRecord } from '../../values/objects.js'
import { valueOr } from '../../values/value-or.js'
import { isJsonSchema, isNever, intersectedSchemas, schemasByKey, listSchemas, findUnions } from '../json-schema.js'
import type { JsonSchema, SchemaObject } from '../json-schema.js'
import {
  describesItems,
  describesMembers,
  NO_STRUCTURE,
  readLiterals,
  readStructures,
  type Structures,
} from './structures.js'

export interface SchemaParts {
  readonly leaves: readonly SchemaLeaf[]
  readonly unions: readonly (readonly JsonSchema[])[]
  /** All schemas that have been split. They are not visited again. */
  readonly seen: ReadonlySet<JsonSchema>
}

/** Rules of one schema without its references; `undefined` for rules that the schema does not have. */
export interface SchemaLeaf {
  readonly members: MemberRules | undefined
  readonly items: ItemRules | undefined
  readonly structures: Structures | undefined
}

interface MemberRules {
  readonly properties: ReadonlyMap<string, JsonSchema>
  readonly patterns: readonly (readonly [RegExp, JsonSchema])[]
  /** Schema of all other members; `undefined` if they are not described. */
  readonly rest: JsonSchema | undefined
}

interface ItemRules {
  readonly first: readonly JsonSchema[]
  /** Schema of all further items; `undefined` if they are not described. */
  readonly rest: JsonSchema | undefined
}

const NO_PARTS: SchemaParts = { leaves: [], unions: [], seen: new Set() }
const NEVER: SchemaLeaf = { members: undefined, items: undefined, structures: NO_STRUCTURE }

/** Splits schemas and adds the result to other parts. Follows `$ref` and `allOf`. */
export function splitSchema(
  root: JsonSchema,
  schemas: readonly JsonSchema[],
  before: SchemaParts = NO_PARTS,
): SchemaParts {
  const seen = new Set(before.seen)
  const objects: SchemaObject[] = []
  const leaves: SchemaLeaf[] = [...before.leaves]
  const visit = (schema: JsonSchema): void => {
    if (schema === false) leaves.push(NEVER)
    if (typeof schema === 'boolean' || seen.has(schema)) return
    seen.add(schema)
    objects.push(schema)
    leaves.push(...readLeaves(schema))
    for (const part of intersectedSchemas(root, schema)) visit(part)
  }
  for (const schema of schemas) visit(schema)
  return { leaves, unions: objects.flatMap(findUnions), seen }
}

function readLeaves(schema: SchemaObject): SchemaLeaf[] {
  const structures = readStructures(schema)
  const leaf = { members: memberRules(schema), items: itemRules(schema), structures }
  const literals = readLiterals(schema)?.filter(isObject) ?? []
  return literals.length === 0 ? [leaf] : [leaf, { ...literalRules(literals), structures }]
}

/** Returns the rules for objects and arrays in `const` and `enum`. A member or an item must be equal to one at its place in a literal. */
function literalRules(literals: readonly UnknownRecord[]): Pick<SchemaLeaf, 'members' | 'items'> {
  const lists = literals.flatMap<readonly unknown[]>((literal) => (Array.isArray(literal) ? [literal] : []))
  const records = literals.filter(isRecord)
  const keys = new Set(records.flatMap((record) => Object.keys(record)))
  const length = Math.max(0, ...lists.map((list) => list.length))
  const memberOf = (key: string): JsonSchema => ({
    enum: records.filter((record) => Object.hasOwn(record, key)).map((record) => record[key]),
  })
  const first = Array.from({ length }, (_, at) => ({
    enum: lists.filter((list) => at < list.length).map((list) => list[at]),
  }))
  return {
    members: { properties: new Map([...keys].map((key) => [key, memberOf(key)])), patterns: [], rest: undefined },
    items: { first, rest: undefined },
  }
}

function memberRules(schema: SchemaObject): MemberRules | undefined {
  if (!describesMembers(schema)) return undefined
  const rest = ownValue(schema, 'additionalProperties')
  return {
    properties: new Map(schemasByKey(schema, 'properties')),
    // Ignores a pattern that is not a valid regular expression.
    patterns: schemasByKey(schema, 'patternProperties').flatMap(([source, member]) =>
      valueOr<MemberRules['patterns']>(() => [[new RegExp(source, 'u'), member]], []),
    ),
    rest: openSchema(rest),
  }
}

// In drafts before 2020-12, `items` is a list like `prefixItems`, and `additionalItems` describes the further items.
function itemRules(schema: SchemaObject): ItemRules | undefined {
  if (!describesItems(schema)) return undefined
  const isOlderDraft = Array.isArray(ownValue(schema, 'items'))
  return {
    first: [...listSchemas(schema, 'prefixItems'), ...listSchemas(schema, 'items')],
    rest: openSchema(ownValue(schema, isOlderDraft ? 'additionalItems' : 'items')),
  }
}

function openSchema(value: unknown): JsonSchema | undefined {
  return isJsonSchema(value) && !isNever(value) ? value : undefined
}

export function schemasOfMember(rules: readonly MemberRules[], key: string): readonly JsonSchema[] {
  return rules.flatMap((rule) => schemasByRule(rule, key)).filter((schema) => !isNever(schema))
}

function schemasByRule({ properties, patterns, rest }: MemberRules, key: string): readonly JsonSchema[] {
  const property = properties.get(key)
  const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, schema]) => schema)
  if (property !== undefined) return [property, ...matching]
  return matching.length > 0 || rest === undefined ? matching : [rest]
}

export function schemasOfItem(rules: readonly ItemRules[], index: number): readonly JsonSchema[] {
  return rules.flatMap(({ first, rest }) => {
    const schema = first[index] ?? rest
    return schema === undefined || isNever(schema) ? [] : [schema]
  })
}
