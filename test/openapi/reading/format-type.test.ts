import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { describeType, formatType } from '#src/openapi/reading/format-type.js'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const DOCUMENT = { components: { schemas: { User: { type: 'object' } } } }

describe('formatType()', () => {
  const ROWS: readonly (readonly [schema: unknown, text: string])[] = [
    [{ type: 'string', format: 'email' }, 'string, email'],
    [{ type: 'string', format: 'email', pattern: String.raw`^[^@]+@[^@]+$` }, 'string, email'],
    [{ enum: ['admin', 'member'] }, '"admin" | "member"'],
    [{ const: 7 }, '7'],
    [{ type: 'integer', minimum: 13, maximum: Number.MAX_SAFE_INTEGER }, 'integer, ≥ 13'],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 'number, > 0, < 1'],
    [
      { type: 'string', minLength: 1, maxLength: 80, pattern: '^a' },
      'string, at least 1 character, at most 80 characters, /^a/',
    ],
    [{ type: 'integer', default: 20 }, 'integer, default 20'],
    [{ type: 'string', default: '' }, 'string, default ""'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'array', items: { type: 'string' }, minItems: 1 }, 'string[], at least 1'],
    [{ type: 'array', items: { enum: [1, 2] } }, '(1 | 2)[]'],
    [{ type: 'array' }, 'any[]'],
    [{ type: 'array', maxItems: 9 }, 'any[], at most 9'],
    [{ type: 'number', maximum: 5 }, 'number, ≤ 5'],
    [{ anyOf: [{ enum: ['a'] }, { const: 1 }] }, '"a" | 1'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ oneOf: [ref('User'), { type: 'null' }] }, 'User | null'],
    [ref('User'), 'User'],
    [{ type: 'object', additionalProperties: ref('User') }, '{ [key]: User }'],
    [{ type: ['array', 'null'], items: { type: 'string' } }, 'string[] | null'],
    [{ allOf: [ref('User'), { type: 'object' }] }, 'User & object'],
    [{ type: 'string', nullable: true }, 'string | null'],
    [{ type: 'number', minimum: 0, exclusiveMinimum: true }, 'number, > 0'],
    [{ type: 'number', multipleOf: 5 }, 'number, multiple of 5'],
    [{ enum: [{ a: [1] }] }, '{ "a": [ 1 ] }'],
    [{ contentMediaType: '*/*' }, 'file, any type'],
    [{ $ref: 'other.yaml#/Tea' }, 'Tea'],
    [{}, 'any'],
    [undefined, 'any'],
  ]
  for (const [schema, text] of ROWS) {
    it(`returns ${text}`, () => assert.equal(formatType(DOCUMENT, schema), text))
  }

  it('limits depth, number of choices, and length of values', () => {
    const deep = Array.from({ length: 20 }).reduce<object>((items) => ({ type: 'array', items }), {})
    assert.equal(formatType({}, deep), `…${'[]'.repeat(9)}`)
    const choices = Array.from({ length: 40 }, (_, index) => index)
    assert.match(formatType({}, { enum: choices }), / \| 29 \| …$/)
    assert.match(formatType({}, { const: 'x'.repeat(10_000) }), /^"x{78}…$/)
    const large = { const: { text: 'x'.repeat(10_000) } }
    assert.equal(formatType({}, large), formatType({}, { ...large }))
    assert.equal(formatType({}, large).length, 80)
  })
})

describe('describeType()', () => {
  it('marks names of schemas, and bounds', () => {
    assert.deepEqual(describeType(DOCUMENT, { type: 'array', items: ref('User'), maxItems: 2 }), [
      { text: 'User', isName: true },
      { text: '[]' },
      { text: ', at most 2', isLimit: true },
    ])
  })
})
