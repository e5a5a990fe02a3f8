/** Attacks on the head of a request: its syntax, its size, what it says of proxies, and expectations. */
import { testRows, type ExpectedResponse, type Row } from '#test/rows.js'
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
  wire('refuses a space before the colon', 'RFC 9112 §5.1', get('X-A : 1\r\n'), BAD),
  wire('refuses a space before the colon of a framing field', 'RFC 9112 §5.1', get('Content-Length : 5\r\n'), BAD),
  wire('refuses a folded line', 'RFC 9112 §5.2', get('X-A: 1\r\n 2\r\n'), BAD),
  wire(
    'refuses a line that begins with a space',
    'RFC 9112 §2.2',
    `GET /alive HTTP/1.1\r\n X: y\r\nHost: a\r\n\r\n`,
    BAD,
  ),
  wire('refuses a line without a colon', 'RFC 9112 §5', get('X-A\r\n'), BAD),
  wire('refuses an empty name', 'RFC 9110 §5.1', get(': 1\r\n'), BAD),
  wire('refuses a name that is no token', 'RFC 9110 §5.1', get('X(A): 1\r\n'), BAD),
  wire('refuses a name in UTF-8', 'RFC 9110 §5.1', get('X-\xc3\xa4: 1\r\n'), BAD),
  wire('refuses NUL in a value', 'RFC 9110 §5.5', get('X-A: a\0b\r\n'), BAD),
  wire('refuses a control character in a value', 'RFC 9110 §5.5', get('X-A: a\x01b\r\n'), BAD),
  wire('refuses a carriage return in a value', 'RFC 9112 §2.2', get('X-A: a\rb\r\n'), BAD),
  wire('refuses the end of a head by bare carriage returns', 'RFC 9112 §2.2', `GET /alive HTTP/1.1\rHost: a\r\r`, BAD),
  wire('takes a tab in a value', 'RFC 9110 §5.5', get('X-A: a\tb\r\n'), { status: 200 }),
  wire('takes Latin-1 in a value', 'RFC 9110 §5.5', get('X-A: \xe4\r\n'), { status: 200 }),
  wire('takes an empty value', 'RFC 9110 §5.5', get('X-A:\r\n'), { status: 200 }),
  wire('takes __proto__ for a name like any other', 'CVE-2026-21710', get('__proto__: x\r\nconstructor: y\r\n'), {
    status: 200,
  }),
  wire('takes __proto__ twice', 'CVE-2026-21710', get('__proto__: x\r\n__proto__: y\r\n'), { status: 200 }),
  wire('ignores an upgrade', 'RFC 9110 §7.8', get('Upgrade: websocket\r\n').replace('close', 'upgrade, close'), {
    status: 200,
    body: 'alive',
  }),
  wire('ignores an upgrade to HTTP/2', 'RFC 9113 §3.1', get('Upgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'), {
    status: 200,
  }),
  wire('takes an empty line before the request', 'RFC 9112 §2.2', `\r\n${get('')}`, { status: 200 }),
]

/** A head of exactly so many fields, all told. */
const fields = (count: number): string => get('X: y\r\n'.repeat(count - 2))
/** A head of exactly so many bytes. */
const head = (size: number): string => {
  const empty = get('X-Long: \r\n').length
  return get(`X-Long: ${'a'.repeat(size - empty)}\r\n`)
}
const TOO_LARGE: ExpectedResponse = { status: 431, headers: { 'content-type': 'application/problem+json' } }

const SIZES: readonly Row[] = [
  wire('takes fewer fields than the limit', 'limits.headers', fields(19), { status: 200 }),
  wire('takes as many fields as the limit', 'limits.headers', fields(20), { status: 200 }),
  wire('refuses more fields than the limit', 'RFC 6585 §5', fields(21), TOO_LARGE),
  wire('refuses 3,000 fields', 'node:http drops fields beyond 2,000 without a sign', fields(3000), TOO_LARGE),
  wire('takes a head below the limit of bytes', 'limits.headerBytes', head(15_000), { status: 200 }),
  wire('refuses a head above the limit of bytes', 'RFC 6585 §5', head(17_000), TOO_LARGE),
  wire('refuses a head of a megabyte', 'RFC 6585 §5', head(1_000_000), TOO_LARGE),
  wire('refuses a long name', 'RFC 6585 §5', get(`${'X'.repeat(20_000)}: y\r\n`), TOO_LARGE),
  wire('refuses a target beyond the head', 'RFC 9112 §3', get('', `/${'a'.repeat(100_000)}`), { status: [414, 431] }),
]

const EXPECTATIONS: readonly Row[] = [
  wire(
    'asks for a body that it wants',
    'RFC 9110 §10.1.1',
    [
      'POST /json HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 2\r\nConnection: close\r\nExpect: 100-continue\r\n\r\n',
      '{}',
    ],
    { status: 200, body: { body: {} } },
  ),
  ...['200-ok', '100-continue, x=y', 'x-100-continue', '100-continue-x', 'foo'].map((expectation) =>
    wire(`refuses the expectation ${expectation}`, 'RFC 9110 §10.1.1', get(`Expect: ${expectation}\r\n`), {
      status: 417,
    }),
  ),
  wire('takes the expectation in any case', 'RFC 9110 §10.1.1', get('Expect: 100-Continue\r\n'), { status: 200 }),
  wire(
    'ends the connection of a body that it did not ask for',
    'RFC 9110 §10.1.1: the next bytes may be a body or a request',
    `POST /nothing HTTP/1.1\r\nHost: a\r\nContent-Length: 40\r\nExpect: 100-continue\r\n\r\nGET /admin HTTP/1.1\r\nHost: localhost\r\n\r\n`,
    { status: 404, headers: { connection: 'close' } },
  ),
  wire(
    'refuses a declared length before it asks for it',
    'RFC 9110 §10.1.1',
    'POST /small HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 33\r\nExpect: 100-continue\r\n\r\n',
    { status: 413, headers: { connection: 'close' } },
  ),
  wire(
    'refuses a media type before it asks for it',
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
  wire(`believes no ${headers.split(':')[0]} of a stranger`, 'RFC 7239 §8.1', ECHO(headers), {
    status: 200,
    body: { name: 'x', method: 'GET', path: '/echo/x', ip: '127.0.0.1' },
  }),
)

const client = (ip: string): ExpectedResponse => ({
  status: 200,
  body: { name: 'x', method: 'GET', path: '/echo/x', ip },
})

/** What leaves a client without an address; the last two pass a field of the client on, beside the proxy's own. */
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
    'takes the address that a trusted peer names',
    'trustProxy',
    ECHO('X-Forwarded-For: 9.9.9.9\r\n'),
    client('9.9.9.9'),
  ),
  wire(
    'takes the last one',
    'the first is the client’s word',
    ECHO('X-Forwarded-For: 6.6.6.6, 9.9.9.9\r\n'),
    client('9.9.9.9'),
  ),
  wire('passes trusted ones', 'trustProxy', ECHO('X-Forwarded-For: 9.9.9.9, 10.1.2.3\r\n'), client('9.9.9.9')),
  wire(
    'joins repeated fields',
    'RFC 9110 §5.3',
    ECHO('X-Forwarded-For: 6.6.6.6\r\nX-Forwarded-For: 9.9.9.9\r\n'),
    client('9.9.9.9'),
  ),
  wire(
    'believes nothing behind what is no address',
    'a proxy that writes "unknown" vouches for nothing behind it',
    ECHO('X-Forwarded-For: 6.6.6.6, unknown\r\n'),
    client(''),
  ),
  wire(
    'believes nothing behind an address with rubbish',
    'own rule',
    ECHO('X-Forwarded-For: 6.6.6.6, 9.9.9.9x, 10.0.0.1\r\n'),
    client(''),
  ),
  wire(
    'takes an address with a port',
    'trustProxy',
    ECHO('X-Forwarded-For: 6.6.6.6, 9.9.9.9:5000\r\n'),
    client('9.9.9.9'),
  ),
  wire(
    'reads Forwarded',
    'RFC 7239 §4',
    ECHO('Forwarded: for=6.6.6.6, for="[2001:db8::1]:443";proto=https\r\n'),
    client('2001:db8::1'),
  ),
  wire(
    'is not led astray by a quote of the client',
    'RFC 7239 §8.1: only what trusted proxies add counts',
    ECHO('Forwarded: for="6.6.6.6\r\nForwarded: for="9.9.9.9:80";host="a"\r\n'),
    client('9.9.9.9'),
  ),
  wire(
    'believes neither of two headers that disagree',
    'a proxy that writes one may pass the other as the client sent it',
    ECHO('Forwarded: for=6.6.6.6\r\nX-Forwarded-For: 9.9.9.9\r\n'),
    client(''),
  ),
  ...NAMELESS.map((headers) =>
    wire(
      `takes no client behind a proxy for the proxy’s own machine: ${JSON.stringify(headers)}`,
      'RFC 7239 §6.2: "unknown" says that nobody knows the client',
      ECHO(headers),
      client(''),
    ),
  ),
  wire('takes a request without such a field for the peer’s own', 'trustProxy', ECHO(''), client('127.0.0.1')),
  wire('takes IPv6', 'RFC 4291', ECHO('X-Forwarded-For: 2001:db8::1\r\n'), client('2001:db8::1')),
  wire(
    'passes a trusted IPv4 address in its IPv6 form',
    'RFC 4291 §2.5.5',
    ECHO('X-Forwarded-For: 9.9.9.9, ::ffff:10.0.0.1\r\n'),
    client('9.9.9.9'),
  ),
  wire('takes the id of a trusted peer', 'trustProxy', get('X-Request-Id: abc-1\r\n', '/nothing'), {
    status: 404,
    headers: { 'x-request-id': 'abc-1' },
  }),
  wire('takes no id that could be markup', 'log injection', get('X-Request-Id: <a>"\r\n', '/nothing'), {
    status: 404,
    headers: { 'x-request-id': /^[\w-]+$/ },
  }),
]

const OWN_IDS: readonly Row[] = [
  wire('takes no id of a stranger', 'log injection', get('X-Request-Id: mine\r\n', '/nothing'), {
    status: 404,
    headers: { 'x-request-id': /^(?!mine$)[\w-]+$/ },
  }),
]

testRows('the syntax of fields', probeApp, SYNTAX)
testRows('the size of a head', () => probeApp({ limits: { headers: 20 } }), SIZES)
testRows('a smaller size of a head', () => probeApp({ limits: { headerBytes: 2000 } }), [
  wire('takes a head below the limit', 'limits.headerBytes', head(1900), { status: 200 }),
  wire('refuses a head above the limit', 'limits.headerBytes', head(2100), TOO_LARGE),
])
testRows('expectations', probeApp, EXPECTATIONS)
testRows('forwarding headers of strangers', probeApp, [...UNTRUSTED, ...OWN_IDS])
testRows('forwarding headers of trusted peers', () => probeApp({ trustProxy: ['127.0.0.1', '10.0.0.0/8'] }), TRUSTED)
