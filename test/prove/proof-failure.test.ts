/** The error of a proof that failed. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ProofFailure } from 'verbena/prove'

describe('ProofFailure', () => {
  it('has all lines in its message', () => {
    const error = new ProofFailure('Cannot accept the app', ['GET /a: 1', 'GET /b: 2'])
    assert.equal(String(error), 'ProofFailure: Cannot accept the app\nGET /a: 1\nGET /b: 2')
    assert.deepEqual(error.lines, ['GET /a: 1', 'GET /b: 2'])
  })
})
