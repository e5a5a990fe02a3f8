import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { frameworkError, HttpError } from '#src/errors/http-error.js'

describe('HttpError', () => {
  it('has a status, and the detail as its message', () => {
    const error = new HttpError(404, 'No user 7')
    assert.ok(error instanceof Error)
    assert.equal(error.name, 'HttpError')
    assert.equal(error.status, 404)
    assert.equal(error.message, 'No user 7')
    assert.equal(error.detail, 'No user 7')
    assert.equal(error.type, undefined)
    assert.deepEqual(error.headers, {})
    assert.deepEqual(error.extensions, {})
    assert.equal('cause' in error, false)
  })

  it('uses the title of the status as its message if detail is missing', () => {
    const error = new HttpError(409)
    assert.equal(error.message, 'Conflict')
    assert.equal(error.detail, undefined)
    assert.equal(new HttpError(409, '').detail, '')
  })

  it('accepts only integer statuses from 400 to 599', () => {
    for (const status of [400, 418, 499, 500, 599]) assert.equal(new HttpError(status).status, status)
    for (const status of [0, 200, 304, 399, 600, 999, 404.5, -404, NaN, Infinity]) {
      assert.throws(() => new HttpError(status), {
        name: 'RangeError',
        message: `Cannot create an HTTP error: the status must be an integer from 400 to 599, not ${status}`,
      })
    }
    // @ts-expect-error - a status must be a number; a string from untyped code is rejected, too
    assert.throws(() => new HttpError('404'), RangeError)
  })

  it('sets the same fields with HttpError.of() as with the constructor', () => {
    const contract: {
      readonly '~errors'?: { 409?: { '~standard': { types?: { input: { seat: string } } } }; 404?: unknown }
    } = {}
    const cause = new Error('row 7')
    const taken = HttpError.of(contract, 409, 'Taken', { seat: '12A', type: 'urn:taken', headers: { a: 'b' }, cause })
    assert.deepEqual([taken.status, taken.detail, taken.type, taken.cause], [409, 'Taken', 'urn:taken', cause])
    assert.deepEqual([taken.extensions, taken.headers], [{ seat: '12A' }, { a: 'b' }])
    const none = HttpError.of(contract, 404)
    assert.deepEqual([none.status, none.detail, none.extensions], [404, undefined, {}])
  })

  it('separates type, headers and cause from the extension members', () => {
    const cause = new Error('behind')
    const headers = { 'retry-after': '1' }
    const error = new HttpError(429, 'Later', { type: 'urn:later', headers, cause, limit: 10, used: [1] })
    assert.equal(error.type, 'urn:later')
    assert.equal(error.headers, headers)
    assert.equal(error.cause, cause)
    assert.deepEqual(error.extensions, { limit: 10, used: [1] })
  })

  it('preserves a cause that is `undefined`', () => {
    assert.equal('cause' in new HttpError(500, 'x', { cause: undefined }), true)
  })

  it('ignores options with the names of standard members', () => {
    const options = { title: 'Mine', status: 200, detail: 'other', requestId: '1', instance: '/a' }
    assert.deepEqual(new HttpError(400, 'x', options).extensions, { instance: '/a' })
  })

  it('stores a "__proto__" member without changing the prototype', () => {
    const { extensions } = new HttpError(400, 'x', JSON.parse('{"__proto__":{"polluted":1}}'))
    assert.deepEqual(Object.keys(extensions), ['__proto__'])
    assert.equal(Object.getPrototypeOf(extensions), Object.prototype)
  })
})

describe('HttpError.issues', () => {
  const issue = { in: 'body', pointer: '/name', message: 'Taken' }

  it('returns the valid issues in "errors"', () => {
    const wrong = [null, 'name', { ...issue, in: 'house' }, { ...issue, pointer: 7 }, { in: 'body', pointer: '' }]
    assert.deepEqual(new HttpError(422, 'No', { errors: [...wrong, issue] }).issues, [issue])
  })

  it('returns an empty array if "errors" is missing or not an array', () => {
    for (const options of [undefined, {}, { errors: issue }, { errors: 'name' }]) {
      assert.deepEqual(new HttpError(422, 'No', options).issues, [])
    }
  })
})

describe('frameworkError()', () => {
  it('returns a frozen error with the source "framework"', () => {
    const error = frameworkError(405, 'No', { headers: { allow: 'GET' }, available: [] })
    assert.deepEqual([error.source, new HttpError(405).source], ['framework', 'handler'])
    for (const part of [error, error.headers, error.extensions]) assert.ok(Object.isFrozen(part))
    assert.ok(error instanceof HttpError && error.name === 'HttpError')
  })
})
