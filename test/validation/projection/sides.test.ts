/* oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema */
/** Comparison of the two sides of a schema, for schemas that libraries rarely write. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { GapKind } from '#src/validation/gaps.js'
import type { JsonSchema, SchemaObject } from '#src/validation/json-schema.js'
import { isHeld } from '#src/validation/projection/pass-value.js'
import { passer, projector } from '#src/validation/projection/projector.js'
import { compareSides, HELD, UNDESCRIBED, type Sides } from '#src/validation/projection/sides.js'

const text = { type: 'string' }
const user = { type: 'object', properties: { id: text } }
const record = (properties: Record<string, JsonSchema>): SchemaObject => ({ type: 'object', properties })

/** Compares two schemas, in which the listed schemas are gaps. */
function compare(
  output: JsonSchema,
  input?: JsonSchema,
  gaps: readonly (readonly [JsonSchema, GapKind])[] = [],
): Sides {
  return compareSides(output, new Map(gaps), () => ({ schema: input, gaps: new Map(gaps) }))
}

describe('compareSides()', () => {
  it('returns the same schema if the output is described, without reading the input', () => {
    const schema = { ...record({ a: user, b: { anyOf: [text, user] } }), additionalProperties: false }
    const read = (): never => assert.fail('the input was read')
    const { before, unvalidated, after, places } = compareSides(schema, new Map(), read)
    assert.ok(after === schema)
    assert.deepEqual([before, unvalidated, places], [undefined, true, []])
  })

  it('uses the accepted values if the input has no other description', () => {
    const { unvalidated } = compareSides({}, new Map(), (isAccepted) => ({
      schema: isAccepted ? user : undefined,
      gaps: new Map(),
    }))
    assert.deepEqual(unvalidated, user)
  })

  it('has nothing to project before without an input, and for an open input', () => {
    assert.deepEqual(compare(record({ a: {} })).before, undefined)
    assert.deepEqual(compare(record({ a: true }), record({ a: true })).places, [])
    assert.deepEqual(compare(record({ a: {} }), record({ a: {} })).places, [])
    assert.deepEqual(compare(record({ a: {} }), {}).places, [])
  })

  it('rejects a gap without an input', () => {
    const gap = {}
    const { after, places } = compare(record({ a: gap }), undefined, [[gap, 'value']])
    assert.deepEqual(after, record({ a: UNDESCRIBED }))
    assert.deepEqual(places, [{ place: '/a', isRejected: true }])
  })

  it('lists a place once, and as sent if one schema of it is sent', () => {
    const [instance, result] = [{}, {}]
    const output = record({ a: { anyOf: [result, instance] } })
    const { places } = compare(output, record({ a: {} }), [
      [instance, 'scalar'],
      [result, 'result'],
    ])
    assert.deepEqual(places, [{ place: '/a', isRejected: false }])
  })

  it('compares recursive schemas once', () => {
    const output = { $ref: '#/$defs/A', $defs: { A: record({ a: {}, next: { $ref: '#/$defs/A' } }) } }
    const input = { $ref: '#/$defs/A', $defs: { A: record({ a: user, next: { $ref: '#/$defs/A' } }) } }
    const { before, places } = compare(output, input)
    assert.deepEqual(before, input)
    assert.deepEqual(
      places.map(({ place }) => place),
      ['/a', '/next/a'],
    )
  })

  it('finds places in tuples, conditions and unevaluated members', () => {
    const output = {
      ...{ type: 'object', then: record({ b: {} }), dependentSchemas: { a: record({ c: {} }) } },
      ...{
        patternProperties: { '^d': {} },
        unevaluatedProperties: record({ e: { items: [{}], unevaluatedItems: {} } }),
      },
    }
    const { places } = compare(output, user)
    assert.deepEqual(places.map(({ place }) => place).toSorted(), ['/*', '/*/e/*', '/b', '/c'])
  })

  it('finds a gap in the input, in a union and in a referenced schema', () => {
    const gap = {}
    const input = { ...record({ a: gap, b: { anyOf: [user, { $ref: '#/$defs/G' }] } }), $defs: { G: gap, invalid: 5 } }
    const { before, unvalidated } = compare({}, input, [[gap, 'value']])
    assert.deepEqual(Object(before).properties, { a: HELD, b: { anyOf: [user, UNDESCRIBED] } })
    assert.deepEqual(Object(unvalidated).properties.a, UNDESCRIBED)
    assert.equal(projector(record({ a: HELD, b: {} }))?.({ a: {}, c: 1 }) instanceof Object, true)
  })
})

describe('passer()', () => {
  it('notes held objects, and passes open objects and lists', () => {
    const pass = passer(record({ a: HELD, b: { type: 'array' }, c: { type: 'object' } }))
    const held = {}
    const passed = pass?.({ a: held, b: [{}], c: { d: 1 }, e: 1 })
    assert.deepEqual(passed, { value: { a: held, b: [{}], c: { d: 1 } }, held: [held] })
    assert.deepEqual(pass?.({ a: new Date(0) }).held, [])
  })

  it('finds held objects and their copies', () => {
    const held = [{ a: 1, b: {} }, new URL('http://a/'), [1]].map((each) => Object(each))
    const found = [held[0], { a: 1, b: { c: 1 } }, new URL('http://b/'), [1]].map((each) => isHeld(Object(each), held))
    assert.deepEqual(found, [true, true, true, true])
    const others = [{ a: 2, b: {} }, { a: 1, c: {} }, { a: 1, b: 1 }, { a: 1 }, {}, [2], new Date(0)]
    assert.deepEqual(
      others.map((each) => isHeld(each, held)),
      others.map(() => false),
    )
  })

  it('names the place of an object that is not described', () => {
    const pass = passer(record({ a: record({ b: text }) }))
    assert.throws(() => pass?.({ a: { b: {} } }), { path: ['a', 'b'], message: 'must not be an object' })
  })
})
