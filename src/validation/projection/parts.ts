/** Splits schemas that apply together into rules for members and items, and unions whose branch depends on the value. */
import { isObject, isRecord, ownValue, type UnknownRecord } from '../../values/objects.js'
import {
  isJsonSchema,
  isNever,
  intersectedSchemas,
  schemasByKey,
  schemasByPattern,
  listSchemas,
  findUnions,
} from '../json-schema.js'
import type { JsonSchema, SchemaObject } from '../json-schema.js'
import {
  describesItems,
  describesMembers,
  NO_STRUCTURE,
  readLiterals,
  readStructures,
  type Structures,
} from './structures.js'
import { conditionalUnions, nameTest } from './conditions.js'

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
  /** Schema of members that no other rule describes. */
  readonly unevaluated: JsonSchema | undefined
  /** Test of the names; `null` if all names are allowed. */
  readonly isName: ((name: string) => boolean) | null
}

interface ItemRules {
  readonly first: readonly JsonSchema[]
  /** Schema of all further items; `undefined` if they are not described. */
  readonly rest: JsonSchema | undefined
  /** Schema of items that no other rule describes. */
  readonly unevaluated: JsonSchema | undefined
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
    leaves.push(...readLeaves(root, schema))
    for (const part of intersectedSchemas(root, schema)) visit(part)
  }
  for (const schema of schemas) visit(schema)
  return { leaves, unions: objects.flatMap((schema) => [...findUnions(schema), ...conditionalUnions(schema)]), seen }
}

function readLeaves(root: JsonSchema, schema: SchemaObject): SchemaLeaf[] {
  const structures = readStructures(schema)
  const leaf = { members: memberRules(root, schema), items: itemRules(schema), structures }
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
    members: { ...NO_MEMBERS, properties: new Map([...keys].map((key) => [key, memberOf(key)])) },
    items: { first, rest: undefined, unevaluated: undefined },
  }
}

const NO_MEMBERS: MemberRules = {
  properties: new Map(),
  patterns: [],
  rest: undefined,
  unevaluated: undefined,
  isName: null,
}

function memberRules(root: JsonSchema, schema: SchemaObject): MemberRules | undefined {
  const names = ownValue(schema, 'propertyNames')
  const isName = isJsonSchema(names) ? nameTest(root, names) : null
  // Without other keywords, all members whose names are allowed are described.
  if (!describesMembers(schema)) return isName === null ? undefined : { ...NO_MEMBERS, rest: true, isName }
  const restSchema = ownValue(schema, 'additionalProperties')
  return {
    properties: new Map(schemasByKey(schema, 'properties')),
    // Ignores a pattern that is not a valid regular expression.
    patterns: schemasByPattern(schema),
    rest: openSchema(restSchema),
    unevaluated: openSchema(ownValue(schema, 'unevaluatedProperties')),
    isName,
  }
}

// In drafts before 2020-12, `items` is a list like `prefixItems`, and `additionalItems` describes the further items.
function itemRules(schema: SchemaObject): ItemRules | undefined {
  if (!describesItems(schema)) return undefined
  const isOlderDraft = Array.isArray(ownValue(schema, 'items'))
  return {
    first: [...listSchemas(schema, 'prefixItems'), ...listSchemas(schema, 'items')],
    rest: openSchema(ownValue(schema, isOlderDraft ? 'additionalItems' : 'items')),
    unevaluated: openSchema(ownValue(schema, 'unevaluatedItems')),
  }
}

function openSchema(value: unknown): JsonSchema | undefined {
  return isJsonSchema(value) && !isNever(value) ? value : undefined
}

export function schemasOfMember(rules: readonly MemberRules[], key: string): readonly JsonSchema[] {
  const foundSchemas = rules.flatMap((rule) => schemasByRule(rule, key))
  if (foundSchemas.length === 0) return skipMissing(rules.map(({ unevaluated }) => unevaluated))
  return foundSchemas.filter((schema) => !isNever(schema))
}

/** Returns the schemas of members for which no rule has a name or pattern. */
export function schemasOfRest(rules: readonly MemberRules[]): readonly JsonSchema[] {
  const rests = skipMissing(rules.map(({ rest }) => rest))
  return rests.length > 0 ? rests : skipMissing(rules.map(({ unevaluated }) => unevaluated))
}

function schemasByRule({ properties, patterns, rest, isName }: MemberRules, key: string): readonly JsonSchema[] {
  if (isName?.(key) === false) return []
  const property = properties.get(key)
  const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, schema]) => schema)
  if (property !== undefined) return [property, ...matching]
  return matching.length > 0 || rest === undefined ? matching : [rest]
}

export function schemasOfItem(rules: readonly ItemRules[], index: number): readonly JsonSchema[] {
  const foundItems = skipMissing(rules.map(({ first, rest }) => first[index] ?? rest))
  if (foundItems.length === 0) return skipMissing(rules.map(({ unevaluated }) => unevaluated))
  return foundItems.filter((schema) => !isNever(schema))
}

function skipMissing(schemas: readonly (JsonSchema | undefined)[]): readonly JsonSchema[] {
  return schemas.filter((schema) => schema !== undefined)
}
