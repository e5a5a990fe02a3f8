/** Attacks on request headers: syntax, size, forwarding headers and `Expect`. */
import { testRows, type ExpectedResponse, type Row } from '#test/attack-rows.js'
import { probeApp } from '#test/probe.js'

const REFUSED: ExpectedResponse = { status: 400, headers: { 'content-type': 'application/problem+json' } }
const BAD: ExpectedResponse = { ...REFUSED, headers: { ...REFUSED.headers, connection: 'close' } }

function get(headers: string, target = '/alive'): string {
  return `GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${headers}\r\n`
}

function wire(rule: string, source: string, send: Row['send'], expect: Row['expect']): Row {
  return { rule, source, reach: 'wire', send, expect }
}

const SYNTAX: readonly Row[] = [
  wire('rejects a space before the colon', 'RFC 9112 §5.1', get('X-A : 1\r\n'), BAD),
  wire('rejects a space before the colon of Content-Length', 'RFC 9112 §5.1', get('Content-Length : 5\r\n'), BAD),
  wire('rejects a folded line', 'RFC 9112 §5.2', get('X-A: 1\r\n 2\r\n'), BAD),
  wire(
    'rejects a line that begins with a space',
    'RFC 9112 §2.2',
    `GET /alive HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n`,
    BAD,
  ),
  wire('rejects a line without a colon', 'RFC 9112 §5', get('X-A\r\n'), BAD),
  wire('rejects an empty name', 'RFC 9110 §5.1', get(': 1\r\n'), BAD),
  wire('rejects a name that is not a token', 'RFC 9110 §5.1', get('X(A): 1\r\n'), BAD),
  wire('rejects a name in UTF-8', 'RFC 9110 §5.1', get('X-\xc3\xa4: 1\r\n'), BAD),
  wire('rejects NUL in a value', 'RFC 9110 §5.5', get('X-A: a\0b\r\n'), BAD),
  wire('rejects a control character in a value', 'RFC 9110 §5.5', get('X-A: a\x01b\r\n'), BAD),
  wire('rejects a carriage return in a value', 'RFC 9112 §2.2', get('X-A: a\rb\r\n'), BAD),
  wire('rejects headers that end with bare carriage returns', 'RFC 9112 §2.2', `GET /alive HTTP/1.1\rHost: a\r\r`, BAD),
  wire('accepts a tab in a value', 'RFC 9110 §5.5', get('X-A: a\tb\r\n'), { status: 200 }),
  wire('accepts Latin-1 in a value', 'RFC 9110 §5.5', get('X-A: \xe4\r\n'), { status: 200 }),
  wire('accepts an empty value', 'RFC 9110 §5.5', get('X-A:\r\n'), { status: 200 }),
  wire('treats __proto__ as a plain name', 'CVE-2026-21710', get('__proto__: x\r\nconstructor: y\r\n'), {
    status: 200,
  }),
  wire('accepts a repeated __proto__ header', 'CVE-2026-21710', get('__proto__: x\r\n__proto__: y\r\n'), {
    status: 200,
  }),
  wire('ignores an upgrade', 'RFC 9110 §7.8', get('Upgrade: websocket\r\n').replace('close', 'upgrade, close'), {
    status: 200,
    body: 'alive',
  }),
  wire('ignores an upgrade to HTTP/2', 'RFC 9113 §3.1', get('Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'), {
    status: 200,
  }),
  wire('accepts an empty line before the request', 'RFC 9112 §2.2', `\r\n${get('')}`, { status: 200 }),
]

/** Formats a request with exactly `count` headers. */
const fields = (count: number): string => get('X: y\r\n'.repeat(count - 2))
/** Formats a request with headers of exactly `size` bytes. */
const head = (size: number): string => {
  const empty = get('X-Long: \r\n').length
  return get(`X-Long: ${'a'.repeat(size - empty)}\r\n`)
}
const TOO_LARGE: ExpectedResponse = { status: 431, headers: { 'content-type': 'application/problem+json' } }

const SIZES: readonly Row[] = [
  wire('accepts fewer headers than the limit', 'limits.headers', fields(19), { status: 200 }),
  wire('accepts as many headers as the limit', 'limits.headers', fields(20), { status: 200 }),
  wire('rejects more headers than the limit', 'RFC 6585 §5', fields(21), TOO_LARGE),
  wire('rejects 3,000 headers', 'node:http silently drops headers after the first 2,000', fields(3000), TOO_LARGE),
  wire('accepts headers below the limit of bytes', 'limits.headerBytes', head(15_000), { status: 200 }),
  wire('rejects headers above the limit of bytes', 'RFC 6585 §5', head(17_000), TOO_LARGE),
  wire('rejects 1 MB of headers', 'RFC 6585 §5', head(1_000_000), TOO_LARGE),
  wire('rejects a long name', 'RFC 6585 §5', get(`${'X'.repeat(20_000)}: y\r\n`), TOO_LARGE),
  wire('rejects a target above the limit of bytes', 'RFC 9112 §3', get('', `/${'a'.repeat(100_000)}`), {
    status: [414, 431],
  }),
]

const EXPECTATIONS: readonly Row[] = [
  wire(
    'sends 100 Continue for an expected body',
    'RFC 9110 §10.1.1',
    [
      'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n',
      '{}',
    ],
    { status: 200, body: { body: {} } },
  ),
  ...['200-ok', '100-continue, x=y', 'x-100-continue', '100-continue-x', 'foo'].map((expectation) =>
    wire(`rejects the expectation ${expectation}`, 'RFC 9110 §10.1.1', get(`Expect: ${expectation}\r\n`), {
      status: 417,
    }),
  ),
  wire('accepts the expectation in any case', 'RFC 9110 §10.1.1', get('Expect: 100-Continue\r\n'), { status: 200 }),
  wire(
    'closes the connection after a body without 100 Continue',
    'RFC 9110 §10.1.1: the next bytes may be a body or a request',
    `POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nExpect: 100-continue\r\n\r\nGET /admin HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    { status: 404, headers: { connection: 'close' } },
  ),
  wire(
    'rejects a declared length instead of sending 100 Continue',
    'RFC 9110 §10.1.1',
    'POST /small HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 33\r\nExpect: 100-continue\r\n\r\n',
    { status: 413, headers: { connection: 'close' } },
  ),
  wire(
    'rejects a media type instead of sending 100 Continue',
    'RFC 9110 §10.1.1',
    'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: text/plain\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n',
    { status: 415, headers: { connection: 'close' } },
  ),
]

const ECHO = (headers: string): string => get(headers, '/echo/x')
const FORGED = [
  'X-Forwarded-For: 6.6.6.6\r\n',
  'Forwarded: for=6.6.6.6;host=evil;proto=https\r\n',
  'X-Real-IP: 6.6.6.6\r\n',
  'X-Forwarded-Host: evil\r\nX-Forwarded-Proto: https\r\n',
  'X-Original-URL: /admin\r\nX-Rewrite-URL: /admin\r\nX-Forwarded-Prefix: /x\r\n',
]

const UNTRUSTED: readonly Row[] = FORGED.map((headers) =>
  wire(`ignores ${headers.split(':')[0]} of an untrusted client`, 'RFC 7239 §8.1', ECHO(headers), {
    status: 200,
    body: { name: 'x', method: 'GET', path: '/echo/x', ip: '127.0.0.1' },
  }),
)

const client = (ip: string): ExpectedResponse => ({
  status: 200,
  body: { name: 'x', method: 'GET', path: '/echo/x', ip },
})

/** Headers that do not identify the client. The last two contain a header of the client in addition to the header of the proxy. */
const NAMELESS = [
  'Forwarded: for=unknown\r\n',
  'Forwarded: for=_hidden\r\n',
  'Forwarded: proto=https\r\n',
  'Forwarded:\r\n',
  'X-Forwarded-For: unknown\r\n',
  'X-Forwarded-For:\r\n',
  'Forwarded: for=127.0.0.1, for=unknown, for=10.0.0.1\r\n',
  'Forwarded: for=unknown\r\nX-Forwarded-For: 9.9.9.9\r\n',
  'Forwarded: for=127.0.0.1\r\nX-Forwarded-For: 9.9.9.9\r\n',
]

const TRUSTED: readonly Row[] = [
  wire(
    'uses the address sent by a trusted peer',
    'trustProxy',
    ECHO('X-Forwarded-For: 9.9.9.9\r\n'),
    client('9.9.9.9'),
  ),
  wire(
    'uses the last address',
    'the client controls the first address',
    ECHO('X-Forwarded-For: 6.6.6.6, 9.9.9.9\r\n'),
    client('9.9.9.9'),
  ),
  wire('skips trusted addresses', 'trustProxy', ECHO('X-Forwarded-For: 9.9.9.9, 10.1.2.3\r\n'), client('9.9.9.9')),
  wire(
    'joins repeated headers',
    'RFC 9110 §5.3',
    ECHO('X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 9.9.9.9\r\n'),
    client('9.9.9.9'),
  ),
  wire(
    'trusts no entry before an invalid address',
    'a proxy that sends "unknown" does not confirm earlier entries',
    ECHO('X-Forwarded-For: 6.6.6.6, unknown\r\n'),
    client(''),
  ),
  wire(
    'trusts no entry before a malformed address',
    'Verbena',
    ECHO('X-Forwarded-For: 6.6.6.6, 9.9.9.9x, 10.0.0.1\r\n'),
    client(''),
  ),
  wire(
    'accepts an address with a port',
    'trustProxy',
    ECHO('X-Forwarded-For: 6.6.6.6, 9.9.9.9:5000\r\n'),
    client('9.9.9.9'),
  ),
  wire(
    'accepts Forwarded',
    'RFC 7239 §4',
    ECHO('Forwarded: for=6.6.6.6, for="[2001:db8::1]:443";proto=https\r\n'),
    client('2001:db8::1'),
  ),
  wire(
    'is not confused by an unclosed quote of the client',
    'RFC 7239 §8.1: only entries of trusted proxies count',
    ECHO('Forwarded: for="6.6.6.6\r\nForwarded: for="9.9.9.9:80";host="a"\r\n'),
    client('9.9.9.9'),
  ),
  wire(
    'trusts neither of two headers that disagree',
    'a proxy that sets one header may forward the other unchanged',
    ECHO('Forwarded: for=6.6.6.6\r\nX-Forwarded-For: 9.9.9.9\r\n'),
    client(''),
  ),
  ...NAMELESS.map((headers) =>
    wire(
      `does not use the proxy's address for an unknown client: ${JSON.stringify(headers)}`,
      'RFC 7239 §6.2: "unknown" means that the client is not known',
      ECHO(headers),
      client(''),
    ),
  ),
  wire('uses the address of the peer without a forwarding header', 'trustProxy', ECHO(''), client('127.0.0.1')),
  wire('accepts IPv6', 'RFC 4291', ECHO('X-Forwarded-For: 2001:db8::1\r\n'), client('2001:db8::1')),
  wire(
    'skips a trusted IPv4 address in its IPv6-mapped form',
    'RFC 4291 §2.5.5',
    ECHO('X-Forwarded-For: 9.9.9.9, ::ffff:10.0.0.1\r\n'),
    client('9.9.9.9'),
  ),
  wire('uses the request id of a trusted peer', 'trustProxy', get('X-Request-Id: abc-1\r\n', '/nothing'), {
    status: 404,
    headers: { 'x-request-id': 'abc-1' },
  }),
  wire('rejects a request id with markup', 'log injection', get('X-Request-Id: <a>"\r\n', '/nothing'), {
    status: 404,
    headers: { 'x-request-id': /^[\w-]+$/ },
  }),
]

const OWN_IDS: readonly Row[] = [
  wire('ignores the request id of an untrusted client', 'log injection', get('X-Request-Id: mine\r\n', '/nothing'), {
    status: 404,
    headers: { 'x-request-id': /^(?!mine$)[\w-]+$/ },
  }),
]

testRows('the syntax of headers', probeApp, SYNTAX)
testRows('the size of headers', () => probeApp({ limits: { headers: 20 } }), SIZES)
testRows('a smaller limit of header bytes', () => probeApp({ limits: { headerBytes: 2000 } }), [
  wire('accepts headers below the limit', 'limits.headerBytes', head(1900), { status: 200 }),
  wire('rejects headers above the limit', 'limits.headerBytes', head(2100), TOO_LARGE),
])
testRows('expectations', probeApp, EXPECTATIONS)
testRows('forwarding headers of untrusted clients', probeApp, [...UNTRUSTED, ...OWN_IDS])
testRows('forwarding headers of trusted peers', () => probeApp({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] }), TRUSTED)
