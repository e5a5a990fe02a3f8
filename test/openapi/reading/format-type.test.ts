import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatType } from '#src/openapi/reading/format-type.js'

const ref = (name: string) => ({ $ref: `#/components/schemas/${name}` })

const DOCUMENT = { components: { schemas: { User: { type: 'object' } } } }

describe('formatType()', () => {
  const ROWS: readonly (readonly [schema: unknown, text: string])[] = [
    [{ type: 'string', format: 'email' }, 'string, email'],
    [{ type: 'string', format: 'email', pattern: String.raw`^[^@]+@[^@]+$` }, 'string, email'],
    [{ enum: ['admin', 'member'] }, '"admin" | "member"'],
    [{ const: 7 }, '7'],
    [{ type: 'integer', minimum: 13, maximum: Number.MAX_SAFE_INTEGER }, 'integer, ≥ 13'],
    [{ type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 }, 'number, > 0, < 1'],
    [
      { type: 'string', minLength: 1, maxLength: 80, pattern: '^a' },
      'string, at least 1 character, at most 80 characters, /^a/',
    ],
    [{ type: 'integer', default: 20 }, 'integer, default 20'],
    [{ type: 'string', default: '' }, 'string, default ""'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'array', items: { type: 'string' }, minItems: 1 }, 'string[], at least 1'],
    [{ type: 'array', items: { enum: [1, 2] } }, '(1 | 2)[]'],
    [{ type: 'array' }, 'any[]'],
    [{ type: 'array', maxItems: 9 }, 'any[], at most 9'],
    [{ type: 'number', maximum: 5 }, 'number, ≤ 5'],
    [{ anyOf: [{ enum: ['a'] }, { const: 1 }] }, '"a" | 1'],
    [{ anyOf: [{ type: 'string' }, { type: 'number' }] }, 'string | number'],
    [{ oneOf: [ref('User'), { type: 'null' }] }, 'User | null'],
    [ref('User'), 'User'],
    [{}, 'any'],
    [undefined, 'any'],
  ]
  for (const [schema, text] of ROWS) {
    it(`returns ${text}`, () => assert.equal(formatType(DOCUMENT, schema), text))
  }
})
