/** Attacks on the request line: targets, hosts, methods, versions. */
import { testRows, type ExpectedResponse, type Parts, type Row } from '#test/rows.js'
import { probeApp } from '#test/probe.js'

const REFUSED: ExpectedResponse = { status: 400, headers: { 'content-type': 'application/problem+json' } }
const BROKEN: ExpectedResponse = { status: 400, headers: { ...REFUSED.headers, connection: 'close' } }
const NOT_FOUND: ExpectedResponse = { status: 404 }

/** Request lines that the web's own parser would tidy up: sent as bytes alone. */
function line(text: string, headers = 'Host: localhost\r\n'): string {
  return `${text} HTTP/1.1\r\n${headers}Connection: close\r\n\r\n`
}

function wire(rule: string, source: string, send: Row['send'], expect: Row['expect']): Row {
  return { rule, source, reach: 'wire', send, expect }
}

function both(rule: string, source: string, send: Parts, expect: Row['expect']): Row {
  return { rule, source, reach: 'both', send, expect }
}

const NO_SECOND_READING = 'bypasses of 2025 and 2026 in others: guards that read the URL again'

const FORMS: readonly Row[] = [
  wire('reads the origin-form', 'RFC 9112 §3.2.1', line('GET /alive?x=1'), { status: 200, body: 'alive' }),
  wire('reads the absolute-form', 'RFC 9112 §3.2.2', line('GET http://example.org/alive'), { status: 200 }),
  wire('reads the absolute-form of https', 'RFC 9112 §3.2.2', line('GET HTTPS://example.org:8443/alive'), {
    status: 200,
  }),
  wire('takes the path from an absolute-form alone', 'RFC 9112 §3.2.2', line('GET http://localhost?/alive'), NOT_FOUND),
  wire('refuses userinfo in an absolute-form', 'RFC 9110 §4.2.4', line('GET http://a:b@localhost/alive'), REFUSED),
  wire('refuses an absolute-form without a host', 'RFC 9110 §4.2.1', line('GET http:///alive'), REFUSED),
  wire(
    'refuses a malformed port in an absolute-form',
    'RFC 3986 §3.2.3',
    line('GET http://localhost:8x/alive'),
    REFUSED,
  ),
  wire('refuses other schemes', 'RFC 9112 §3.2.2', line('GET ftp://localhost/alive'), REFUSED),
  wire('refuses a file', 'RFC 9112 §3.2.2', line('GET file:///etc/passwd'), REFUSED),
  wire('reads the asterisk-form', 'RFC 9112 §3.2.4', line('OPTIONS *'), {
    status: 204,
    headers: { allow: /GET/, 'content-length': null },
  }),
  wire('refuses the asterisk for other methods', 'RFC 9112 §3.2.4', line('GET *'), REFUSED),
  wire('refuses the authority-form without CONNECT', 'RFC 9112 §3.2.3', line('GET localhost:80'), REFUSED),
  wire('refuses a target without a slash', 'RFC 9112 §3.2', line('GET alive'), REFUSED),
  wire('refuses a fragment', 'RFC 9112 §3.2', line('GET /alive#x'), REFUSED),
  wire('refuses an encoded-looking fragment behind a query', 'RFC 9112 §3.2', line('GET /alive?#'), REFUSED),
  wire('refuses a backslash', 'WHATWG URL would read a slash', line('GET /\\alive'), REFUSED),
  wire('refuses a backslash in the query', 'RFC 3986 §2', line('GET /alive?a=\\'), REFUSED),
  wire('refuses a space', 'RFC 9112 §3.2', line('GET /ali ve'), REFUSED),
  wire('refuses a tab', 'RFC 9112 §3', line('GET /ali\tve'), REFUSED),
  wire('refuses NUL', 'RFC 9112 §3', line('GET /ali\0ve'), REFUSED),
  wire('refuses DEL', 'RFC 3986 §2', line('GET /ali\x7fve'), REFUSED),
  wire('refuses raw UTF-8', 'RFC 3986 §2', line('GET /\xc3\x84pfel'), REFUSED),
  wire('refuses a carriage return alone', 'RFC 9112 §2.2', line('GET /alive\rX: y'), REFUSED),
]

const SEGMENTS: readonly Row[] = [
  ...['/./alive', '/../alive', '/admin/..', '/admin/.', '/%2e/alive', '/%2E%2e/alive', '/.%2e/alive', '/%2e./x'].map(
    (target) => wire(`refuses the dot segment in ${target}`, 'RFC 3986 §5.2.4', line(`GET ${target}`), REFUSED),
  ),
  wire('takes a name of three dots', 'RFC 3986 §5.2.4', line('GET /echo/...'), { status: 200, body: /"\.\.\."/ }),
  wire('takes dots in a name', 'RFC 3986 §5.2.4', line('GET /echo/..a'), { status: 200 }),
  wire('takes dots in a query', 'RFC 3986 §3.4', line('GET /alive?p=/../x'), { status: 200 }),
  both('takes a double slash for an empty segment', NO_SECOND_READING, { target: '/x//alive' }, NOT_FOUND),
  wire('does not merge slashes at the beginning', NO_SECOND_READING, line('GET //alive'), NOT_FOUND),
  wire('does not take a path for a host', NO_SECOND_READING, line('GET //localhost/alive'), NOT_FOUND),
  both('tells cases apart', NO_SECOND_READING, { target: '/Admin' }, NOT_FOUND),
  both('takes a trailing slash for another path', NO_SECOND_READING, { target: '/admin/' }, NOT_FOUND),
  both('does not decode literals', NO_SECOND_READING, { target: '/%61dmin' }, NOT_FOUND),
  both('does not decode literals twice', NO_SECOND_READING, { target: '/%2561dmin' }, NOT_FOUND),
  both('does not strip path parameters', NO_SECOND_READING, { target: '/admin;x=1' }, NOT_FOUND),
  both('does not strip extensions', NO_SECOND_READING, { target: '/admin.json' }, NOT_FOUND),
  both('splits before it decodes', NO_SECOND_READING, { target: '/echo/a%2Fb' }, { status: 200, body: /"a\/b"/ }),
  both('takes an encoded slash for no separator', NO_SECOND_READING, { target: '/two/a%2Fb' }, NOT_FOUND),
  both('decodes once', NO_SECOND_READING, { target: '/echo/%2561' }, { status: 200, body: /"%61"/ }),
  both('keeps a plus in a path', 'RFC 3986 §3.3', { target: '/echo/a+b' }, { status: 200, body: /"a\+b"/ }),
  both('refuses an encoded slash in a wildcard', 'a%2Fb and a/b would coincide', { target: '/files/a%2Fb' }, REFUSED),
  both(
    'gives a wildcard as one string',
    'own rule',
    { target: '/files/a/b%20c' },
    { status: 200, body: { rest: 'a/b c' } },
  ),
  both(
    'matches a literal by its encoded form',
    'RFC 3986 §2.1',
    { target: '/%C3%84pfel' },
    { status: 200, body: 'Äpfel' },
  ),
  both('takes lower-case hex', 'RFC 3986 §2.1', { target: '/%c3%84pfel' }, { status: 200, body: 'Äpfel' }),
  both('does not match another normal form', 'Unicode NFD', { target: '/A%CC%88pfel' }, NOT_FOUND),
  ...['%', '%4', '%zz', '%C3', '%C3%28', '%C0%AF', '%E0%80%AF', '%ED%A0%80', '%F5%80%80%80', '%FF', '%C3/%A4'].map(
    (text) =>
      both(`refuses the encoding ${text}`, 'RFC 3629 §3, overlong and invalid', { target: `/echo/${text}` }, REFUSED),
  ),
  both('refuses an encoded NUL', 'RFC 3986 §7.3', { target: '/echo/a%00b' }, REFUSED),
  both('refuses a broken encoding in the query', 'RFC 3986 §2.1', { target: '/query?q=%zz' }, REFUSED),
  both('refuses an overlong encoding in the query', 'RFC 3629 §3', { target: '/raw-query?q=%C0%AF' }, REFUSED),
  both('finds no member of prototypes', 'prototype lookups', { target: '/constructor' }, NOT_FOUND),
  both('finds no __proto__', 'prototype lookups', { target: '/__proto__' }, NOT_FOUND),
  both('takes __proto__ as a value', 'prototype lookups', { target: '/echo/__proto__' }, { status: 200 }),
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
    wire(`takes the host ${host}`, 'RFC 9112 §3.2', line('GET /alive', `Host: ${host}\r\n`), { status: 200 }),
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
    .map((host) => wire(`refuses the host ${host}`, 'RFC 9112 §3.2', line('GET /alive', `Host: ${host}\r\n`), REFUSED)),
  wire('refuses an empty host', 'RFC 9112 §3.2', line('GET /alive', 'Host:\r\n'), REFUSED),
  wire('refuses a missing host', 'RFC 9112 §3.2', line('GET /alive', ''), REFUSED),
  wire(
    'refuses two hosts',
    'RFC 9112 §3.2; node:http keeps the first',
    line('GET /alive', 'Host: a\r\nHost: b\r\n'),
    REFUSED,
  ),
  wire('refuses two equal hosts', 'RFC 9112 §3.2', line('GET /alive', 'Host: a\r\nhOST: a\r\n'), REFUSED),
  wire(
    'refuses two hosts with an absolute-form',
    'RFC 9112 §3.2',
    line('GET http://a/alive', 'Host: a\r\nHost: b\r\n'),
    REFUSED,
  ),
  wire('takes HTTP/1.0 without a host', 'RFC 9112 §3.2', 'GET /alive HTTP/1.0\r\n\r\n', { status: 200 }),
  wire('checks the host of HTTP/1.0 too', 'RFC 9112 §3.2', 'GET /alive HTTP/1.0\r\nHost: a b\r\n\r\n', REFUSED),
]

const UNKNOWN: ExpectedResponse = {
  status: 501,
  headers: { connection: 'close', 'content-type': 'application/problem+json' },
}

const METHODS: readonly Row[] = [
  both(
    'answers a known method without an endpoint',
    'RFC 9110 §15.5.6',
    { method: 'PUT', target: '/alive' },
    {
      status: 405,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    },
  ),
  both(
    'answers HEAD like GET without content',
    'RFC 9110 §9.3.2',
    { method: 'HEAD', target: '/alive' },
    {
      status: 200,
      headers: { 'content-length': '5' },
      body: '',
    },
  ),
  both(
    'answers HEAD by the same chain',
    NO_SECOND_READING,
    { method: 'HEAD', target: '/nothing' },
    { status: 404, body: '' },
  ),
  both('answers HEAD of a stream', 'RFC 9110 §9.3.2', { method: 'HEAD', target: '/chunks' }, { status: 200, body: '' }),
  both(
    'answers OPTIONS',
    'RFC 9110 §9.3.7',
    { method: 'OPTIONS', target: '/alive' },
    {
      status: 204,
      headers: { allow: 'GET, HEAD, OPTIONS' },
    },
  ),
  wire('does not do TRACE', 'RFC 9110 §9.3.8', line('TRACE /alive'), { status: 501 }),
  wire('does not do TRACE anywhere', 'RFC 9110 §9.3.8', line('TRACE /nothing'), { status: 501 }),
  wire('does not do CONNECT', 'RFC 9110 §9.3.6', line('CONNECT localhost:80'), UNKNOWN),
  wire('does not do CONNECT of a path', 'RFC 9110 §9.3.6', line('CONNECT /alive'), UNKNOWN),
  ...['FOO', 'get', 'Get', 'M_Y', 'GETX', 'X'.repeat(300)].map((word) =>
    wire(`does not know the method ${word.slice(0, 8)}`, 'RFC 9110 §9.1', line(`${word} /alive`), UNKNOWN),
  ),
  ...['PROPFIND', 'LINK', 'M-SEARCH', 'PURGE', 'QUERY', 'SEARCH', 'REPORT'].map((word) =>
    wire(`does not know the method ${word}`, 'RFC 9110 §9.1', line(`${word} /alive`), { status: 501 }),
  ),
  wire(
    'takes bytes of TLS for no request',
    'a client that speaks TLS',
    '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
    REFUSED,
  ),
  wire('takes a bracket for no method', 'RFC 9110 §9.1', line('G(T /alive'), REFUSED),
  wire('takes an empty line and garbage for no request', 'RFC 9112 §2.2', '\r\n\r\n\x00\x01\r\n\r\n', REFUSED),
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
  wire('speaks no HTTP/2.0 on this wire', 'RFC 9110 §15.6.6', 'GET /alive HTTP/2.0\r\nHost: a\r\n\r\n', {
    status: 505,
  }),
  wire('speaks no HTTP/3.0', 'RFC 9110 §15.6.6', 'GET /alive HTTP/3.0\r\nHost: a\r\n\r\n', { status: 505 }),
  wire('speaks no HTTP/1.2', 'RFC 9110 §15.6.6', 'GET /alive HTTP/1.2\r\nHost: a\r\n\r\n', { status: 505 }),
  wire('speaks no HTTP/0.9', 'RFC 9110 §15.6.6', 'GET /alive HTTP/0.9\r\nHost: a\r\n\r\n', { status: 505 }),
  ...['1.3', '1.9', '4.0', '9.9', '0.0', '0.9', '2.0'].map((version) =>
    wire(
      `does not speak the version ${version}`,
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
      `refuses the malformed version ${JSON.stringify(version)}`,
      'RFC 9112 §2.3: a digit, a dot, a digit',
      `GET /alive HTTP/${version}\r\nHost: a\r\nConnection: close\r\n\r\n`,
      BROKEN,
    ),
  ),
  ...['1.1\n', '1.2\n', '1.1\r', '3.0\rx'].map((line) =>
    wire(
      `refuses the end of a request line in ${JSON.stringify(line)}`,
      'RFC 9112 §2.2',
      `GET /alive HTTP/${line}Host: a\r\n\r\n`,
      BROKEN,
    ),
  ),
  wire(
    'refuses a malformed version behind requests in the same packet',
    'RFC 9112 §2.3',
    `${'GET /alive HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2)}GET /alive HTTP/1\r\nHost: a\r\n\r\n`,
    [{ status: 200 }, { status: 200 }, BROKEN],
  ),
  wire(
    'does not speak a version behind requests in the same packet',
    'RFC 9110 §15.6.6',
    `${'GET /alive HTTP/1.1\r\nHost: a\r\n\r\n'.repeat(2)}GET /alive HTTP/1.2\r\nHost: a\r\n\r\n`,
    [{ status: 200 }, { status: 200 }, { status: 505, headers: { connection: 'close' } }],
  ),
  wire('refuses another protocol', 'RFC 9112 §2.3', 'GET /alive HTCPCP/1.0\r\nHost: a\r\n\r\n', REFUSED),
  wire('refuses the preface of HTTP/2', 'RFC 9113 §3.4', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', {
    status: 505,
  }),
  wire('refuses the simple request of HTTP/0.9', 'RFC 1945 §4.1', 'GET /alive\r\n\r\n', { status: 505 }),
]

/** A path of exactly so many characters. */
const long = (length: number): string => `/echo/${'a'.repeat(length - 6)}`

const LENGTHS: readonly Row[] = [
  both('takes a target below the limit', 'limits.url', { target: long(99) }, { status: 200 }),
  both('takes a target at the limit', 'limits.url', { target: long(100) }, { status: 200 }),
  both('refuses a target above the limit', 'RFC 9110 §15.5.15', { target: long(101) }, { status: 414 }),
  both('counts the query', 'RFC 9110 §15.5.15', { target: `/alive?${'a'.repeat(94)}` }, { status: 414 }),
]

testRows('the form of a target', probeApp, FORMS)
testRows('the segments of a path', probeApp, SEGMENTS)
testRows('hosts', probeApp, HOSTS)
testRows('methods', probeApp, METHODS)
testRows('versions', probeApp, VERSIONS)
testRows('the length of a target', () => probeApp({ limits: { url: 100 } }), LENGTHS)
