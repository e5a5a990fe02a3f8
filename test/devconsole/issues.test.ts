import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Hider } from '#src/devconsole/hider.js'
import { readIssues, type Sent } from '#src/devconsole/issues.js'
import { HttpError } from '#src/errors/http-error.js'
import { Secrets } from '#src/telemetry/secrets.js'

const hider = new Hider(new Secrets())
const SENT: Sent = {
  query: 'limit=x&limit=y',
  params: { id: 'seven' },
  headers: { 'x-count': 'many', authorization: 'Bearer abc' },
  body: '{"user":{"age":"old","password":"redacted"},"a/b":[1]}',
}

function readAt(source: string, pointer: string, sent: Sent = SENT) {
  const error = new HttpError(422, 'no', { errors: [{ in: source, pointer, message: 'Wrong' }] })
  const [issue] = readIssues(error, sent, hider)
  return [issue?.where, issue?.received]
}

describe('readIssues()', () => {
  it('names where each issue is, and the value that was sent', () => {
    assert.deepEqual(readAt('body', '/user/age'), ['body.user.age', '"old"'])
    assert.deepEqual(readAt('body', '/a~1b/0'), ['body.a/b.0', '1'])
    assert.deepEqual(readAt('body', ''), ['body', '{"user":{"age":"old","password":"redacted"},"a/b":[1]}'])
    assert.deepEqual(readAt('query', '/limit'), ['query.limit', '["x","y"]'])
    assert.deepEqual(readAt('params', '/id'), ['params.id', '"seven"'])
    assert.deepEqual(readAt('headers', '/x-count'), ['headers.x-count', '"many"'])
  })

  it('shows no value that is a secret, or that was not kept', () => {
    assert.deepEqual(readAt('headers', '/authorization'), ['headers.authorization', null])
    assert.deepEqual(readAt('body', '/user/password'), ['body.user.password', null])
    assert.deepEqual(readAt('cookies', '/theme'), ['cookies.theme', null])
    assert.deepEqual(readAt('body', '/gone/deeper'), ['body.gone.deeper', null])
    assert.deepEqual(readAt('body', '/user', { ...SENT, body: null }), ['body.user', null])
    assert.deepEqual(readAt('body', '/user', { ...SENT, body: 'no JSON' }), ['body.user', null])
  })

  it('tells those of an answer, and passes over every other error', () => {
    const breach = { name: 'ContractBreach', issues: [{ pointer: '/title', message: 'Missing' }] }
    assert.deepEqual(readIssues(breach, SENT, hider), [
      { side: 'response', where: 'body.title', message: 'Missing', code: null, received: null },
    ])
    for (const error of [null, 5, new Error('x'), new HttpError(404), new HttpError(422), { name: 'ContractBreach' }]) {
      assert.deepEqual(readIssues(error, SENT, hider), [])
    }
  })
})
