import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonSchema, SchemaObject } from '#src/validation/json-schema.js'
import { projector } from '#src/validation/projection/projector.js'

const text = { type: 'string' }
const record = (properties: Record<string, JsonSchema>, rest: Record<string, unknown> = {}): SchemaObject => ({
  type: 'object',
  properties,
  ...rest,
})
const user = record({ id: text })

function project(schema: JsonSchema, value: unknown): unknown {
  return (projector(schema) ?? ((whole) => whole))(value)
}

const TABLE: readonly (readonly [title: string, schema: JsonSchema, value: unknown, kept: unknown])[] = [
  ['drops members that are not described', user, { id: '1', hash: 'h' }, { id: '1' }],
  ['keeps the order of members', record({ a: text, c: text }), { c: 1, b: 2, a: 3 }, { c: 1, a: 3 }],
  ['keeps scalars', user, 'text', 'text'],
  [
    'projects the JSON form of a list of strings',
    record({ a: { type: 'array', items: text }, b: user }),
    { a: Object.assign(['x'], { toJSON: () => ['y'] }), b: { id: '1' } },
    { a: ['y'], b: { id: '1' } },
  ],
  ['keeps null', user, null, null],
  [
    'keeps additional members that are allowed',
    record({ a: text }, { additionalProperties: true }),
    { a: 1, b: 2 },
    { a: 1, b: 2 },
  ],
  ['projects additional members', record({}, { additionalProperties: user }), { x: { id: 1, h: 2 } }, { x: { id: 1 } }],
  ['drops all members if none are allowed', { type: 'object', additionalProperties: false }, { a: 1 }, {}],
  [
    'drops a member whose schema is false',
    record({ a: false }, { additionalProperties: true }),
    { a: 1, b: 2 },
    { b: 2 },
  ],
  [
    'follows patterns',
    { patternProperties: { '^x-': user, '(': true } },
    { 'x-a': { id: 1, h: 2 }, y: 1 },
    { 'x-a': { id: 1 } },
  ],
  [
    'combines a property and its pattern',
    { properties: { a: user }, patternProperties: { a: record({ b: text }) } },
    { a: { id: 1, b: 2, c: 3 } },
    { a: { id: 1, b: 2 } },
  ],
  ['projects items', { type: 'array', items: user }, [{ id: 1, h: 2 }, { id: 3 }], [{ id: 1 }, { id: 3 }]],
  ['projects positions', { prefixItems: [text, user], items: false }, ['a', { id: 1, h: 2 }], ['a', { id: 1 }]],
  ['projects positions of older drafts', { items: [user] }, [{ id: 1, h: 2 }], [{ id: 1 }]],
  ['drops items that are not described', { prefixItems: [user] }, [{ id: 1, h: 2 }, { h: 3 }, 4], [{ id: 1 }]],
  ['drops items after those of older drafts', { items: [text], additionalItems: false }, ['a', 'b'], ['a']],
  ['drops all items of an empty tuple', { type: 'array', prefixItems: [] }, [{ h: 1 }], []],
  [
    'projects further items of older drafts',
    { items: [text], additionalItems: user },
    ['a', { id: 1, h: 2 }],
    ['a', { id: 1 }],
  ],
  ['drops a member that no value matches', record({ a: text, b: { not: {} } }), { a: '1', b: { h: 1 } }, { a: '1' }],
  ['projects an object by a literal', { const: { a: { b: 1 } } }, { a: { b: 1, h: 2 }, h: 3 }, { a: { b: 1 } }],
  ['projects an array by literals', { enum: [['a'], [{ b: 1 }, 2]] }, [{ b: 1, h: 2 }, 2, 3], [{ b: 1 }, 2]],
  [
    'follows references to an identifier',
    { ...record({ next: { $ref: 'T0' } }), $id: 'T0' },
    { next: { next: {}, h: 1 }, h: 2 },
    { next: { next: {} } },
  ],
  [
    'follows references to an anchor, but not into values',
    {
      $ref: '#here',
      const: { $id: 'x' },
      default: { $anchor: 'here' },
      $defs: { A: { ...record({ $id: text }), $anchor: 'here' } },
    },
    { $id: 'x', h: 1 },
    { $id: 'x' },
  ],
  [
    'projects members without a matching pattern by additionalProperties',
    { patternProperties: { '^x-': text }, additionalProperties: user },
    { 'x-a': 1, y: { id: 1, h: 2 } },
    { 'x-a': 1, y: { id: 1 } },
  ],
  [
    'ignores invalid schemas in a union',
    { anyOf: [record({ a: text }, { properties: { a: text, b: 5 } }), 5] },
    { a: '1', b: 2 },
    { a: '1' },
  ],
  [
    'keeps scalars in a recursive schema',
    record({ next: { $ref: '#' } }),
    { h: 1, next: { h: 1, next: 'end' } },
    { next: { next: 'end' } },
  ],
  ['combines allOf', { allOf: [user, record({ name: text })] }, { id: 1, name: 2, h: 3 }, { id: 1, name: 2 }],
  [
    'combines allOf at all depths',
    { allOf: [record({ a: user }), record({ a: record({ n: text }) })] },
    { a: { id: 1, n: 2, h: 3 } },
    { a: { id: 1, n: 2 } },
  ],
  ['combines allOf with empty schemas', { allOf: [user, {}, true] }, { id: 1, h: 2 }, { id: 1 }],
  ['follows references', { $ref: '#/$defs/User', $defs: { User: user } }, { id: 1, h: 2 }, { id: 1 }],
  [
    'keeps a member with a dangling reference',
    record({ a: { $ref: '#/$defs/None' } }),
    { a: { h: 1 }, b: 2 },
    { a: { h: 1 } },
  ],
  ['keeps null in a union', record({ a: { anyOf: [user, { type: 'null' }] } }), { a: null, b: 1 }, { a: null }],
  [
    'ignores invalid schemas',
    record({ a: text }, { allOf: 1, properties: { a: text, b: 5 } }),
    { a: 1, b: 2 },
    { a: 1 },
  ],
]

describe('projector()', () => {
  for (const [title, schema, value, kept] of TABLE) {
    it(title, () => assert.deepEqual(project(schema, value), kept))
  }

  it('returns undefined if nothing can be dropped', () => {
    const schemas: JsonSchema[] = [
      true,
      {},
      { type: ['object', 'array'] },
      { description: 'anything' },
      { additionalProperties: true, items: true, properties: { a: {} } },
      { anyOf: [{}, { type: ['array', 'object', 'null'] }] },
      { anyOf: [] },
      { anyOf: [{ $ref: '#' }], type: 'string', $defs: {} },
    ]
    assert.deepEqual(
      schemas.slice(0, -1).map((schema) => projector(schema)),
      schemas.slice(0, -1).map(() => undefined),
    )
    assert.deepEqual(project({ anyOf: [{ $ref: '#' }] }, { a: 1 }), { a: 1 })
  })

  it('keeps members in any order, and drops members before, between and after them', () => {
    const schema = {
      type: 'object',
      properties: { a: {}, b: {}, c: { type: 'object', properties: { d: {} } } },
    } as const
    const rows = [
      [
        { a: 1, b: 2 },
        { a: 1, b: 2 },
      ],
      [
        { b: 2, a: 1 },
        { b: 2, a: 1 },
      ],
      [{ a: 1, x: 0 }, { a: 1 }],
      [
        { a: 1, x: 0, b: 2 },
        { a: 1, b: 2 },
      ],
      [
        { x: 0, a: 1, b: 2 },
        { a: 1, b: 2 },
      ],
      [
        { a: 1, b: 2, c: { d: 4, e: 5 } },
        { a: 1, b: 2, c: { d: 4 } },
      ],
      [{}, {}],
    ] as const
    for (const [value, kept] of rows) assert.equal(JSON.stringify(project(schema, value)), JSON.stringify(kept))
  })

  it('returns the same reference if nothing is dropped', () => {
    const schema = { type: 'array', items: record({ id: text, tags: { type: 'array', items: user } }) }
    const clean = [{ id: '1', tags: [{ id: '2' }] }]
    assert.equal(project(schema, clean), clean)
  })

  it('copies only changed objects, and does not change the value', () => {
    const value = { clean: { id: '1' }, dirty: { id: '2', h: 3 } }
    const kept = Object(project(record({ clean: user, dirty: user }), value))
    assert.equal(kept.clean, value.clean)
    assert.deepEqual([kept.dirty, value.dirty], [{ id: '2' }, { id: '2', h: 3 }])
  })

  it('projects the result of toJSON, and keeps a Date', () => {
    const date = new Date(0)
    assert.equal(project(user, date), date)
    assert.deepEqual(project(user, { hash: 'h', toJSON: () => ({ id: '1', hash: 'h' }) }), { id: '1' })
    const union = { anyOf: [user, { type: 'null' }] }
    assert.equal(project(union, date), date)
    assert.deepEqual(project(union, { toJSON: () => ({ id: '1', hash: 'h' }) }), { id: '1' })
    assert.equal(project(union, { toJSON: () => 'text' }), 'text')
  })

  it('projects own members of class instances', () => {
    class User {
      id = '1'
      hash = 'h'
    }
    assert.deepEqual(project(user, new User()), { id: '1' })
  })

  it('never changes a prototype', () => {
    const value = JSON.parse('{"__proto__":{"polluted":true},"h":1}')
    const kept = Object(project(record({}, { properties: JSON.parse('{"__proto__":{}}') }), value))
    assert.equal(kept.polluted, undefined)
    assert.deepEqual(Object.keys(kept), ['__proto__'])
    assert.deepEqual(project(user, value), {})
    assert.deepEqual(project(record({ toString: text }), { a: 1 }), {})
  })
})

describe('projector() of unions', () => {
  const branch = (kind: string, key: string): JsonSchema =>
    record({ kind: { const: kind }, [key]: text }, { required: ['kind', key] })
  const union: JsonSchema = { oneOf: [branch('a', 'x'), branch('b', 'secret')] }

  it('keeps members of the matching branch', () => {
    assert.deepEqual(project(union, { kind: 'a', x: '1', secret: 's' }), { kind: 'a', x: '1' })
    assert.deepEqual(project(union, { kind: 'b', x: '1', secret: 's' }), { kind: 'b', secret: 's' })
  })

  const DISCRIMINATORS: readonly (readonly [
    by: string,
    one: JsonSchema,
    other: JsonSchema,
    value: unknown,
    kept: unknown,
  ])[] = [
    [
      'required',
      record({ a: text }, { required: ['a'] }),
      record({ b: text }, { required: ['b'] }),
      { b: 's', a: undefined },
      { b: 's' },
    ],
    [
      'type',
      record({ a: text, x: text }),
      record({ a: { type: 'integer' }, y: text }),
      { a: 's', x: 'x', y: 'y' },
      { a: 's', x: 'x' },
    ],
    [
      'enum',
      record({ k: { enum: ['a', 'b'] }, x: text }),
      record({ k: { enum: ['c'] }, y: text }),
      { k: 'c', x: 'x', y: 'y' },
      { k: 'c', y: 'y' },
    ],
    [
      'list',
      record({ l: { type: 'array', items: text } }),
      record({ l: { items: { type: 'null' } }, y: text }),
      { l: ['a'], y: 'y' },
      { l: ['a'] },
    ],
    [
      'depth',
      record({ m: record({ k: { const: 1 } }), x: text }),
      record({ m: record({ k: { const: 2 } }), y: text }),
      { m: { k: 2 }, x: 'x', y: 'y' },
      { m: { k: 2 }, y: 'y' },
    ],
    [
      'date',
      record({ d: text, x: text }),
      record({ d: { type: ['boolean', 'object', 'null', 'number'] }, y: text }),
      { d: new Date(0), x: 'x', y: 'y' },
      { d: new Date(0), x: 'x' },
    ],
    ['false', record({ a: false, x: text }), record({ y: text }), { a: 1, y: 'y', x: 'x' }, { y: 'y' }],
    [
      'no literal that is an object',
      record({ k: { const: {} }, x: text }),
      record({ y: text }),
      { k: {}, y: 'y' },
      { k: {}, y: 'y' },
    ],
  ]
  for (const [by, one, other, value, kept] of DISCRIMINATORS) {
    it(`selects a branch by ${by}`, () => assert.deepEqual(project({ anyOf: [one, other] }, value), kept))
  }

  it('selects a branch through references, intersections and nested unions', () => {
    const $defs = { A: branch('a', 'x'), B: { allOf: [branch('b', 'y')] }, C: { anyOf: [branch('c', 'z')] } }
    const nested = { anyOf: [{ $ref: '#/$defs/A' }, { $ref: '#/$defs/B' }, { $ref: '#/$defs/C' }], $defs }
    const all = { x: 'x', y: 'y', z: 'z' }
    assert.deepEqual(project(nested, { kind: 'b', ...all }), { kind: 'b', y: 'y' })
    assert.deepEqual(project(nested, { kind: 'c', ...all }), { kind: 'c', z: 'z' })
  })

  it('combines all matching branches', () => {
    assert.deepEqual(project({ anyOf: [user, record({ b: text })] }, { id: '1', b: '2', c: 3 }), { id: '1', b: '2' })
  })

  it('keeps everything if a branch without members or items matches', () => {
    assert.deepEqual(project({ anyOf: [user, { type: 'object' }] }, { id: '1', h: 2 }), { id: '1', h: 2 })
    assert.deepEqual(project({ anyOf: [{ type: 'array', items: user }, {}] }, [{ h: 2 }]), [{ h: 2 }])
  })

  it('uses the schema around a union if a branch without members matches', () => {
    const schema = record({ id: text }, { anyOf: [record({ b: text }, { required: ['b'] }), { required: ['id'] }] })
    assert.deepEqual(project(schema, { id: '1', h: 2 }), { id: '1' })
    assert.deepEqual(project(schema, { b: '1', h: 2 }), { b: '1' })
  })

  it('keeps only members that every branch keeps if no branch matches', () => {
    const one = record({ kind: { const: 1 }, id: text, x: text })
    const other = record({ kind: { const: 2 }, id: text, secret: text })
    const none = { kind: 3, id: '1', x: '2', secret: 's' }
    assert.deepEqual(project({ anyOf: [one, other] }, none), { kind: 3, id: '1' })
    assert.deepEqual(project(record({ x: text }, { anyOf: [one, other] }), none), { x: '2' })
    assert.deepEqual(
      project(
        {
          anyOf: [{ items: one, type: 'array' }, { items: other, type: 'array' }, { type: 'string' }],
        },
        [none],
      ),
      [{ kind: 3, id: '1' }],
    )
  })

  it('tests branches to a limited depth, so that deep values remain fast', () => {
    const tree = { anyOf: [record({ next: { $ref: '#' }, k: text }), record({ next: { type: 'null' } })] }
    let value: unknown = { next: null, k: 'k' }
    for (let level = 0; level < 300; level++) value = { next: value, k: 'k', h: 1 }
    assert.ok(!JSON.stringify(project(tree, value)).includes('"h"'))
  })
})

describe('projector() of recursive schemas', () => {
  const tree = record({ id: text, kids: { type: 'array', items: { $ref: '#' } } })

  it('projects up to 500 levels', () => {
    const nest = (levels: number): unknown => {
      let value: unknown = { id: '1', hash: 'h' }
      for (let level = 0; level < levels; level++) value = { id: '1', kids: [value], hash: 'h' }
      return value
    }
    assert.ok(!JSON.stringify(project(tree, nest(400))).includes('hash'))
    assert.throws(() => project(tree, nest(600)), { name: 'RangeError', message: /nested more than 500 times/ })
  })

  it('throws for a cyclic value, and projects other values afterwards', () => {
    const project = projector(tree)
    const cycle: Record<string, unknown> = { id: '1' }
    cycle['kids'] = [cycle, cycle]
    assert.throws(() => project?.(cycle), {
      message: 'Cannot project a value: it is nested more than 500 times or contains itself',
    })
    assert.deepEqual(project?.({ id: '1', kids: [{ id: '2', h: 3 }] }), { id: '1', kids: [{ id: '2' }] })
  })

  it('projects with schemas that only refer to themselves', () => {
    assert.deepEqual(project({ $ref: '#' }, { a: 1 }), { a: 1 })
    assert.deepEqual(project({ items: { $ref: '#' } }, [[['a']]]), [[['a']]])
    assert.deepEqual(project({ anyOf: [{ $ref: '#' }, text] }, 'a'), 'a')
  })
})
