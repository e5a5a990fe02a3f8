import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { formatAllow, KNOWN_METHODS, PLAIN_VERBS, SAFE_METHODS, VERB_BY_METHOD, VERBS } from '#src/http/methods.js'

describe('VERB_BY_METHOD', () => {
  it('contains the six verbs, HEAD as GET, and OPTIONS without a verb', () => {
    assert.deepEqual(
      [...VERB_BY_METHOD],
      [
        ['GET', 'get'],
        ['HEAD', 'get'],
        ['POST', 'post'],
        ['PUT', 'put'],
        ['PATCH', 'patch'],
        ['DELETE', 'delete'],
        ['QUERY', 'query'],
        ['OPTIONS', undefined],
      ],
    )
  })

  it('matches only the exact names of methods (RFC 9110 section 9.1)', () => {
    for (const method of ['get', 'Get', 'TRACE', 'CONNECT', 'SEARCH', '', 'constructor']) {
      assert.equal(VERB_BY_METHOD.has(method), false, method)
    }
  })
})

describe('SAFE_METHODS', () => {
  it('contains GET, HEAD, OPTIONS, and QUERY (RFC 10008 section 2)', () => {
    assert.deepEqual([...SAFE_METHODS], ['GET', 'HEAD', 'QUERY', 'OPTIONS'])
  })
})

describe('PLAIN_VERBS', () => {
  it('contains the verbs whose methods are endpoints without a contract', () => {
    assert.deepEqual(PLAIN_VERBS, ['get', 'post', 'put', 'patch', 'delete'])
  })
})

describe('KNOWN_METHODS', () => {
  it('contains methods that are rejected with 501, too', () => {
    assert.deepEqual([...KNOWN_METHODS], [...VERB_BY_METHOD.keys(), 'CONNECT', 'TRACE'])
  })
})

describe('formatAllow()', () => {
  it('lists methods in alphabetical order, with HEAD for GET, and always OPTIONS', () => {
    assert.equal(formatAllow([]), 'OPTIONS')
    assert.equal(formatAllow(['post']), 'OPTIONS, POST')
    assert.equal(formatAllow(['put', 'get', 'put']), 'GET, HEAD, OPTIONS, PUT')
    assert.equal(formatAllow(VERBS), 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY')
  })
})
