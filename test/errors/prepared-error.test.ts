import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from '#src/errors/http-error.js'
import { preparedError, preparedText } from '#src/errors/prepared-error.js'
import { toProblem } from '#src/errors/problem.js'

describe('preparedText()', () => {
  it('returns the serialized problem of a prepared error for any request id', () => {
    const error = preparedError(405, 'This path answers "GET"', { headers: { allow: 'GET' }, allowed: ['GET'] })
    for (const id of ['a', '', '"', 'é\\', '\ud800']) {
      assert.equal(preparedText(error, id), JSON.stringify(toProblem(error, id)))
    }
  })

  it('returns undefined for other errors', () => assert.equal(preparedText(new HttpError(404), 'a'), undefined))

  it('freezes prepared errors, so that the text stays valid', () => {
    assert.throws(() => Object.assign(preparedError(404), { detail: 'changed' }), TypeError)
  })
})
