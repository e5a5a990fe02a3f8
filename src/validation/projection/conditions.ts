/** Schemas that apply under a condition (`if`, `dependentSchemas`), as unions, and the condition for names (`propertyNames`). */
import { isObject, ownList, ownValue } from '../../values/objects.js'
import { compilePattern, findUnions, intersectedSchemas, isJsonSchema, isNever, schemasByKey } from '../json-schema.js'
import type { JsonSchema, SchemaObject } from '../json-schema.js'
import { readLiterals } from './structures.js'

type Unions = readonly (readonly JsonSchema[])[]

/** One object for each schema, because projections are compiled once for each object. */
const unionsBySchema = new WeakMap<SchemaObject, Unions>()
const NONE: Unions = []

/** Returns a union for each condition: one branch for values that meet it, and one for the others. */
export function conditionalUnions(schema: SchemaObject): Unions {
  if (!Object.hasOwn(schema, 'if') && !Object.hasOwn(schema, 'dependentSchemas')) return NONE
  const unions = unionsBySchema.get(schema) ?? [...choiceUnions(schema), ...dependentUnions(schema)]
  unionsBySchema.set(schema, unions)
  return unions
}

function choiceUnions(schema: SchemaObject): Unions {
  const condition = ownValue(schema, 'if')
  const [met = true, unmet = true] = ['then', 'else'].map((keyword) => ownValue(schema, keyword))
  if (!isJsonSchema(condition) || (met === true && unmet === true)) return NONE
  return [[{ allOf: [condition, met] }, { not: condition, allOf: [unmet] }]]
}

function dependentUnions(schema: SchemaObject): Unions {
  return schemasByKey(schema, 'dependentSchemas').map(([key, dependent]) => {
    const condition = { required: [key] }
    return [{ ...condition, allOf: [dependent] }, { not: condition }]
  })
}

const EXACT: ReadonlySet<string> = new Set(
  'type const enum properties required allOf anyOf title description $comment'.split(' '),
)

/** Whether branch tests read all keywords of a schema, so that a value without a match does not belong to it. */
export function isExact(schema: JsonSchema): boolean {
  if (typeof schema === 'boolean') return true
  if (!Object.keys(schema).every((keyword) => EXACT.has(keyword))) return false
  if (readLiterals(schema)?.some(isObject) === true) return false
  const members = schemasByKey(schema, 'properties').map(([, member]) => member)
  const others = [...ownList(schema, 'allOf'), ...ownList(schema, 'anyOf')]
  return [...members, ...others].every((part) => isJsonSchema(part) && isExact(part))
}

type NameTest = (name: string) => boolean

/** Returns the test of a schema for names; `null` if it allows all names. */
export function nameTest(root: JsonSchema, schema: JsonSchema): NameTest | null {
  return testNames(root, schema, new Set())
}

function testNames(root: JsonSchema, schema: JsonSchema, seen: ReadonlySet<JsonSchema>): NameTest | null {
  if (schema === true || seen.has(schema)) return null
  if (schema === false || isNever(schema)) return () => false
  const within = new Set(seen).add(schema)
  const inner = (part: JsonSchema): NameTest | null => testNames(root, part, within)
  const tests = [
    ...ownTests(schema),
    ...intersectedSchemas(root, schema).map(inner),
    ...findUnions(schema).map((branches) => anyName(branches.map(inner))),
  ].filter((test) => test !== null)
  return tests.length === 0 ? null : (name) => tests.every((test) => test(name))
}

function ownTests(schema: SchemaObject): readonly NameTest[] {
  const tests: NameTest[] = []
  const { type, pattern, minLength, maxLength } = schema
  const literals = readLiterals(schema)
  if (type !== undefined && ![type].flat().includes('string')) tests.push(() => false)
  if (literals !== undefined) tests.push((name) => literals.includes(name))
  const expression = typeof pattern === 'string' ? compilePattern(pattern) : null
  if (expression !== null) tests.push((name) => expression.test(name))
  if (typeof minLength === 'number') tests.push((name) => [...name].length >= minLength)
  if (typeof maxLength === 'number') tests.push((name) => [...name].length <= maxLength)
  return tests
}

function anyName(tests: readonly (NameTest | null)[]): NameTest | null {
  const all = tests.filter((test) => test !== null)
  return all.length < tests.length ? null : (name) => all.some((test) => test(name))
}
