/** Credentials of the tab, which replace credentials that the console has not stored. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import {
  authorizationFor,
  basicCredentials,
  headerValue,
  listNames,
  missingCredentials,
  parseHeaders,
  readBasic,
  schemeCredentials,
  withCredentials,
} from '../../../page/pure/credentials.js'
import { record } from '#test/page-records.js'

const REQUEST = { method: 'GET', url: 'http://localhost/a?key=redacted&b=c%20d&key2=redacted', headers: [], body: null }

describe('missingCredentials()', () => {
  it('lists redacted headers, cookies and query parameters, except headers that a page cannot set', () => {
    const headers = [
      ['authorization', 'redacted'],
      ['cookie', 'redacted'],
      ['proxy-authorization', 'redacted'],
      ['x-dev-token', 'redacted'],
      ['accept', 'text/html'],
    ] as const
    const sent = record({ request: { headers, body: null }, 'url.query': 'a=1&api%20key=redacted' })
    assert.deepEqual(
      missingCredentials(sent).map(({ key, label }) => [key, label]),
      [
        ['header authorization', 'Authorization'],
        ['header cookie', 'Cookie'],
        ['query api key', 'api key'],
      ],
    )
  })
})

describe('schemeCredentials()', () => {
  const SCHEMES = [
    { kind: 'http', name: 'Bearer token' },
    { kind: 'basic', name: 'Basic' },
    { kind: 'http', name: 'Authorization' },
    { kind: 'header', name: 'X-Key' },
    { kind: 'query', name: 'key' },
    { kind: 'cookie', name: 'sid' },
  ] as const
  const reader = (values: Readonly<Record<string, string>>) => (key: string) => values[key] ?? ''

  it('lists stored values in their places', () => {
    const read = reader({ 'header authorization': 'Bearer b-1', 'header x-key': 'k', 'cookie sid': 's' })
    assert.deepEqual(
      schemeCredentials([...SCHEMES.slice(0, 2), ...SCHEMES.slice(3)], read).map(
        ({ place, name, value }) => `${place} ${name} ${value}`,
      ),
      ['header authorization Bearer b-1', 'header X-Key k', 'cookie sid s'],
    )
  })

  it('has no credentials of another scheme of Authorization', () => {
    const values = ['Bearer b-1', 'basic YTpi'].map((value) => reader({ 'header authorization': value }))
    const fitting = values.map((read) => SCHEMES.slice(0, 3).map((scheme) => authorizationFor(scheme, read) !== ''))
    assert.deepEqual(fitting, [
      [true, false, true],
      [false, true, true],
    ])
  })
})

describe('withCredentials()', () => {
  const values = new Map([
    ['header authorization', 'b-1'],
    ['header cookie', 'a=b'],
    ['query key', 'x&y'],
  ])
  const complete = (headers: readonly (readonly [string, string])[]) =>
    withCredentials({ ...REQUEST, headers }, (key) => values.get(key) ?? '')

  it('replaces redacted headers and parameters, and leaves the others as they were sent', () => {
    const sent = complete([
      ['authorization', 'redacted'],
      ['x-key', 'redacted'],
      ['x-own', 'redacted-not'],
    ])
    assert.equal(sent.url, 'http://localhost/a?key=x%26y&b=c%20d&key2=redacted')
    assert.deepEqual(sent.headers.slice(0, 2), [
      ['authorization', 'Bearer b-1'],
      ['x-key', 'redacted'],
    ])
    assert.equal(sent.cookies, '')
  })

  it('separates cookies, which a page cannot set as a header', () => {
    assert.equal(complete([['Cookie', 'redacted']]).cookies, 'a=b')
    assert.equal(withCredentials({ ...REQUEST, url: '/a', cookies: 'c=d' }, () => '').cookies, 'c=d')
  })
})

describe('headerValue(), basicCredentials(), readBasic(), listNames()', () => {
  it('adds the scheme of a plain token', () => {
    assert.equal(headerValue('Authorization', ' abc '), 'Bearer abc')
    assert.equal(headerValue('Authorization', 'Token abc'), 'Token abc')
    assert.equal(headerValue('Authorization', ''), '')
    assert.equal(headerValue('X-Key', 'abc'), 'abc')
  })

  it('encodes user and password in UTF-8, and reads them again', () => {
    const coded = basicCredentials('Zoë', 'a:b ☃')
    assert.equal(Buffer.from(coded.slice(6), 'base64').toString(), 'Zoë:a:b ☃')
    assert.deepEqual(readBasic(coded), ['Zoë', 'a:b ☃'])
    assert.deepEqual([basicCredentials('', ''), readBasic('Bearer x'), readBasic('Basic A')], ['', ['', ''], ['', '']])
  })

  it('lists names in a sentence', () => {
    assert.deepEqual(
      [[], ['a'], ['a', 'b'], ['a', 'b', 'c']].map((names) => listNames(names)),
      ['', 'a', 'a and b', 'a, b and c'],
    )
  })
})

describe('parseHeaders()', () => {
  it('reads lines, and returns the first invalid one', () => {
    assert.deepEqual(parseHeaders(' a: b c \n\nX-D:e:f\r\ng:'), [
      ['a', 'b c'],
      ['X-D', 'e:f'],
      ['g', ''],
    ])
    assert.equal(parseHeaders('a: b\nno header'), 'no header')
    assert.equal(parseHeaders('a b: c'), 'a b: c')
  })
})
