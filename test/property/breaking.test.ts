/** `breaking()` on documents of real apps and on generated documents: equal documents, allowed additions, and detection of changes. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { breaking } from 'verbena/openapi'
import { ofSchema, type Part } from '#test/documents.js'
import { fullApp, VERSIONS } from '#test/full-app.js'
import type { JsonSchema } from 'verbena'

const SEEDS = VERSIONS.map((version) => fullApp().openapi({ version }))

/** Yields all objects in a value, with the path of keys to each. */
function* partsOf(
  value: unknown,
  keys: readonly string[] = [],
): Generator<readonly [keys: readonly string[], part: object]> {
  if (typeof value !== 'object' || value === null) return
  yield [keys, value]
  for (const [key, inner] of Object.entries(value)) yield* partsOf(inner, [...keys, key])
}

/** Returns the paths to all object schemas in a document. */
function objectsIn(document: object): (readonly string[])[] {
  return [...partsOf(document)].filter(([, part]) => 'properties' in part && 'type' in part).map(([keys]) => keys)
}

/** Copies a document and changes the part at a path. */
function changed(document: object, [key, ...keys]: readonly string[], change: (part: Part) => Part): Part {
  const copy: Record<string, unknown> = { ...document }
  if (key === undefined) return change(copy)
  const inner = Object(copy[key])
  const made = changed(inner, keys, change)
  return { ...copy, [key]: Array.isArray(inner) ? Object.assign([...inner], made) : made }
}

/** Copies a document and renames all components. */
function renamed(document: object): Part {
  const { components, ...rest } = JSON.parse(JSON.stringify(document), (key, value: unknown) => {
    if (key === '$ref') return String(value).replace(/[^/]+$/, 'Other_$&')
    if (key !== 'security' || !Array.isArray(value)) return value
    return value.map((schemes: object) => otherNames(schemes))
  })
  const kinds = Object.entries<object>(components).map(([kind, parts]) => [kind, otherNames(parts)])
  return { ...rest, components: Object.fromEntries(kinds) }
}

function otherNames(record: object): Part {
  return Object.fromEntries(Object.entries(record).map(([name, part]) => [`Other_${name}`, part]))
}

describe('documents of real apps', () => {
  it('reports no change between equal documents, even if components are renamed', () => {
    for (const seed of SEEDS) {
      assert.deepEqual(breaking(seed, seed), [])
      const other = renamed(seed)
      assert.notDeepEqual(other, seed)
      assert.deepEqual([breaking(seed, other), breaking(other, seed)], [[], []])
    }
  })

  it('allows new optional properties anywhere, but reports removed ones', () => {
    for (const seed of SEEDS) {
      const objects = objectsIn(seed)
      assert.ok(objects.length > 5)
      for (const keys of objects) {
        const extra = { extra: { type: 'string' } }
        const more = changed(seed, keys, (part) => ({
          ...part,
          properties: { ...Object(part['properties']), ...extra },
        }))
        assert.deepEqual(breaking(seed, more), [], keys.join('/'))
        const [first] = breaking(more, seed)
        assert.match(String(first?.rule), /^(request-property|response-optional-property)-removed$/, keys.join('/'))
      }
    }
  })

  it('reports a removed operation, parameter or success response, and a new required parameter', () => {
    for (const seed of SEEDS) {
      for (const [path, item] of Object.entries(seed.paths)) {
        for (const [method, operation] of Object.entries(item)) {
          const keys = ['paths', path, method]
          const without = changed(seed, keys.slice(0, 2), ({ [method]: _, ...others }) => others)
          const isGone = breaking(seed, without, { now: '2131-01-01' }).map((change) => [
            change.path,
            change.method.toLowerCase(),
          ])
          assert.deepEqual(isGone, operation.deprecated ? [] : [[path, method]])
          const required = { name: 'extra', in: 'query', required: true, schema: {} }
          const asking = changed(seed, keys, (part) => ({
            ...part,
            parameters: [required, ...(operation.parameters ?? [])],
          }))
          assert.deepEqual(
            breaking(seed, asking).map(({ rule }) => rule),
            ['new-required-request-parameter'],
          )
          assert.deepEqual(
            breaking(asking, seed).map(({ rule }) => rule),
            ['request-parameter-removed'],
          )
          const silent = changed(seed, keys, (part) => ({ ...part, responses: {} }))
          assert.ok(breaking(seed, silent).some(({ rule }) => rule === 'response-success-status-removed'))
        }
      }
    }
  })
})

const to = (name: string): Part => ({ $ref: `#/components/schemas/${name}` })
const leaf = fc.constantFrom<JsonSchema>(
  ...[{ type: 'string' }, { type: ['integer', 'null'] }, { enum: ['a', 'ab', 1] }, { const: 'a' }, {}, true, false],
  ...[{ type: 'number', minimum: 1 }, { type: 'string', minLength: 2 }, { type: 'null' }, { exclusiveMaximum: 1 }],
)
const objectOf = (inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> =>
  fc
    .tuple(fc.dictionary(fc.constantFrom('a', 'b'), inner, { noNullPrototype: true }), fc.subarray(['a', 'b']))
    .map(([properties, required]) => ({ type: 'object', properties, required }))
const arrayOf = (inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema> =>
  inner.map((items) => ({ type: 'array', items }))
const branches = (inner: fc.Arbitrary<JsonSchema>): fc.Arbitrary<JsonSchema[]> =>
  fc.array(inner, { minLength: 1, maxLength: 3 })
const { shape } = fc.letrec<{ shape: JsonSchema }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc.constantFrom('A', 'B').map(to),
    objectOf(tie('shape')),
    arrayOf(tie('shape')),
    branches(tie('shape')).map((anyOf) => ({ anyOf })),
    // Without references: a recursive oneOf accepts more if its alternatives accept less.
    branches(fc.oneof(leaf, objectOf(leaf), arrayOf(leaf))).map((oneOf) => ({ oneOf })),
  ),
}))
const documentWith = ([root, A, B]: readonly [JsonSchema, JsonSchema, JsonSchema]): Part =>
  ofSchema(root, { components: { schemas: { A, B } } })
const documents = fc.tuple(shape, shape, shape).map(documentWith)
/** Three documents that differ in one schema each. */
const relatives = fc
  .tuple(shape, shape, shape, shape)
  .map(([root, A, B, other]) => [
    documentWith([root, A, B]),
    documentWith([other, A, B]),
    documentWith([root, other, B]),
  ])

const { value: values } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 2 },
    fc.constantFrom<unknown>(null, true, 0, 1, 2, 0.5, '', 'a', 'ab', 'abc'),
    fc.array(tie('value'), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom('a', 'b'), tie('value'), { noNullPrototype: true }),
  ),
}))

/** How strictly to read a schema: whether to reject undeclared properties, and whether to treat `oneOf` as `anyOf`. */
interface Reading {
  readonly isClosed: boolean
  readonly isAnyOf: boolean
}

/** Whether a value is valid against a schema. A slow validator that supports only the keywords in `shape`. */
function follows(document: Part, schema: unknown, value: unknown, reading: Reading, depth = 0): boolean {
  // A schema that only refers to itself accepts every value.
  if (schema === true || depth > 20) return true
  if (schema === false) return false
  const { $ref, type, enum: list, const: one, minimum, exclusiveMaximum, minLength, ...rest } = Object(schema)
  const inner = (other: unknown, at: unknown, next = 0): boolean => follows(document, other, at, reading, next)
  if (typeof $ref === 'string') return inner(Object(document['components']).schemas[$ref.slice(-1)], value, depth + 1)
  const countIn = (union: unknown[]): number => union.filter((branch) => inner(branch, value, depth + 1)).length
  if (rest.anyOf !== undefined && countIn(rest.anyOf) === 0) return false
  if (rest.oneOf !== undefined && (reading.isAnyOf ? countIn(rest.oneOf) === 0 : countIn(rest.oneOf) !== 1))
    return false
  if (type !== undefined && ![type].flat().some((name) => isOf(name, value))) return false
  if (list !== undefined && !list.includes(value)) return false
  if (one !== undefined && one !== value) return false
  if (typeof value === 'number' && (value < (minimum ?? -9) || value >= (exclusiveMaximum ?? 9))) return false
  if (typeof value === 'string' && value.length < (minLength ?? 0)) return false
  if (Array.isArray(value)) return value.every((item) => inner(rest.items ?? true, item))
  if (typeof value !== 'object' || value === null || rest.properties === undefined) return true
  const hasAll = (rest.required ?? []).every((name: string) => Object.hasOwn(value, name))
  return (
    hasAll && Object.entries(value).every(([name, each]) => inner(rest.properties[name] ?? !reading.isClosed, each))
  )
}

function isOf(type: unknown, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

const RUNS = 200
const scalar = fc.constantFrom('string', 'integer', 'boolean')

describe('generated documents', () => {
  it('reports no change between equal documents, even if components are renamed', () => {
    fc.assert(
      fc.property(documents, (document) => {
        assert.deepEqual(breaking(document, document), [])
        assert.deepEqual(breaking(document, renamed(document)), [])
        assert.deepEqual(breaking(renamed(document), document), [])
      }),
      { numRuns: 300 },
    )
  })

  it('reports nothing only if the same requests stay valid and no new responses are possible', () => {
    const rootOf = (document: Part): unknown =>
      Object(document['paths'])['/a'].post.requestBody.content['application/json'].schema
    let silent = 0
    const check = (before: Part, after: Part, given: readonly unknown[]): void => {
      const rules = breaking(before, after).map(({ rule }) => rule)
      const isSilent = (side: string): boolean => !rules.some((rule) => rule.includes(side))
      for (const value of given) {
        const isIn = (document: Part, isClosed: boolean, isAnyOf: boolean): boolean =>
          follows(document, rootOf(document), value, { isClosed, isAnyOf })
        // Clients send and read the properties that they know, whichever alternative declares them.
        if (isSilent('request') && isIn(before, false, false) && isIn(before, true, true))
          assert.ok(isIn(after, false, false), `${JSON.stringify(value)} is no longer accepted`)
        if (isSilent('response') && isIn(after, true, true))
          assert.ok(isIn(before, false, true), `${JSON.stringify(value)} is new`)
      }
      if (isSilent('request') || isSilent('response')) silent++
    }
    const lists = fc.array(values, { minLength: 20, maxLength: 30 })
    fc.assert(
      fc.property(relatives, lists, (versions, given) => {
        for (const before of versions) for (const after of versions) check(before, after, given)
      }),
      { numRuns: RUNS },
    )
    assert.ok(silent > 200, `only ${silent} reported no change`)
  })

  it('reports each change of a property in an alternative of a response', () => {
    const kinds = fc.constantFrom('p', 'q', 'r', undefined)
    const alternatives = fc.array(fc.tuple(kinds, fc.dictionary(fc.constantFrom('a', 'b', 'c'), scalar)), {
      minLength: 2,
      maxLength: 4,
    })
    const changes = fc.tuple(alternatives, fc.nat(), fc.constantFrom('anyOf', 'oneOf'), fc.boolean())
    let changed = 0
    fc.assert(
      fc.property(changes, ([branches, at, keyword, isReversed]) => {
        const position = at % branches.length
        const union = (list: readonly Alternative[]): Part => {
          const shown = list.map(toObject)
          return ofSchema({ [keyword]: isReversed ? shown.toReversed() : shown })
        }
        const other = branches.map((branch, index) => (index === position ? withOtherTypes(branch) : branch))
        // An alternative that another one also describes is not new.
        const isUnique = branches.every(
          (branch, index) => index === position || !isDescribedBy(other[position], branch),
        )
        if (!isUnique || Object.keys(branches[position]?.[1] ?? {}).length === 0) return
        changed++
        const old = ofSchema({ [keyword]: branches.map(toObject) })
        const rules = breaking(old, union(other)).map(({ rule }) => rule)
        assert.ok(
          rules.some((rule) => rule.startsWith('response')),
          JSON.stringify([branches, other]),
        )
        const inOrder = breaking(old, union(branches)).map(({ rule }) => rule)
        assert.deepEqual(
          inOrder.filter((rule) => rule.startsWith('response')),
          [],
        )
      }),
      { numRuns: 500 },
    )
    assert.ok(changed > 100, `only ${changed} had a changed alternative`)
  })
})

/** An alternative of a response: the constant of its property `kind`, and the types of its other properties. */
type Alternative = readonly [kind: string | undefined, types: Readonly<Record<string, string>>]

function toObject([kind, types]: Alternative): JsonSchema {
  const properties = Object.fromEntries(Object.entries(types).map(([name, type]) => [name, { type }]))
  const tag = kind === undefined ? {} : { kind: { const: kind } }
  return { type: 'object', properties: { ...tag, ...properties }, required: Object.keys({ ...tag, ...properties }) }
}

function withOtherTypes([kind, types]: Alternative): Alternative {
  return [kind, Object.fromEntries(Object.keys(types).map((name) => [name, 'array']))]
}

/** Whether all properties of an alternative are properties of the other one, with the same type. */
function isDescribedBy(one: Alternative | undefined, [kind, types]: Alternative): boolean {
  const [tag, others = {}] = one ?? []
  return tag === kind && Object.entries(others).every(([name, type]) => types[name] === type)
}
