import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpError, Route, type Context, type ResponseView } from 'verbena'
import { UNREADABLE } from '#src/observe/logger.js'
import { sendRequest, captureLog, createGate, createUntypedApp, type Line } from '#test/apps.js'
import { Wire } from '#test/e2e.js'

/** Creates an app whose only endpoint throws the result of `thrown`. */
function throwing(thrown: () => unknown, options: object = {}) {
  class Probe extends Route {
    get({ response }: { response: ResponseView }): unknown {
      response.header('x-endpoint', '1')
      response.after(() => assert.fail('the request failed: nothing is done after it'))
      throw thrown()
    }
    async post(): Promise<unknown> {
      throw thrown()
    }
  }
  return createUntypedApp({ routes: { Probe }, ...options })
}

const SECRET = 'secret-4711'
const frozen = Object.freeze(Object.assign(new Error(SECRET), { status: 418, statusCode: 418, expose: true }))
const trap = (): never => {
  throw new Error(SECRET)
}
const hostile = () => new Proxy(new Error(SECRET), { get: trap, has: trap, getPrototypeOf: trap, ownKeys: trap })
const cyclic = new Error(SECRET)
cyclic.cause = cyclic

const THROWN: readonly (readonly [about: string, thrown: () => unknown])[] = [
  ['an error', () => new Error(SECRET)],
  ['null', () => null],
  ['undefined', () => undefined],
  ['a string', () => SECRET],
  ['an empty string', () => ''],
  ['a number', () => 404],
  ['a bigint', () => 7n],
  ['a symbol', () => Symbol(SECRET)],
  ['a function', () => () => SECRET],
  ['a frozen error', () => frozen],
  ['an error with a cyclic cause', () => cyclic],
  ['an error whose getters throw', () => Object.defineProperty(new Error(), 'message', { get: trap })],
  ['an error whose stack throws', () => Object.defineProperty(new Error(), 'stack', { get: trap })],
  [
    'an object that throws during serialization',
    () => ({
      toString: trap,
      toJSON: trap,
      get message() {
        return trap()
      },
    }),
  ],
  ['a proxy that throws on every access', hostile],
  ['an object with status 200', () => ({ status: 200, message: SECRET })],
  ['an object with status 999', () => ({ status: 999, statusCode: 999, message: SECRET })],
  ['an object without a prototype', () => Object.assign(Object.create(null), { message: SECRET })],
  [
    'a look-alike of an HttpError',
    () => ({ name: 'HttpError', status: 404, detail: SECRET, headers: {}, extensions: {} }),
  ],
  ['a web response', () => new Response(SECRET, { status: 404 })],
  ['a promise', () => Promise.resolve(SECRET)],
  ['an HttpError that throws on every access', () => new Proxy(new HttpError(404, SECRET), { get: trap })],
]

describe('failureReply()', () => {
  for (const [about, thrown] of THROWN) {
    it(`responds with a 500 without details if the handler throws ${about}`, async () => {
      for (const method of ['GET', 'POST']) {
        const { logger, lines } = captureLog()
        const { status, headers, text, body } = await sendRequest(throwing(thrown, { logger }), '/probe', { method })
        const { requestId, ...rest } = Object(body)
        assert.deepEqual([status, rest], [500, { type: 'about:blank', title: 'Internal Server Error', status: 500 }])
        assert.deepEqual([headers.get('content-type'), headers.get('x-endpoint')], ['application/problem+json', null])
        assert.equal(headers.get('x-request-id'), requestId)
        assert.doesNotMatch(text, new RegExp(SECRET))
        assert.ok(lines.some(({ level, fields }) => level === 'error' && fields['requestId'] === requestId))
      }
    })

    it(`logs ${about} with the default logger without failing`, async () => {
      for (const isTTY of [true, false]) {
        const { defaultLogger } = await import('#src/observe/loggers.js')
        const logger = defaultLogger({ isTTY, write: (text: string) => text.length })
        assert.equal((await sendRequest(throwing(thrown, { logger }), '/probe')).status, 500)
      }
    })
  }

  it('responds if the status of an HttpError is a getter that throws after any number of reads', async () => {
    for (let reads = 0; reads < 12; reads++) {
      let left = reads
      const error = Object.defineProperty(new HttpError(503), 'status', {
        get: () => (left-- > 0 ? 503 : trap()),
      })
      const { logger, lines } = captureLog()
      const { status } = await sendRequest(
        throwing(() => error, { logger }),
        '/probe',
      )
      assert.ok([500, 503].includes(status), `${status} after ${reads} reads`)
      assert.ok(lines.some(({ level }) => level === 'error'))
    }
  })

  it('logs the error with method, path and route', async () => {
    const { logger, lines } = captureLog()
    const error = new Error(SECRET)
    await sendRequest(
      throwing(() => error, { logger }),
      '/probe?token=1',
    )
    const [{ level, message, fields } = assert.fail('no line')] = lines
    const { requestId, ...rest } = fields
    assert.deepEqual([level, message], ['error', 'The request failed unexpectedly'])
    assert.deepEqual(rest, { err: error, method: 'GET', path: '/probe', route: 'Probe' })
    assert.equal(typeof requestId, 'string')
    assert.equal(lines.length, 1)
  })

  it('logs no route for a path without an endpoint', async () => {
    const { logger, lines } = captureLog()
    const failing = () => Promise.reject(new Error(SECRET))
    await sendRequest(
      throwing(() => null, { logger, middleware: [failing] }),
      '/none',
    )
    assert.deepEqual(Object.keys(lines[0]?.fields ?? {}).toSorted(), ['err', 'method', 'path', 'requestId'])
  })

  it('ignores errors of the logger and its child', async () => {
    const fail = (): never => assert.fail('disk full')
    const logger = { debug: fail, info: fail, warn: fail, error: fail }
    for (const given of [logger, { ...logger, child: fail }]) {
      assert.equal(
        (
          await sendRequest(
            throwing(() => new Error(SECRET), { logger: given }),
            '/probe',
          )
        ).status,
        500,
      )
      assert.equal(
        (
          await sendRequest(
            throwing(() => new HttpError(503), { logger: given }),
            '/probe',
          )
        ).status,
        503,
      )
    }
  })
})

describe('HttpError', () => {
  it('sends status, detail, type, extension members and headers to the client', async () => {
    const options = { type: 'https://e.example/taken', headers: { 'Retry-After': '9' }, by: 'Ada', cause: SECRET }
    const { logger, lines } = captureLog()
    const app = throwing(() => new HttpError(409, 'Name taken', options), { logger })
    const { status, headers, body, text } = await sendRequest(app, '/probe')
    const { requestId, ...rest } = Object(body)
    const said = { type: 'https://e.example/taken', title: 'Conflict', status: 409, detail: 'Name taken', by: 'Ada' }
    assert.deepEqual([status, rest, headers.get('retry-after')], [409, said, '9'])
    assert.equal(headers.get('x-request-id'), requestId)
    assert.doesNotMatch(text, new RegExp(SECRET))
    assert.deepEqual(lines, [])
  })

  it('does not replace standard members with extension members', async () => {
    const options = { title: 'x', status: 200, detail: 'x', requestId: 'x', headers: { 'x-request-id': 'x' } }
    const { status, headers, body } = await sendRequest(
      throwing(() => new HttpError(404, undefined, options)),
      '/probe',
    )
    const { requestId, ...rest } = Object(body)
    assert.deepEqual([status, rest], [404, { type: 'about:blank', title: 'Not Found', status: 404 }])
    assert.notEqual(requestId, 'x')
    assert.equal(headers.get('x-request-id'), requestId)
  })

  it('logs an HttpError from 500 and sends its detail', async () => {
    const { logger, lines } = captureLog()
    const { text } = await sendRequest(
      throwing(() => new HttpError(503, 'Back at noon'), { logger }),
      '/probe',
    )
    assert.match(text, /Back at noon/)
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [['error', 'The request failed']],
    )
  })

  const UNWRITABLE: readonly (readonly [about: string, error: () => HttpError])[] = [
    ['a changed status', () => Object.assign(new HttpError(409, SECRET), { status: 200 })],
    ['a bad header', () => new HttpError(409, SECRET, { headers: { 'x-a': 'a\r\nb: c' } })],
    ['an extension with a bigint', () => new HttpError(409, SECRET, { n: 7n })],
    ['an extension that throws', () => new HttpError(409, SECRET, { n: { toJSON: trap } })],
    ['an extension with a cycle', () => new HttpError(409, SECRET, { cyclic: cycle() })],
  ]
  for (const [about, error] of UNWRITABLE) {
    it(`responds with a plain 500 and logs both errors for ${about}`, async () => {
      const { logger, lines } = captureLog()
      const { status, text } = await sendRequest(throwing(error, { logger }), '/probe')
      assert.equal(status, 500)
      assert.doesNotMatch(text, new RegExp(SECRET))
      const messages = lines.map(({ message }) => message)
      assert.deepEqual(messages, ['Failed to serialize an HttpError', 'The request failed'])
    })
  }
})

function cycle(): object {
  const made: Record<string, unknown> = {}
  made['self'] = made
  return made
}

describe('mapError', () => {
  class Missing extends Error {}
  const missing = (error: unknown) => (error instanceof Missing ? new HttpError(404, 'Gone') : undefined)
  const teapot = () => new HttpError(418, 'Tea')

  const MAPPED: readonly (readonly [about: string, mapError: unknown, status: number])[] = [
    ['a mapper that returns an error', missing, 404],
    ['a mapper that returns undefined', () => undefined, 500],
    ['a list and uses the first mapper that returns an error', [() => undefined, missing, teapot], 404],
    ['an empty list', [], 500],
    ['a mapper that throws', () => assert.fail('mapper'), 500],
    ['a mapper that throws before another that returns an error', [() => assert.fail('mapper'), teapot], 418],
    ['a mapper that throws an assertion error', () => assert.throws(() => teapot()), 500],
    ['a mapper that returns an invalid value', () => ({ status: 404 }), 500],
    ['a mapper that returns a promise', async () => teapot(), 500],
  ]
  for (const [about, mapError, status] of MAPPED) {
    it(`accepts ${about}`, async () => {
      const app = throwing(() => new Missing(SECRET), { mapError })
      const answer = await sendRequest(app, '/probe')
      assert.equal(answer.status, status)
      assert.doesNotMatch(answer.text, new RegExp(SECRET))
    })
  }

  it('logs the error of a mapper and the original error', async () => {
    const { logger, lines } = captureLog()
    await sendRequest(
      throwing(() => new Missing(SECRET), { mapError: () => assert.fail('mapper'), logger }),
      '/probe',
    )
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['The "mapError" function threw an error', 'The request failed unexpectedly'],
    )
  })

  it('passes the error and the context to the mapper', async () => {
    const seen: unknown[] = []
    const error = new Missing()
    const mapError = (thrown: unknown, { request }: Context) => void seen.push(thrown, request.path)
    await sendRequest(
      throwing(() => error, { mapError }),
      '/probe',
    )
    assert.deepEqual(seen, [error, '/probe'])
  })

  it('logs the original error if the mapped status is 500 or higher', async () => {
    const { logger, lines } = captureLog()
    const error = new Missing()
    await sendRequest(
      throwing(() => error, { mapError: () => new HttpError(502), logger }),
      '/probe',
    )
    assert.equal(lines[0]?.fields['err'], error)
  })
})

describe('handlers that stop after the client disconnects', () => {
  /** Sends a request over a socket, disconnects when the handler has begun, and returns the lines of the log. */
  async function linesAfterDisconnect(stop: (signal: AbortSignal) => unknown): Promise<readonly Line[]> {
    const { logger, lines } = captureLog()
    const begun = createGate()
    class Slow extends Route {
      async get({ signal }: Context) {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve)
          begun.open()
        })
        return stop(signal)
      }
    }
    const app = createUntypedApp({ routes: { Slow }, logger, signals: false })
    const { port } = await app.listen()
    const wire = new Wire(port)
    wire.send('GET /slow?token=abcdefgh HTTP/1.1\r\nHost: a\r\n\r\n')
    await begun.opened
    wire.destroy()
    await app.close()
    return lines.filter(({ level }) => level !== 'info')
  }

  const STOPS: readonly (readonly [how: string, stop: (signal: AbortSignal) => unknown, err: string | undefined])[] = [
    ['throws the reason of signal', (signal) => signal.throwIfAborted(), undefined],
    ['throws an AbortError of Node', (signal) => sleep(1, undefined, { signal }), undefined],
    ['throws another error', () => Promise.reject(new TypeError('no abcdefgh')), 'TypeError: no redacted'],
    ['throws an unreadable value', () => Promise.reject(new Proxy(new Error('x'), { get: trap })), UNREADABLE],
  ]
  for (const [how, stop, err] of STOPS) {
    it(`logs one line without a stack at debug level if the handler ${how}`, async () => {
      const lines = await linesAfterDisconnect(stop)
      assert.deepEqual(
        lines.map(({ level, message, fields: { requestId: _, ...fields } }) => [level, message, fields]),
        [
          [
            'debug',
            'Client disconnected',
            { ...(err !== undefined && { err }), method: 'GET', path: '/slow', route: 'Slow' },
          ],
        ],
      )
    })
  }

  it('logs one line at debug level for a request of app.fetch()', async () => {
    const { logger, lines } = captureLog()
    const [begun, client] = [createGate(), new AbortController()]
    class Slow extends Route {
      async get({ signal }: Context) {
        await new Promise((resolve) => {
          signal.addEventListener('abort', resolve)
          begun.open()
        })
        signal.throwIfAborted()
      }
    }
    const app = createUntypedApp({ routes: { Slow }, logger })
    const answer = app.fetch(new Request('http://localhost/slow', { signal: client.signal }))
    await begun.opened
    client.abort()
    await answer
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [['debug', 'Client disconnected']],
    )
  })

  it('logs nothing if the handler returns', async () => {
    assert.deepEqual(await linesAfterDisconnect(() => 'done'), [])
  })
})

describe('log lines of errors', () => {
  it('logs the path, or its template if the path contains a secret', async () => {
    const fail = (): never => {
      throw new Error('no')
    }
    class Links extends Route {
      static readonly path = '/reset/{token}'
      get(): never {
        return fail()
      }
    }
    class Books extends Route {
      static readonly path = '/books/{id}'
      get(): never {
        return fail()
      }
    }
    const { logger, lines } = captureLog()
    const middleware = [({ request }: Context, next: () => unknown) => (request.method === 'PUT' ? fail() : next())]
    const app = createUntypedApp({ routes: { Links, Books }, middleware, logger })
    for (const target of ['/reset/hunter2', '/books/7']) await sendRequest(app, target)
    for (const target of ['/reset/hunter2', '/none']) await sendRequest(app, target, { method: 'PUT' })
    assert.deepEqual(
      lines.map(({ fields }) => [Reflect.get(fields, 'path'), Reflect.get(fields, 'route')]),
      [
        ['/reset/{token}', 'Links'],
        ['/books/7', 'Books'],
        ['/reset/{token}', undefined],
        ['/none', undefined],
      ],
    )
  })
})
