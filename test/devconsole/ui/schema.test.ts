/** Schemas of the OpenAPI document: in words, as members, as examples. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { exampleOf } from '#src/devconsole/ui/pure/example.js'
import { fieldsOf, innerOf, resolve, typeOf } from '#src/devconsole/ui/pure/schema.js'

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

describe('typeOf()', () => {
  const ROWS: readonly (readonly [schema: unknown, text: string])[] = [
    [{ type: 'string', format: 'email' }, 'string, email'],
    [{ enum: ['admin', 'member'] }, '"admin" | "member"'],
    [{ const: 7 }, '7'],
    [{ type: 'integer', minimum: 13, maximum: Number.MAX_SAFE_INTEGER }, 'integer, ≥ 13'],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 'number, > 0, < 1'],
    [
      { type: 'string', minLength: 1, maxLength: 80, pattern: '^a' },
      'string, at least 1 characters, at most 80 characters, /^a/',
    ],
    [{ type: 'integer', default: 20 }, 'integer, default 20'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'array', items: { type: 'string' }, minItems: 1 }, 'string[], at least 1'],
    [{ type: 'array', items: { enum: [1, 2] } }, '(1 | 2)[]'],
    [{ type: 'array' }, 'any[]'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ oneOf: [ref('User'), { type: 'null' }] }, 'User | null'],
    [ref('User'), 'User'],
    [{}, 'any'],
    [undefined, 'any'],
  ]
  for (const [schema, text] of ROWS) {
    it(`says ${text}`, () => assert.equal(typeOf(DOCUMENT, schema), text))
  }
})

describe('fieldsOf(), innerOf()', () => {
  it('has the members, required or not, with what is said of them', () => {
    assert.deepEqual(
      fieldsOf(DOCUMENT, ref('User')).map(({ name, type, required, description }) => [
        name,
        type,
        required,
        description,
      ]),
      [
        ['id', 'integer', true, ''],
        ['boss', 'User', false, ''],
        ['name', 'Name', false, 'What it is called'],
      ],
    )
  })

  it('has the members of all parts, and ends in a circle', () => {
    assert.deepEqual(
      fieldsOf(DOCUMENT, ref('Admin')).map((field) => field.name),
      ['id', 'boss', 'name', 'level'],
    )
    assert.deepEqual(fieldsOf(DOCUMENT, ref('Self')), [])
  })

  it('looks into the items of a list', () => {
    assert.equal(innerOf(DOCUMENT, { type: 'array', items: ref('User') }), DOCUMENT.components.schemas.User)
    assert.equal(innerOf(DOCUMENT, ref('Admin')), DOCUMENT.components.schemas.Admin)
    assert.equal(innerOf(DOCUMENT, ref('Name')), null)
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

  it('ends in a circle', () => {
    assert.match(JSON.stringify(exampleOf(DOCUMENT, ref('User'))), /^\{"id":0,"boss":\{"id":0,.*null/)
    assert.equal(typeof exampleOf(DOCUMENT, ref('Self')), 'object')
  })
})
