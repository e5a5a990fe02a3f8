/** Archives of requests. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { toHar, type HarEntry } from '#src/devconsole/serve/har.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { jsonBody, record } from '#test/page-records.js'

const CREATOR = { name: 'acme', version: '1.0.0' }

function entry(changes: Partial<RequestRecord> = {}): HarEntry {
  const [first] = toHar([record(changes)], CREATOR).log.entries
  assert.ok(first !== undefined)
  return first
}

describe('toHar()', () => {
  it('lists the oldest request first', () => {
    const { log } = toHar([record({ id: 'r_2', time: 2_000 }), record({ id: 'r_1', time: 1_000 })], CREATOR)
    assert.deepEqual([log.version, log.creator], ['1.2', CREATOR])
    assert.deepEqual(
      log.entries.map(({ _id }) => _id),
      ['r_1', 'r_2'],
    )
  })

  it('contains all members that HAR 1.2 requires', () => {
    const { request, response, timings, cache, startedDateTime, time } = entry({ 'url.query': 'limit=5&q=a%20b' })
    assert.equal(startedDateTime, '2026-01-02T10:00:00.250Z')
    assert.deepEqual([time, cache], [10, {}])
    assert.deepEqual(timings, { blocked: -1, dns: -1, connect: -1, send: 0, wait: 9, receive: 1 })
    assert.deepEqual(request, {
      method: 'GET',
      url: 'http://localhost:3000/users/7?limit=5&q=a%20b',
      httpVersion: 'HTTP/1.1',
      headers: [{ name: 'host', value: 'localhost:3000' }],
      cookies: [],
      headersSize: -1,
      queryString: [
        { name: 'limit', value: '5' },
        { name: 'q', value: 'a b' },
      ],
      bodySize: 0,
    })
    assert.deepEqual(response, {
      status: 200,
      statusText: '',
      httpVersion: 'HTTP/1.1',
      headers: [{ name: 'content-type', value: 'application/json' }],
      cookies: [],
      headersSize: -1,
      content: { size: 0, mimeType: '' },
      redirectURL: '',
      bodySize: 120,
    })
  })

  it('contains the phases in "_phases"', () => {
    const { _phases } = entry()
    assert.deepEqual([_phases['handler'], _phases['guards'], Object.keys(_phases).length], [6, 0, 8])
  })

  it('omits phases that were not measured', () => {
    const { _phases, timings } = entry({ 'dev.phases': [] })
    assert.deepEqual([_phases, timings.wait, timings.receive], [{}, 10, 0])
  })

  it('contains stored parts of bodies, with a comment on omitted parts', () => {
    const cut = {
      ...record().request,
      body: { type: null, size: 9, text: '{"a"', hex: null, truncated: true, omitted: null },
    }
    const none = {
      ...record().response,
      body: { type: 'x/y', size: 9, text: null, hex: null, truncated: false, omitted: 'Too long' },
    }
    const { request, response } = entry({ request: cut, response: none })
    assert.deepEqual(request.postData, { mimeType: '', text: '{"a"', comment: 'Only the beginning was kept' })
    assert.deepEqual(response.content, { size: 9, mimeType: 'x/y', comment: 'Too long' })
  })

  it('contains whole bodies without a comment', () => {
    const { request, response } = entry({
      request: {
        headers: [],
        body: { type: 'text/plain', size: 0, text: null, hex: '00', truncated: false, omitted: null },
      },
      response: { headers: [['Location', '/x']], body: jsonBody('{}') },
    })
    assert.deepEqual(request.postData, { mimeType: 'text/plain', text: '' })
    assert.deepEqual(response.content, { size: 2, mimeType: 'application/json', text: '{}' })
    assert.equal(response.redirectURL, '/x')
    assert.equal(request.url, 'http://localhost:3000/users/7')
  })
})
