/** Unions: which alternative a changed one is compared with, and `oneOf` in requests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { breaking } from 'verbena/openapi'
import type { JsonSchema } from 'verbena'
import { content, generateDocument, ofSchema, rulesBetween, testRows, type Part, type Row } from '#test/documents.js'

const text = { type: 'string' }
const whole = { type: 'integer' }
const object = (properties: object, required = Object.keys(properties)): Part => ({
  type: 'object',
  properties,
  required,
})
const kind = (value: string, properties: object = {}): JsonSchema => object({ kind: { const: value }, ...properties })
const list = (items: JsonSchema): Part => ({ type: 'array', items })

const responseRules = (before: JsonSchema, after: JsonSchema): string[] =>
  rulesBetween(ofSchema(before), ofSchema(after)).response
const requestRules = (before: JsonSchema, after: JsonSchema): string[] =>
  rulesBetween(ofSchema(before), ofSchema(after)).request

describe('breaking(): alternatives of a response', () => {
  const CHANGES: readonly (readonly [about: string, before: object, after: object, rule: string])[] = [
    ['another type', { v: text }, { v: whole }, 'property-type-changed'],
    ['one more type', { v: text }, { v: { type: ['string', 'integer'] } }, 'property-list-of-types-widened'],
    ['one more enum value', { v: { enum: ['a'] } }, { v: { enum: ['a', 'b'] } }, 'property-enum-value-added'],
    ['null', { v: text }, { v: { type: ['string', 'null'] } }, 'property-became-nullable'],
    ['a wider bound', { v: { maximum: 1 } }, { v: { maximum: 2 } }, 'property-max-increased'],
    ['another type further down', { v: object({ w: text }) }, { v: object({ w: whole }) }, 'property-type-changed'],
  ]
  for (const keyword of ['anyOf', 'oneOf']) {
    const union = (...branches: JsonSchema[]): JsonSchema => ({ [keyword]: branches })
    for (const [about, before, after, rule] of CHANGES) {
      it(`reports ${about} in one alternative of ${keyword} if another one lacks that property`, () => {
        const siblings = [object({}), object({ other: text }, []), kind('b'), kind('b', { other: text })]
        for (const sibling of siblings) {
          const pair = (one: JsonSchema, other: JsonSchema): void => {
            const wrap = [
              (schema: JsonSchema) => schema,
              (schema: JsonSchema) => object({ data: schema }),
              (schema: JsonSchema) => list(schema),
            ]
            for (const within of wrap) {
              const old = within(union(one, sibling))
              assert.ok(responseRules(old, within(union(other, sibling))).includes(rule))
              assert.ok(responseRules(old, within(union(sibling, other))).includes(rule), 'in another order')
              assert.deepEqual(responseRules(old, within(union(sibling, one))), [], 'the order alone')
            }
          }
          pair(object({ id: text, ...before }), object({ id: text, ...after }))
          pair(kind('a', before), kind('a', after))
        }
      })
    }
  }

  it('compares alternatives with the same constant, even at different positions', () => {
    const before = { anyOf: [kind('a', { v: text }), kind('b', { v: whole }), kind('c', {})] }
    const swapped = { anyOf: [kind('c', {}), kind('b', { v: whole, w: text }), kind('a', { v: text })] }
    assert.deepEqual(responseRules(before, swapped), [])
    const changed = { anyOf: [kind('c', {}), kind('b', { v: text }), kind('a', { v: text })] }
    assert.deepEqual(responseRules(before, changed), ['property-type-changed'])
    const several = { anyOf: [kind('a', { v: text }), kind('a', { w: text })] }
    const oneOfThem = { anyOf: [kind('a', { w: text }), kind('a', { v: whole })] }
    assert.deepEqual(responseRules(several, oneOfThem), ['property-type-changed'])
  })

  it('compares alternatives that are arrays of objects', () => {
    const before = { anyOf: [list(object({ v: text })), list(object({ w: text }, []))] }
    assert.deepEqual(responseRules(before, { anyOf: [list(object({ w: text }, [])), list(object({ v: whole }))] }), [
      'property-type-changed',
    ])
  })

  it('lets a new alternative without a counterpart match any alternative', () => {
    const before = { anyOf: [kind('a', { v: text }), object({})] }
    const more = { anyOf: [kind('a', { v: text }), object({}), object({ w: text })] }
    assert.deepEqual(responseRules(before, more), [])
    const closed = { anyOf: [kind('a', { v: text }), kind('b')] }
    assert.deepEqual(responseRules(closed, { anyOf: [kind('a', { v: text }), kind('b'), kind('c')] }), [
      'body-any-of-added',
    ])
    assert.deepEqual(responseRules(closed, kind('b')), [])
  })

  it('reports nothing if another alternative has all properties of the changed one', () => {
    const before = { anyOf: [object({ v: text }), object({ v: { type: ['string', 'integer'] } })] }
    const after = { anyOf: [object({ v: whole }), object({ v: { type: ['string', 'integer'] } })] }
    assert.deepEqual(responseRules(before, after), [])
  })

  it('reports a changed type even if the property is deprecated', () => {
    const old = object({ v: { ...text, deprecated: true } })
    const now = object({ v: { ...whole, deprecated: true } })
    assert.deepEqual(responseRules({ anyOf: [old, object({})] }, { anyOf: [now, object({})] }), [
      'property-type-changed',
    ])
  })
})

describe('breaking(): oneOf in a request', () => {
  const OVERLAPS: readonly (readonly [about: string, a: JsonSchema, b: JsonSchema])[] = [
    ['numbers and integers', { type: 'number' }, whole],
    ['objects without required properties', object({ a: text }, []), object({ b: text }, [])],
    ['objects with different required properties', object({ a: text }), object({ b: text })],
    ['the same enum value', { enum: ['a', 'b'] }, { enum: ['b', 'c'] }],
    ['a string and one of its values', text, { const: 'a' }],
    ['ranges that share a value', { ...whole, maximum: 5 }, { ...whole, minimum: 5 }],
    ['arrays that may be empty', list(text), list(whole)],
    ['arrays of the same items', { ...list(text), minItems: 1 }, list({ minLength: 1 })],
    ['patterns', { ...text, pattern: '^a' }, { ...text, pattern: 'b$' }],
    ['properties of any name', object({ a: text }), { type: 'object', additionalProperties: text }],
    ['required properties without a schema', { type: 'object', required: ['a'] }, { type: 'object', required: ['b'] }],
  ]
  for (const [about, a, b] of OVERLAPS) {
    it(`reports an anyOf that becomes a oneOf: ${about}`, () => {
      for (const within of [(schema: JsonSchema) => schema, (schema: JsonSchema) => object({ data: schema })]) {
        const rules = requestRules(within({ anyOf: [a, b] }), within({ oneOf: [a, b] }))
        assert.match(rules.join(), /^(body|property)-one-of-overlap-added$/)
        assert.deepEqual(responseRules(within({ anyOf: [a, b] }), within({ oneOf: [a, b] })), [])
        assert.deepEqual(requestRules(within({ oneOf: [a, b] }), within({ oneOf: [b, a] })), [])
        assert.deepEqual(requestRules(within({ oneOf: [a, b] }), within({ anyOf: [a, b] })), [])
      }
    })
    it(`reports an alternative that is added to a oneOf: ${about}`, () => {
      assert.deepEqual(requestRules({ oneOf: [a] }, { oneOf: [a, b] }), ['body-one-of-overlap-added'])
      assert.deepEqual(requestRules(a, { oneOf: [a, b] }), ['body-one-of-overlap-added'])
    })
  }

  const DISJOINT: readonly (readonly [about: string, a: JsonSchema, b: JsonSchema])[] = [
    ['types', text, whole],
    ['null', text, { type: 'null' }],
    ['constants of a property', kind('a', { v: text }), kind('b')],
    ['types of a required property', object({ a: text, b: text }, ['a']), object({ a: whole }, [])],
    ['values', { enum: ['a'] }, { enum: ['b'] }],
    ['values beyond a bound', { ...text, minLength: 3 }, { enum: ['a', 'bb'] }],
    ['ranges', { ...whole, maximum: 5 }, { ...whole, minimum: 6 }],
    [
      'ranges of which one excludes the common value',
      { type: 'number', exclusiveMaximum: 5 },
      { minimum: 5, type: 'number' },
    ],
    ['lengths', { ...text, maxLength: 5 }, { ...text, minLength: 6 }],
    ['counts', { ...list(text), maxItems: 1 }, { ...list(text), minItems: 2 }],
    ['items', { ...list(text), minItems: 1 }, list(whole)],
    ['numbers of properties', { type: 'object', maxProperties: 1 }, { type: 'object', minProperties: 2 }],
    [
      'a required property that the other one forbids',
      object({ a: text }),
      { ...object({ b: text }, []), additionalProperties: false },
    ],
    ['formats', { ...text, format: 'date' }, { ...text, format: 'uuid' }],
  ]
  for (const [about, a, b] of DISJOINT) {
    it(`reports nothing if no value matches two alternatives: ${about}`, () => {
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const) {
        assert.deepEqual(requestRules({ anyOf: [one, other] }, { oneOf: [one, other] }), [])
        assert.deepEqual(requestRules(one, { oneOf: [one, other] }), [])
      }
    })
  }

  it('reports nothing if only new values match two alternatives', () => {
    assert.deepEqual(requestRules(text, { oneOf: [text, whole, { type: 'number' }] }), [])
    assert.deepEqual(
      requestRules(
        { oneOf: [object({ a: text }), object({ b: text })] },
        { oneOf: [object({ a: text, c: text }, ['a']), object({ b: text })] },
      ),
      [],
    )
  })

  it('reports an alternative that is wider than before', () => {
    const a = { ...whole, maximum: 9 }
    assert.deepEqual(requestRules({ oneOf: [a, { ...whole, minimum: 9 }] }, { oneOf: [a, { ...whole, minimum: 5 }] }), [
      'body-one-of-overlap-added',
    ])
  })

  it('compares recursive alternatives', () => {
    const node = (name: string, required: string[]): JsonSchema =>
      object({ [name]: { $ref: '#/components/schemas/Tree' } }, required)
    const tree = (keyword: string, required: readonly string[]): object => {
      const branches = ['a', 'b'].map((name) => node(name, required.includes(name) ? [name] : []))
      const schemas = { Tree: { [keyword]: branches } }
      return generateDocument(
        { requestBody: content({ $ref: '#/components/schemas/Tree' }), responses: {} },
        { components: { schemas } },
      )
    }
    for (const required of [[], ['a'], ['a', 'b']]) {
      const rules = breaking(tree('anyOf', required), tree('oneOf', required)).map(({ rule }) => rule)
      assert.ok(rules.includes('request-body-one-of-overlap-added'))
      assert.deepEqual(breaking(tree('oneOf', required), tree('oneOf', required)), [])
    }
  })
})

const card = kind('card', { number: text })
const ROWS: readonly Row[] = [
  [
    'a constant of an alternative',
    { oneOf: [card, kind('cash')] },
    { oneOf: [card, kind('cheque')] },
    { request: ['property-const-changed'], response: ['property-const-changed'] },
    { request: ['property-const-changed'], response: ['property-const-changed'] },
  ],
  [
    'an alternative that nothing has in common with',
    { anyOf: [card, object({ a: text })] },
    { anyOf: [card, object({ b: text })] },
    { request: ['body-any-of-removed'], response: ['body-any-of-added'] },
    { request: ['body-any-of-removed'], response: ['body-any-of-added'] },
  ],
  ['a oneOf for an anyOf', { anyOf: [card, text] }, { oneOf: [card, text] }, {}, {}],
]
testRows('alternatives', ROWS)
