/** Scheme and host as the client sees them, through proxies that are trusted and others. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { TrustedProxies } from '#src/http/forwarded.js'
import { resolveOrigin } from '#src/http/forwarded-origin.js'
import { WebExchange } from '#src/http/web-exchange.js'

const PROXY = '10.0.0.1'
const proxies = new TrustedProxies(['10.0.0.0/8'])

function seenAs(url: string, headers: Record<string, string>, ip = PROXY): string | undefined {
  const exchange = new WebExchange(new Request(url, { headers }), () => {})
  return resolveOrigin(Object.defineProperty(exchange, 'ip', { value: ip }), proxies)
}

type Case = readonly [rule: string, headers: Record<string, string>, origin: string]

const CASES: readonly Case[] = [
  ['no header', {}, 'http://inner:3000'],
  ['Forwarded', { forwarded: 'for=198.51.100.1;proto=https;host=app.example' }, 'https://app.example'],
  ['a quoted host with a port', { forwarded: 'proto=http;host="app.example:8080"' }, 'http://app.example:8080'],
  ['the default port', { forwarded: 'proto=https;host="APP.example:443"' }, 'https://app.example'],
  ['only the scheme', { forwarded: 'for=198.51.100.1;proto=https' }, 'https://inner:3000'],
  [
    'the outermost trusted proxy',
    { forwarded: 'for=198.51.100.1;host=app.example;proto=https, for=10.0.0.2;host=middle;proto=http' },
    'https://app.example',
  ],
  [
    'a parameter that only the next proxy sets',
    { forwarded: 'for=198.51.100.1;host=app.example, for=10.0.0.2;proto=https' },
    'https://app.example',
  ],
  [
    'a header that the client sent to the first proxy',
    { forwarded: 'host=evil.example;proto=http, for=198.51.100.1;host=app.example;proto=https' },
    'https://app.example',
  ],
  ['a repeated parameter', { forwarded: 'host=app.example;host=evil.example' }, 'http://inner:3000'],
  ['X-Forwarded', { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'app.example' }, 'https://app.example'],
  ['the scheme of a WebSocket', { 'x-forwarded-proto': 'WSS' }, 'https://inner:3000'],
  ['the insecure scheme of a WebSocket', { 'x-forwarded-proto': 'ws' }, 'http://inner:3000'],
  ['an unknown scheme', { 'x-forwarded-proto': 'gopher' }, 'http://inner:3000'],
  [
    'one list entry for each proxy',
    {
      'x-forwarded-for': '198.51.100.1, 10.0.0.2',
      'x-forwarded-host': 'app.example, middle',
      'x-forwarded-proto': 'https,http',
    },
    'https://app.example',
  ],
  [
    'an additional list entry of the client',
    { 'x-forwarded-for': '198.51.100.1', 'x-forwarded-host': 'evil.example, app.example' },
    'http://app.example',
  ],
  [
    'a header that a proxy replaces',
    { 'x-forwarded-for': '198.51.100.1, 10.0.0.2', 'x-forwarded-host': 'app.example' },
    'http://app.example',
  ],
  [
    'equal values of both headers',
    { forwarded: 'host=app.example', 'x-forwarded-host': 'app.example', 'x-forwarded-proto': 'https' },
    'https://app.example',
  ],
  [
    'different values of both headers',
    { forwarded: 'host=evil.example', 'x-forwarded-host': 'app.example' },
    'http://inner:3000',
  ],
]

describe('resolveOrigin()', () => {
  for (const [rule, headers, origin] of CASES) {
    it(`uses the headers of a trusted proxy: ${rule}`, () => {
      assert.equal(seenAs('http://inner:3000/', headers), origin)
      assert.equal(seenAs('http://inner:3000/', headers, '203.0.113.9'), 'http://inner:3000')
    })
  }

  it('uses scheme and Host of the request without trusted proxies', () => {
    const exchange = new WebExchange(
      new Request('https://App.example:443/', { headers: { host: 'B.example:443' } }),
      () => {},
    )
    assert.equal(resolveOrigin(exchange, new TrustedProxies([])), 'https://b.example')
  })

  it('returns undefined for an invalid host', () => {
    for (const host of ['', 'a/b', 'a@b', 'a b', 'http://a', 'a:99999', '[::z]']) {
      assert.equal(seenAs('http://inner/', { 'x-forwarded-host': `"${host}"`, host }), undefined, host)
      assert.equal(seenAs('http://inner/', { host }, '203.0.113.9'), undefined, host)
    }
  })
})
