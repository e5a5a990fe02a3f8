/** Endless requests: parts without a limit in the grammar, sent until the server ends the connection. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { CommonOptions } from 'verbena'
import { probeApp } from '#test/probe.js'
import { assertAlive, formatTitle, type Rule } from '#test/attack-rows.js'
import { parseAnswers, type StrictAnswer } from '#test/strict-parser.js'

/** Maximum number of sent bytes: kernel buffers and a drained body. */
const BOUND = 16 * 1024 * 1024

interface EndlessRow extends Rule {
  /** Sent once. */
  readonly begin: string
  /** Sent repeatedly. */
  readonly part: string
  /** Limited by size, or only by time if the server does not store the data. */
  readonly bound: 'size' | 'time'
  /** Allowed statuses of the response, unless a reset discards it. */
  readonly status: readonly number[]
}

const post = (target: string, type = 'application/json'): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`
const BYTES = 'application/octet-stream'
const GET = 'GET /alive HTTP/1.1\r\nHost: a\r\n'
/** Repeats a part of a request to about 100 kB. */
const many = (unit: string): string => unit.repeat(Math.ceil(100_000 / unit.length))

const EXTENSIONS = 'CVE-2024-22019: chunk extensions'
const TRAILERS = 'RFC 9112 §7.1.2'

const ENDLESS: readonly EndlessRow[] = [
  {
    rule: 'ends an endless chunk extension',
    source: EXTENSIONS,
    begin: `${post('/json')}1;`,
    part: many('a'),
    bound: 'size',
    status: [400, 413],
  },
  {
    rule: 'ends an endless chunk extension of a stream',
    source: EXTENSIONS,
    begin: `${post('/upload', BYTES)}1;a="`,
    part: many('a'),
    bound: 'size',
    status: [400, 413],
  },
  {
    rule: 'ends endless extensions of one chunk',
    source: EXTENSIONS,
    begin: `${post('/json')}1`,
    part: many(';a=b'),
    bound: 'size',
    status: [400, 413],
  },
  {
    rule: 'ends an endless chunk extension of an unread body',
    source: EXTENSIONS,
    begin: `${GET}Transfer-Encoding: chunked\r\n\r\n1;`,
    part: many('a'),
    bound: 'time',
    status: [200],
  },
  {
    rule: 'limits chunks with long extensions',
    source: EXTENSIONS,
    begin: post('/json'),
    part: `1;${'a'.repeat(8000)}\r\n1\r\n`,
    bound: 'time',
    status: [408, 413],
  },
  {
    rule: 'ends endless trailers',
    source: TRAILERS,
    begin: `${post('/json')}1\r\n1\r\n0\r\n`,
    part: many('X: y\r\n'),
    bound: 'size',
    status: [400, 431],
  },
  {
    rule: 'ends endless trailers of a stream',
    source: TRAILERS,
    begin: `${post('/upload', BYTES)}1\r\n1\r\n0\r\n`,
    part: many('X: y\r\n'),
    bound: 'size',
    status: [400, 431],
  },
  {
    rule: 'ends one endless trailer',
    source: TRAILERS,
    begin: `${post('/json')}1\r\n1\r\n0\r\nX: `,
    part: many('y'),
    bound: 'size',
    status: [400, 431],
  },
  {
    rule: 'ends endless trailers of an unread body',
    source: TRAILERS,
    begin: `${GET}Transfer-Encoding: chunked\r\n\r\n0\r\n`,
    part: many('X: y\r\n'),
    bound: 'time',
    status: [200],
  },
  {
    rule: 'ends a chunk size of endless zeros',
    source: 'RFC 9112 §7.1: a size can have any number of digits',
    begin: post('/json'),
    part: many('0'),
    bound: 'time',
    status: [400, 408],
  },
  {
    rule: 'ends endless chunks',
    source: 'RFC 9110 §15.5.14',
    begin: post('/json'),
    part: many('1\r\n1\r\n'),
    bound: 'time',
    status: [413],
  },
  {
    rule: 'ends endless empty lines before a request',
    source: 'RFC 9112 §2.2',
    begin: '',
    part: many('\r\n'),
    bound: 'time',
    status: [408],
  },
  {
    rule: 'ends an endless method',
    source: 'RFC 9112 §3',
    begin: '',
    part: many('X'),
    bound: 'size',
    status: [400, 501],
  },
  {
    rule: 'ends an endless target',
    source: 'RFC 9112 §3',
    begin: 'GET /',
    part: many('a'),
    bound: 'size',
    status: [414, 431],
  },
  {
    rule: 'ends an endless header name',
    source: 'RFC 6585 §5',
    begin: GET,
    part: many('X'),
    bound: 'size',
    status: [431],
  },
  {
    rule: 'ends an endless header value',
    source: 'RFC 6585 §5',
    begin: `${GET}X: `,
    part: many('y'),
    bound: 'size',
    status: [431],
  },
  {
    rule: 'ends endless spaces before a header value',
    source: 'RFC 9112 §5.1',
    begin: `${GET}X:`,
    part: many(' '),
    bound: 'time',
    status: [431, 408],
  },
  {
    rule: 'ends endless headers',
    source: 'RFC 6585 §5',
    begin: GET,
    part: many('X: y\r\n'),
    bound: 'size',
    status: [431],
  },
]

/** Sends until the connection ends. Returns the number of bytes and the responses. */
async function sendEndlessly(
  port: number,
  { begin, part, bound }: EndlessRow,
): Promise<{ sent: number; answers: StrictAnswer[] }> {
  const socket = connect({ port, host: '127.0.0.1' })
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', () => {})
  const closed = new Promise((resolve) => socket.once('close', resolve))
  await once(socket, 'connect')
  socket.write(begin, 'latin1')
  // As fast as possible, or every 10 ms if the server would accept any amount.
  const isFlood = bound === 'size'
  const send = (): void => {
    if (!socket.destroyed && socket.write(part, 'latin1') && isFlood) setImmediate(send)
  }
  const timer = setInterval(send, 10)
  await closed
  clearInterval(timer)
  return { sent: socket.bytesWritten, answers: parseAnswers(Buffer.concat(chunks)) }
}

/** Registers the tests of the rows with this limit, with an app with these timeouts. */
function testEndless(bound: EndlessRow['bound'], timeouts: NonNullable<CommonOptions['timeouts']>): void {
  const app = probeApp({ limits: { body: 1000 }, timeouts })
  let port = 0
  before(async () => {
    ;({ port } = await app.listen())
  })
  after(() => app.close())

  for (const row of ENDLESS.filter((given) => given.bound === bound)) {
    it(formatTitle(row), { timeout: 60_000 }, async () => {
      const { sent, answers } = await sendEndlessly(port, row)
      if (bound === 'size') assert.ok(sent < BOUND, `${sent} bytes`)
      assert.ok(answers.length <= 1)
      for (const { status } of answers) assert.ok(row.status.includes(status), `Status ${status}`)
      await assertAlive(port)
    })
  }
}

describe('an endless request', () => testEndless('size', {}))

describe('an endless request of which nothing is stored', { concurrency: true }, () => {
  testEndless('time', { headers: 500, body: 500 })
})
