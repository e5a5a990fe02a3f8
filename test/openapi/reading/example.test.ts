import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buildExample } from '#src/openapi/reading/example.js'
import { LINKED, ref } from '#test/linked-document.js'

describe('buildExample()', () => {
  const ROWS: readonly (readonly [schema: unknown, value: unknown])[] = [
    [{ example: 1, default: 2 }, 1],
    [{ examples: ['x'] }, 'x'],
    [{ default: false }, false],
    [{ const: null }, null],
    [{ enum: ['a', 'b'] }, 'a'],
    [{ type: 'string', format: 'uuid' }, '7f9c24e8-3b1a-4f5d-9c2e-1a2b3c4d5e6f'],
    [{ type: 'string', minLength: 6 }, 'textxx'],
    [{ type: 'integer', minimum: 13 }, 13],
    [{ type: 'number', exclusiveMinimum: 1 }, 2],
    [{ type: 'number', minimum: -5 }, 0],
    [{ type: 'boolean' }, false],
    [{ type: ['string', 'null'] }, 'text'],
    [{ type: 'array', items: { type: 'boolean' } }, [false]],
    [{ type: 'array' }, []],
    [{ type: 'null' }, null],
    [{}, null],
    [{ anyOf: [{ type: 'integer' }] }, 0],
    [{ oneOf: [{ type: 'boolean' }] }, false],
    [{ properties: { a: { type: 'string' } } }, { a: 'text' }],
    [
      { allOf: [{ properties: { a: { const: 1 } } }, { type: 'string' }], properties: { b: { const: 2 } } },
      { a: 1, b: 2 },
    ],
  ]
  for (const [schema, value] of ROWS) {
    it(`builds ${JSON.stringify(value)} from ${JSON.stringify(schema)}`, () => {
      assert.deepEqual(buildExample(LINKED, schema), value)
    })
  }

  it('limits the depth and size of examples of recursive schemas', () => {
    const names = Array.from({ length: 12 }, (_, index) => `part${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, ref('Node')]))
    const document = { components: { schemas: { Node: { type: 'object', properties } } } }
    const text = JSON.stringify(buildExample(document, ref('Node')))
    assert.ok(text.length < 10_000, String(text.length))
    assert.match(text, /"part11":\{"part0":null[^{]*"part11":null\}\}$/)
  })

  it('replaces values beyond the size limit of an object with null', () => {
    const members = Array.from({ length: 2_000 }, (_, index) => [`m${index}`, { type: 'boolean' }])
    const example = Object(buildExample({}, { properties: Object.fromEntries(members) }))
    assert.deepEqual([example.m0, example.m1999], [false, null])
  })

  it('ends recursion of circular schemas', () => {
    assert.match(JSON.stringify(buildExample(LINKED, ref('User'))), /^\{"id":0,"boss":\{"id":0,.*null/)
    assert.equal(typeof buildExample(LINKED, ref('Self')), 'object')
  })
})

describe('buildExample(): limits', () => {
  it('returns values that their schema accepts', () => {
    const ROWS: readonly (readonly [schema: object, example: unknown])[] = [
      [{ type: 'integer', minimum: 3 }, 3],
      [{ type: 'integer', maximum: -3 }, -3],
      [{ type: 'integer', minimum: 5, multipleOf: 4 }, 8],
      [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 0.5 }, 0.25],
      [{ type: 'integer', exclusiveMinimum: 0 }, 1],
      [{ type: 'string', maxLength: 2 }, 'te'],
      [{ type: 'string', minLength: 6 }, 'textxx'],
      [{ type: 'array', items: { type: 'boolean' }, minItems: 2 }, [false, false]],
      [{ type: 'array', items: { type: 'boolean' }, maxItems: 0 }, []],
      [
        { properties: { a: { type: 'boolean' } }, oneOf: [{ properties: { b: { const: 1 } } }] },
        { a: false, b: 1 },
      ],
    ]
    for (const [schema, example] of ROWS) assert.deepEqual(buildExample({}, schema), example)
  })
})
