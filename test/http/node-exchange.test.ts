import assert from 'node:assert/strict'
import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { createGate } from '#test/apps.js'
import {
  askBytes,
  Client,
  exchangeBytes,
  formatPost,
  readAnswers,
  formatRequest,
  SETTINGS,
  textAnswer,
  withServer,
} from '#test/wire.js'
import type { Exchange } from '#src/http/exchange.js'
import { getOrCreateConnection, createServerState, type ServerSettings } from '#src/http/connection.js'
import { DOCUMENTED, NodeExchange } from '#src/http/node-exchange.js'

/** Responds with the result of `tell`. */
function telling(tell: (exchange: Exchange) => unknown): (exchange: Exchange) => void {
  return (exchange) => exchange.send(textAnswer(JSON.stringify(tell(exchange) ?? null)), null)
}

/** Returns the results of `tell`, one for each request. */
async function told(
  tell: (exchange: Exchange) => unknown,
  requests: readonly string[],
  settings: Partial<ServerSettings> = {},
): Promise<unknown[]> {
  return withServer(
    telling(tell),
    async ({ port }) => {
      const answers = []
      for (const bytes of requests) answers.push(JSON.parse((await askBytes(port, bytes)).body))
      return answers
    },
    settings,
  )
}

describe('NodeExchange', () => {
  it('returns method and target as they were sent', async () => {
    const requests = ['GET /a//b?c=%2f', 'OPTIONS *', 'PUT http://host/a', 'TRACE /'].map((line) => formatRequest(line))
    assert.deepEqual(await told(({ method, url, ip }) => [method, url, ip], requests), [
      ['GET', '/a//b?c=%2f', '127.0.0.1'],
      ['OPTIONS', '*', '127.0.0.1'],
      ['PUT', 'http://host/a', '127.0.0.1'],
      ['TRACE', '/', '127.0.0.1'],
    ])
  })

  it('finds errors in the headers', async () => {
    const chunked = { 'Transfer-Encoding': 'chunked' }
    const cases: readonly (readonly [rule: string, bytes: string, status: number | undefined])[] = [
      ['sound', formatRequest('GET /'), undefined],
      ['Host missing on 1.1 (RFC 9112 section 3.2)', formatRequest('GET /', { Host: null }), 400],
      ['Host missing on 1.0', formatRequest('GET / HTTP/1.0', { Host: null }), undefined],
      ['Host malformed', formatRequest('GET /', { Host: 'a b' }), 400],
      ['Host empty', formatRequest('GET /', { Host: '' }), 400],
      ['Host malformed on 1.0', formatRequest('GET / HTTP/1.0', { Host: 'a@b' }), 400],
      ['Host repeated', formatRequest('GET /', { Host: ['a', 'b'] }), 400],
      ['Host repeated, the same', formatRequest('GET /', { Host: ['a', 'a'] }), 400],
      ['Host repeated, other case', formatRequest('GET /', { hOST: 'b' }), 400],
      ['1.0 with chunked (RFC 9112 section 6.1)', formatRequest('POST / HTTP/1.0', chunked, '0\r\n\r\n'), 400],
      ['1.0 with chunked, no Host', formatRequest('POST / HTTP/1.0', { ...chunked, Host: null }, '0\r\n\r\n'), 400],
      ['chunked', formatRequest('POST /', chunked, '0\r\n\r\n'), undefined],
      ['Chunked', formatRequest('POST /', { 'Transfer-Encoding': 'Chunked' }, '0\r\n\r\n'), undefined],
      ['another encoding', formatRequest('POST /', { 'Transfer-Encoding': 'gzip, chunked' }, '0\r\n\r\n'), 501],
      [
        'another encoding, malformed',
        formatRequest('POST /', { 'Transfer-Encoding': 'g zip, chunked' }, '0\r\n\r\n'),
        400,
      ],
      ['no encoding before', formatRequest('POST /', { 'Transfer-Encoding': ', chunked' }, '0\r\n\r\n'), 400],
      ['another expectation', formatPost('', { Expect: 'tea' }), 417],
      ['another expectation beside', formatPost('', { Expect: '100-continue, tea' }), 417],
    ]
    const found = await told(
      ({ fault }) => fault?.status,
      cases.map(([, bytes]) => bytes),
    )
    cases.forEach(([rule, , status], index) => assert.equal(found[index], status ?? null, rule))
  })

  it('rejects other HTTP versions with 505 (RFC 9110 section 15.6.6)', async () => {
    await withServer(
      (exchange) => exchange.send(textAnswer('flaw', exchange.fault?.status), null),
      async ({ port }) => {
        for (const line of ['GET / HTTP/2.0', 'GET / HTTP/3.0', 'GET / HTTP/1.2']) {
          assert.equal((await askBytes(port, formatRequest(line))).status, 505, line)
        }
      },
    )
  })

  it('rejects more headers than the limit, even if they are short', async () => {
    const some = (count: number): string =>
      formatRequest('GET /', { 'X-A': Array.from({ length: count - 2 }, () => '1') })
    assert.deepEqual(
      await told(({ fault }) => fault?.status, [some(10), some(11), some(3_000)], { headers: 10, headerBytes: 65_536 }),
      [null, 431, 431],
    )
  })

  it('reports whether the request has a body', async () => {
    const cases: readonly (readonly [bytes: string, expected: boolean])[] = [
      [formatRequest('GET /'), false],
      [formatPost(''), false],
      [formatPost('a'), true],
      [formatRequest('GET /', { 'Content-Length': '1' }, 'a'), true],
      [formatRequest('POST /', { 'Transfer-Encoding': 'chunked' }, '0\r\n\r\n'), true],
    ]
    assert.deepEqual(
      await told(
        ({ hasBody }) => hasBody,
        cases.map(([bytes]) => bytes),
      ),
      cases.map(([, expected]) => expected),
    )
  })

  it('counts Content-Type headers, because `node:http` keeps only the first', async () => {
    const cases: readonly (readonly [types: readonly string[], count: number])[] = [
      [[], 0],
      [['text/plain'], 1],
      [['application/json', 'text/plain'], 2],
      [['a/b', 'a/b', 'a/b'], 3],
    ]
    const requests = cases.map(([types]) => formatRequest('GET /', { 'content-TYPE': types, 'X-Content-Type': 'a' }))
    assert.deepEqual(
      await told(({ contentTypes }) => contentTypes, requests),
      cases.map(([, count]) => count),
    )
  })

  it('reads headers, and joins repeated ones', async () => {
    const bytes = formatRequest('GET /', { 'X-A': ['1', '2'], Cookie: ['a=1', 'b=2'], 'Set-Cookie': ['a', 'b'] })
    const names = ['x-a', 'cookie', 'set-cookie', 'host', 'missing']
    const [values] = await told((exchange) => names.map((name) => exchange.header(name) ?? null), [bytes])
    assert.deepEqual(values, ['1, 2', 'a=1; b=2', 'a, b', 'localhost', null])
    const [all] = await told((exchange) => exchange.headers(), [bytes])
    assert.deepEqual(all, {
      host: 'localhost',
      connection: 'close',
      'x-a': '1, 2',
      cookie: 'a=1; b=2',
      'set-cookie': 'a, b',
    })
  })

  it('combines repeated headers in the same way, one by one and all at once', async () => {
    const bytes = formatRequest('GET /', {
      Authorization: ['Basic a', 'Basic b', 'Basic c'],
      'Content-Type': ['text/plain', 'text/html'],
      'X-A': ['1', '', '3'],
      'x-a': ['4'],
      'X-B': ['', ''],
      Cookie: ['a', 'b', 'c'],
    })
    const pairs = (exchange: Exchange): unknown =>
      Object.entries(exchange.headers()).map(([name, value]) => [name, value, exchange.header(name)])
    const [all] = (await told(pairs, [bytes])) as [string, string, string][][]
    assert.deepEqual(all?.map(([name]) => name).toSorted(), [
      ...['authorization', 'connection', 'content-type', 'cookie', 'host', 'x-a', 'x-b'],
    ])
    for (const [name, value, single] of all ?? []) assert.equal(value, single, name)
    assert.equal(new Map(all?.map(([name, value]) => [name, value])).get('x-a'), '1, , 3, 4')
  })

  it('reads all headers in time proportional to their number', () => {
    const timeFor = (count: number, name: (index: number) => string): number => {
      const request = new IncomingMessage(new Socket())
      for (let index = 0; index < count; index++) request.rawHeaders.push(name(index), 'a value')
      const connection = getOrCreateConnection(request.socket, createServerState(SETTINGS, false, DOCUMENTED))
      const exchange = new NodeExchange(request, new ServerResponse(request), connection, 'none')
      const begin = process.cpuUsage()
      assert.ok(Object.keys(exchange.headers()).length > 0)
      const { user, system } = process.cpuUsage(begin)
      return (user + system) / 1000
    }
    for (const name of [(index: number) => `X-${index}`, (index: number) => `X-${index >> 1}`]) {
      timeFor(2_000, name)
      // Comparing each of 40,000 names with all others takes at least 4 s.
      const time = timeFor(40_000, name)
      assert.ok(time < 1_000, `${time} ms`)
    }
  })

  it('does not return inherited properties as headers', async () => {
    const names = ['constructor', '__proto__', 'toString', 'hasOwnProperty']
    const [values] = await told(
      (exchange) => names.map((name) => typeof exchange.header(name)),
      [formatRequest('GET /')],
    )
    assert.deepEqual(
      values,
      names.map(() => 'undefined'),
    )
  })

  it('returns headers without a prototype', async () => {
    const bytes = formatRequest('GET /', { constructor: 'x', ['__proto__']: 'y' })
    const [found] = await told(
      (exchange) => {
        const headers = exchange.headers()
        return [headers['constructor'], 'toString' in headers, 'polluted' in {}]
      },
      [bytes],
    )
    assert.deepEqual(found, ['x', false, false])
  })

  it('accepts a message without method, URL and address', () => {
    const request = new IncomingMessage(new Socket())
    Reflect.deleteProperty(request, 'url')
    const connection = getOrCreateConnection(request.socket, createServerState(SETTINGS, false, DOCUMENTED))
    const { method, url, ip } = new NodeExchange(request, new ServerResponse(request), connection, 'none')
    assert.deepEqual([method, url, ip], ['', '', ''])
  })

  it('reads a single header without building the object of all headers, unless a header is repeated', () => {
    const request = new IncomingMessage(new Socket())
    request.rawHeaders.push(
      'Host',
      'a',
      'X-Id',
      '1',
      'x-ID',
      '2',
      'Hort',
      'b',
      'authorization',
      'c',
      'Authorization',
      'd',
    )
    const connection = getOrCreateConnection(request.socket, createServerState(SETTINGS, false, DOCUMENTED))
    const exchange = new NodeExchange(request, new ServerResponse(request), connection, 'none')
    let all: object | null = null
    Object.defineProperty(request, 'headers', { get: () => all ?? assert.fail('the record of all fields was built') })
    const read = (...names: string[]): unknown[] => names.map((name) => exchange.header(name))
    assert.deepEqual(read('host', 'hort', 'absent', 'a', 'b'), ['a', 'b', undefined, undefined, undefined])
    // Two `Authorization` headers are joined, which makes them invalid, because a proxy may have checked either one.
    assert.deepEqual(read('authorization'), ['c, d'])
    for (const value of ['1, 2', ['1', '2']]) {
      all = { 'x-id': value }
      assert.deepEqual(read('x-id'), ['1, 2'])
    }
  })

  it('reads framing headers in any case, and counts Host and Content-Type', () => {
    const exchangeOf = (...raw: string[]): NodeExchange => {
      const request = new IncomingMessage(new Socket())
      request.rawHeaders.push(...raw)
      const connection = getOrCreateConnection(request.socket, createServerState(SETTINGS, false, DOCUMENTED))
      return new NodeExchange(request, new ServerResponse(request), connection, 'none')
    }
    const exchange = exchangeOf(
      ...['hOST', 'a', 'X-A', '1', 'Host', 'b', 'Content-Length', '12', 'upgrade', 'h2c', 'Date', 'x'],
    )
    exchange.request.httpVersionMajor = 1
    assert.deepEqual([exchange.fault?.detail, exchange.host], ['The Host header is repeated', 'b'])
    assert.deepEqual([exchange.contentTypes, exchange.contentLength], [0, 12])
    assert.deepEqual([exchange.transferEncoding, exchange.hasUpgrade], [undefined, true])
    // Codings of several fields apply one after the other.
    const coded = exchangeOf('Transfer-Encoding', 'gzip', 'transfer-encoding', 'chunked', 'Content-Type', 'a/b')
    assert.deepEqual([coded.transferEncoding, coded.contentTypes], ['gzip, chunked', 1])
  })

  it('calls onAbort once if the client disconnects before the response', async () => {
    const { opened: gone, open: tellGone } = createGate<boolean[]>()
    const { opened: begun, open: begin } = createGate()
    const serve = (exchange: Exchange): void => {
      const before = exchange.aborted
      exchange.onAbort(() => tellGone([before, exchange.aborted]))
      begin()
    }
    await withServer(serve, async ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /'))
      await begun
      client.socket.destroy()
      assert.deepEqual(await gone, [false, true])
    })
  })

  it('does not report a finished request as aborted', async () => {
    const seen: boolean[] = []
    const { opened: left, open: leave } = createGate()
    const serve = (exchange: Exchange): void => {
      exchange.onAbort(() => seen.push(true))
      exchange.send(textAnswer('a'), {
        sent: () => {
          seen.push(exchange.aborted)
          leave()
        },
      })
    }
    await withServer(serve, async ({ port }) => {
      await exchangeBytes(port, formatRequest('GET /'))
      await left
    })
    assert.deepEqual(seen, [false])
  })

  it('calls onLeft after the response, or immediately if it has been sent', async () => {
    const told: string[] = []
    const { opened: left, open: leave } = createGate()
    const serve = (exchange: Exchange): void => {
      exchange.onLeft(() => {
        told.push('left')
        exchange.onLeft(() => told.push('at once'))
        told.push('asked')
        leave()
      })
      told.push('begun')
      exchange.send(textAnswer('a'), null)
      told.push('sent')
    }
    await withServer(serve, async ({ port }) => {
      await exchangeBytes(port, formatRequest('GET /'))
      await left
    })
    assert.deepEqual(told, ['begun', 'sent', 'left', 'at once', 'asked'])
  })

  it('calls onLeft if the client disconnects, or immediately if it has disconnected', async () => {
    const told: string[] = []
    const { opened: begun, open: begin } = createGate()
    const { opened: left, open: leave } = createGate()
    const serve = (exchange: Exchange): void => {
      exchange.onLeft(() => {
        exchange.onLeft(() => told.push('at once'))
        told.push('asked')
        leave()
      })
      begin()
    }
    await withServer(serve, async ({ port }) => {
      const client = new Client(port).write(formatRequest('GET /'))
      await begun
      client.socket.destroy()
      await left
    })
    assert.deepEqual(told, ['at once', 'asked'])
  })

  it('sends 100 only when the body is read (RFC 9110 section 10.1.1)', async () => {
    const serve = (exchange: Exchange): void => {
      if (exchange.url === '/unread') exchange.send(textAnswer('unread'), null)
      else exchange.collect(10, (error, bytes) => exchange.send(textAnswer(String(bytes ?? error)), null))
    }
    await withServer(serve, async ({ port }) => {
      const head = (target: string, length: number): string =>
        formatRequest(`POST ${target}`, { Expect: '100-continue', 'Content-Length': String(length) })
      const reading = await new Client(port).write(head('/', 3)).until('100 Continue\r\n\r\n')
      const [read] = readAnswers(await reading.write('abc').all(), ['POST'])
      assert.deepEqual([read?.interim, read?.body], [[100], 'abc'])
      for (const [target, length, body] of [
        ['/unread', 3, 'unread'],
        ['/', 11, 'HttpError: The body is larger than 10 bytes'],
      ] as const) {
        const refused = await askBytes(port, head(target, length))
        assert.deepEqual([refused.interim, refused.body], [[], body])
      }
    })
  })

  it('closes a connection if the client waits for 100 and the body is not read', async () => {
    const serve = (exchange: Exchange): void => exchange.send(textAnswer('unread'), null)
    await withServer(serve, async ({ port }) => {
      const head = formatRequest('POST /', { Expect: '100-continue', 'Content-Length': '3', Connection: 'keep-alive' })
      const client = await new Client(port).write(head).until('unread')
      const [answer] = readAnswers(client.text, ['POST'])
      assert.deepEqual(answer?.headers.get('connection'), ['close'])
    })
  })
})
