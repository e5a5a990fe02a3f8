/** Attacks on the framing of responses: framing headers set by handlers, streams with a wrong length, and failing streams. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { HttpError, reply, Route, stream, type Context } from 'verbena'
import { actRoute, Alive, SECRET, type Act, type ActRow, type Acts } from '#test/response-routes.js'
import { createUntypedApp } from '#test/apps.js'
import { sendStrictly, assertAlive, rowBytes, exchange, formatTitle, type Rule } from '#test/attack-rows.js'
import { parseAnswers } from '#test/strict-parser.js'

const LENGTH = 'RFC 9110 §8.6'
const ONE_FRAMING = 'RFC 9112 §6.2: no length with a transfer coding'
const NO_CONTENT = 'RFC 9112 §6.3: a 204 has no framing headers'
const INCOMPLETE = 'RFC 9112 §8'

interface Field {
  readonly name: string
  readonly value: string
}

/** Sets a header by the context, and returns the body. */
function withField({ response }: Context, { name, value }: Field, body: unknown): unknown {
  response.header(name, value)
  return body
}

function framed(what: string, source: string, act: Act): ActRow {
  return { rule: `ignores framing headers of a handler: ${what}`, source, act }
}

/** Framing headers of handlers, which must not be sent. */
const FRAMED: Acts = {
  'length-short': framed('a length too short', LENGTH, () => reply(200, 'hello', { 'content-length': '2' })),
  'length-long': framed('a length too long', LENGTH, () => reply(200, 'hello', { 'content-length': '200' })),
  'length-header': framed('a length set by the context', LENGTH, (context) =>
    withField(context, { name: 'content-length', value: '1' }, { a: 1 }),
  ),
  'length-text': framed('an invalid length', LENGTH, () => reply(200, 'hello', { 'content-length': 'x' })),
  'transfer-encoding': framed('chunks', ONE_FRAMING, () => reply(200, 'hello', { 'transfer-encoding': 'chunked' })),
  'empty-length': framed('a length of a 204', NO_CONTENT, () => reply(204).with({ 'content-length': '5' })),
  'empty-encoding': framed('chunks of a 204', NO_CONTENT, () => reply(204).with({ 'transfer-encoding': 'chunked' })),
  'none-length': framed('a length of an empty response', LENGTH, () => reply(200).with({ 'content-length': '5' })),
  'web-length': framed(
    'the length of a web response',
    LENGTH,
    () => new Response('hello', { headers: { 'content-length': '5' } }),
  ),
  'web-encoding': framed(
    'chunks of a web response',
    ONE_FRAMING,
    () => new Response('hello', { headers: { 'transfer-encoding': 'chunked' } }),
  ),
  'stream-encoding': framed('a coding of a stream', 'RFC 9112 §7', (context) =>
    withField(context, { name: 'transfer-encoding', value: 'gzip' }, Readable.from(['a', 'b'])),
  ),
  'stream-both': framed('chunks and a length of a stream', ONE_FRAMING, ({ response }) => {
    response.header('transfer-encoding', 'chunked')
    response.header('content-length', '2')
    return Readable.from(['a', 'b'])
  }),
  'error-length': framed('a length of an error', LENGTH, () => {
    throw new HttpError(400, 'x', { headers: { 'content-length': '2' } })
  }),
  'connection-close': framed('the end of the connection', 'RFC 9112 §9.6', () =>
    reply(200, 'hello', { connection: 'close' }),
  ),
  'nosniff-twice': framed(
    'a header that Verbena also sends',
    'WHATWG Fetch, “determine nosniff”: the first one counts',
    () => reply(200, 'hello', { 'x-content-type-options': 'nosniff' }),
  ),
}

function lying(what: string, act: Act): ActRow {
  return { rule: `cuts ${what}`, source: INCOMPLETE, act }
}

/** Streams with a wrong length, after which the connection must be cut. */
const LYING: Acts = {
  'web-short': lying(
    'a web response longer than its length',
    () => new Response('hello', { headers: { 'content-length': '2' } }),
  ),
  'web-long': lying(
    'a web response shorter than its length',
    () => new Response('hello', { headers: { 'content-length': '200' } }),
  ),
  'stream-short': lying('a stream longer than its length', (context) =>
    withField(context, { name: 'content-length', value: '1' }, Readable.from(['a', 'b'])),
  ),
  'stream-long': lying('a stream shorter than its length', (context) =>
    withField(context, { name: 'content-length', value: '3' }, Readable.from(['a', 'b'])),
  ),
}

class Broken extends Route {
  static readonly get = this.contract({ returns: stream() })
  async *get() {
    yield 'half'
    await new Promise(setImmediate)
    throw new Error(SECRET)
  }
}

class Mixed extends Route {
  async *get() {
    yield 'half'
    await new Promise(setImmediate)
    yield { no: 'chunk' }
  }
}

const HALVES: readonly (Rule & { readonly target: string })[] = [
  { rule: 'cuts the connection if a stream fails', source: INCOMPLETE, target: '/broken' },
  { rule: 'cuts the connection at an invalid chunk', source: INCOMPLETE, target: '/mixed' },
]

describe('the framing of responses', () => {
  const routes = {
    Alive,
    Broken,
    Mixed,
    Framed: actRoute('/framed', FRAMED),
    Lying: actRoute('/lying', LYING),
  }
  const app = createUntypedApp({ routes, signals: false })
  let port = 0
  before(async () => {
    ;({ port } = await app.listen())
  })
  after(() => app.close())

  for (const [name, row] of Object.entries(FRAMED)) {
    it(formatTitle(row), async () => {
      const target = `/framed/${name}`
      const [answer] = await sendStrictly(port, rowBytes({ target }))
      assert.ok(answer)
      assert.ok([200, 204, 400].includes(answer.status), String(answer.status))
      const pair = `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n${rowBytes({ target: '/alive' })}`
      const answers = await sendStrictly(port, pair)
      // Only the row that closes the connection may lose the second response.
      assert.equal(answers.length, name === 'connection-close' ? 1 : 2)
    })
  }

  for (const [name, row] of Object.entries(LYING)) {
    it(formatTitle(row), async () => {
      const pair = `GET /lying/${name} HTTP/1.1\r\nHost: a\r\n\r\n${rowBytes({ target: '/alive' })}`
      const text = (await exchange(port, pair)).toString('latin1')
      assert.equal(text.split('HTTP/1.1').length - 1 <= 1, true, text)
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Infinity)
      assert.ok(body.length < length || text === '', text)
      await assertAlive(port)
    })
  }

  for (const row of HALVES) {
    it(formatTitle(row), async () => {
      const bytes = await exchange(port, rowBytes({ target: row.target }))
      assert.match(bytes.toString('latin1'), /half/)
      assert.doesNotMatch(bytes.toString('latin1'), /\r\n0\r\n\r\n$/)
      assert.throws(() => parseAnswers(bytes))
      assert.doesNotMatch(bytes.toString('latin1'), /hunter2/)
      await assertAlive(port)
    })
  }
})
