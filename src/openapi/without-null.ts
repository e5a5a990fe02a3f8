/** Schemas of values that are sent as strings, without `null`. Clients would send it as the string "null". */
import {
  isJsonSchema,
  isNever,
  resolveReference,
  type JsonSchema,
  type SchemaObject,
} from '../validation/json-schema.js'

/** In place of a keyword that only `null` satisfies. */
const NULL_ONLY = Symbol('null only')

/** Returns a schema without `null`, also in lists; the same schema if it does not contain `null`, or accepts nothing else. */
export function withoutNull(root: JsonSchema, schema: JsonSchema): JsonSchema {
  const result = excludeNull(root, schema, [])
  return isNever(result) ? schema : result
}

function excludeNull(root: JsonSchema, schema: JsonSchema, path: readonly JsonSchema[]): JsonSchema {
  if (typeof schema === 'boolean' || path.includes(schema)) return schema
  const inner = (part: JsonSchema): JsonSchema => excludeNull(root, part, [...path, schema])
  const target = resolveReference(root, schema)
  const result = target === undefined ? target : inner(target)
  if (result !== target && result !== undefined) {
    const { $ref: _, ...beside } = schema
    return typeof result === 'boolean' ? result : inner({ ...result, ...beside })
  }
  const entries = Object.entries(schema).map(([keyword, value]) => [keyword, excludeIn(keyword, value, inner)] as const)
  if (entries.some(([, value]) => value === NULL_ONLY)) return false
  if (entries.every(([keyword, value]) => value === schema[keyword])) return schema
  return mergeBranch(Object.fromEntries(entries.filter(([, value]) => value !== undefined)))
}

function excludeIn(keyword: string, value: unknown, inner: (part: JsonSchema) => JsonSchema): unknown {
  const excludePart = (part: unknown): unknown => (isJsonSchema(part) ? inner(part) : part)
  const excludeItem = (part: unknown): unknown => (isJsonSchema(part) ? orSame(part, inner(part)) : part)
  if (keyword === 'items') return excludeItem(value)
  if (keyword === 'prefixItems') return mapList(value, excludeItem)
  if (keyword === 'allOf') return orNullOnly(value, mapList(value, excludePart), (parts) => parts.includes(false))
  if (keyword !== 'anyOf' && keyword !== 'oneOf') return excludeLiteral(keyword, value)
  return orNullOnly(value, mapList(value, excludePart), (parts) => parts.every((part) => part === false))
}

function excludeLiteral(keyword: string, value: unknown): unknown {
  if (keyword === 'type') return withoutItem(value, 'null')
  if (keyword === 'enum') return withoutItem(value, null)
  if (value !== null) return value
  if (keyword === 'const') return NULL_ONLY
  return keyword === 'default' ? undefined : value
}

function orSame(schema: JsonSchema, other: JsonSchema): JsonSchema {
  return isNever(other) ? schema : other
}

/** Returns the same list if no item changes. */
function mapList(list: unknown, map: (item: unknown) => unknown): unknown {
  if (!Array.isArray(list)) return list
  const mapped: unknown[] = list.map(map)
  return mapped.every((item, at) => item === list[at]) ? list : mapped
}

function orNullOnly(value: unknown, other: unknown, isNull: (parts: readonly unknown[]) => boolean): unknown {
  if (other === value || !Array.isArray(other)) return value
  return isNull(other) ? NULL_ONLY : other.filter((part) => part !== false)
}

function withoutItem(value: unknown, item: unknown): unknown {
  const list: readonly unknown[] = [value].flat()
  if (!list.includes(item)) return value
  const otherItems = list.filter((each) => each !== item)
  if (otherItems.length === 0) return NULL_ONLY
  return otherItems.length === 1 && item === 'null' ? otherItems[0] : otherItems
}

/** Replaces a union of one branch by the branch, unless both have the same keyword. */
function mergeBranch(schema: SchemaObject): SchemaObject {
  const [keyword = ''] = ['anyOf', 'oneOf'].filter((union) => Object.hasOwn(schema, union))
  const { [keyword]: branches, ...others } = schema
  const [branch, second] = Array.isArray(branches) ? branches : []
  if (!isJsonSchema(branch) || typeof branch === 'boolean' || second !== undefined) return schema
  return Object.keys(branch).some((each) => Object.hasOwn(others, each)) ? schema : { ...others, ...branch }
}
