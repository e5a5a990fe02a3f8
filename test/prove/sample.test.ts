/** Samples of schemas: each must be accepted by the schema of its library. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import { createSample } from '#src/prove/sample.js'
import { describeSchema } from '#src/validation/describe-schema.js'
import type { JsonSchema } from '#src/validation/json-schema.js'
import type { Schema } from '#src/validation/schema.js'
import { validate } from '#src/validation/validate.js'

interface Tree {
  readonly name: string
  readonly children?: readonly Tree[] | undefined
}
const tree: z.ZodType<Tree> = z.lazy(() => z.object({ name: z.string(), children: z.array(tree).optional() }))
const endless: z.ZodType<unknown> = z.lazy(() => z.object({ next: endless }))

const SCHEMAS: readonly (readonly [about: string, schema: Schema, sample: unknown])[] = [
  ['a string', z.string(), 'a'],
  ['a string with lengths', z.string().min(3).max(4), 'aaa'],
  ['an email', z.email(), 'a@example.com'],
  ['a URL', z.url(), 'https://example.com/'],
  ['a UUID', z.uuid(), '5bd4ae2c-6e6b-4a1b-9d6b-0f7a3c9e2d11'],
  ['a date and time', z.iso.datetime(), '2030-01-01T00:00:00Z'],
  ['a date', z.iso.date(), '2030-01-01'],
  ['a duration', z.iso.duration(), 'P1D'],
  ['an IPv4 address', z.ipv4(), '192.0.2.1'],
  ['an IPv6 address', z.ipv6(), '2001:db8::1'],
  ['base64', z.base64(), 'YWFh'],
  ['an enum', z.enum(['b', 'a']), 'b'],
  ['a literal', z.literal(7), 7],
  [
    'a default',
    z
      .string()
      .regex(/^x-[0-9]$/)
      .default('x-1'),
    'x-1',
  ],
  [
    'an example',
    z
      .string()
      .regex(/^x-[0-9]$/)
      .meta({ examples: ['x-2'] }),
    'x-2',
  ],
  ['a number', z.number(), 1],
  ['an integer with a minimum', z.int().min(5), 5],
  ['a number below 0', z.number().max(-3), -3],
  ['a positive integer', z.int().positive(), 1],
  ['an integer above 7', z.int().gt(7), 8],
  ['a number between 0 and 1', z.number().gt(0).lt(1), 0.5],
  ['a number below 1', z.number().lt(1), 0],
  ['a multiple', z.number().min(7).multipleOf(5), 10],
  ['a boolean', z.boolean(), true],
  ['null', z.null(), null],
  ['a nullable string', z.string().nullable(), 'a'],
  ['a union', z.union([z.null(), z.int().min(2)]), 2],
  [
    'a discriminated union',
    z.discriminatedUnion('kind', [z.object({ kind: z.literal('a'), n: z.int() })]),
    { kind: 'a', n: 1 },
  ],
  ['an array', z.array(z.string()), []],
  ['an array with items', z.array(z.boolean()).min(2), [true, true]],
  ['a tuple', z.tuple([z.string(), z.int()]), ['a', 1]],
  ['an object', z.object({ a: z.string(), b: z.int().optional() }), { a: 'a' }],
  ['an intersection', z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })), { a: 'a', b: 1 }],
  ['a record', z.record(z.string(), z.int()), {}],
  ['a recursive object', tree, { name: 'a' }],
  [
    'a valibot object',
    v.object({ a: v.pipe(v.string(), v.minLength(2)), b: v.picklist(['x', 'y']) }),
    { a: 'aa', b: 'x' },
  ],
  ['an arktype object', type({ a: 'string.email', b: '1 < number.integer < 9' }), { a: 'a@example.com', b: 2 }],
]

describe('createSample()', () => {
  for (const [about, schema, expected] of SCHEMAS) {
    it(`returns a valid sample of ${about}`, async () => {
      const { schema: described } = describeSchema(schema, 'input', { valibot: toJsonSchema })
      assert.ok(described !== undefined)
      const sample = createSample(described)
      assert.deepEqual(sample, expected)
      assert.equal((await validate(schema, sample)).issues, undefined)
    })
  }

  const JSON_SCHEMAS: readonly (readonly [about: string, schema: JsonSchema, expected: unknown])[] = [
    ['anything', true, 'a'],
    ['a time', { type: 'string', format: 'time' }, '00:00:00'],
    ['a list of types', { type: ['null', 'integer'] }, 1],
    ['an object without a type', { properties: { a: { const: 1 } }, required: ['a'] }, { a: 1 }],
    ['items of any type', { type: 'array', minItems: 1 }, ['a']],
    ['a union with other keywords', { type: 'string', anyOf: [{ minLength: 2 }, { minLength: 5 }] }, 'aa'],
    ['a union of a schema for any value', { type: 'string', anyOf: [true] }, 'a'],
    ['a union without a value', { anyOf: [{ type: 'null' }], type: 'boolean' }, true],
    ['the keyword "example"', { type: 'string', example: 'x' }, 'x'],
    ['a reference to itself', { $ref: '#' }, 'a'],
    [
      'a number in a range without an integer',
      { type: 'number', exclusiveMinimum: 0.2, maximum: 0.4 },
      0.30000000000000004,
    ],
    ['a number below a bound that is a step', { type: 'integer', exclusiveMaximum: 1 }, 0],
  ]
  for (const [about, schema, expected] of JSON_SCHEMAS) {
    it(`returns a sample of ${about}`, () => assert.deepEqual(createSample(schema), expected))
  }

  it('ends for a schema that no finite value matches', () => {
    const { schema } = describeSchema(endless, 'input', {})
    assert.ok(schema !== undefined)
    assert.ok(JSON.stringify(createSample(schema)).length < 200)
  })

  it('ends for an array that contains itself', () => {
    assert.ok(JSON.stringify(createSample({ type: 'array', minItems: 1, items: { $ref: '#' } })).length < 200)
  })
})
