/** Properties that are not in a schema of the document. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unknownFields } from '#src/testing/documented-responses.js'

const components = {
  responses: {},
  schemas: { Leaf: { type: 'object', properties: { a: { $ref: '#/components/schemas/Leaf' } } } },
}

describe('unknownFields()', () => {
  it('follows references into the components, even recursive ones', () => {
    const schema = { type: 'array', items: { $ref: '#/components/schemas/Leaf' } }
    const value = [{ a: { a: {}, b: 1 } }, { c: { d: 1 } }, null, 1]
    assert.deepEqual(unknownFields(schema, components, value), ['/0/a/b', '/1/c'])
  })

  it('returns an empty array if the schema allows all properties', () => {
    assert.deepEqual(unknownFields(true, components, { a: 1 }), [])
    assert.deepEqual(unknownFields({}, components, { a: 1 }), [])
    assert.deepEqual(unknownFields({ $ref: '#/components/schemas/Leaf' }, components, { a: {} }), [])
  })

  it('returns the pointer of an object that must be another type', () => {
    const schema = { type: 'object', properties: { 'a/b': { type: 'array', items: { type: 'string' } } } }
    assert.deepEqual(unknownFields(schema, components, { 'a/b': ['c', { d: 1 }] }), ['/a~1b/1'])
  })

  it('throws for a value that contains itself', () => {
    const cycle: Record<string, unknown> = {}
    cycle['a'] = cycle
    assert.throws(() => unknownFields({ $ref: '#/components/schemas/Leaf' }, components, cycle), RangeError)
  })
})
