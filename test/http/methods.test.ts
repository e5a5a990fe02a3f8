import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { allowOf, VERB_OF, VERBS } from '#src/http/methods.js'

describe('VERB_OF', () => {
  it('knows the five verbs, HEAD as GET, and OPTIONS without a verb', () => {
    assert.deepEqual(
      [...VERB_OF],
      [
        ['GET', 'get'],
        ['HEAD', 'get'],
        ['POST', 'post'],
        ['PUT', 'put'],
        ['PATCH', 'patch'],
        ['DELETE', 'delete'],
        ['OPTIONS', undefined],
      ],
    )
  })

  it('knows methods by their exact name (RFC 9110 section 9.1)', () => {
    for (const method of ['get', 'Get', 'TRACE', 'CONNECT', 'QUERY', '', 'constructor']) {
      assert.equal(VERB_OF.has(method), false, method)
    }
  })
})

describe('allowOf()', () => {
  it('lists methods in alphabetical order, HEAD beside GET, OPTIONS always', () => {
    assert.equal(allowOf([]), 'OPTIONS')
    assert.equal(allowOf(['post']), 'OPTIONS, POST')
    assert.equal(allowOf(['put', 'get', 'put']), 'GET, HEAD, OPTIONS, PUT')
    assert.equal(allowOf(VERBS), 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT')
  })
})
