/** Keys that are a string or something else, which only validation decides. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import * as mini from 'zod/mini'
import type { Schema } from '#src/validation/schema.js'
import type { RawText } from '#src/validation/text/convert-text.js'
import { textSource } from '#src/validation/text/string-source.js'
import { readIssues } from '#test/issues.js'

const UUID = '9b1deb4d-3b7d-4bad-9bdd-2b0d7b3dcb6d'

function read(schema: Schema, raw: RawText): unknown {
  const outcome = textSource(schema, { valibot: toJsonSchema }).read(raw)
  assert.ok(!(outcome instanceof Promise))
  return readIssues(outcome) ?? { ...Object(outcome.value) }
}

/** Counts the validations of a schema. */
function counted(schema: Schema): { readonly schema: Schema; count: number } {
  const members = schema['~standard']
  const validate = (value: unknown): unknown => {
    counter.count++
    return members.validate(value)
  }
  const counter = {
    schema: { '~standard': { ...members, validate } },
    count: 0,
  }
  return counter
}

describe('strings with a condition beside numbers, in lists', () => {
  const LISTS: readonly (readonly [vendor: string, schema: Schema])[] = [
    ['zod', z.object({ k: z.array(z.union([z.int(), z.uuid()])) })],
    ['valibot', v.object({ k: v.array(v.union([v.number(), v.pipe(v.string(), v.uuid())])) })],
    ['arktype', type({ k: type('number.integer | string.uuid').array() })],
  ]
  for (const [vendor, schema] of LISTS) {
    it(`${vendor}: converts the items that are not valid strings`, () => {
      assert.deepEqual(read(schema, { k: ['5', UUID] }), { k: [5, UUID] })
      assert.deepEqual(read(schema, { k: '5' }), { k: [5] })
      assert.deepEqual(read(schema, { k: UUID }), { k: [UUID] })
    })

    it(`${vendor}: reports an item that is neither`, () => {
      const invalid = (raw: RawText): unknown => {
        const issues = read(schema, raw)
        return Array.isArray(issues) && issues.map(({ pointer }) => pointer)
      }
      assert.deepEqual(invalid({ k: ['5', 'x'] }), ['/k/1'])
      assert.deepEqual(invalid({ k: 'x' }), ['/k/0'])
    })
  }

  it('converts additional keys', () => {
    const schema = z.record(z.string(), z.union([z.int(), z.uuid()]))
    assert.deepEqual(read(schema, { a: '5', b: UUID }), { a: 5, b: UUID })
  })
})

describe('a union of two objects with one key of two types', () => {
  const byId = z.object({ by: z.literal('id'), v: z.int() })
  const byName = z.object({ by: z.literal('name'), v: z.string() })
  const UNIONS: readonly (readonly [vendor: string, schema: Schema])[] = [
    ['zod', z.union([byId, byName])],
    ['zod, discriminated', z.discriminatedUnion('by', [byId, byName])],
    [
      'zod/mini',
      mini.union([
        mini.object({ by: mini.literal('id'), v: mini.int() }),
        mini.object({ by: mini.literal('name'), v: mini.string() }),
      ]),
    ],
    [
      'valibot',
      v.union([v.object({ by: v.literal('id'), v: v.number() }), v.object({ by: v.literal('name'), v: v.string() })]),
    ],
    ['arktype', type({ by: "'id'", v: 'number' }).or({ by: "'name'", v: 'string' })],
  ]
  for (const [vendor, schema] of UNIONS) {
    it(`${vendor}: reads the type of the branch`, () => {
      assert.deepEqual(read(schema, { by: 'id', v: '5' }), { by: 'id', v: 5 })
      assert.deepEqual(read(schema, { by: 'name', v: '5' }), { by: 'name', v: '5' })
      assert.ok(Array.isArray(read(schema, { by: 'id', v: 'x' })))
    })
  }

  it('converts lists and several keys at the same time', () => {
    const schema = z.union([
      z.object({ by: z.literal('id'), v: z.array(z.int()), w: z.boolean(), t: z.tuple([z.string(), z.int()]) }),
      z.object({ by: z.literal('name'), v: z.array(z.string()), w: z.string(), t: z.tuple([z.string(), z.string()]) }),
    ])
    const sent = { by: 'id', v: ['1', '2'], w: 'true', t: ['3', '4'] }
    assert.deepEqual(read(schema, sent), { by: 'id', v: [1, 2], w: true, t: ['3', 4] })
    assert.deepEqual(read(schema, { ...sent, v: '1' }), { by: 'id', v: [1], w: true, t: ['3', 4] })
    assert.deepEqual(read(schema, { ...sent, by: 'name' }), { ...sent, by: 'name' })
  })

  it('converts the items of repeated keys without JSON Schema', () => {
    const union = mini.union([
      mini.object({ by: mini.literal('id'), v: mini.array(mini.int()) }),
      mini.object({ by: mini.literal('name'), v: mini.array(mini.string()) }),
    ])
    assert.deepEqual(read(union, { by: 'id', v: ['1', '2'] }), { by: 'id', v: [1, 2] })
  })

  it('validates twice at most, and reports the issues of the strings', () => {
    const counter = counted(z.union([byId, byName]))
    const issues = read(counter.schema, { by: 'other', v: '5' })
    assert.deepEqual(issues, [{ pointer: '', message: 'Invalid input' }])
    assert.equal(counter.count, 2)
  })

  it('validates once if no key can be converted', () => {
    const counter = counted(z.union([byId, byName]))
    assert.ok(Array.isArray(read(counter.schema, { by: 'other', v: 'x' })))
    assert.equal(counter.count, 1)
    assert.ok(Array.isArray(read(counter.schema, { by: 'other', v: ['x', 'y'] })))
    assert.equal(counter.count, 2)
  })

  it('tries the number of a literal that is a number in another branch', () => {
    const schema = z.union([
      z.object({ by: z.literal('n'), v: z.literal(10) }),
      z.object({ by: z.literal('s'), v: z.literal('10') }),
    ])
    assert.deepEqual(read(schema, { by: 'n', v: '10' }), { by: 'n', v: 10 })
    assert.deepEqual(read(schema, { by: 's', v: '10' }), { by: 's', v: '10' })
  })

  it('does not convert keys again that were converted before', () => {
    const schema = z
      .object({ a: z.union([z.int(), z.uuid()]), b: z.union([z.int(), z.string().min(3)]) })
      .refine(({ a, b }) => a === 5 && b === 123)
    assert.deepEqual(read(schema, { a: '5', b: '123' }), { a: 5, b: 123 })
    assert.deepEqual(read(schema, { a: '6', b: '123' }), [{ pointer: '', message: 'Invalid input' }])
  })
})

describe('textSource().read() of literals beside numbers', () => {
  it('validates once', () => {
    const counter = counted(
      z.object({ k: z.union([z.int(), z.literal('all')]), l: z.array(z.union([z.int(), z.literal('all')])) }),
    )
    assert.deepEqual(read(counter.schema, { k: '5', l: ['all', '6'] }), { k: 5, l: ['all', 6] })
    assert.ok(Array.isArray(read(counter.schema, { k: 'x', l: '1' })))
    assert.equal(counter.count, 2)
  })
})
