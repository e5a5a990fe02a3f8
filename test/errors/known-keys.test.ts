import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { suggestion } from '#src/errors/known-keys.js'

describe('suggestion()', () => {
  it('returns the known name with at most two typos', () => {
    const known = ['params', 'query', 'headers', 'cookies', 'body']
    const cases: readonly (readonly [rule: string, name: string, found: string | undefined])[] = [
      ['one letter missing', 'quey', 'query'],
      ['one letter too many', 'queryy', 'query'],
      ['one letter wrong', 'quary', 'query'],
      ['two letters swapped', 'qurey', 'query'],
      ['two letters wrong', 'qaary', 'query'],
      ['three letters wrong', 'qaaay', undefined],
      ['other case', 'QUERY', 'query'],
      ['singular', 'header', 'headers'],
      ['nothing near', 'description', undefined],
      ['empty', '', undefined],
    ]
    for (const [rule, name, found] of cases) {
      assert.equal(suggestion(name, known), found === undefined ? '' : ` Did you mean "${found}"?`, rule)
    }
  })

  it('prefers the most similar name, then the first one', () => {
    assert.equal(suggestion('gets', ['pots', 'get', 'sets']), ' Did you mean "get"?')
    assert.equal(suggestion('cat', ['hat', 'bat']), ' Did you mean "hat"?')
  })

  it('preserves the case of the known name', () => {
    assert.equal(suggestion('operationid', ['operationId']), ' Did you mean "operationId"?')
  })

  it('returns an empty string without known names', () => {
    assert.equal(suggestion('query', []), '')
    assert.equal(suggestion('', ['a']), ' Did you mean "a"?')
    assert.equal(suggestion('ab', ['']), ' Did you mean ""?')
  })
})
