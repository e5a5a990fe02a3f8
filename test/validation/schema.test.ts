import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import { type } from 'arktype'
import * as v from 'valibot'
import * as z from 'zod'
import { isSchema, type In, type Out, type Schema } from '#src/validation/schema.js'

type Same<A, B> = [A, B] extends [B, A] ? true : false

/** Compiles only when every schema of the standard is one of ours and the types agree. */
function agrees<S extends StandardSchemaV1>(
  schema: S & Schema,
  _input: Same<In<S>, StandardSchemaV1.InferInput<S>>,
  _output: Same<Out<S>, StandardSchemaV1.InferOutput<S>>,
): Schema {
  return schema
}

describe('Schema', () => {
  it('is compatible with the types of Standard Schema', () => {
    const standard: Schema = { '~standard': { version: 1, vendor: 'own', validate: (value) => ({ value }) } }
    const widened = (schema: StandardSchemaV1): Schema => schema
    const toNumber = z.string().transform(Number)
    assert.equal(agrees<typeof toNumber>(toNumber, true, true), toNumber)
    const proof: [Same<In<typeof toNumber>, string>, Same<Out<typeof toNumber>, number>] = [true, true]
    assert.ok(proof[0] && isSchema(widened(v.string())) && isSchema(standard))
  })
})

describe('isSchema()', () => {
  it('accepts schemas of zod, valibot and arktype', () => {
    for (const schema of [z.string(), v.string(), type('string')]) assert.equal(isSchema(schema), true)
  })

  it('rejects values without a valid "~standard"', () => {
    const validate = (): void => {}
    const others = [
      null,
      undefined,
      'text',
      {},
      () => {},
      { '~standard': null },
      { '~standard': 1 },
      { '~standard': {} },
      { '~standard': { version: 1 } },
      { '~standard': { version: 2, validate } },
      { '~standard': { version: 1, validate: true } },
    ]
    for (const other of others) assert.equal(isSchema(other), false)
  })
})
