/** Examples of schemas, and what they refer to. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exampleOf } from '#src/devconsole/serve/example.js'
import { resolve } from '#src/devconsole/wire/json-schema.js'

const DOCUMENT = {
  components: {
    schemas: {
      Name: { type: 'string', minLength: 1, description: 'What it is called' },
      User: {
        type: 'object',
        required: ['id'],
        properties: {
          id: { type: 'integer' },
          boss: { $ref: '#/components/schemas/User' },
          name: { $ref: '#/components/schemas/Name' },
        },
      },
      Admin: { allOf: [{ $ref: '#/components/schemas/User' }, { properties: { level: { enum: [1, 2] } } }] },
      Loop: { $ref: '#/components/schemas/Loop' },
      Self: { allOf: [{ $ref: '#/components/schemas/Self' }] },
      'a/b~c': { type: 'null' },
    },
  },
}
const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

describe('resolve()', () => {
  it('follows references, escaped ones too', () => {
    assert.equal(resolve(DOCUMENT, ref('Name'))['minLength'], 1)
    assert.deepEqual(resolve(DOCUMENT, ref('a~1b~0c')), { type: 'null' })
  })

  it('gives up on circles, other files, and what is not there', () => {
    for (const schema of [ref('Loop'), { $ref: 'other.json' }, ref('constructor'), ref('None'), null, 5, []]) {
      assert.deepEqual(resolve(DOCUMENT, schema), {}, JSON.stringify(schema))
    }
  })
})

describe('exampleOf()', () => {
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
    it(`makes ${JSON.stringify(value)} of ${JSON.stringify(schema)}`, () => {
      assert.deepEqual(exampleOf(DOCUMENT, schema), value)
    })
  }

  it('goes less deep where many schemas name each other, and is never large', () => {
    const names = Array.from({ length: 12 }, (_, index) => `part${index}`)
    const properties = Object.fromEntries(names.map((name) => [name, ref('Node')]))
    const document = { components: { schemas: { Node: { type: 'object', properties } } } }
    const text = JSON.stringify(exampleOf(document, ref('Node')))
    assert.ok(text.length < 10_000, String(text.length))
    assert.match(text, /"part11":\{"part0":null[^{]*"part11":null\}\}$/)
  })

  it('ends with what there is room for in one large object', () => {
    const members = Array.from({ length: 2_000 }, (_, index) => [`m${index}`, { type: 'boolean' }])
    const example = Object(exampleOf({}, { properties: Object.fromEntries(members) }))
    assert.deepEqual([example.m0, example.m1999], [false, null])
  })

  it('ends in a circle', () => {
    assert.match(JSON.stringify(exampleOf(DOCUMENT, ref('User'))), /^\{"id":0,"boss":\{"id":0,.*null/)
    assert.equal(typeof exampleOf(DOCUMENT, ref('Self')), 'object')
  })
})
