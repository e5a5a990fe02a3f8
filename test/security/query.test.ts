/** Attacks on queries and cookies. */
import { testRows, type ExpectedResponse, type Row } from '#test/attack-rows.js'
import { probeApp } from '#test/probe.js'

const INVALID: ExpectedResponse = { status: 422, headers: { 'content-type': 'application/problem+json' } }

function query(text: string, expect: ExpectedResponse, source = 'Verbena'): Row {
  return { rule: `parses ?${text.slice(0, 60)}`, source, reach: 'both', send: { target: `/query?${text}` }, expect }
}

function raw(text: string, expect: ExpectedResponse, source = 'Verbena'): Row {
  return { rule: `parses ?${text.slice(0, 60)}`, source, reach: 'both', send: { target: `/raw-query?${text}` }, expect }
}

const is = (body: unknown): ExpectedResponse => ({ status: 200, body })
const holds = (body: object): ExpectedResponse => ({
  status: 200,
  body: { keys: Object.keys(body), query: body, polluted: false },
})

const NUMBERS: readonly Row[] = [
  query('limit=16', is({ limit: 16 })),
  query('limit=-16', is({ limit: -16 })),
  query('limit=0', is({ limit: 0 })),
  query('limit=9007199254740991', is({ limit: 9007199254740991 })),
  ...[
    '0x10',
    '1e3',
    '010',
    '+1',
    '%201',
    '1%20',
    '',
    '1.0',
    '٣',
    '1_000',
    'NaN',
    'Infinity',
    '-',
    '--1',
    '9007199254740993',
    '1'.repeat(400),
    '0b1',
    '1n',
    'null',
    'true',
  ].map((text) => query(`limit=${encodeURI(text).replaceAll('%25', '%')}`, INVALID, 'peers read 0x10 as 16')),
  query('ratio=1.5', is({ ratio: 1.5 })),
  query('ratio=1e3', is({ ratio: 1000 })),
  ...['Infinity', '-Infinity', 'NaN', '1e999', '.5', '5.', '0x1', '%201', '+1', '1,5', ''].map((text) =>
    query(`ratio=${text}`, INVALID, 'Fastify converts Infinity to null'),
  ),
  query('on=true', is({ on: true })),
  query('on=false', is({ on: false })),
  ...['1', '0', 'TRUE', 'yes', 'on', ''].map((text) => query(`on=${text}`, INVALID)),
]

const SHAPES: readonly Row[] = [
  query('limit=1&limit=2', INVALID, 'parameter pollution'),
  query('q=a&q=b', INVALID, 'parameter pollution'),
  query('q=a&q=a', INVALID, 'parameter pollution'),
  query('tag=a', is({ tag: ['a'] })),
  query('tag=a&tag=b', is({ tag: ['a', 'b'] })),
  query('q[]=a', is({}), 'qs nesting'),
  query('q=%26limit=7', is({ q: '&limit=7' }), 'decoded after splitting'),
  query('%71=a', is({ q: 'a' }), 'RFC 3986 §2.1'),
  query('q=a+b%2Bc', is({ q: 'a b+c' }), 'WHATWG URL'),
  query('q=a=b', is({ q: 'a=b' }), 'WHATWG URL'),
  query('q=%2561', is({ q: '%61' }), 'decoded once'),
  query('q=a;limit=7', is({ q: 'a;limit=7' }), 'a semicolon does not separate'),
  raw('a[b]=1', holds({ 'a[b]': '1' }), 'qs nesting'),
  raw('a.b=1', holds({ 'a.b': '1' }), 'nesting by dots'),
  raw('a=1&a=2', holds({ a: ['1', '2'] })),
  raw('a', holds({ a: '' })),
  raw('=x', holds({ '': 'x' })),
  raw('&&a=1&', holds({ a: '1' })),
  raw('__proto__=x', { status: 200, body: /^\{"keys":\["__proto__"\],.*"polluted":false\}$/ }, 'prototype pollution'),
  raw('__proto__[polluted]=x', holds({ '__proto__[polluted]': 'x' }), 'prototype pollution'),
  raw(
    'constructor=x&toString=y&hasOwnProperty=z',
    holds({ constructor: 'x', toString: 'y', hasOwnProperty: 'z' }),
    'prototype pollution',
  ),
]

const many = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}`).join('&')

const KEYS: readonly Row[] = [
  raw(many(9), { status: 200 }, 'limits.keys'),
  raw(many(10), { status: 200 }, 'limits.keys'),
  raw(many(11), { status: 400 }, 'limits.keys'),
  raw('a&'.repeat(11), { status: 400 }, 'limits.keys'),
  query(many(11), { status: 400 }, 'limits.keys'),
]

const cookies = (header: string, body: object): Row => ({
  rule: `parses the cookie ${header}`,
  source: 'RFC 6265 §5.4',
  reach: 'both',
  send: { target: '/cookies', headers: { cookie: header } },
  expect: { status: 200, body },
})

const COOKIES: readonly Row[] = [
  cookies('a=1', { a: '1' }),
  cookies('a=1; a=2', { a: '1' }),
  cookies('b=2;a=1', { a: '1' }),
  cookies('a="q"', { a: 'q' }),
  cookies('a=%41', { a: 'A' }),
  cookies('a=%2541', { a: '%41' }),
  cookies('a=%zz', { a: '%zz' }),
  cookies('a=%C0%AF', { a: '%C0%AF' }),
  cookies('__proto__=x; a=1', { a: '1' }),
  cookies('\xa0a=evil; a=1', { a: '1' }),
  cookies('a\xa0=evil; a=1', { a: '1' }),
  cookies('a=\xa01', { a: '\xa01' }),
  cookies('\t a\t=\t1 \t', { a: '1' }),
  cookies('a', {}),
  cookies('=1; ;;a=b=c', { a: 'b=c' }),
  {
    rule: 'joins repeated Cookie headers',
    source: 'RFC 9113 §8.2.3',
    reach: 'wire',
    send: 'GET /cookies HTTP/1.1\r\nHost: a\r\nConnection: close\r\nCookie: a=1\r\nCookie: a=2\r\n\r\n',
    expect: { status: 200, body: { a: '1' } },
  },
]

testRows('numbers and booleans', probeApp, NUMBERS)
testRows('the shape of a query', probeApp, SHAPES)
testRows('the number of keys', () => probeApp({ limits: { keys: 10 } }), KEYS)
testRows('cookies', probeApp, COOKIES)
