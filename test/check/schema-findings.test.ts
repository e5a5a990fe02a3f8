import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { findSchemaGaps } from '#src/check/schema-findings.js'
import type { JsonSchema } from '#src/validation/json-schema.js'

const text = { type: 'string' }

const GAPS: readonly (readonly [about: string, schema: JsonSchema, gaps: readonly string[]])[] = [
  ['nothing in a closed schema', { type: 'object', properties: { a: text }, additionalProperties: false }, []],
  ['nothing in a false schema', { properties: { a: false } }, []],
  ['an empty root', {}, ['']],
  ['a root with only annotations', { $schema: 'x', title: 'T', description: 'd', default: 1 }, ['']],
  ['a true root', true, ['']],
  ['properties', { properties: { a: text, b: {}, c: { properties: { d: true } } } }, ['/b', '/c/d']],
  ['items', { properties: { a: { type: 'array', items: {} }, b: { prefixItems: [text, {}] } } }, ['/a/*', '/b/*']],
  ['additional properties', { type: 'object', additionalProperties: {} }, ['/*']],
  [
    'places in anyOf and allOf',
    { anyOf: [text, { properties: { a: {} } }], allOf: [{ properties: { b: {} } }] },
    ['/b', '/a'],
  ],
  [
    'places in references, including recursive ones',
    { $ref: '#/$defs/A', $defs: { A: { properties: { a: {}, b: { $ref: '#' } } } } },
    ['/a'],
  ],
  ['nothing in an invalid schema', { properties: { a: 7 } }, []],
]

describe('findSchemaGaps()', () => {
  for (const [about, schema, gaps] of GAPS) it(`finds ${about}`, () => assert.deepEqual(findSchemaGaps(schema), gaps))

  it('lists each place once', () => {
    const shared = { anyOf: [{ properties: { a: {} } }, { properties: { a: {} } }] }
    assert.deepEqual(findSchemaGaps(shared), ['/a'])
  })
})
