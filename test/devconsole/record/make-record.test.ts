import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { RequestRedactor } from '#src/devconsole/redact/request-redactor.js'
import { readOrigin, versionDetail, type EndedRequest } from '#src/devconsole/record/make-record.js'
import { Secrets } from '#src/secrets/secrets.js'
import { QUIET } from '#test/console-trails.js'

const hider = new RequestRedactor(new Secrets())

describe('readOrigin()', () => {
  const originWith = (facts: Partial<EndedRequest['facts']>, headers: EndedRequest['headers']) =>
    readOrigin({ ...QUIET, ...facts }, headers, hider)

  it('omits unknown values', () => {
    assert.deepEqual(originWith({ client: '' }, {}), {
      scheme: 'http',
      server: '',
      client: null,
      agent: null,
      traceId: null,
    })
  })

  it('returns the origin of a request without secrets', () => {
    const headers = { host: `a${'b'.repeat(400)}`, 'user-agent': 'curl/8 token=abc' }
    const { server, ...others } = originWith({ client: '10.0.0.1', isSecure: true, traceId: 'abc' }, headers)
    assert.equal(server.length, 300)
    assert.deepEqual(others, { scheme: 'https', client: '10.0.0.1', agent: 'curl/8 token=redacted', traceId: 'abc' })
  })
})

describe('versionDetail()', () => {
  it('returns the requested version, the constraint and alternatives', () => {
    const versioning = { place: 'accept-version', fallback: '1.0.0' }
    assert.equal(versionDetail(undefined, versioning, hider), null)
    assert.deepEqual(
      versionDetail({ requested: '3', constraint: undefined, alternatives: ['<2', '>=4'] }, versioning, hider),
      {
        ...{ asked: '3', constraint: '<2, >=4', ok: false, from: 'accept-version', isDefault: false },
        alternatives: ['<2', '>=4'],
      },
    )
    const served = versionDetail({ requested: undefined, constraint: '<2', alternatives: ['<2'] }, versioning, hider)
    assert.deepEqual([served?.asked, served?.ok, served?.isDefault], ['1.0.0', true, true])
    const missing = { requested: undefined, constraint: undefined, alternatives: ['<2'] }
    const rejected = versionDetail(missing, { ...versioning, fallback: null }, hider)
    assert.deepEqual([rejected?.asked, rejected?.ok, rejected?.isDefault], [null, false, false])
  })
})
