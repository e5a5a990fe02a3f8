import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { buildValidationMembers, isRequestIssue, VALIDATION_SCHEMAS } from '#src/errors/request-issue.js'

const ISSUE = { in: 'body', pointer: '/name', message: 'Expected a string' } as const

describe('buildValidationMembers()', () => {
  it('returns a frozen list, and the number of omitted issues if there are any', () => {
    const { errors = [], ...others } = buildValidationMembers([ISSUE], 0)
    assert.deepEqual([errors, others], [[ISSUE], {}])
    assert.ok(Object.isFrozen(errors))
    assert.deepEqual(buildValidationMembers([], 3), { errors: [], omitted: 3 })
  })
})

describe('VALIDATION_SCHEMAS', () => {
  it('describes every member that is built', () => {
    assert.deepEqual(Object.keys(VALIDATION_SCHEMAS), Object.keys(buildValidationMembers([ISSUE], 1)))
    const { items } = VALIDATION_SCHEMAS.errors
    assert.deepEqual(Object.keys(Object(items).properties), Object.keys(ISSUE))
    assert.deepEqual(Object(items).required, Object.keys(ISSUE))
  })
})

describe('isRequestIssue()', () => {
  it('accepts only an object with a part of the request and two strings', () => {
    assert.ok(isRequestIssue(ISSUE))
    for (const value of [
      null,
      'body',
      { ...ISSUE, in: 'url' },
      { ...ISSUE, pointer: 0 },
      { ...ISSUE, message: null },
    ]) {
      assert.equal(isRequestIssue(value), false, JSON.stringify(value))
    }
  })
})
