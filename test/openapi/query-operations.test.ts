/** The place of QUERY operations in documents of OpenAPI 3.1 and 3.2. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { placeOperation } from '#src/openapi/document.js'

const operation = { operationId: 'find', tags: [], responses: {} }
const HINT =
  'Requests have the method QUERY (RFC 10008) and the request body of this operation; OpenAPI 3.1 has no field for this method.'

describe('placeOperation()', () => {
  it('uses the field query of OpenAPI 3.2', () => {
    assert.deepEqual(placeOperation('3.2', 'query', operation), ['query', operation])
  })

  it('writes an extension in OpenAPI 3.1, and describes how it is sent', () => {
    assert.deepEqual(placeOperation('3.1', 'query', operation), ['x-query', { ...operation, description: HINT }])
    const [, { description }] = placeOperation('3.1', 'query', { ...operation, description: 'Finds teas.' })
    assert.equal(description, `Finds teas.\n\n${HINT}`)
  })

  it('uses the verb for other operations', () => {
    for (const version of ['3.1', '3.2'] as const)
      assert.deepEqual(placeOperation(version, 'get', operation), ['get', operation])
  })
})
