import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { describeSchema, type Converters } from '#src/validation/describe-schema.js'
import { isJsonSchema, resolveReference } from '#src/validation/json-schema.js'
import type { Schema } from '#src/validation/schema.js'

const converters: Converters = { valibot: toJsonSchema, zod: z.toJSONSchema }

function described(input: (options: unknown) => unknown): Schema {
  const validate = (value: unknown): unknown => ({ value })
  return { '~standard': { version: 1, vendor: 'own', validate, jsonSchema: { input, output: input } } }
}

describe('describeSchema()', () => {
  it('converts either side with the method of the schema', () => {
    const schema = z.object({ n: z.number().default(1) })
    const input = describeSchema(schema, 'input', {})
    assert.deepEqual([input.lenient, input.reason], [false, undefined])
    const output = describeSchema(schema, 'output', {})
    assert.ok(typeof output.schema === 'object' && 'required' in output.schema)
    assert.deepEqual(describeSchema(type('string'), 'input', {}).schema, {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'string',
    })
  })

  it('uses the converter of the vendor if the schema does not provide JSON Schema', () => {
    for (const schema of [v.object({ n: v.number() }), mini.object({ n: mini.number() })]) {
      const found = describeSchema(schema, 'input', converters)
      assert.ok(typeof found.schema === 'object' && !found.lenient)
      assert.deepEqual(found.schema['properties'], { n: { type: 'number' } })
    }
  })

  it('returns {} for a member that JSON Schema cannot express, and the reason', () => {
    const schemas = [
      z.object({ n: z.number(), d: z.bigint() }),
      mini.object({ n: mini.number(), d: mini.bigint() }),
      v.object({ n: v.number(), d: v.bigint() }),
      toStandardJsonSchema(v.object({ n: v.number(), d: v.bigint() })),
      type({ n: 'number', d: 'bigint' }),
    ]
    for (const schema of schemas) {
      const found = describeSchema(schema, 'output', converters)
      assert.ok(typeof found.schema === 'object' && found.lenient)
      assert.deepEqual(found.schema['properties'], { n: { type: 'number' }, d: {} })
      assert.match(found.reason ?? '', /bigint|domain/i)
      assert.deepEqual([...found.gaps.values()], ['scalar'])
    }
  })

  it('describes a Date as a string in the output, and as {} in the input', () => {
    const date = { type: 'string', format: 'date-time' }
    for (const schema of [
      z.object({ d: z.date() }),
      mini.object({ d: mini.date() }),
      v.object({ d: v.date() }),
      type({ d: 'Date' }),
      type({ d: "Date > d'2020-01-01'" }),
    ]) {
      const output = describeSchema(schema, 'output', converters)
      assert.deepEqual([output.lenient, output.reason, output.gaps.size], [false, undefined, 0])
      assert.deepEqual(Object(output.schema).properties, { d: date })
      const input = describeSchema(schema, 'input', converters)
      assert.deepEqual([input.lenient, Object(input.schema).properties], [true, { d: {} }])
    }
  })

  it('removes undefined from unions, and does not require such a member', () => {
    for (const schema of [
      z.object({ a: z.union([z.string(), z.undefined()]), b: z.void(), c: z.literal(undefined), default: z.bigint() }),
      v.object({ a: v.union([v.string(), v.undefined()]), b: v.void(), c: v.undefined(), default: v.bigint() }),
    ]) {
      const { schema: found } = describeSchema(schema, 'output', converters)
      const { a, b, c } = Object(found).properties
      assert.deepEqual([a, b, c], [{ anyOf: [{ type: 'string' }] }, { not: {} }, { not: {} }])
      assert.deepEqual(Object(found).required, ['default'])
    }
  })

  it('omits only the check of a narrowed type, a default that is not JSON, and the place of last items', () => {
    const checked = describeSchema(
      type('string').narrow((text) => text !== ''),
      'output',
      {},
    )
    assert.ok(typeof checked.schema === 'object' && !checked.lenient)
    assert.equal(checked.schema['type'], 'string')
    const last = describeSchema(type(['string', '...', 'number[]', 'boolean']), 'output', {})
    assert.deepEqual(Object(last.schema).items, { anyOf: [{ type: 'number' }, { type: 'boolean' }] })
    const narrowed = describeSchema(
      type('unknown').narrow(() => true),
      'output',
      {},
    )
    assert.deepEqual([...narrowed.gaps.values()], ['value'])
  })

  it('copies data beside a gap, and omits a default that is not JSON', () => {
    const found = describeSchema(z.object({ a: z.bigint(), b: z.string().default('x') }), 'output', {})
    assert.deepEqual(Object(found.schema).properties, { a: {}, b: { type: 'string', default: 'x' } })
    const schema = described((options) => {
      const fill = Object(options).libraryOptions.fallback.default
      return { type: 'string', default: fill({ code: 'defaultValue', base: { type: 'string' } }) ?? null }
    })
    assert.deepEqual(describeSchema(schema, 'output', {}).schema, { type: 'string', default: null })
  })

  it('notes an incomplete description that has no gap', () => {
    const key = describeSchema(v.record(v.picklist(['a']), v.string()), 'output', converters)
    const check = describeSchema(
      v.pipe(
        v.string(),
        v.check(() => true),
      ),
      'output',
      converters,
    )
    assert.deepEqual([key.lenient, key.gaps.size, check.lenient, check.gaps.size], [true, 0, true, 0])
    const frozen = describeSchema(v.pipe(v.array(v.string()), v.readonly()), 'output', converters)
    assert.deepEqual([frozen.lenient, Object(frozen.schema).type], [false, 'array'])
  })

  it('describes a value that a function reads first as anything, for the accepted values', () => {
    const text = z.object({ id: z.string() })
    const schema = z.object({
      a: z.preprocess((value) => value, text),
      b: z.coerce.string(),
      c: text,
      d: z.transform(String),
    })
    const accepted = describeSchema(schema, 'input', {}, true)
    const { a, b, c, d } = Object(accepted.schema).properties
    assert.deepEqual([a, b, c.type, d, accepted.gaps.size], [{}, {}, 'object', {}, 0])
    assert.equal(Object(describeSchema(schema, 'input', {}).schema).properties.a.type, 'object')
    assert.equal(describeSchema(type({ a: 'unknown' }), 'input', {}, true).gaps.size, 0)
  })

  it('takes each schema without keywords as a gap, if the library does not mark gaps', () => {
    const root = { properties: { a: {}, b: { description: 'b' }, const: {} }, items: [{}, true], const: {}, enum: [{}] }
    const schema = described((options) => {
      if (Object(options).libraryOptions.unrepresentable === undefined) throw new Error('strict')
      return root
    })
    const { gaps, lenient } = describeSchema(schema, 'output', {})
    assert.deepEqual([lenient, gaps.size, describeSchema(schema, 'output', {}, true).gaps.size], [true, 4, 4])
  })

  it('supports a library that calls the fallback without arguments', () => {
    const schema = described((options) => Object(options).libraryOptions.fallback?.default(undefined) ?? true)
    const { schema: found, lenient, reason } = describeSchema(schema, 'input', {})
    assert.deepEqual([found, lenient, reason], [{}, true, 'JSON Schema cannot express "undefined"'])
  })

  it('returns {} for a transformation, but converts a schema with a check', () => {
    const schema = v.object({
      o: v.pipe(
        v.object({ a: v.string() }),
        v.transform((o) => ({ ...o, b: 1 })),
      ),
      c: v.pipe(
        v.object({ a: v.string() }),
        v.check(() => true),
      ),
    })
    const found = describeSchema(schema, 'output', converters)
    assert.ok(typeof found.schema === 'object' && found.lenient)
    const c = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
    assert.deepEqual(found.schema['properties'], { o: {}, c })
  })

  it('returns the reason if there is no JSON Schema', () => {
    const { schema: found, lenient, reason } = describeSchema(v.string(), 'input', {})
    const expected = 'The schema (valibot) does not provide JSON Schema, and the app has no converter for valibot'
    assert.deepEqual([found, lenient, reason], [undefined, false, expected])
  })

  it('never throws', () => {
    const throwing = (thrown: unknown): Schema =>
      described(() => {
        throw thrown
      })
    assert.equal(describeSchema(throwing(new Error('broken')), 'input', {}).reason, 'broken')
    assert.equal(describeSchema(throwing('text'), 'input', {}).reason, 'The conversion to JSON Schema failed')
    const odd = describeSchema(
      described(() => 'text'),
      'input',
      {},
    )
    assert.deepEqual([odd.schema, odd.reason], [undefined, 'The conversion did not return JSON Schema'])
  })

  it('ignores inherited converters', () => {
    const validate = (value: unknown): unknown => ({ value })
    const schema: Schema = { '~standard': { version: 1, vendor: 'toString', validate } }
    assert.equal(describeSchema(schema, 'input', {}).schema, undefined)
  })

  it('passes lenient options that accept any argument', () => {
    const seen: unknown[] = []
    const schema = described((options) => {
      const overrideAction = Object(options)['libraryOptions']?.overrideAction
      if (overrideAction === undefined) throw new Error('strict')
      const transformation = { kind: 'transformation' }
      seen.push(
        overrideAction('odd'),
        overrideAction({ transformation }),
        overrideAction({ errors: [], transformation }),
        overrideAction({ errors: [], jsonSchema: {}, transformation }),
        Object(options)['libraryOptions'].override('odd'),
      )
      return true
    })
    const { schema: found, lenient, reason } = describeSchema(schema, 'input', {})
    assert.deepEqual([found, lenient, reason], [true, true, 'strict'])
    assert.deepEqual(seen, [undefined, undefined, undefined, { 'x-verbena-gap': 'result' }, undefined])
  })
})

describe('isJsonSchema()', () => {
  it('accepts objects and booleans', () => {
    assert.deepEqual([{}, true, [], null, 'a'].map(isJsonSchema), [true, true, false, false, false])
  })
})

describe('resolveReference()', () => {
  const here = { $anchor: 'here' }
  const root = { $id: 'root', $defs: { A: { $id: 'a' }, B: here, C: { $id: 'a', type: 'string' } } }

  it('finds the first schema by pointer, $id and $anchor', () => {
    assert.equal(resolveReference(root, { $ref: '#/$defs/B' }), here)
    assert.equal(resolveReference(root, { $ref: '#here' }), here)
    assert.equal(resolveReference(root, { $ref: 'a' }), root.$defs.A)
    assert.equal(resolveReference(root, { $ref: 'root' }), root)
  })

  it('returns undefined for unknown references', () => {
    for (const $ref of ['b', '#there', '#/$defs/D', 5]) assert.equal(resolveReference(root, { $ref }), undefined)
    assert.equal(resolveReference(true, { $ref: 'a' }), undefined)
  })
})
