/** Attacks by the size of bodies, with and without a declared length. */
import { testRows, type Parts, type Row } from '#test/attack-rows.js'
import { probeApp } from '#test/probe.js'

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

const sized = (length: number): Parts => json(`"${'a'.repeat(length - 2)}"`, '/small')
const chunks = (length: number): string => {
  const body = `"${'a'.repeat(length - 2)}"`
  return post(CHUNKED, `${[...body].map((byte) => `1\r\n${byte}\r\n`).join('')}0\r\n\r\n`, '/small')
}

const LIMITS: readonly Row[] = [
  both('accepts a body below its limit', 'json(…, { limit })', sized(31), { status: 200, body: { length: 31 } }),
  both('accepts a body at its limit', 'json(…, { limit })', sized(32), { status: 200, body: { length: 32 } }),
  both('rejects a body above its limit', 'RFC 9110 §15.5.14', sized(33), { status: 413 }),
  both('rejects a body above the limit of the app', 'limits.body', json(`"${'a'.repeat(99)}"`), { status: 413 }),
  both('accepts a body at the limit of the app', 'limits.body', json(`"${'a'.repeat(98)}"`), { status: 200 }),
  wire('counts chunks at the limit', 'json(…, { limit })', chunks(32), { status: 200, body: { length: 32 } }),
  wire('counts chunks above the limit', 'RFC 9110 §15.5.14', chunks(33), {
    status: 413,
    headers: { connection: 'close' },
  }),
  both(
    'counts the bytes of a stream',
    'limits.body',
    {
      method: 'POST',
      target: '/upload',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'x'.repeat(101),
    },
    { status: 413 },
  ),
  wire(
    'counts the chunks of a stream',
    'limits.body',
    post(CHUNKED, `65\r\n${'x'.repeat(101)}\r\n0\r\n\r\n`, '/upload').replace(
      'application/json',
      'application/octet-stream',
    ),
    { status: 413 },
  ),
  both(
    'accepts a stream at the limit',
    'limits.body',
    {
      method: 'POST',
      target: '/upload',
      headers: { 'content-type': 'application/octet-stream' },
      body: 'x'.repeat(100),
    },
    { status: 200, body: /"length":100,/ },
  ),
  wire(
    'rejects a declared length above the limit immediately',
    'Express and Nest respond only after the whole body',
    post('Content-Length: 10000000000\r\n', ''),
    { status: 413, headers: { connection: 'close' } },
  ),
]

testRows('body limits', () => probeApp({ limits: { body: 100 } }), LIMITS)
