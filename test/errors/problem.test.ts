import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from '#src/errors/http-error.js'
import { problemOf } from '#src/errors/problem.js'

describe('problemOf()', () => {
  it('has the members of RFC 9457 section 3.1, standard ones first', () => {
    const error = new HttpError(422, 'Wrong', { type: 'urn:wrong', errors: [], retry: false })
    assert.equal(
      JSON.stringify(problemOf(error, 'r1')),
      '{"type":"urn:wrong","title":"Unprocessable Content","status":422,"detail":"Wrong","errors":[],"retry":false,"requestId":"r1"}',
    )
  })

  it('leaves out a detail that was not given', () => {
    assert.deepEqual(problemOf(new HttpError(500), 'r1'), {
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      requestId: 'r1',
    })
    assert.equal(problemOf(new HttpError(400, ''), 'r1').detail, '')
  })

  it('shows neither cause, headers nor stack', () => {
    const error = new HttpError(503, 'Later', { cause: new Error('secret'), headers: { 'x-a': '1' } })
    assert.deepEqual(Object.keys(problemOf(error, 'r1')), ['type', 'title', 'status', 'detail', 'requestId'])
  })
})
