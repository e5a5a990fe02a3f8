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
  it('asks the schema itself, for either side', () => {
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

  it('asks the converter of the vendor where the schema does not describe itself', () => {
    for (const schema of [v.object({ n: v.number() }), mini.object({ n: mini.number() })]) {
      const found = describeSchema(schema, 'input', converters)
      assert.ok(typeof found.schema === 'object' && !found.lenient)
      assert.deepEqual(found.schema['properties'], { n: { type: 'number' } })
    }
  })

  it('leaves gaps where a member cannot be described, and says why', () => {
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

  it('leaves gaps too where a library would be silent about them, but not where it only has no word for a check', () => {
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

  it('bears a library that asks with nothing', () => {
    const schema = described((options) => Object(options).libraryOptions.fallback?.default(undefined) ?? true)
    assert.deepEqual(describeSchema(schema, 'input', {}), {
      schema: true,
      lenient: true,
      reason: 'JSON Schema has no word for what is meant by "undefined"',
    })
  })

  it('says nothing of the result of a transformation, and still describes around a check', () => {
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

  it('gives the reason when there is no description', () => {
    assert.deepEqual(describeSchema(v.string(), 'input', {}), {
      schema: undefined,
      lenient: false,
      reason: 'The schema (valibot) does not describe itself as JSON Schema, and the app has no converter for valibot',
    })
  })

  it('never throws', () => {
    const throwing = (thrown: unknown): Schema =>
      described(() => {
        throw thrown
      })
    assert.equal(describeSchema(throwing(new Error('broken')), 'input', {}).reason, 'broken')
    assert.equal(describeSchema(throwing('text'), 'input', {}).reason, 'Describing the schema failed')
    const odd = describeSchema(
      described(() => 'text'),
      'input',
      {},
    )
    assert.deepEqual([odd.schema, odd.reason], [undefined, 'The description of the schema is not JSON Schema'])
  })

  it('reads no inherited converter', () => {
    const validate = (value: unknown): unknown => ({ value })
    const schema: Schema = { '~standard': { version: 1, vendor: 'toString', validate } }
    assert.equal(describeSchema(schema, 'input', {}).schema, undefined)
  })

  it('hands the lenient options over as functions that bear any argument', () => {
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
  it('takes objects and booleans', () => {
    assert.deepEqual([{}, true, [], null, 'a'].map(isJsonSchema), [true, true, false, false, false])
  })
})

describe('resolveReference()', () => {
  const here = { $anchor: 'here' }
  const root = { $id: 'root', $defs: { A: { $id: 'a' }, B: here, C: { $id: 'a', type: 'string' } } }

  it('finds schemas by pointer, identifier and anchor, the first of each', () => {
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
