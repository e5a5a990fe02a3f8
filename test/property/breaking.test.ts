/** Comparisons of documents, of real apps and generated ones: what is the same, what may be added, and what never goes unseen. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { breaking } from 'verbena/openapi'
import { ofSchema, type Part } from '#test/documents.js'
import { fullApp, VERSIONS } from '#test/full-app.js'
import type { JsonSchema } from 'verbena'

const SEEDS = VERSIONS.map((version) => fullApp().openapi({ version }))

/** All objects in a value, with the keys that lead to them. */
function* partsOf(
  value: unknown,
  keys: readonly string[] = [],
): Generator<readonly [keys: readonly string[], part: object]> {
  if (typeof value !== 'object' || value === null) return
  yield [keys, value]
  for (const [key, inner] of Object.entries(value)) yield* partsOf(inner, [...keys, key])
}

/** Where schemas of objects stand. */
function objectsIn(document: object): (readonly string[])[] {
  return [...partsOf(document)].filter(([, part]) => 'properties' in part && 'type' in part).map(([keys]) => keys)
}

/** A copy in which the part at some keys is another one. */
function changed(document: object, [key, ...keys]: readonly string[], change: (part: Part) => Part): Part {
  const copy: Record<string, unknown> = { ...document }
  if (key === undefined) return change(copy)
  const inner = Object(copy[key])
  const made = changed(inner, keys, change)
  return { ...copy, [key]: Array.isArray(inner) ? Object.assign([...inner], made) : made }
}

/** The same document with other names for all components. */
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
  it('break nothing of themselves, under other names either', () => {
    for (const seed of SEEDS) {
      assert.deepEqual(breaking(seed, seed), [])
      const other = renamed(seed)
      assert.notDeepEqual(other, seed)
      assert.deepEqual([breaking(seed, other), breaking(other, seed)], [[], []])
    }
  })

  it('may get optional members anywhere, and may not lose them', () => {
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

  it('may lose no operation, no parameter and no answer with success, and none may ask for more', () => {
    for (const seed of SEEDS) {
      for (const [path, item] of Object.entries(seed.paths)) {
        for (const [method, operation] of Object.entries(item)) {
          const keys = ['paths', path, method]
          const without = changed(seed, keys.slice(0, 2), ({ [method]: _, ...others }) => others)
          const isGone = breaking(seed, without).map((change) => [change.path, change.method.toLowerCase()])
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
const { shape } = fc.letrec<{ shape: JsonSchema }>((tie) => ({
  shape: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom<JsonSchema>(
      ...[{ type: 'string' }, { type: ['integer', 'null'] }, { enum: ['a', 'ab', 1] }, { const: 'a' }, {}, true, false],
      ...[{ type: 'number', minimum: 1 }, { type: 'string', minLength: 2 }, { type: 'null' }, { exclusiveMaximum: 1 }],
    ),
    fc.constantFrom('A', 'B').map(to),
    fc
      .tuple(fc.dictionary(fc.constantFrom('a', 'b'), tie('shape'), { noNullPrototype: true }), fc.subarray(['a', 'b']))
      .map(([properties, required]) => ({ type: 'object', properties, required })),
    tie('shape').map((items) => ({ type: 'array', items })),
    fc.array(tie('shape'), { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
  ),
}))
const documentWith = ([root, A, B]: readonly [JsonSchema, JsonSchema, JsonSchema]): Part =>
  ofSchema(root, { components: { schemas: { A, B } } })
const documents = fc.tuple(shape, shape, shape).map(documentWith)
/** Documents that have most in common. */
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

/** Whether a value follows a schema, slowly; what is left out of `shape` it does not know. `isClosed`: without members that it does not name. */
function follows(document: Part, schema: unknown, value: unknown, isClosed: boolean, depth = 0): boolean {
  // What leads to nothing but itself takes everything.
  if (schema === true || depth > 20) return true
  if (schema === false) return false
  const { $ref, type, enum: list, const: one, anyOf, minimum, exclusiveMaximum, minLength, ...rest } = Object(schema)
  const inner = (other: unknown, at: unknown, next = 0): boolean => follows(document, other, at, isClosed, next)
  if (typeof $ref === 'string') return inner(Object(document['components']).schemas[$ref.slice(-1)], value, depth + 1)
  if (anyOf !== undefined && !anyOf.some((branch: unknown) => inner(branch, value, depth + 1))) return false
  if (type !== undefined && ![type].flat().some((name) => isOf(name, value))) return false
  if (list !== undefined && !list.includes(value)) return false
  if (one !== undefined && one !== value) return false
  if (typeof value === 'number' && (value < (minimum ?? -9) || value >= (exclusiveMaximum ?? 9))) return false
  if (typeof value === 'string' && value.length < (minLength ?? 0)) return false
  if (Array.isArray(value)) return value.every((item) => inner(rest.items ?? true, item))
  if (typeof value !== 'object' || value === null || rest.properties === undefined) return true
  const hasAll = (rest.required ?? []).every((name: string) => Object.hasOwn(value, name))
  return hasAll && Object.entries(value).every(([name, each]) => inner(rest.properties[name] ?? !isClosed, each))
}

function isOf(type: unknown, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return typeof value === 'object' && value !== null && !Array.isArray(value)
  return type === 'integer' ? Number.isInteger(value) : typeof value === type
}

const RUNS = 200

describe('generated documents', () => {
  it('break nothing of themselves, under other names either', () => {
    fc.assert(
      fc.property(documents, (document) => {
        assert.deepEqual(breaking(document, document), [])
        assert.deepEqual(breaking(document, renamed(document)), [])
        assert.deepEqual(breaking(renamed(document), document), [])
      }),
      { numRuns: 300 },
    )
  })

  it('take what they took, and answer what they answered, where nothing is found', () => {
    const rootOf = (document: Part): unknown =>
      Object(document['paths'])['/a'].post.requestBody.content['application/json'].schema
    let silent = 0
    const check = (before: Part, after: Part, given: readonly unknown[]): void => {
      const rules = breaking(before, after).map(({ rule }) => rule)
      const isSilent = (side: string): boolean => !rules.some((rule) => rule.includes(side))
      for (const value of given) {
        const was = (isClosed: boolean): boolean => follows(before, rootOf(before), value, isClosed)
        const is = (isClosed: boolean): boolean => follows(after, rootOf(after), value, isClosed)
        if (isSilent('request') && was(true)) assert.ok(is(false), `${JSON.stringify(value)} is not taken any more`)
        if (isSilent('response') && is(true)) assert.ok(was(false), `${JSON.stringify(value)} is new`)
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
    assert.ok(silent > 200, `only ${silent} had nothing to report`)
  })
})
