import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ContractViolation } from '#src/request/check-response.js'
import { RequestRedactor } from '#src/devconsole/redact/request-redactor.js'
import { readIssues, type SentSources } from '#src/devconsole/record/issues.js'
import { HttpError } from '#src/errors/http-error.js'
import { Secrets } from '#src/secrets/secrets.js'

const hider = new RequestRedactor(new Secrets())
const SENT: SentSources = {
  query: 'limit=x&limit=y',
  params: { id: 'seven' },
  headers: { 'x-count': 'many', authorization: 'Bearer abc' },
  body: '{"user":{"age":"old","password":"redacted"},"a/b":[1]}',
}

const FORM: SentSources = {
  ...SENT,
  headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
  body: 'age=7&tag=a&tag=b',
}

function readAt(source: string, pointer: string, sent: SentSources = SENT) {
  const error = new HttpError(422, 'no', { errors: [{ in: source, pointer, message: 'Wrong' }] })
  const [issue] = readIssues(error, sent, hider)
  return [issue?.where, issue?.received]
}

describe('readIssues()', () => {
  it('returns the location of each issue and the sent value', () => {
    assert.deepEqual(readAt('body', '/user/age'), ['body.user.age', '"old"'])
    assert.deepEqual(readAt('body', '/a~1b/0'), ['body.a/b.0', '1'])
    assert.deepEqual(readAt('body', ''), ['body', '{"user":{"age":"old","password":"redacted"},"a/b":[1]}'])
    assert.deepEqual(readAt('query', '/limit'), ['query.limit', '["x","y"]'])
    assert.deepEqual(readAt('params', '/id'), ['params.id', '"seven"'])
    assert.deepEqual(readAt('headers', '/x-count'), ['headers.x-count', '"many"'])
    assert.deepEqual(readAt('body', '/age', FORM), ['body.age', '"7"'])
    assert.deepEqual(readAt('body', '/tag', FORM), ['body.tag', '["a","b"]'])
  })

  it('marks values that were not sent as missing', () => {
    const missingAt = (source: string, pointer: string, sent: SentSources = SENT) => {
      const error = new HttpError(422, 'no', { errors: [{ in: source, pointer, message: 'Wrong' }] })
      return readIssues(error, sent, hider)[0]?.missing ?? false
    }
    const withCookie = { ...SENT, headers: { cookie: 'theme=dark' } }
    const notSent = [
      missingAt('body', '/user/name'),
      missingAt('body', '/gone/deeper'),
      missingAt('query', '/page'),
      missingAt('headers', '/x-gone'),
      missingAt('cookies', '/theme'),
      missingAt('cookies', '/seat', withCookie),
      missingAt('body', '/name', FORM),
    ]
    assert.deepEqual(new Set(notSent), new Set([true]))
    const sent = [
      missingAt('body', '/user/age'),
      missingAt('body', '/user/age/years'),
      missingAt('body', ''),
      missingAt('cookies', '/theme', withCookie),
      missingAt('body', '/age', FORM),
    ]
    assert.deepEqual(new Set(sent), new Set([false]))
    assert.equal(missingAt('body', '/user/name', { ...SENT, body: null }), false)
    assert.equal(missingAt('body', '/name', { ...FORM, body: 'age=%' }), false)
    assert.equal(missingAt('body', `/user/${'n'.repeat(2_000)}`), false)
  })

  it('omits values that are secret or were not stored', () => {
    assert.deepEqual(readAt('headers', '/authorization'), ['headers.authorization', null])
    assert.deepEqual(readAt('body', '/user/password'), ['body.user.password', null])
    assert.deepEqual(readAt('cookies', '/theme'), ['cookies.theme', null])
    assert.deepEqual(readAt('body', '/gone/deeper'), ['body.gone.deeper', null])
    assert.deepEqual(readAt('body', '/user', { ...SENT, body: null }), ['body.user', null])
    assert.deepEqual(readAt('body', '/user', { ...SENT, body: 'no JSON' }), ['body.user', null])
  })

  it('returns the code of the validation library, or null without one', () => {
    const coded = Object.defineProperty({ in: 'body', pointer: '', message: 'Wrong' }, 'code', { value: 'too_small' })
    const error = new HttpError(422, 'no', { errors: [coded, { in: 'body', pointer: '', message: 'Wrong' }] })
    assert.deepEqual(
      readIssues(error, SENT, hider).map(({ code }) => code),
      ['too_small', null],
    )
  })

  it('shows response values without secrets, and without running user code', () => {
    const own = {
      title: 5,
      token: 'hunter2',
      get shelf(): never {
        throw new Error('not to be read')
      },
      proxy: new Proxy({}, { getOwnPropertyDescriptor: () => assert.fail('a trap') }),
      long: 'word '.repeat(200),
    }
    const issues = ['/title', '/token', '/shelf', '/proxy/a', '', '/none', '/long'].map((pointer) => ({
      pointer,
      message: 'Wrong',
    }))
    const found = readIssues(
      new ContractViolation({ label: '"Probe.get"' }, 'no', { list: issues, omitted: 0 }, own),
      SENT,
      hider,
    )
    assert.deepEqual(
      found.map(({ where, received }) => [where, received?.slice(0, 30) ?? null]),
      [
        ['body.title', '5'],
        ['body.token', null],
        ['body.shelf', null],
        ['body.proxy.a', null],
        ['body', '{"title":5,"token":"redacted",'],
        ['body.none', null],
        ['body.long', '"word word word word word word'],
      ],
    )
    assert.ok((found.at(-1)?.received ?? '').length <= 400)
  })

  it('shortens long strings, and omits a value that the pointer does not reach', () => {
    const long = 'x'.repeat(5_000)
    const issue = Object.assign({ in: 'body', pointer: `/${long}/a`, message: long }, { code: long })
    const [found] = readIssues(
      new HttpError(422, 'no', { errors: [issue] }),
      { ...SENT, body: `{"${long}":{"a":1}}` },
      hider,
    )
    assert.deepEqual(
      [found?.where, found?.message.length, found?.code?.length, found?.received],
      [`body.${'x'.repeat(295)}…`, 1_001, 100, null],
    )
  })

  it('keeps the first 100 issues', () => {
    const errors = Array.from({ length: 1_000 }, (_, at) => ({ in: 'body', pointer: `/${at}`, message: 'Wrong' }))
    const found = readIssues(new HttpError(422, 'no', { errors }), SENT, hider)
    assert.deepEqual([found.length, found.at(-1)?.where], [100, 'body.99'])
  })

  it('reads the issues of a contract violation, and ignores other errors', () => {
    const breach = { name: 'ContractBreach', issues: [{ pointer: '/title', message: 'Missing' }] }
    assert.deepEqual(readIssues(breach, SENT, hider), [
      { side: 'response', where: 'body.title', message: 'Missing', code: null, received: null },
    ])
    for (const error of [null, 5, new Error('x'), new HttpError(404), new HttpError(422), { name: 'ContractBreach' }]) {
      assert.deepEqual(readIssues(error, SENT, hider), [])
    }
  })
})
