// own process: hooks outside of suites start its servers
/** The fast path and the documented path send the same bytes. Requests are bytes as well: packets, sent one at a time. */
import assert from 'node:assert/strict'
import { createServer, ServerResponse } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createApp, group, type App, HttpError, reply, Route, type Input, type Logger, type Middleware } from 'verbena'
import { deprecated, speed, version } from 'verbena/decorators'
import * as z from 'zod'
import { countNodeHeads } from '#test/wire.js'

const Pair = z.object({ a: z.string(), n: z.number() })
const wait = (time: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, time))

class Plain extends Route {
  get() {
    return { ok: true }
  }

  delete() {
    return reply(204)
  }
}

class Text extends Route {
  get() {
    return 'täxt ✓'
  }
}

class Bytes extends Route {
  get() {
    return new Uint8Array([1, 2, 255])
  }
}

class Echo extends Route {
  static readonly post = this.contract({ body: Pair, returns: Pair })
  post({ body }: Input<typeof Echo.post>) {
    return body
  }
}

class Late extends Route {
  async get() {
    await wait(20)
    return { late: true }
  }

  async post({ body }: { body: unknown }) {
    await wait(20)
    return { body }
  }
}

class Fields extends Route {
  get() {
    return reply(
      201,
      { x: 1 },
      { location: '/b', 'set-cookie': 'a=b', vary: 'x', 'content-type': 'application/x+json' },
    )
  }

  put() {
    return reply(200, { x: 1 }, { 'x-name': 'é' })
  }

  patch() {
    return reply(200, { x: 1 }, { date: 'today', 'keep-alive': 'timeout=1' })
  }

  delete() {
    return reply(200, { x: 1 }, { connection: 'close' })
  }

  post() {
    return reply(299, { x: 1 })
  }
}

class Framing extends Route {
  get() {
    return reply(200, { x: 1 }, { 'content-length': '3', 'transfer-encoding': 'chunked', 'x-name': 'a' })
  }

  put() {
    return reply(200, { x: 1 }, { 'x-content-type-options': 'own', 'x-name': 'a' })
  }

  delete() {
    return reply(200, { x: 1 }, { 'set-cookie': 'a=1' }).with({ 'set-cookie': 'b=2', vary: 'x' })
  }
}

class Described extends Route {
  @version('>=1.0.0')
  @deprecated({ link: '/docs' })
  @speed
  get() {
    return { ok: true }
  }

  @speed
  put() {
    return reply(200, { ok: true }, { 'x-name': 'a', 'server-timing': 'db;dur=1' })
  }
}

class Errors extends Route {
  get() {
    throw new Error('unexpected')
  }

  put() {
    throw new HttpError(409, 'Taken', { owner: 'ü' })
  }
}

class Streams extends Route {
  async *get() {
    yield 'a'
    yield 'b'
  }
}

const slowly: Middleware = async (_, next) => {
  await wait(20)
  return (await next()).with({ 'x-middleware': '1' })
}

class Guarded extends Echo {
  static readonly middleware = [slowly]
}

const lines: unknown[] = []
const drop = (): void => {}
const warn = (fields: object, message?: string): void => void lines.push([message, fields])
const logger: Logger = { debug: drop, info: drop, warn, error: drop }
const options = { logger, devConsole: false, signals: false, limits: { body: 100_000 }, version: '1.0.0' } as const
const secured = group({ securityHeaders: 'api', routes: { Plain, Fields } })
const routes = {
  Plain,
  Text,
  Bytes,
  Echo,
  Late,
  Fields,
  Framing,
  Described,
  Errors,
  Streams,
  Guarded,
  '/secured': secured,
}
const listening = createApp({ routes, ...options })
const attached = createApp({ routes, ...options })
const documented = createApp({ routes, ...options, fastPath: false })
const ports = { listen: 0, attach: 0, documented: 0 }
const expected = new Map<string, string>()

/** Attaches an app to a server, and returns its port. */
async function attach(app: App): Promise<number> {
  const server = createServer({ requireHostHeader: false })
  app.attach(server)
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  // Proof: the server listens on a TCP port.
  return (server.address() as AddressInfo).port
}

before(async () => {
  ports.listen = (await listening.listen()).port
  ports.attach = await attach(attached)
  ports.documented = (await documented.listen()).port
  const ask = async ([name, packets]: Case): Promise<unknown> =>
    expected.set(name, await talk(ports.documented, packets))
  await Promise.all(SERVED.map(ask))
})

after(() => Promise.all([listening.close(), attached.close(), documented.close()]))

const get = (path: string, fields = '', version = '1.1'): string =>
  `GET ${path} HTTP/${version}\r\nHost: a\r\n${fields}\r\n`
const as = (method: string, path: string): string => get(path).replace('GET', method)
const BODY = JSON.stringify({ a: 'ä', n: 1 })
const post = (path: string, body: string | Buffer = BODY, fields = '', length = Buffer.byteLength(body)): Buffer =>
  Buffer.concat([
    Buffer.from(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n`),
    Buffer.from(`Content-Length: ${length}\r\n${fields}\r\n`),
    Buffer.from(body),
  ])
const inTwo = (bytes: Buffer): Buffer[] => [bytes.subarray(0, -5), bytes.subarray(-5)]
const chunked = (path: string): string =>
  `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`
const rest = Buffer.byteLength(BODY) - 3

/** Packets to send, and how many responses have headers from the fast path; default 1. */
type Case = readonly [name: string, packets: readonly (string | Buffer)[], fastHeads?: number]

const SERVED: readonly Case[] = [
  ['an object', [get('/plain')]],
  ['text beyond ASCII', [get('/text')]],
  ['bytes', [get('/bytes')], 0],
  ['no content', [as('DELETE', '/plain')], 0],
  ['HEAD', [as('HEAD', '/plain')], 0],
  ['OPTIONS', [as('OPTIONS', '/plain')], 0],
  ['an unknown path', [get('/nope')]],
  ['an unknown method', [get('/echo')]],
  ['headers of a handler', [get('/fields')]],
  ['a header beyond ASCII', [as('PUT', '/fields')], 0],
  ['headers that Node adds', [as('PATCH', '/fields')], 0],
  ['a response that ends the connection', [as('DELETE', '/fields')], 0],
  ['framing headers of a handler', [get('/framing')]],
  ['X-Content-Type-Options of a handler', [as('PUT', '/framing')]],
  ['several cookies', [as('DELETE', '/framing')]],
  ['version, deprecation and timing headers', [get('/described')]],
  ['framework headers with headers of a handler', [as('PUT', '/described')]],
  ['an unknown version', [get('/described', 'Accept-Version: 0.1\r\n')]],
  ['security headers', [get('/secured/plain'), get('/secured/nope')], 2],
  ['security headers with headers of a handler', [get('/secured/fields')]],
  ['a status without a title', [as('POST', '/fields')]],
  ['an unexpected error', [get('/errors')]],
  ['an HTTP error', [as('PUT', '/errors')]],
  ['a stream', [get('/streams')], 0],
  ['a later response', [get('/late')]],
  ['HTTP/1.0', [get('/plain', '', '1.0')], 0],
  ['HTTP/1.0, kept alive', [get('/plain', 'Connection: keep-alive\r\n', '1.0'), get('/plain', '', '1.0')], 0],
  ['the last request of a connection', [get('/plain', 'Connection: close\r\n')], 0],
  ['several packets', [get('/plain'), get('/text'), post('/echo'), get('/nope'), get('/plain')], 5],
  [
    'one packet',
    [Buffer.concat([get('/late'), get('/text'), post('/echo'), get('/plain')].map((each) => Buffer.from(each)))],
    4,
  ],
  [
    'bodies in one packet',
    [Buffer.concat([post('/late'), post('/echo'), Buffer.from(get('/plain')), post('/guarded')])],
    4,
  ],
  ['a body', [post('/echo')]],
  ['a body byte by byte', [...post('/echo').toString('latin1')].map((each) => Buffer.from(each, 'latin1'))],
  ['a body in two packets', inTwo(post('/echo'))],
  ['a body that arrives before it is read', [post('/guarded')]],
  ['a body that arrives before and after it is read', [...inTwo(post('/guarded')), get('/plain')], 2],
  [
    'chunks',
    [
      `${chunked('/echo')}3\r\n${BODY.slice(0, 3)}\r\n`,
      `${rest.toString(16)}\r\n${BODY.slice(3)}\r\n0\r\nX-T: 1\r\n\r\n`,
      get('/plain'),
    ],
    2,
  ],
  ['invalid UTF-8', [post('/echo', Buffer.from([0x22, 0xff, 0xfe, 0x22]))]],
  ['a replacement character', [post('/echo', JSON.stringify({ a: '\ufffd', n: 1 }))]],
  ['a byte order mark', [post('/echo', `\ufeff${BODY}`)]],
  ['broken JSON', [post('/echo', '{'), get('/plain')], 2],
  ['an empty body', [post('/echo', '')]],
  ['an invalid body', [post('/echo', '{"a":1}'), get('/plain')], 2],
  [
    'an unsupported media type',
    [Buffer.from(post('/echo').toString('latin1').replace('/json', '/x'), 'latin1'), get('/plain')],
    2,
  ],
  ['an unread body', [get('/plain', 'Content-Length: 5\r\n') + 'abcde', get('/text')], 2],
  ['an unread body in a later packet', [get('/plain', 'Content-Length: 5\r\n'), 'abcde', get('/text')], 2],
  ['unread chunks', [`${get('/plain', 'Transfer-Encoding: chunked\r\n')}5\r\nabcde\r\n0\r\n\r\n`, get('/text')], 0],
  ['a body declared too large', [post('/echo', '', '', 3_000_000)], 0],
  ['a chunked body that is too large', [`${chunked('/echo')}`, `1e8480\r\n${'y'.repeat(2_000_000)}\r\n0\r\n\r\n`], 0],
  ['100-continue', [post('/echo', BODY, 'Expect: 100-continue\r\n')], 0],
  ['100-continue, rejected', [post('/nope', '', 'Expect: 100-continue\r\n', 5)], 0],
  ['another expectation', [post('/echo', BODY, 'Expect: tea\r\n')], 0],
  ['bytes that are not a request', [`${get('/late')}garbage\r\n\r\n`], 1],
  ['bytes that are not a request, after a body', [Buffer.concat([post('/late'), Buffer.from('\0\u0001')])], 1],
  ['bytes that are not a request, in a body', [post('/echo').subarray(0, -3), 'xx', 'x\0\r\n\r\n'], 1],
  ['a broken chunk', [`${chunked('/echo')}5\r\n${BODY.slice(0, 5)}\r\n`, 'zz\r\n'], 0],
  ['two hosts', [get('/plain', 'Host: b\r\n')]],
  ['no host', ['GET /plain HTTP/1.1\r\n\r\n']],
  ['an upgrade', [get('/plain', 'Connection: Upgrade\r\nUpgrade: websocket\r\n'), get('/text')], 0],
]

/**
 * Sends packets, with a pause before the next one so that each arrives separately. Returns the response bytes when they reach the expected
 * length, or when nothing has arrived for some turns of the event loop. It counts turns, because one may take a second on a busy machine.
 */
async function talk(port: number, packets: readonly (string | Buffer)[], expected = Infinity): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let came = ''
  let quietTurns = 0
  const note = (text: string): void => {
    came += text
    quietTurns = 0
  }
  socket.setEncoding('latin1').on('data', note)
  socket.on('end', () => note(' [end]')).on('error', () => note(' [error]'))
  for (const packet of packets) {
    socket.write(packet)
    await wait(packets.length > 20 ? 1 : 50)
  }
  const isAll = (): boolean => came !== '' && masked(came).length >= expected
  for (; quietTurns < (isAll() ? 3 : 50); quietTurns++) await wait(20)
  socket.destroy()
  return masked(came)
}

/** Replaces ids and times, which differ between runs. */
function masked(text: string): string {
  const dated = text.replaceAll(/Date: [^\r]*/g, 'Date').replaceAll(/app;dur=[0-9.]+/g, 'app')
  return dated.replaceAll(/("requestId":"|x-request-id: )[A-Za-z0-9_-]+/g, '$1id')
}

/** Counts the responses whose headers Verbena has written. The response to invalid bytes is written without Node's headers. */
function countFastHeads(text: string, slow: number): number {
  const heads = text.match(/HTTP\/1\.1 (?!100)\d+/g) ?? []
  const refused = text.match(/"title":"Bad Request","status":400\}/g) ?? []
  return heads.length - refused.length - slow
}

for (const method of ['listen', 'attach'] as const) {
  describe(`the fast path of app.${method}()`, () => {
    for (const [name, packets, fastHeads = 1] of SERVED) {
      it(`sends the same bytes as the documented path: ${name}`, async () => {
        const text = expected.get(name) ?? ''
        assert.match(text, /^HTTP\/1\.1 /)
        let found = ''
        const slow = await countNodeHeads(async () => (found = await talk(ports[method], packets, text.length)))
        assert.equal(found, text)
        assert.equal(countFastHeads(found, slow), fastHeads)
      })
    }
  })
}

describe('option "fastPath"', () => {
  it('sends no keep-alive header without a keep-alive timeout, like Node', async () => {
    const said = [true, false].map(async (fastPath) => {
      await using app = createApp({ routes: { Plain }, ...options, timeouts: { keepAlive: 0 }, fastPath })
      const { port } = await app.listen()
      return talk(port, [get('/plain')], 0)
    })
    const [found, text] = await Promise.all(said)
    assert.equal(found, text)
    assert.doesNotMatch(String(found), /keep-alive:/i)
  })

  it('turns off with one warning per app if functions of ServerResponse are replaced', async () => {
    const { writeHead } = ServerResponse.prototype
    let seen = 0
    const replaced = function (this: ServerResponse, ...given: Parameters<typeof writeHead>): ServerResponse {
      seen++
      return writeHead.apply(this, given)
    }
    // Proof: the signature equals the signature of the replaced function.
    ServerResponse.prototype.writeHead = replaced as typeof writeHead
    try {
      for (const port of [ports.listen, ports.attach]) {
        assert.match(await talk(port, [get('/plain')], 0), /\{"ok":true\}$/)
      }
      assert.deepEqual([seen, lines], [2, []])
      const text = 'Fast path disabled: Node functions are patched, or this Node version behaves differently'
      for (const open of [attach, async (app: App) => (await app.listen()).port]) {
        await using app = createApp({ routes: { Plain }, ...options })
        const port = await open(app)
        assert.match(await talk(port, [get('/plain')], 0), /\{"ok":true\}$/)
        assert.deepEqual(lines.splice(0), [[text, { node: process.version }]])
      }
      assert.equal(seen, 4)
    } finally {
      ServerResponse.prototype.writeHead = writeHead
    }
  })
})

describe('metric "verbena_http_fast_path"', () => {
  const read = async (app: App): Promise<string | undefined> => {
    const response = await app.fetch(new Request('http://localhost/metrics'))
    return /^verbena_http_fast_path (.*)$/m.exec(await response.text())?.[1]
  }

  it('is missing without a server, 1 with the fast path, and 0 without it', async () => {
    for (const [fastPath, value] of [
      [true, '1'],
      [false, '0'],
    ] as const) {
      await using first = createApp({ routes, ...options, fastPath, metrics: '/metrics' })
      await using second = createApp({ routes, ...options, fastPath, metrics: '/metrics' })
      assert.equal(await read(first), undefined)
      await first.listen()
      await attach(second)
      assert.deepEqual([await read(first), await read(second)], [value, value])
    }
  })
})
