import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { events, redirect, reply, Route, stream, type Input } from 'verbena'
import * as z from 'zod'
import { DeferredBody } from '#src/http/payload.js'
import { sendRequest, captureLog, looseContract, createUntypedApp } from '#test/apps.js'

/** Creates an app whose only endpoint returns this value, with or without a contract. */
function answering(returned: () => unknown, contract?: object, options: object = {}) {
  class Probe extends Route {
    get() {
      return returned()
    }
  }
  if (contract !== undefined) Object.defineProperty(Probe, 'get', { value: looseContract(Probe, contract) })
  return createUntypedApp({ routes: { Probe }, ...options })
}

const TEXT = 'text/plain; charset=utf-8'
const JSON_TYPE = 'application/json'
const BYTES = 'application/octet-stream'
const bytes = (text: string) => new TextEncoder().encode(text)

async function* texts() {
  yield 'a'
  yield 'ä'
}
async function* chunks() {
  yield bytes('a')
  yield Buffer.from('b')
}
async function* nothing() {}

/** A thenable as other libraries make them. */
const thenable = (then: string | ((done: (value: unknown) => void) => void)): object =>
  // oxlint-disable-next-line no-thenable -- thenables are what is tested
  Object.fromEntries([['then', then]])

const lines = new ReadableStream({
  start(controller) {
    controller.enqueue('a')
    controller.close()
  },
})

const readAlready = () => {
  const stream = new Blob(['ab']).stream()
  stream.getReader()
  return stream
}

type Free = readonly [about: string, value: () => unknown, status: number, type: string | null, text: string]

const FREE: readonly Free[] = [
  ['undefined', () => undefined, 204, null, ''],
  ['null', () => null, 200, JSON_TYPE, 'null'],
  ['a string', () => 'héllo', 200, TEXT, 'héllo'],
  ['an empty string', () => '', 200, TEXT, ''],
  ['an object', () => ({ a: 1, b: undefined }), 200, JSON_TYPE, '{"a":1}'],
  ['an object without a prototype', () => Object.assign(Object.create(null), { a: 1 }), 200, JSON_TYPE, '{"a":1}'],
  ['an array', () => [1, 'a'], 200, JSON_TYPE, '[1,"a"]'],
  ['a number', () => 7.5, 200, JSON_TYPE, '7.5'],
  ['zero', () => 0, 200, JSON_TYPE, '0'],
  ['true', () => true, 200, JSON_TYPE, 'true'],
  ['false', () => false, 200, JSON_TYPE, 'false'],
  ['a date', () => new Date(0), 200, JSON_TYPE, '"1970-01-01T00:00:00.000Z"'],
  ['bytes', () => bytes('ab'), 200, BYTES, 'ab'],
  ['a buffer', () => Buffer.from('ab'), 200, BYTES, 'ab'],
  ['a Node stream of strings', () => Readable.from(['a', 'b']), 200, TEXT, 'ab'],
  ['a Node stream of bytes', () => Readable.from([Buffer.from('a')]), 200, BYTES, 'a'],
  ['a web stream of strings', () => lines, 200, TEXT, 'a'],
  ['a web stream of bytes', () => new Blob(['ab']).stream(), 200, BYTES, 'ab'],
  ['a generator of strings', texts, 200, TEXT, 'aä'],
  ['a generator of bytes', chunks, 200, BYTES, 'ab'],
  ['an empty generator', nothing, 200, BYTES, ''],
  ['a promise', async () => ({ a: 1 }), 200, JSON_TYPE, '{"a":1}'],
  ['a promise of a stream', async () => texts(), 200, TEXT, 'aä'],
  ['a thenable', () => thenable((done) => done({ a: 1 })), 200, JSON_TYPE, '{"a":1}'],
  ['an object with a "then" that is not a function', () => thenable('later'), 200, JSON_TYPE, '{"then":"later"}'],
  ['a web response', () => new Response('x', { status: 201, headers: { 'content-type': 'a/b' } }), 201, 'a/b', 'x'],
  ['a web response without a body', () => new Response(null, { status: 204 }), 204, null, ''],
  [
    'a web response with an error status',
    () => new Response('gone', { status: 410 }),
    410,
    'text/plain;charset=UTF-8',
    'gone',
  ],
  ['a reply', () => reply(201, { a: 1 }), 201, JSON_TYPE, '{"a":1}'],
  ['a reply without a body', () => reply(200), 200, null, ''],
  ['a reply with null', () => reply(200, null), 200, JSON_TYPE, 'null'],
  ['a reply with a string', () => reply(202, 'later'), 202, TEXT, 'later'],
  ['a reply with a stream', () => reply(200, texts()), 200, TEXT, 'aä'],
  ['a reply with a type', () => reply(200, texts(), { 'content-type': 'text/csv' }), 200, 'text/csv', 'aä'],
  ['a reply with 204', () => reply(204), 204, null, ''],
  ['a reply with 304', () => reply(304, null, { etag: '"1"' }), 304, null, ''],
  ['a redirect', () => redirect('/a', 303), 303, null, ''],
]

describe('respond() without a contract', () => {
  for (const [about, value, status, type, text] of FREE) {
    it(`sends ${about}`, async () => {
      const answer = await sendRequest(answering(value), '/probe')
      assert.deepEqual([answer.status, answer.headers.get('content-type'), answer.text], [status, type, text])
      assert.equal(answer.headers.get('x-content-type-options'), type === null ? null : 'nosniff')
    })
  }

  it('sends the values of an async generator method', async () => {
    class Feed extends Route {
      async *get() {
        yield 'a'
        yield 'b'
      }
    }
    assert.equal((await sendRequest(createUntypedApp({ routes: { Feed } }), '/feed')).text, 'ab')
  })

  it('uses the status of a contract without "returns"', async () => {
    assert.equal(
      (
        await sendRequest(
          answering(() => ({ a: 1 }), { status: 202 }),
          '/probe',
        )
      ).status,
      202,
    )
    assert.equal(
      (
        await sendRequest(
          answering(() => undefined, { status: 202 }),
          '/probe',
        )
      ).status,
      202,
    )
  })

  it('sends every header of a web response, and each cookie as a separate header', async () => {
    const headers = new Headers({ vary: 'a', 'x-a': '1' })
    headers.append('set-cookie', 'a=1')
    headers.append('set-cookie', 'b=2')
    const answer = await sendRequest(
      answering(() => new Response('x', { headers })),
      '/probe',
    )
    assert.deepEqual([answer.headers.get('vary'), answer.headers.get('x-a')], ['a', '1'])
    assert.deepEqual(answer.headers.getSetCookie(), ['a=1', 'b=2'])
  })

  it('sends a fetched response decoded and without headers of its connection', async () => {
    const headers = { 'content-encoding': 'gzip', 'x-upstream': '1', 'content-type': 'text/plain' }
    const upstream = createServer(
      (_request, response) => void response.writeHead(200, headers).end(gzipSync('from afar')),
    )
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    // Proof: it listens on a port.
    const { port } = upstream.address() as AddressInfo
    const answer = await sendRequest(
      answering(() => fetch(`http://127.0.0.1:${port}/`)),
      '/probe',
    )
    assert.deepEqual([answer.text, answer.headers.get('x-upstream')], ['from afar', '1'])
    for (const name of ['content-encoding', 'content-length', 'transfer-encoding', 'connection', 'keep-alive']) {
      assert.equal(answer.headers.get(name), null, name)
    }
    upstream.closeAllConnections()
    upstream.close()
  })

  it('prefers headers of the reply over earlier headers, and joins lists', async () => {
    class Probe extends Route {
      get({ response }: { response: { header(name: string, value: string): void } }) {
        response.header('x-a', 'set')
        response.header('x-b', 'set')
        response.header('vary', 'a')
        return reply(200, 'x', { 'x-a': 'reply', vary: 'b' })
      }
    }
    const { headers } = await sendRequest(createUntypedApp({ routes: { Probe } }), '/probe')
    assert.deepEqual([headers.get('x-a'), headers.get('x-b'), headers.get('vary')], ['reply', 'set', 'a, b'])
  })

  it('ends a stream if the status has no content', async () => {
    const source = Readable.from(['a'])
    assert.equal(
      (
        await sendRequest(
          answering(() => source, { status: 204 }),
          '/probe',
        )
      ).status,
      204,
    )
    assert.equal(source.destroyed, true)
  })

  it('responds once if a thenable resolves twice', async () => {
    const { logger, lines: logged } = captureLog()
    const twice = thenable((done) => ['one', 'two'].forEach(done))
    const app = answering(() => twice, undefined, { logger })
    assert.equal((await sendRequest(app, '/probe')).text, 'one')
    assert.deepEqual(logged, [])
  })
})

class Sealed {
  readonly data = 'a'
  get id(): string {
    return 'inherited'
  }
}

class Opened extends DeferredBody {
  async open() {
    return { payload: { type: 'a/b', data: 'opened' }, headers: new Map([['x-opened', '1']]) }
  }

  async *[Symbol.asyncIterator]() {}
}

describe('respond() to a stream under a contract', () => {
  it('writes only own properties of events, and prefers headers of the response to defaults', async () => {
    async function* generate() {
      yield new Sealed()
      yield { data: 'b', id: '1' }
    }
    class Feed extends Route {
      static readonly get = this.contract({ returns: events(z.string()) })
      get({ response }: Input<typeof Feed.get>) {
        response.header('cache-control', 'private')
        return generate()
      }
    }
    const { text, headers } = await sendRequest(createUntypedApp({ routes: { Feed } }), '/feed')
    assert.equal(text, 'data: "a"\n\nid: 1\ndata: "b"\n\n')
    assert.deepEqual([headers.get('cache-control'), headers.get('x-accel-buffering')], ['private', 'no'])
  })

  it('opens a deferred body for stream()', async () => {
    const app = answering(() => new Opened(), { returns: stream() })
    const { text, headers } = await sendRequest(app, '/probe')
    assert.deepEqual([text, headers.get('content-type'), headers.get('x-opened')], ['opened', 'a/b', '1'])
  })
})

const cycle: Record<string, unknown> = {}
cycle['self'] = cycle
const used = async () => {
  const response = new Response('x')
  await response.text()
  return response
}

const UNWRITABLE: readonly (readonly [about: string, value: () => unknown, says: RegExp])[] = [
  ['a cycle', () => cycle, /circular/],
  ['a bigint', () => ({ n: 7n }), /BigInt/],
  ['a function', () => () => {}, /JSON cannot represent function/],
  ['a symbol', () => Symbol('s'), /JSON cannot represent symbol/],
  ['a throwing toJSON', () => ({ toJSON: () => assert.fail('secret') }), /secret/],
  ['a stream that fails before its first chunk', () => Readable.from(failing()), /secret/],
  [
    'a stream whose first chunk is an object',
    () => Readable.from([{ a: 1 }]),
    /a chunk must be a string or bytes, not object/,
  ],
  ['a stream whose first chunk is a number', () => numbers(), /a chunk must be a string or bytes, not number/],
  [
    'a typed stream whose first chunk is null',
    () => reply(200, webNulls(), { 'content-type': 'a/b' }),
    /a chunk must be a string or bytes, not null/,
  ],
  [
    'a typed stream that fails before its first chunk',
    () => reply(200, failing(), { 'content-type': 'a/b' }),
    /secret/,
  ],
  ['a stream that is being read', readAlready, /locked/],
  ['a web response that was already read', used, /locked|disturbed|read/],
  ['Response.error()', () => Response.error(), /Response\.error\(\)/],
  ['a reply with 404', () => reply(404, { a: 1 }), /status 404 is not declared. Throw an HttpError/],
  ['a reply with 500', () => reply(500), /status 500 is not declared/],
  ['a bad header', () => reply(200, 'x', { 'x-a': '\n' }), /control character/],
]

async function* numbers() {
  yield 7
}

const webNulls = () => new ReadableStream({ start: (controller) => controller.enqueue(null) })

async function* failing() {
  yield* []
  throw new Error('secret')
}

describe('respond() to unserializable values', () => {
  for (const [about, value, says] of UNWRITABLE) {
    it(`responds with a 500 without details and logs the error for ${about}`, async () => {
      const { logger, lines: logged } = captureLog()
      const { status, body } = await sendRequest(answering(value, undefined, { logger }), '/probe')
      const { requestId, ...rest } = Object(body)
      assert.deepEqual([status, rest], [500, { type: 'about:blank', title: 'Internal Server Error', status: 500 }])
      assert.equal(logged.length, 1)
      assert.match(String(logged[0]?.fields['err']), says)
      assert.equal(logged[0]?.fields['requestId'], requestId)
      assert.equal(logged[0]?.fields['route'], 'Probe')
    })
  }
})
