/** Which described responses are searched for an invalid Date. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import * as z from 'zod'
import { describeSchema } from '#src/validation/describe-schema.js'
import type { JsonSchema } from '#src/validation/json-schema.js'
import { mayContainDate } from '#src/validation/may-contain-date.js'

const text = { type: 'string' }
const closed = { type: 'object', properties: { id: text }, additionalProperties: false }

const ROWS: readonly (readonly [schema: JsonSchema, mayContain: boolean])[] = [
  [true, true],
  [false, false],
  [{}, true],
  [text, false],
  [{ type: ['string', 'null'] }, false],
  [{ type: 'string', format: 'email' }, false],
  [{ type: 'string', format: 'date-time' }, true],
  [{ type: 'string', format: 'date' }, true],
  [{ const: '2026-01-31', format: 'date' }, true],
  [{ const: 1 }, false],
  [{ enum: ['a', null] }, false],
  [closed, false],
  [{ type: 'object', properties: { id: text } }, false],
  [{ type: 'object' }, true],
  [{ type: 'object', properties: {}, additionalProperties: true }, true],
  [{ type: 'object', additionalProperties: text }, false],
  [{ type: 'object', additionalProperties: {} }, true],
  [{ type: 'object', properties: { at: {} } }, true],
  [{ type: 'object', properties: { id: text }, patternProperties: { '^x-': {} } }, true],
  [{ type: 'array' }, true],
  [{ type: 'array', items: closed }, false],
  [{ type: 'array', items: {} }, true],
  [{ type: 'array', prefixItems: [text, closed], items: false }, false],
  [{ type: 'array', prefixItems: [text] }, false],
  [{ type: 'array', prefixItems: [text, true] }, true],
  [{ anyOf: [text, { type: 'null' }] }, false],
  [{ oneOf: [text, {}] }, true],
  [{ allOf: [closed] }, false],
  [
    { $ref: '#/$defs/Node', $defs: { Node: { type: 'object', properties: { next: { $ref: '#/$defs/Node' } } } } },
    false,
  ],
  [{ $ref: '#/$defs/Any', $defs: { Any: {} } }, true],
  [{ description: 'anything' }, true],
  [{ type: 'unknown' }, true],
  [{ type: 'string', not: text }, true],
]

describe('mayContainDate()', () => {
  for (const [schema, mayContain] of ROWS) {
    it(`is ${mayContain} for ${JSON.stringify(schema)}`, () => {
      assert.equal(mayContainDate(schema), mayContain)
    })
  }

  it('is false for an ordinary schema of a library', () => {
    const User = z.object({ id: z.uuid(), tags: z.array(z.string()), boss: z.object({ id: z.int() }).nullable() })
    const { schema = true } = describeSchema(z.array(User), 'output', {})
    assert.equal(mayContainDate(schema), false)
  })
})
