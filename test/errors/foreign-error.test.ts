/** With a real second copy: `e2e/two-copies.test.ts`. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError } from '#src/errors/http-error.js'
import { toHttpError } from '#src/errors/foreign-error.js'

const MARK = Symbol.for('verbena.mark')
const mark = { kind: 'an HttpError', version: 1, folder: '/other' }
const members = { status: 409, detail: 'Taken', headers: { 'retry-after': '7' }, extensions: { name: 'ada' } }

describe('toHttpError()', () => {
  it('returns an error of this copy itself', () => {
    const error = new HttpError(404)
    assert.equal(toHttpError(error), error)
  })

  it('returns the same error for each call with an error of another copy', () => {
    const foreign = { ...members, [MARK]: mark }
    const error = toHttpError(foreign)
    assert.ok(error instanceof HttpError)
    assert.equal(error.cause, foreign)
    assert.equal(toHttpError(foreign), error)
  })

  it('ignores an object that throws at any access', () => {
    const getPrototypeOf = (): never => assert.fail('no prototype')
    assert.equal(toHttpError(new Proxy({}, { getPrototypeOf })), undefined)
  })

  it('ignores extensions that an HttpError sets itself', () => {
    const extensions = {
      type: 'x',
      headers: { a: '1' },
      status: 200,
      title: 'T',
      requestId: 'r',
      cause: 'c',
      name: 'ada',
    }
    const error = toHttpError({ ...members, source: 'framework', reason: 'expired', extensions, [MARK]: mark })
    assert.deepEqual({ ...error?.headers }, { 'retry-after': '7' })
    assert.deepEqual({ ...error?.extensions }, { name: 'ada' })
    assert.deepEqual([error?.type, error?.source, error?.reason], [undefined, 'handler', undefined])
  })

  it('is undefined for every other value', () => {
    for (const value of [null, undefined, 'x', 7, {}, members, new Error('x'), { ...members, [MARK]: {} }]) {
      assert.equal(toHttpError(value), undefined)
      assert.equal(toHttpError(value), undefined)
    }
  })
})
