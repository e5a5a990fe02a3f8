/** Requests that never end: parts that the grammar bounds nowhere, sent until the server ends the connection. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import type { CommonOptions } from 'verbena'
import { probeApp } from '#test/probe.js'
import { assertAlive, formatTitle, type Rule } from '#test/rows.js'
import { parseAnswers, type StrictAnswer } from '#test/strict-parser.js'

/** What the kernel and a drained body hold, and no more, in bytes. */
const BOUND = 16 * 1024 * 1024

interface EndlessRow extends Rule {
  /** Sent once. */
  readonly begin: string
  /** Sent again and again. */
  readonly part: string
  /** What bounds it: its size, or time alone where nothing of it is kept. */
  readonly bound: 'size' | 'time'
  /** Of the answer, where a reset does not take it away. */
  readonly status: readonly number[]
}

const post = (target: string, type = 'application/json'): string =>
  `POST ${target} HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n`
const BYTES = 'application/octet-stream'
const GET = 'GET /alive HTTP/1.1\r\nHost: a\r\n'
/** A part of a request, over and over. */
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
    rule: 'ends an endless chunk extension of a body that nobody reads',
    source: EXTENSIONS,
    begin: `${GET}Transfer-Encoding: chunked\r\n\r\n1;`,
    part: many('a'),
    bound: 'size',
    status: [200],
  },
  {
    rule: 'counts chunks however long their extensions are',
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
    rule: 'ends endless trailers of a body that nobody reads',
    source: TRAILERS,
    begin: `${GET}Transfer-Encoding: chunked\r\n\r\n0\r\n`,
    part: many('X: y\r\n'),
    bound: 'time',
    status: [200],
  },
  {
    rule: 'ends a chunk size of endless zeros',
    source: 'RFC 9112 §7.1: a size has any number of digits',
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
    bound: 'size',
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
  { rule: 'ends an endless name', source: 'RFC 6585 §5', begin: GET, part: many('X'), bound: 'size', status: [431] },
  {
    rule: 'ends an endless value',
    source: 'RFC 6585 §5',
    begin: `${GET}X: `,
    part: many('y'),
    bound: 'size',
    status: [431],
  },
  {
    rule: 'ends endless spaces before a value',
    source: 'RFC 9112 §5.1',
    begin: `${GET}X:`,
    part: many(' '),
    bound: 'time',
    status: [431, 408],
  },
  {
    rule: 'ends endless fields',
    source: 'RFC 6585 §5',
    begin: GET,
    part: many('X: y\r\n'),
    bound: 'size',
    status: [431],
  },
]

/** Sends until the connection ends. */
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
  // As fast as it is taken, or at a pace that needs no more than a test should where all of it is taken.
  const isFlood = bound === 'size'
  const send = (): void => {
    if (!socket.destroyed && socket.write(part, 'latin1') && isFlood) setImmediate(send)
  }
  const timer = setInterval(send, 10)
  await closed
  clearInterval(timer)
  return { sent: socket.bytesWritten, answers: parseAnswers(Buffer.concat(chunks)) }
}

/** Tests the rows of one bound, over an app with these time-outs. */
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

describe('a request without end', () => testEndless('size', {}))

describe('a request without end, of which nothing is kept', { concurrency: true }, () => {
  testEndless('time', { headers: 500, body: 500 })
})
