/** Fields that a schema of a document does not describe. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unknownFields } from '#src/testing/documented-responses.js'

const components = {
  responses: {},
  schemas: { Leaf: { type: 'object', properties: { a: { $ref: '#/components/schemas/Leaf' } } } },
}

describe('unknownFields()', () => {
  it('follows references into the components, in circles too', () => {
    const schema = { type: 'array', items: { $ref: '#/components/schemas/Leaf' } }
    const value = [{ a: { a: {}, b: 1 } }, { c: { d: 1 } }, null, 1]
    assert.deepEqual(unknownFields(schema, components, value), ['/0/a/b', '/1/c'])
  })

  it('finds nothing where nothing is said, or nothing is dropped', () => {
    assert.deepEqual(unknownFields(true, components, { a: 1 }), [])
    assert.deepEqual(unknownFields({}, components, { a: 1 }), [])
    assert.deepEqual(unknownFields({ $ref: '#/components/schemas/Leaf' }, components, { a: {} }), [])
  })

  it('finds an object or array of another type', () => {
    const schema = { type: 'object', properties: { 'a/b': { type: 'array', items: { type: 'string' } } } }
    assert.deepEqual(unknownFields(schema, components, { 'a/b': ['c', { d: 1 }] }), ['/a~1b/1'])
  })

  it('throws if a value contains itself', () => {
    const cycle: Record<string, unknown> = {}
    cycle['a'] = cycle
    assert.throws(() => unknownFields({ $ref: '#/components/schemas/Leaf' }, components, cycle), RangeError)
  })
})
