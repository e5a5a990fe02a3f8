/** Tests whether a value can belong to a branch of a union, by `type`, `const`, `enum` and `required`, also in its members. */
import { isObject, isRecord, ownValue, ownList, toJsonValue } from '../../values/objects.js'
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
import { isExact } from './conditions.js'
import { readLiterals, readStructures, toStructure } from './structures.js'

export type BranchTest = (value: unknown) => boolean
/** A branch test that reads at most `depth` steps deep. */
type Test = (value: unknown, depth: number) => boolean

// Each member, item, reference or union is one step. Discriminators are one to three steps deep. Without this limit, the cost of
// nested unions would grow with the size of the value.
const DEPTH = 6

/** Prepares the tests of one JSON Schema. The test of each part is prepared once, when it is first needed. */
export function branchTests(root: JsonSchema): (schema: JsonSchema) => BranchTest {
  const tests = new Map<JsonSchema, Test>()
  const testOf = (schema: JsonSchema): Test => {
    const test = tests.get(schema) ?? createTest(root, schema, inner)
    tests.set(schema, test)
    return test
  }
  const inner: TestFactory = (schema) => {
    let test: Test | undefined
    return (value, depth) => depth === 0 || (test ??= testOf(schema))(value, depth - 1)
  }
  return (schema) => (value) => testOf(schema)(value, DEPTH)
}

/** Returns the test of a schema that is one step deeper. */
type TestFactory = (schema: JsonSchema) => Test

function createTest(root: JsonSchema, schema: JsonSchema, inner: TestFactory): Test {
  if (typeof schema === 'boolean') return () => schema
  if (isNever(schema)) return () => false
  const tests = [
    typeTest(schema),
    structureTest(schema),
    literalTest(schema),
    membersTest(schema, inner),
    restTest(schema, inner),
    requiredTest(schema),
    itemsTest(schema, inner),
    ...intersectedSchemas(root, schema).map(inner),
    ...findUnions(schema).map((branches) => anyTest(branches.map(inner))),
    ...excludedSchemas(schema).map((excluded) => noTest(createTest(root, excluded, inner))),
  ].filter((test) => test !== undefined)
  return (value, depth) => {
    const text = toJsonValue(value)
    return tests.every((test) => test(text, depth))
  }
}

/** Returns the schema in `not`, if the test of it is exact. */
function excludedSchemas(schema: SchemaObject): readonly JsonSchema[] {
  const excluded = ownValue(schema, 'not')
  return isJsonSchema(excluded) && isExact(excluded) ? [excluded] : []
}

function noTest(test: Test): Test {
  return (value) => !test(value, DEPTH)
}

function anyTest(tests: readonly Test[]): Test {
  return (value, depth) => tests.some((test) => test(value, depth))
}

const TYPES: ReadonlyMap<unknown, (value: unknown) => boolean> = new Map([
  ['null', (value: unknown) => value === null],
  ['string', (value: unknown) => typeof value === 'string'],
  ['boolean', (value: unknown) => typeof value === 'boolean'],
  ['number', (value: unknown) => typeof value === 'number'],
  ['integer', (value: unknown) => Number.isInteger(value)],
  ['array', (value: unknown) => Array.isArray(value)],
  ['object', isRecord],
])

function typeTest(schema: SchemaObject): Test | undefined {
  const type = ownValue(schema, 'type')
  if (type === undefined) return undefined
  const tests = [type]
    .flat()
    .map((name) => TYPES.get(name))
    .filter((test) => test !== undefined)
  return (value) => tests.some((test) => test(value))
}

function structureTest(schema: SchemaObject): Test | undefined {
  const structures = Object.hasOwn(schema, 'type') ? undefined : readStructures(schema)
  return structures && ((value) => !isObject(value) || structures[toStructure(value)])
}

// Literals that are objects or arrays are compared by other keywords, or not at all.
function literalTest(schema: SchemaObject): Test | undefined {
  const literals = readLiterals(schema)
  if (literals === undefined || literals.some(isObject)) return undefined
  return (value) => literals.includes(value)
}

// JSON omits members that are `undefined`.
function requiredTest(schema: SchemaObject): Test | undefined {
  const keys = ownList(schema, 'required').filter((key) => typeof key === 'string')
  if (keys.length === 0) return undefined
  return (value) => !isRecord(value) || keys.every((key) => ownValue(value, key) !== undefined)
}

function membersTest(schema: SchemaObject, inner: TestFactory): Test | undefined {
  const members = schemasByKey(schema, 'properties').map(([key, member]) => {
    return { key, test: inner(member), isLiteral: isLiteral(member) }
  })
  if (members.length === 0) return undefined
  // Tests discriminators first, because they exclude most branches.
  const ordered = members.toSorted((one, other) => Number(other.isLiteral) - Number(one.isLiteral))
  return (value, depth) =>
    !isRecord(value) ||
    ordered.every(({ key, test }) => ownValue(value, key) === undefined || test(ownValue(value, key), depth))
}

/** Tests the members without a name. Unknown members may be private, so they exclude no branch that does not describe them. */
function restTest(schema: SchemaObject, inner: TestFactory): Test | undefined {
  const restSchema = ownValue(schema, 'additionalProperties')
  const patterns = schemasByPattern(schema).map(([pattern, member]) => [pattern, inner(member)] as const)
  const restOf =
    isRecord(restSchema) && !isNever(restSchema) && Object.keys(restSchema).length > 0 ? inner(restSchema) : undefined
  if (patterns.length === 0 && restOf === undefined) return undefined
  const named = new Set(schemasByKey(schema, 'properties').map(([key]) => key))
  const holds = (key: string, member: unknown, depth: number): boolean => {
    const matching = patterns.filter(([pattern]) => pattern.test(key)).map(([, test]) => test)
    if (matching.length > 0) return matching.every((test) => test(member, depth))
    return named.has(key) || restOf === undefined || restOf(member, depth)
  }
  return (value, depth) =>
    !isRecord(value) ||
    Object.entries(value).every(([key, member]) => member === undefined || holds(key, member, depth))
}

function isLiteral(schema: JsonSchema): boolean {
  return typeof schema === 'object' && (Object.hasOwn(schema, 'const') || Object.hasOwn(schema, 'enum'))
}

function itemsTest(schema: SchemaObject, inner: TestFactory): Test | undefined {
  const first = [...listSchemas(schema, 'prefixItems'), ...listSchemas(schema, 'items')].map(inner)
  const items = ownValue(schema, 'items')
  const rest = isJsonSchema(items) ? inner(items) : undefined
  if (first.length === 0 && rest === undefined) return undefined
  return (value, depth) =>
    !Array.isArray(value) || value.every((item, at) => (first[at] ?? rest)?.(item, depth) !== false)
}
