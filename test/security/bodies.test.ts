/** Attacks on bodies: framing, media types, JSON, forms, encodings, limits. */
import { testRows, type ExpectedResponse, type Parts, type Row } from '#test/attack-rows.js'
import { probeApp } from '#test/probe.js'

const REFUSED: ExpectedResponse = { status: 400, headers: { 'content-type': 'application/problem+json' } }
const CLOSED: ExpectedResponse = { status: 400, headers: { ...REFUSED.headers, connection: 'close' } }
const JSON_TYPE = { 'content-type': 'application/json' }

function wire(rule: string, source: string, send: Row['send'], expect: Row['expect']): Row {
  return { rule, source, reach: 'wire', send, expect }
}

function both(rule: string, source: string, send: Parts, expect: Row['expect']): Row {
  return { rule, source, reach: 'both', send, expect }
}

function post(headers: string, body: string, target = '/json'): string {
  return `POST ${target} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n${headers}\r\n${body}`
}

function json(body: string, target = '/json', method = 'POST'): Parts {
  return { method, target, headers: JSON_TYPE, body }
}

const CHUNKED = 'Transfer-Encoding: chunked\r\n'
const SMUGGLED = 'GET /admin HTTP/1.1\r\nHost: a\r\n\r\n'

const FRAMING: readonly Row[] = [
  wire('accepts chunks', 'RFC 9112 §7.1', post(CHUNKED, '1\r\n{\r\n1\r\n}\r\n0\r\n\r\n'), {
    status: 200,
    body: { body: {} },
  }),
  wire('accepts "chunked" in any case', 'RFC 9112 §7', post('Transfer-Encoding: CHUNKED\r\n', '2\r\n{}\r\n0\r\n\r\n'), {
    status: 200,
  }),
  wire('ignores chunk extensions', 'RFC 9112 §7.1.1', post(CHUNKED, '2;a=b\r\n{}\r\n0\r\n\r\n'), { status: 200 }),
  wire('ignores trailers', 'RFC 9112 §7.1.2', post(CHUNKED, '2\r\n{}\r\n0\r\nHost: b\r\n\r\n'), { status: 200 }),
  wire(
    'rejects Content-Length before chunked',
    'RFC 9112 §6.1 (CL.TE)',
    post(`Content-Length: 4\r\n${CHUNKED}`, `0\r\n\r\n${SMUGGLED}`),
    CLOSED,
  ),
  wire(
    'rejects chunked before Content-Length',
    'RFC 9112 §6.1 (TE.CL)',
    post(`${CHUNKED}Content-Length: 4\r\n`, `0\r\n\r\n${SMUGGLED}`),
    CLOSED,
  ),
  ...['gzip', 'gzip, chunked', 'chunked'].flatMap((coding) =>
    [
      `Content-Length: 0\r\nTransfer-Encoding: ${coding}\r\n`,
      `Transfer-Encoding: ${coding}\r\nContent-Length: 0\r\n`,
    ].map((fields) =>
      wire(
        `rejects a length ${fields.startsWith('C') ? 'before' : 'after'} the transfer encoding ${coding}`,
        'RFC 9112 §6.3',
        post(fields, SMUGGLED),
        CLOSED,
      ),
    ),
  ),
  wire('rejects two lengths', 'RFC 9112 §6.3', post('Content-Length: 2\r\nContent-Length: 3\r\n', '{}'), REFUSED),
  wire('rejects two equal lengths', 'RFC 9110 §8.6', post('Content-Length: 2\r\nContent-Length: 2\r\n', '{}'), REFUSED),
  ...['2, 2', '+2', '-2', '0x2', '2.0', '2e0', '1 2', '', 'NaN', '9'.repeat(40)].map((length) =>
    wire(
      `rejects the length "${length.slice(0, 9)}"`,
      'RFC 9110 §8.6',
      post(`Content-Length: ${length}\r\n`, '{}'),
      REFUSED,
    ),
  ),
  ...[
    'gzip',
    'identity',
    'xchunked',
    'chunked-false',
    'chunkedfalse',
    'chunked, gzip',
    'chunked,gzip,chunked',
    'chunked, chunked',
    'chunked,',
    ',chunked',
    'gzip,,chunked',
    '"chunked"',
    'gzip, "chunked"',
    'chunked;a=b',
    'gzip, chunked;a=b',
    'gzip chunked',
    'gz ip, chunked',
    'gzip;, chunked',
    '(gzip), chunked',
    '',
    ' ',
    '\t',
    '\x0bchunked',
    'gzip, chunked\xa0',
  ].map((coding) =>
    wire(
      `rejects the transfer encoding ${JSON.stringify(coding)}`,
      'RFC 9112 §6.3: chunked must be last and occur once',
      post(`Transfer-Encoding: ${coding}\r\n`, '0\r\n\r\n'),
      CLOSED,
    ),
  ),
  ...[
    'gzip, chunked',
    'gzip,chunked',
    'GZIP , CHUNKED',
    'x-a, b, chunked',
    'gzip;q=1, chunked',
    'gzip;a="b", chunked',
  ].map((coding) =>
    wire(
      `responds 501 to a coding before chunked: ${coding}`,
      'RFC 9112 §6.1',
      post(`Transfer-Encoding: ${coding}\r\n`, '0\r\n\r\n'),
      { status: 501, headers: { connection: 'close' } },
    ),
  ),
  wire(
    'responds 501 to a coding in a header before chunked',
    'RFC 9112 §6.1',
    post(`Transfer-Encoding: gzip\r\n${CHUNKED}`, '0\r\n\r\n'),
    { status: 501, headers: { connection: 'close' } },
  ),
  wire(
    'rejects a coding in a header after chunked',
    'RFC 9112 §6.3',
    post(`${CHUNKED}Transfer-Encoding: gzip\r\n`, '0\r\n\r\n'),
    CLOSED,
  ),
  wire('rejects a repeated transfer encoding', 'RFC 9112 §6.1', post(`${CHUNKED}${CHUNKED}`, '0\r\n\r\n'), CLOSED),
  wire(
    'rejects a transfer encoding without chunked before a body',
    'RFC 9112 §6.3',
    post('Transfer-Encoding: gzip\r\n', SMUGGLED),
    CLOSED,
  ),
  wire(
    'rejects a transfer encoding without chunked in GET',
    'RFC 9112 §6.3',
    `GET /alive HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: gzip\r\n\r\n${SMUGGLED}`,
    CLOSED,
  ),
  wire(
    'rejects chunks in HTTP/1.0',
    'RFC 9112 §6.1',
    `POST /json HTTP/1.0\r\nHost: a\r\n${CHUNKED}Content-Type: application/json\r\n\r\n0\r\n\r\n`,
    REFUSED,
  ),
  ...[
    'x\r\n{}\r\n0\r\n\r\n',
    '-2\r\n{}\r\n0\r\n\r\n',
    '0x2\r\n{}\r\n0\r\n\r\n',
    ' 2\r\n{}\r\n0\r\n\r\n',
    '2\n{}\n0\n\n',
    '2\r\n{}x\r\n0\r\n\r\n',
    'FFFFFFFFFFFFFFFFF\r\n{}\r\n',
  ].map((body) =>
    wire(`rejects the chunk ${JSON.stringify(body.slice(0, 12))}`, 'RFC 9112 §7.1', post(CHUNKED, body), REFUSED),
  ),
  wire(
    'rejects endless chunk extensions',
    'CVE-2024-22019',
    post(CHUNKED, `2;${'a'.repeat(20_000)}\r\n{}\r\n0\r\n\r\n`),
    { status: [400, 413] },
  ),
  wire('rejects endless trailers', 'RFC 9112 §7.1.2', post(CHUNKED, `0\r\n${'X: y\r\n'.repeat(20_000)}\r\n`), {
    status: [200, 400, 431],
  }),
  wire(
    'handles no request after the last response',
    'RFC 9112 §9.6',
    `GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n${SMUGGLED}`,
    { status: 200, body: 'alive' },
  ),
]

const UNSUPPORTED: ExpectedResponse = { status: 415, headers: { accept: /application\/json/ } }

const TYPES: readonly Row[] = [
  ...[
    'application/json',
    'APPLICATION/JSON',
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'application/vnd.a+json',
    'application/json; a=b',
  ].map((type) =>
    both(`accepts ${type}`, 'RFC 9110 §8.3.1', { ...json('{}'), headers: { 'content-type': type } }, { status: 200 }),
  ),
  ...[
    'text/plain',
    'text/json',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=a',
    'application/jsonx',
    'xapplication/json',
    'application/json, text/plain',
    'text/plain, application/json',
    'text/plain; application/json',
    'application/json; charset=utf-16',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset',
    'application/json; charset= utf-8',
    'application/json;charset="utf-8',
    'application /json',
    'application/json\t.evil',
    'application/',
    'json',
    '*/*',
    'application/*',
  ].map((type) =>
    both(
      `rejects ${JSON.stringify(type)}`,
      'cross-site forms; RFC 9110 §8.3.1',
      { ...json('{}'), headers: { 'content-type': type } },
      UNSUPPORTED,
    ),
  ),
  wire(
    'rejects a missing media type',
    'RFC 9110 §8.3',
    'POST /json HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}',
    UNSUPPORTED,
  ),
  wire(
    'rejects a repeated media type',
    'four advisories are about reading it twice',
    post('Content-Type: application/json\r\nContent-Length: 2\r\n', '{}'),
    UNSUPPORTED,
  ),
  ...['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'x'].map((encoding) =>
    both(
      `rejects the content encoding ${encoding}`,
      'RFC 9110 §8.4',
      { ...json('{}'), headers: { ...JSON_TYPE, 'content-encoding': encoding } },
      {
        status: 415,
      },
    ),
  ),
  both(
    'rejects text in another charset',
    'RFC 9110 §8.3.2',
    { method: 'POST', target: '/text', headers: { 'content-type': 'text/plain; charset=utf-16' }, body: 'a' },
    { status: 415 },
  ),
  both('rejects JSON for a body of bytes', 'RFC 9110 §15.5.16', { ...json('{}'), target: '/bytes' }, { status: 415 }),
]

const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`
const keyed = (depth: number): string => `${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`

const JSON_TEXTS: readonly Row[] = [
  ...[
    '{"__proto__":{"polluted":1}}',
    '[{"__proto__":1}]',
    '{"a":{"__proto__":{}}}',
    '{"\\u005f_proto__":{}}',
    '{"__prot\\u006f__":null}',
  ].map((text) => both(`rejects ${text}`, 'prototype pollution', json(text), REFUSED)),
  both(
    'rejects constructor.prototype',
    'prototype pollution',
    json('{"constructor":{"prototype":{"polluted":1}}}'),
    REFUSED,
  ),
  both(
    'rejects an escaped constructor.prototype',
    'prototype pollution',
    json('{"a":[{"c\\u006fnstructor":{"prototype":1}}]}'),
    REFUSED,
  ),
  both('accepts constructor with a string value', 'Verbena', json('{"constructor":"Smith"}'), { status: 200 }),
  both('accepts __proto__ as a value', 'Verbena', json('{"a":"__proto__"}'), { status: 200 }),
  both('never sends undeclared properties', 'Verbena', json('{"name":"a","secret":1}', '/person'), {
    status: 201,
    body: { name: 'a' },
  }),
  both('does not coerce values', 'Verbena', json('{"name":7,"age":"7"}', '/person'), {
    status: 422,
    body: /"\/name".*"\/age"/,
  }),
  ...[
    '',
    ' ',
    '{',
    '{}x',
    '{} {}',
    "{'a':1}",
    '{"a":1,}',
    'NaN',
    'undefined',
    '\xef\xbb\xbf{}',
    '// a\n{}',
    '01',
    '"\t"',
    '\ufeff{}'.replace('\ufeff', '\xff\xfe'),
  ].map((text) => both(`rejects the JSON text ${JSON.stringify(text)}`, 'RFC 8259', json(text, '/person'), REFUSED)),
  ...['\xc0\xaf', '\xed\xa0\x80', '\xff', '\xf5\x80\x80\x80', '\xe2\x82'].map((text) =>
    both(`rejects the bytes ${Buffer.from(text, 'latin1').toString('hex')}`, 'RFC 3629', json(`"${text}"`), REFUSED),
  ),
  both(
    'rejects invalid UTF-8 in a text body',
    'RFC 3629',
    { method: 'POST', target: '/text', headers: { 'content-type': 'text/plain' }, body: '\xff' },
    REFUSED,
  ),
  both('accepts a depth below the limit', 'limits.depth', json(nested(4)), { status: 200 }),
  both('accepts a depth at the limit', 'limits.depth', json(keyed(5)), { status: 200 }),
  both('rejects a depth above the limit', 'limits.depth', json(nested(6)), REFUSED),
  both('rejects objects above the depth limit', 'limits.depth', json(keyed(6)), REFUSED),
  both('survives 100,000 levels', 'stack exhaustion', json(nested(100_000)), REFUSED),
  both('survives 100,000 levels of objects', 'stack exhaustion', json(keyed(100_000)), REFUSED),
  both('survives 100,000 open brackets', 'stack exhaustion', json('['.repeat(100_000)), REFUSED),
  both('does not count brackets in strings as depth', 'limits.depth', json(`"${'['.repeat(100)}"`), { status: 200 }),
]

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const form = (body: string): Parts => ({ method: 'POST', target: '/form', headers: FORM, body })

const FORMS: readonly Row[] = [
  both('treats __proto__ as a plain key of a form', 'prototype pollution', form('__proto__=1&__proto__[polluted]=1'), {
    status: [200, 422],
    body: /^(?!.*"polluted":true)/,
  }),
  both('does not nest keys with brackets', 'Verbena', form('a[b]=1'), {
    status: 200,
    body: { body: { 'a[b]': '1' }, polluted: false },
  }),
  both('rejects a malformed percent-encoding', 'RFC 3986 §2.1', form('a=%zz'), REFUSED),
  both('rejects overlong encodings', 'RFC 3629', form('a=%C0%AF'), REFUSED),
  both('rejects raw invalid bytes', 'RFC 3629', form('a=\xff'), REFUSED),
  both('accepts as many keys as the limit', 'limits.keys', form('a=1&'.repeat(5).replaceAll('a', 'b')), {
    status: 200,
  }),
  both('rejects more keys than the limit', 'limits.keys', form('a=1&'.repeat(6)), REFUSED),
  both('converts numbers by the strict grammar', 'Verbena', form('n=0x10'), { status: 422 }),
]

const IGNORED: readonly Row[] = [
  both('rejects a missing body', 'Verbena', { method: 'POST', target: '/person', headers: JSON_TYPE }, REFUSED),
  wire(
    'ignores the body of GET',
    'RFC 9110 §9.3.1',
    `GET /alive HTTP/1.1\r\nHost: a\r\nContent-Length: ${SMUGGLED.length}\r\n\r\n${SMUGGLED}GET /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`,
    [
      { status: 200, body: 'alive' },
      { status: 200, body: 'alive' },
    ],
  ),
  wire(
    'ignores the chunks of GET',
    'RFC 9110 §9.3.1',
    `GET /alive HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\n2\r\n{}\r\n0\r\n\r\n`,
    { status: 200, body: 'alive' },
  ),
  wire('ignores malformed chunks of GET', 'RFC 9112 §7.1', `GET /alive HTTP/1.1\r\nHost: a\r\n${CHUNKED}\r\nzz\r\n`, {
    status: 200,
    body: 'alive',
  }),
  wire(
    'ignores the body of HEAD',
    'RFC 9110 §9.3.2',
    `HEAD /alive HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}`,
    { status: 200 },
  ),
  wire(
    'accepts DELETE with a media type but no body',
    'clients that always send one',
    'DELETE /person HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\n\r\n',
    { status: 204 },
  ),
  wire(
    'accepts DELETE with a length of 0',
    'clients that always send one',
    'DELETE /person HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: 0\r\n\r\n',
    { status: 204 },
  ),
  wire(
    'ignores the body of DELETE',
    'RFC 9110 §9.3.5',
    'DELETE /person HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 3\r\n\r\nabc',
    { status: 204 },
  ),
]

testRows('framing', probeApp, FRAMING)
testRows('media types', probeApp, TYPES)
testRows('JSON', () => probeApp({ limits: { depth: 5 } }), JSON_TEXTS)
testRows('forms', () => probeApp({ limits: { keys: 5 } }), FORMS)
testRows('unexpected bodies', probeApp, IGNORED)
