/** Fields that a schema of a document does not describe. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { unknownFields } from '#src/testing/documented-answers.js'

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
})
