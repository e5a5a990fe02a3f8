import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from '#src/errors/http-error.js'
import { toProblem } from '#src/errors/problem.js'

describe('toProblem()', () => {
  it('lists the members of RFC 9457 section 3.1 before extension members', () => {
    const error = new HttpError(422, 'Wrong', { type: 'urn:wrong', errors: [], retry: false })
    assert.equal(
      JSON.stringify(toProblem(error, 'r1')),
      '{"type":"urn:wrong","title":"Unprocessable Content","status":422,"detail":"Wrong","errors":[],"retry":false,"requestId":"r1"}',
    )
  })

  it('omits a missing detail', () => {
    assert.deepEqual(toProblem(new HttpError(500), 'r1'), {
      type: 'about:blank',
      title: 'Internal Server Error',
      status: 500,
      requestId: 'r1',
    })
    assert.equal(toProblem(new HttpError(400, ''), 'r1').detail, '')
  })

  it('omits cause, headers and stack', () => {
    const error = new HttpError(503, 'Later', { cause: new Error('secret'), headers: { 'x-a': '1' } })
    assert.deepEqual(Object.keys(toProblem(error, 'r1')), ['type', 'title', 'status', 'detail', 'requestId'])
  })
})
