/** Attacks on the request line: targets, hosts, methods, versions. */
import { testRows, type ExpectedResponse, type Parts, type Row } from '#test/attack-rows.js'
import { probeApp } from '#test/probe.js'

const REFUSED: ExpectedResponse = { status: 400, headers: { 'content-type': 'application/problem+json' } }
const BROKEN: ExpectedResponse = { status: 400, headers: { ...REFUSED.headers, connection: 'close' } }
const NOT_FOUND: ExpectedResponse = { status: 404 }

/** Formats a request line that the parser of `Request` would normalize; sent only as bytes. */
function line(text: string, headers = 'Host: localhost\r\n'): string {
  return `${text} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`
}

function wire(rule: string, source: string, send: Row['send'], expect: Row['expect']): Row {
  return { rule, source, reach: 'wire', send, expect }
}

function both(rule: string, source: string, send: Parts, expect: Row['expect']): Row {
  return { rule, source, reach: 'both', send, expect }
}

const NO_SECOND_READING = 'bypasses in other frameworks, 2025 and 2026: guards that parse the URL again'

const FORMS: readonly Row[] = [
  wire('accepts the origin-form', 'RFC 9112 §3.2.1', line('GET /alive?x=1'), { status: 200, body: 'alive' }),
  wire('accepts the absolute-form', 'RFC 9112 §3.2.2', line('GET http://example.org/alive'), { status: 200 }),
  wire('accepts the absolute-form with https', 'RFC 9112 §3.2.2', line('GET HTTPS://example.org:8443/alive'), {
    status: 200,
  }),
  wire(
    'reads the path only before the query of an absolute-form',
    'RFC 9112 §3.2.2',
    line('GET http://localhost?/alive'),
    NOT_FOUND,
  ),
  wire('rejects userinfo in an absolute-form', 'RFC 9110 §4.2.4', line('GET http://a:b@localhost/alive'), REFUSED),
  wire('rejects an absolute-form without a host', 'RFC 9110 §4.2.1', line('GET http:///alive'), REFUSED),
  wire(
    'rejects a malformed port in an absolute-form',
    'RFC 3986 §3.2.3',
    line('GET http://localhost:8x/alive'),
    REFUSED,
  ),
  wire('rejects other schemes', 'RFC 9112 §3.2.2', line('GET ftp://localhost/alive'), REFUSED),
  wire('rejects a file URL', 'RFC 9112 §3.2.2', line('GET file:///etc/passwd'), REFUSED),
  wire('accepts the asterisk-form', 'RFC 9112 §3.2.4', line('OPTIONS *'), {
    status: 204,
    headers: { allow: /GET/, 'content-length': null },
  }),
  wire('rejects the asterisk-form for methods other than OPTIONS', 'RFC 9112 §3.2.4', line('GET *'), REFUSED),
  wire('rejects the authority-form without CONNECT', 'RFC 9112 §3.2.3', line('GET localhost:80'), REFUSED),
  wire('rejects a target without a slash', 'RFC 9112 §3.2', line('GET alive'), REFUSED),
  wire('rejects a fragment', 'RFC 9112 §3.2', line('GET /alive#x'), REFUSED),
  wire('rejects a fragment after an empty query', 'RFC 9112 §3.2', line('GET /alive?#'), REFUSED),
  wire('rejects a backslash', 'WHATWG URL would read a slash', line('GET /\\alive'), REFUSED),
  wire('rejects a backslash in the query', 'RFC 3986 §2', line('GET /alive?a=\\'), REFUSED),
  wire('rejects a space', 'RFC 9112 §3.2', line('GET /ali ve'), REFUSED),
  wire('rejects a tab', 'RFC 9112 §3', line('GET /ali\tve'), REFUSED),
  wire('rejects NUL', 'RFC 9112 §3', line('GET /ali\0ve'), REFUSED),
  wire('rejects DEL', 'RFC 3986 §2', line('GET /ali\x7fve'), REFUSED),
  wire('rejects raw UTF-8', 'RFC 3986 §2', line('GET /\xc3\x84pfel'), REFUSED),
  wire('rejects a bare carriage return', 'RFC 9112 §2.2', line('GET /alive\rX: y'), REFUSED),
]

const SEGMENTS: readonly Row[] = [
  ...['/./alive', '/../alive', '/admin/..', '/admin/.', '/%2e/alive', '/%2E%2e/alive', '/.%2e/alive', '/%2e./x'].map(
    (target) => wire(`rejects the dot segment in ${target}`, 'RFC 3986 §5.2.4', line(`GET ${target}`), REFUSED),
  ),
  wire('accepts a segment of three dots', 'RFC 3986 §5.2.4', line('GET /echo/...'), { status: 200, body: /"\.\.\."/ }),
  wire('accepts dots in a segment', 'RFC 3986 §5.2.4', line('GET /echo/..a'), { status: 200 }),
  wire('accepts dots in a query', 'RFC 3986 §3.4', line('GET /alive?p=/../x'), { status: 200 }),
  both('does not merge a double slash in the path', NO_SECOND_READING, { target: '/x//alive' }, NOT_FOUND),
  wire('does not merge slashes at the beginning', NO_SECOND_READING, line('GET //alive'), NOT_FOUND),
  wire('does not read a path as a host', NO_SECOND_READING, line('GET //localhost/alive'), NOT_FOUND),
  both('matches paths case-sensitively', NO_SECOND_READING, { target: '/Admin' }, NOT_FOUND),
  both('does not match a path with a trailing slash', NO_SECOND_READING, { target: '/admin/' }, NOT_FOUND),
  both('does not decode literals', NO_SECOND_READING, { target: '/%61dmin' }, NOT_FOUND),
  both('does not decode literals twice', NO_SECOND_READING, { target: '/%2561dmin' }, NOT_FOUND),
  both('does not strip path parameters', NO_SECOND_READING, { target: '/admin;x=1' }, NOT_FOUND),
  both('does not strip extensions', NO_SECOND_READING, { target: '/admin.json' }, NOT_FOUND),
  both('splits before it decodes', NO_SECOND_READING, { target: '/echo/a%2Fb' }, { status: 200, body: /"a\/b"/ }),
  both('does not split a segment at an encoded slash', NO_SECOND_READING, { target: '/two/a%2Fb' }, NOT_FOUND),
  both('decodes once', NO_SECOND_READING, { target: '/echo/%2561' }, { status: 200, body: /"%61"/ }),
  both('keeps a plus in a path', 'RFC 3986 §3.3', { target: '/echo/a+b' }, { status: 200, body: /"a\+b"/ }),
  both('rejects an encoded slash in a wildcard', 'a%2Fb and a/b would coincide', { target: '/files/a%2Fb' }, REFUSED),
  both(
    'passes a wildcard as one string',
    'Verbena',
    { target: '/files/a/b%20c' },
    { status: 200, body: { rest: 'a/b c' } },
  ),
  both('matches a percent-encoded literal', 'RFC 3986 §2.1', { target: '/%C3%84pfel' }, { status: 200, body: 'Äpfel' }),
  both('accepts lowercase hex digits', 'RFC 3986 §2.1', { target: '/%c3%84pfel' }, { status: 200, body: 'Äpfel' }),
  both('does not match another normal form', 'Unicode NFD', { target: '/A%CC%88pfel' }, NOT_FOUND),
  ...['%', '%4', '%zz', '%C3', '%C3%28', '%C0%AF', '%E0%80%AF', '%ED%A0%80', '%F5%80%80%80', '%FF', '%C3/%A4'].map(
    (text) =>
      both(`rejects the encoding ${text}`, 'RFC 3629 §3, overlong and invalid', { target: `/echo/${text}` }, REFUSED),
  ),
  both('rejects an encoded NUL', 'RFC 3986 §7.3', { target: '/echo/a%00b' }, REFUSED),
  both('rejects a malformed percent-encoding in the query', 'RFC 3986 §2.1', { target: '/query?q=%zz' }, REFUSED),
  both('rejects an overlong encoding in the query', 'RFC 3629 §3', { target: '/raw-query?q=%C0%AF' }, REFUSED),
  both('does not find properties of Object.prototype', 'prototype lookups', { target: '/constructor' }, NOT_FOUND),
  both('does not find __proto__', 'prototype lookups', { target: '/__proto__' }, NOT_FOUND),
  both('accepts __proto__ as a value', 'prototype lookups', { target: '/echo/__proto__' }, { status: 200 }),
]

const HOSTS: readonly Row[] = [
  ...[
    'localhost',
    'localhost:80',
    'EXAMPLE.org',
    '127.0.0.1:8080',
    '[::1]',
    '[::1]:80',
    'a_b.example',
    'localhost:',
  ].map((host) =>
    wire(`accepts the host ${host}`, 'RFC 9112 §3.2', line('GET /alive', `Host: ${host}\r\n`), { status: 200 }),
  ),
  ...[
    'a b',
    'user@host',
    'host/path',
    'host:port',
    'host:123456',
    '[::1',
    '::1',
    'a,b',
    'h\xe4st',
    '[g::1]',
    'host?x',
    'host#x',
    'a\\b',
  ]
    .filter((host) => host !== 'a,b')
    .map((host) => wire(`rejects the host ${host}`, 'RFC 9112 §3.2', line('GET /alive', `Host: ${host}\r\n`), REFUSED)),
  wire('rejects an empty host', 'RFC 9112 §3.2', line('GET /alive', 'Host:\r\n'), REFUSED),
  wire('rejects a missing host', 'RFC 9112 §3.2', line('GET /alive', ''), REFUSED),
  wire(
    'rejects two hosts',
    'RFC 9112 §3.2; node:http keeps the first',
    line('GET /alive', 'Host: a\r\nHost: b\r\n'),
    REFUSED,
  ),
  wire('rejects two equal hosts', 'RFC 9112 §3.2', line('GET /alive', 'Host: a\r\nhOST: a\r\n'), REFUSED),
  wire(
    'rejects two hosts with an absolute-form',
    'RFC 9112 §3.2',
    line('GET http://a/alive', 'Host: a\r\nHost: b\r\n'),
    REFUSED,
  ),
  wire('accepts HTTP/1.0 without a host', 'RFC 9112 §3.2', 'GET /alive HTTP/1.0\r\n\r\n', { status: 200 }),
  wire('checks the host of HTTP/1.0 too', 'RFC 9112 §3.2', 'GET /alive HTTP/1.0\r\nHost: a b\r\n\r\n', REFUSED),
]

const UNKNOWN: ExpectedResponse = {
  status: 501,
  headers: { connection: 'close', 'content-type': 'application/problem+json' },
}

const METHODS: readonly Row[] = [
  both(
    'responds 405 to a known method without an endpoint',
    'RFC 9110 §15.5.6',
    { method: 'PUT', target: '/alive' },
    {
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    },
  ),
  both(
    'responds to HEAD like GET, without content',
    'RFC 9110 §9.3.2',
    { method: 'HEAD', target: '/alive' },
    {
      status: 200,
      headers: { 'content-length': '5' },
      body: '',
    },
  ),
  both(
    'responds to HEAD with the same status as GET',
    NO_SECOND_READING,
    { method: 'HEAD', target: '/nothing' },
    { status: 404, body: '' },
  ),
  both(
    'responds to HEAD of a stream without content',
    'RFC 9110 §9.3.2',
    { method: 'HEAD', target: '/chunks' },
    { status: 200, body: '' },
  ),
  both(
    'responds to OPTIONS',
    'RFC 9110 §9.3.7',
    { method: 'OPTIONS', target: '/alive' },
    {
      status: 204,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    },
  ),
  wire('responds 501 to TRACE', 'RFC 9110 §9.3.8', line('TRACE /alive'), { status: 501 }),
  wire('responds 501 to TRACE of an unknown path', 'RFC 9110 §9.3.8', line('TRACE /nothing'), { status: 501 }),
  wire('responds 501 to CONNECT', 'RFC 9110 §9.3.6', line('CONNECT localhost:80'), UNKNOWN),
  wire('responds 501 to CONNECT with a path', 'RFC 9110 §9.3.6', line('CONNECT /alive'), UNKNOWN),
  ...['FOO', 'get', 'Get', 'M_Y', 'GETX', 'X'.repeat(300)].map((word) =>
    wire(`responds 501 to the unknown method ${word.slice(0, 8)}`, 'RFC 9110 §9.1', line(`${word} /alive`), UNKNOWN),
  ),
  ...['PROPFIND', 'LINK', 'M-SEARCH', 'PURGE', 'SEARCH', 'REPORT'].map((word) =>
    wire(`responds 501 to the method ${word}`, 'RFC 9110 §9.1', line(`${word} /alive`), { status: 501 }),
  ),
  wire('responds 405 to QUERY of a path without it', 'RFC 10008 §2', line('QUERY /alive'), { status: 405 }),
  wire('rejects bytes of TLS', 'a client that speaks TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', REFUSED),
  wire('rejects a bracket in a method', 'RFC 9110 §9.1', line('G(T /alive'), REFUSED),
  wire('rejects an empty line and garbage', 'RFC 9112 §2.2', '\r\n\r\n\x00\x01\r\n\r\n', REFUSED),
  both(
    'ignores X-HTTP-Method-Override',
    'method override advisories',
    {
      method: 'POST',
      target: '/person',
      headers: { 'x-http-method-override': 'DELETE', 'content-type': 'application/json' },
      body: '{"name":"a"}',
    },
    { status: 201 },
  ),
  both(
    'ignores X-Method-Override and _method',
    'method override advisories',
    {
      method: 'POST',
      target: '/person?_method=DELETE',
      headers: { 'x-method-override': 'DELETE', 'x-http-method': 'DELETE', 'content-type': 'application/json' },
      body: '{"name":"a","_method":"DELETE"}',
    },
    { status: 201 },
  ),
]

const VERSIONS: readonly Row[] = [
  wire('responds 505 to HTTP/2.0', 'RFC 9110 §15.6.6', 'GET /alive HTTP/2.0\r\nHost: a\r\n\r\n', {
    status: 505,
  }),
  wire('responds 505 to HTTP/3.0', 'RFC 9110 §15.6.6', 'GET /alive HTTP/3.0\r\nHost: a\r\n\r\n', { status: 505 }),
  wire('responds 505 to HTTP/1.2', 'RFC 9110 §15.6.6', 'GET /alive HTTP/1.2\r\nHost: a\r\n\r\n', { status: 505 }),
  wire('responds 505 to HTTP/0.9', 'RFC 9110 §15.6.6', 'GET /alive HTTP/0.9\r\nHost: a\r\n\r\n', { status: 505 }),
  ...['1.3', '1.9', '4.0', '9.9', '0.0', '0.9', '2.0'].map((version) =>
    wire(
      `responds 505 to the version ${version}`,
      'RFC 9110 §15.6.6',
      `GET /alive HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`,
      { status: 505, headers: { connection: 'close' } },
    ),
  ),
  ...[
    ...[
      '1',
      '1.',
      '.1',
      '',
      'x',
      '1.x',
      'x.1',
      ' 1.1',
      '1 .1',
      '1. 1',
      '01.01',
      '1.01',
      '01.1',
      '11.1',
      '1.10',
      '1.1.1',
    ],
    ...['-1.1', '+1.1', '1,1', '1.1 ', '1.1x', '1.2x', '9.9x', '2.0x', '1.2 ', '3.0\t', '\u00b2.0'],
  ].map((version) =>
    wire(
      `rejects the malformed version ${JSON.stringify(version)}`,
      'RFC 9112 §2.3: a digit, a dot, a digit',
      `GET /alive HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`,
      BROKEN,
    ),
  ),
  ...['1.1\n', '1.2\n', '1.1\r', '3.0\rx'].map((line) =>
    wire(
      `rejects the end of the request line ${JSON.stringify(line)}`,
      'RFC 9112 §2.2',
      `GET /alive HTTP/${line}Host: a\r\n\r\n`,
      BROKEN,
    ),
  ),
  wire(
    'rejects a malformed version after requests in the same packet',
    'RFC 9112 §2.3',
    `${'GET /alive HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2)}GET /alive HTTP/1\r\nHost: a\r\n\r\n`,
    [{ status: 200 }, { status: 200 }, BROKEN],
  ),
  wire(
    'responds 505 to an unsupported version after requests in the same packet',
    'RFC 9110 §15.6.6',
    `${'GET /alive HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2)}GET /alive HTTP/1.2\r\nHost: a\r\n\r\n`,
    [{ status: 200 }, { status: 200 }, { status: 505, headers: { connection: 'close' } }],
  ),
  wire('rejects another protocol', 'RFC 9112 §2.3', 'GET /alive HTCPCP/1.0\r\nHost: a\r\n\r\n', REFUSED),
  wire('rejects the HTTP/2 preface', 'RFC 9113 §3.4', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', {
    status: 505,
  }),
  wire('rejects an HTTP/0.9 simple request', 'RFC 1945 §4.1', 'GET /alive\r\n\r\n', { status: 505 }),
]

/** Builds a path of exactly `length` characters. */
const long = (length: number): string => `/echo/${'a'.repeat(length - 6)}`

const LENGTHS: readonly Row[] = [
  both('accepts a target below the limit', 'limits.url', { target: long(99) }, { status: 200 }),
  both('accepts a target at the limit', 'limits.url', { target: long(100) }, { status: 200 }),
  both('rejects a target above the limit', 'RFC 9110 §15.5.15', { target: long(101) }, { status: 414 }),
  both('counts the query for the limit', 'RFC 9110 §15.5.15', { target: `/alive?${'a'.repeat(94)}` }, { status: 414 }),
]

testRows('the form of a target', probeApp, FORMS)
testRows('the segments of a path', probeApp, SEGMENTS)
testRows('hosts', probeApp, HOSTS)
testRows('methods', probeApp, METHODS)
testRows('versions', probeApp, VERSIONS)
testRows('the length of a target', () => probeApp({ limits: { url: 100 } }), LENGTHS)
