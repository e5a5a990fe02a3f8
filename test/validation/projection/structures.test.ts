/** Objects and arrays in places for which the schema describes neither. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonSchema } from '#src/validation/json-schema.js'
import { projector } from '#src/validation/projection/projector.js'
import { StructureError } from '#src/validation/projection/structures.js'

const text = { type: 'string' }
const secret = { name: 'Ada', hash: 'h' }
const user = { type: 'object', properties: { name: text } }
const nullable: JsonSchema = { anyOf: [text, { type: 'null' }] }
/** Too deep for the tests of branches, so that both seem to match. */
const nested = (inner: JsonSchema): JsonSchema =>
  Array.from({ length: 8 }).reduce<JsonSchema>((items) => ({ type: 'array', items }), inner)
const deep = (inner: unknown): unknown => Array.from({ length: 8 }).reduce((value) => [value], inner)

const unions = (inner: JsonSchema): JsonSchema =>
  Array.from({ length: 8 }).reduce<JsonSchema>((branch) => ({ anyOf: [branch] }), inner)

function project(schema: JsonSchema, value: unknown): unknown {
  return (projector(schema) ?? ((whole) => whole))(value)
}

const REJECTED: readonly (readonly [title: string, schema: JsonSchema, value: unknown, path: string])[] = [
  ['an object as a string', text, secret, ''],
  ['an array as a string', text, [secret], ''],
  ['an object as null', { type: 'null' }, secret, ''],
  ['an object as one of several scalar types', { type: ['string', 'null'] }, secret, ''],
  ['an object as a type that JSON Schema does not have', { type: 'Date' }, secret, ''],
  ['an array as an object', user, [secret], ''],
  ['an object as an array', { type: 'array', items: user }, secret, ''],
  ['an array as an object without members', { type: 'object' }, [secret], ''],
  ['an array if only members are described', { properties: { name: text } }, [secret], ''],
  ['an object if only items are described', { items: user }, secret, ''],
  ['an object if only positions are described', { prefixItems: [user] }, secret, ''],
  ['an object as a literal', { const: 'a' }, secret, ''],
  ['an object as one of some literals', { enum: ['a', 1, ['b']] }, secret, ''],
  ['an object by an empty enum', { enum: [] }, secret, ''],
  ['an array as a literal object', { const: { name: 'Ada' } }, [secret], ''],
  ['an object if no value matches', false, secret, ''],
  ['an object that must match "not"', { not: true }, secret, ''],
  ['an object by a reference', { $ref: '#/$defs/Name', $defs: { Name: text } }, secret, ''],
  ['an object by one of several schemas', { allOf: [{}, user, text] }, secret, ''],
  ['an array by one of several schemas', { allOf: [{ type: ['array', 'object'] }, user] }, [secret], ''],
  ['an object if no schema of several matches', { allOf: [true, false] }, secret, ''],
  ['an object in a union of scalars', nullable, secret, ''],
  ['an array in a union with an object', { anyOf: [user, { type: 'null' }] }, [secret], ''],
  ['an array in a union whose branches describe members', { oneOf: [{ properties: {} }, text] }, [secret], ''],
  ['an object in a union inside a union', { anyOf: [nullable, { oneOf: [text, { const: 1 }] }] }, secret, ''],
  ['an object in a union of itself and a string', { anyOf: [{ $ref: '#' }, text] }, secret, ''],
  ['an object as a string with a union of anything', { ...text, anyOf: [{}, user] }, secret, ''],
  ['an object in a union of scalars with type "object"', { type: 'object', anyOf: [text, nullable] }, secret, ''],
  ['an object as a member', user, { name: secret }, '/name'],
  ['an object as a later member', user, { hash: 'h', name: secret }, '/name'],
  ['an array as an item', { type: 'array', items: text }, ['a', [secret]], '/1'],
  ['an object in a record', { type: 'object', additionalProperties: text }, { a: 'b', c: secret }, '/c'],
  ['an object by a pattern', { patternProperties: { '^a': text } }, { a: secret }, '/a'],
  ['an object at a position', { prefixItems: [text, user] }, [secret, secret], '/0'],
  ['an object deep in a value', { items: { properties: { a: user } } }, [{ a: { name: secret } }], '/0/a/name'],
  [
    'an object if no branch matches',
    { anyOf: [{ type: 'object', properties: { name: { const: 'B' } } }] },
    { name: secret },
    '/name',
  ],
  [
    'an object that is deeper than branches are compared',
    { anyOf: [nested(text), nested(nullable)] },
    deep(secret),
    '/0/0/0/0/0/0/0/0',
  ],
  [
    'an object in unions that are deeper than branches are compared',
    { anyOf: [unions(text), unions(nullable), { ...user, required: ['x'] }] },
    { name: secret },
    '/name',
  ],
  ['an object from toJSON', text, { toJSON: () => secret }, ''],
  ['an array from toJSON', user, { toJSON: () => [secret] }, ''],
  ['an object from toJSON of a function', user, { name: Object.assign(() => 0, { toJSON: () => secret }) }, '/name'],
  ['an object from toJSON in a union', nullable, { toJSON: () => secret }, ''],
  ['a Map', text, new Map([['hash', 'h']]), ''],
  ['bytes', text, new Uint8Array([1]), ''],
  ['an object that contains itself', text, Object.assign(secret, {}), ''],
]

const KEPT: readonly (readonly [title: string, schema: JsonSchema, value: unknown])[] = [
  ['a Date as a string', text, new Date(0)],
  ['a Date as an object', user, new Date(0)],
  ['a boxed string', text, new String('a')],
  ['a boxed number in an object', user, { name: new Number(1) }],
  ['scalars of another type', user, 'Ada'],
  ['scalar members of another type', user, { name: 1 }],
  ['scalar items of another type', { type: 'array', items: user }, [1, 'a', null]],
  ['functions, which JSON omits', user, { name: () => 1 }],
  ['objects by a schema that describes no type', { properties: { a: { description: 'any' } } }, { a: secret }],
  ['objects by a schema with a format only', { format: 'any', minLength: 1 }, secret],
  ['objects by an enum that is not a list', { enum: 5 }, secret],
  ['objects in a union with a branch that no value matches', { anyOf: [{ not: {} }, user] }, { name: 'Ada' }],
  ['scalars of another type in a union', { anyOf: [{ not: {} }, user] }, 1],
  ['objects in a union with a branch that describes no type', { anyOf: [text, {}] }, secret],
  ['arrays in a union of arrays and strings', { anyOf: [text, { type: 'array' }] }, [secret]],
  ['arrays by schemas of which only one has a type', { allOf: [{ properties: {} }, { type: 'array' }] }, [secret]],
  [
    'objects of which only one schema describes members',
    { allOf: [{ properties: { name: {}, hash: {} } }, { items: text }] },
    secret,
  ],
  [
    'values that are deeper than branches are compared',
    { anyOf: [nested(text), nested({ type: 'object' })] },
    deep({ a: 1 }),
  ],
  [
    'deep values with unions inside',
    { anyOf: [nested(nullable), nested({ anyOf: [{ type: 'object' }, { items: {} }] })] },
    deep({ a: 1 }),
  ],
]

describe('projector() of objects and arrays of another type', () => {
  for (const [title, schema, value, path] of REJECTED) {
    it(`rejects ${title}`, () => {
      assert.throws(
        () => project(schema, value),
        (error) => {
          assert.ok(error instanceof StructureError, String(error))
          assert.match(error.message, /^must not be an (?:array|object)$/)
          assert.equal(error.path.map((key) => `/${key}`).join(''), path)
          return true
        },
      )
    })
  }

  for (const [title, schema, value] of KEPT) {
    it(`keeps ${title}`, () => assert.deepEqual(project(schema, value), value))
  }

  it('rejects an object that contains itself', () => {
    const cycle: Record<string, unknown> = {}
    cycle['self'] = cycle
    assert.throws(() => project(text, cycle), StructureError)
  })

  it('rejects an inherited object only if JSON writes it', () => {
    const value = Object.create({ name: secret })
    assert.equal(JSON.stringify(project(user, value)), '{}')
    assert.equal(JSON.stringify(project(user, Object.assign(value, { name: 'Ada', hash: 'h' }))), '{"name":"Ada"}')
  })
})

describe('projector() of values with toJSON', () => {
  /** Returns another value each time. */
  const changing = (...values: unknown[]): unknown => ({ toJSON: () => values.shift() })

  it('calls toJSON once', () => {
    assert.equal(JSON.stringify(project(user, { name: changing('Ada', secret) })), '{"name":"Ada"}')
    assert.equal(JSON.stringify(project(user, changing({ name: 'Ada' }, secret))), '{"name":"Ada"}')
    assert.equal(JSON.stringify(project(nullable, changing('Ada', secret))), '"Ada"')
    assert.equal(JSON.stringify(project(text, Object.assign(new Date(0), changing('Ada', secret)))), '"Ada"')
  })

  it('ignores the toJSON of a value that toJSON returned, like JSON.stringify', () => {
    const again = (inner: object): unknown => ({ toJSON: () => Object.assign(inner, { toJSON: () => secret }) })
    const schemas = [user, { anyOf: [user, text] }, { type: ['object', 'array'], items: {} }]
    for (const schema of schemas)
      assert.equal(JSON.stringify(project(schema, again({ name: 'Ada' }))), '{"name":"Ada"}')
    assert.equal(JSON.stringify(project({ items: text }, again(['a']))), '["a"]')
    assert.equal(
      project(
        user,
        again(() => 0),
      ),
      undefined,
    )
    class Self {
      name = 'Ada'
      toJSON() {
        return this
      }
    }
    assert.equal(JSON.stringify(project(user, new Self())), '{"name":"Ada"}')
  })
})
