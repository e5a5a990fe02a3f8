import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { gapsIn } from '#src/check/schema-findings.js'
import type { JsonSchema } from '#src/validation/json-schema.js'

const text = { type: 'string' }

const GAPS: readonly (readonly [about: string, schema: JsonSchema, gaps: readonly string[]])[] = [
  ['nothing that is open', { type: 'object', properties: { a: text }, additionalProperties: false }, []],
  ['false', { properties: { a: false } }, []],
  ['the whole', {}, ['']],
  ['the whole, with words about it', { $schema: 'x', title: 'T', description: 'd', default: 1 }, ['']],
  ['true', true, ['']],
  ['members', { properties: { a: text, b: {}, c: { properties: { d: true } } } }, ['/b', '/c/d']],
  ['items', { properties: { a: { type: 'array', items: {} }, b: { prefixItems: [text, {}] } } }, ['/a/*', '/b/*']],
  ['other members', { type: 'object', additionalProperties: {} }, ['/*']],
  [
    'alternatives and parts',
    { anyOf: [text, { properties: { a: {} } }], allOf: [{ properties: { b: {} } }] },
    ['/b', '/a'],
  ],
  [
    'references, recursive ones too',
    { $ref: '#/$defs/A', $defs: { A: { properties: { a: {}, b: { $ref: '#' } } } } },
    ['/a'],
  ],
  ['what is no schema', { properties: { a: 7 } }, []],
]

describe('gapsIn()', () => {
  for (const [about, schema, gaps] of GAPS) it(`finds ${about}`, () => assert.deepEqual(gapsIn(schema), gaps))

  it('names a place once', () => {
    const shared = { anyOf: [{ properties: { a: {} } }, { properties: { a: {} } }] }
    assert.deepEqual(gapsIn(shared), ['/a'])
  })
})
