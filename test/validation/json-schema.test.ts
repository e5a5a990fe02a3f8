import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toJsonSchema, toStandardJsonSchema } from '@valibot/to-json-schema'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import * as mini from 'zod/mini'
import { describeSchema, isJsonSchema, resolveReference, type Converters } from '#src/validation/json-schema.js'
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
      z.object({ n: z.number(), d: z.date() }),
      mini.object({ n: mini.number(), d: mini.date() }),
      v.object({ n: v.number(), d: v.date() }),
      toStandardJsonSchema(v.object({ n: v.number(), d: v.date() })),
    ]
    for (const schema of schemas) {
      const found = describeSchema(schema, 'output', converters)
      assert.ok(typeof found.schema === 'object' && found.lenient)
      assert.deepEqual(found.schema['properties'], { n: { type: 'number' }, d: {} })
      assert.match(found.reason ?? '', /date/i)
    }
  })

  it('returns {} for an arktype member that JSON Schema cannot express, but omits only the check of a narrowed type', () => {
    const dated = describeSchema(type({ n: 'number', d: 'Date' }), 'output', {})
    assert.ok(typeof dated.schema === 'object' && dated.lenient)
    assert.deepEqual(dated.schema['properties'], { n: { type: 'number' }, d: {} })
    assert.match(dated.reason ?? '', /date/)
    const checked = describeSchema(
      type('string').narrow((text) => text !== ''),
      'output',
      {},
    )
    assert.ok(typeof checked.schema === 'object' && !checked.lenient)
    assert.equal(checked.schema['type'], 'string')
  })

  it('supports a library that calls the fallback without arguments', () => {
    const schema = described((options) => Object(options).libraryOptions.fallback?.default(undefined) ?? true)
    assert.deepEqual(describeSchema(schema, 'input', {}), {
      schema: true,
      lenient: true,
      reason: 'JSON Schema cannot express "undefined"',
    })
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
    assert.deepEqual(describeSchema(v.string(), 'input', {}), {
      schema: undefined,
      lenient: false,
      reason: 'The schema (valibot) does not provide JSON Schema, and the app has no converter for valibot',
    })
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
      )
      return true
    })
    assert.deepEqual(describeSchema(schema, 'input', {}), { schema: true, lenient: true, reason: 'strict' })
    assert.deepEqual(seen, [undefined, undefined, {}])
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
