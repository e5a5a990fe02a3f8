import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { parsesText } from '#src/validation/text/parses-text.js'
import type { Schema } from '#src/validation/schema.js'

function schemaOf(validate: (value: unknown) => unknown): Schema {
  return { '~standard': { version: 1, vendor: 'own', validate } }
}
const parse = (value: unknown): unknown => (typeof value === 'string' ? JSON.parse(value) : value)

const ROWS: readonly (readonly [title: string, schema: Schema, expected: boolean])[] = [
  ['an object', z.object({ a: z.object({}) }), false],
  ['a parsed object', z.object({ a: z.preprocess(parse, z.object({})) }), true],
  ['a parsed object with required members', z.object({ a: z.preprocess(parse, z.object({ b: z.string() })) }), true],
  ['a parsed list of objects', z.object({ a: z.preprocess(parse, z.array(z.object({})).min(2)) }), true],
  ['issues of another member', z.object({ a: z.object({}), b: z.object({ c: z.string() }) }), false],
  ['a schema that accepts anything', schemaOf((value) => ({ value })), false],
  ['a schema that drops the member', schemaOf(() => ({ value: {} })), false],
  ['a schema that returns a string', schemaOf(() => ({ value: 'a' })), false],
  ['an issue about another part', schemaOf(() => ({ issues: [{ message: 'no', path: ['b', 'c'] }] })), false],
  ['a schema that throws', schemaOf(() => assert.fail('no')), false],
  ['an asynchronous schema', schemaOf(async () => ({ value: { a: {} } })), false],
  ['a schema that rejects', schemaOf(() => Promise.reject(new Error('no'))), false],
]

describe('parsesText()', () => {
  for (const [title, schema, expected] of ROWS) {
    it(`returns ${expected} for ${title}`, () => assert.equal(parsesText(schema, 'a'), expected))
  }
})
