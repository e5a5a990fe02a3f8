/** Reasons of failed requests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { fetchReason } from '#src/cli/records/fetch-reason.js'

describe('fetchReason()', () => {
  it('returns the message of the cause, or else of the error', () => {
    assert.equal(
      fetchReason(new TypeError('fetch failed', { cause: new Error('connect ECONNREFUSED') })),
      'connect ECONNREFUSED',
    )
    assert.equal(fetchReason(new Error('The operation was aborted')), 'The operation was aborted')
  })
})
