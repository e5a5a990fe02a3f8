/* oxlint-disable unicorn/no-thenable -- a keyword of JSON Schema */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { JsonSchema } from '#src/validation/json-schema.js'
import { projector } from '#src/validation/projection/projector.js'

const text = { type: 'string' }
const h = 'secret'
const kinds = {
  type: 'object',
  properties: { kind: text },
  if: { properties: { kind: { const: 'a' } }, required: ['kind'] },
  then: { properties: { x: text } },
  else: { properties: { y: text } },
}
const named = (propertyNames: JsonSchema, more: object = {}): JsonSchema => ({
  type: 'object',
  propertyNames,
  additionalProperties: text,
  ...more,
})

const TABLE: readonly (readonly [title: string, schema: JsonSchema, value: unknown, kept: unknown])[] = [
  ['keeps the members of then', kinds, { kind: 'a', x: 'x', y: h, h }, { kind: 'a', x: 'x' }],
  ['keeps the members of else', kinds, { kind: 'b', x: h, y: 'y', h }, { kind: 'b', y: 'y' }],
  ['keeps described members without else', { ...kinds, else: true }, { kind: 'b', x: h, h }, { kind: 'b' }],
  [
    'ignores a condition without then and else',
    { properties: { a: text }, if: { type: 'object' } },
    { a: 1, h },
    { a: 1 },
  ],
  [
    'keeps the members of both if the condition is not read completely',
    { ...kinds, if: { properties: { kind: { minLength: 2 } } } },
    { kind: 'a', x: 'x', y: 'y', h },
    { kind: 'a', x: 'x', y: 'y' },
  ],
  [
    'keeps the members of both if the condition compares objects',
    { ...kinds, if: { properties: { kind: { const: {} } } } },
    { kind: 'c', y: 'y', h },
    { kind: 'c', y: 'y' },
  ],
  [
    'reads all parts of a condition',
    { ...kinds, if: { allOf: [true, kinds.if] } },
    { kind: 'a', x: 'x', y: h },
    { kind: 'a', x: 'x' },
  ],
  [
    'keeps dependent members',
    { properties: { a: text }, dependentSchemas: { a: { properties: { b: text } } } },
    { a: 'a', b: 'b', h },
    { a: 'a', b: 'b' },
  ],
  [
    'drops dependent members without their key',
    { properties: { a: text }, dependentSchemas: { a: { properties: { b: text } } } },
    { b: 2, h },
    {},
  ],
  [
    'keeps unevaluated members that are described',
    { properties: { a: text }, unevaluatedProperties: { properties: { b: text } } },
    { a: 1, c: { b: 1, h } },
    { a: 1, c: { b: 1 } },
  ],
  [
    'projects evaluated members by their own schema',
    { allOf: [{ properties: { a: { properties: { b: text } } } }], unevaluatedProperties: {} },
    { a: { b: 1, h }, c: 1 },
    { a: { b: 1 }, c: 1 },
  ],
  [
    'drops unevaluated members that are forbidden',
    { properties: { a: text }, unevaluatedProperties: false },
    { a: 1, h },
    { a: 1 },
  ],
  [
    'projects unevaluated items',
    { type: 'array', prefixItems: [text], unevaluatedItems: { properties: { a: text } } },
    ['x', { a: 1, h }],
    ['x', { a: 1 }],
  ],
  ['drops names that are not in a list', named({ enum: ['a'] }), { a: 1, h }, { a: 1 }],
  ['drops names by a pattern', named({ pattern: '^a' }), { ab: 1, h }, { ab: 1 }],
  ['drops names by length', named({ minLength: 2, maxLength: 3 }), { a: h, ab: 1, abcd: h }, { ab: 1 }],
  ['drops names by a constant', named({ const: 'a' }), { a: 1, h }, { a: 1 }],
  ['drops names by a union', named({ anyOf: [{ const: 'a' }, { const: 'b' }] }), { a: 1, b: 2, h }, { a: 1, b: 2 }],
  ['keeps names of a union that allows all', named({ anyOf: [{ const: 'a' }, {}] }), { a: 1, b: 2 }, { a: 1, b: 2 }],
  [
    'drops names by a reference',
    named({ $ref: '#/$defs/N' }, { $defs: { N: { enum: ['a'] } } }),
    { a: 1, h },
    { a: 1 },
  ],
  [
    'keeps names of a recursive reference',
    named({ $ref: '#/$defs/N' }, { $defs: { N: { $ref: '#/$defs/N' } } }),
    { a: 1 },
    { a: 1 },
  ],
  ['drops all names if none is a string', named({ type: 'number' }), { h }, {}],
  ['drops all names if none is allowed', named(false), { h }, {}],
  ['keeps all names of strings', named({ type: 'string' }), { a: 1, b: 2 }, { a: 1, b: 2 }],
  ['ignores an invalid pattern', named({ pattern: '(' }), { a: 1 }, { a: 1 }],
  [
    'drops names of an open object',
    { type: 'object', propertyNames: { enum: ['a'] } },
    { a: { b: 1 }, h },
    { a: { b: 1 } },
  ],
  [
    'drops members of a record whose values do not match',
    { anyOf: [{ properties: { a: text } }, { type: 'object', additionalProperties: { type: 'number' } }] },
    { a: 'x', h },
    { a: 'x' },
  ],
  [
    'drops members of patterns whose values do not match',
    {
      anyOf: [
        { properties: { a: text } },
        { type: 'object', patternProperties: { '^a': { type: 'number' }, '(': {} } },
      ],
    },
    { a: 'x', ab: h },
    { a: 'x' },
  ],
]

describe('projector() with conditions', () => {
  for (const [title, schema, value, kept] of TABLE) {
    it(title, () => assert.deepEqual((projector(schema) ?? ((whole) => whole))(value), kept))
  }
})
