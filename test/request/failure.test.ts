import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, Route, type Context, type ResponseView } from 'verbena'
import { sendRequest, captureLog, createGate, createUntypedApp } from '#test/apps.js'

/** An app whose one endpoint throws what it is told. */
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
  ['a text', () => SECRET],
  ['an empty text', () => ''],
  ['a number', () => 404],
  ['a bigint', () => 7n],
  ['a symbol', () => Symbol(SECRET)],
  ['a function', () => () => SECRET],
  ['a frozen error', () => frozen],
  ['an error with a cyclic cause', () => cyclic],
  ['an error whose getters throw', () => Object.defineProperty(new Error(), 'message', { get: trap })],
  ['an error whose stack throws', () => Object.defineProperty(new Error(), 'stack', { get: trap })],
  [
    'an object that throws when it is written',
    () => ({
      toString: trap,
      toJSON: trap,
      get message() {
        return trap()
      },
    }),
  ],
  ['a proxy that throws at every touch', hostile],
  ['an object with status 200', () => ({ status: 200, message: SECRET })],
  ['an object with status 999', () => ({ status: 999, statusCode: 999, message: SECRET })],
  ['an object without a prototype', () => Object.assign(Object.create(null), { message: SECRET })],
  [
    'a look-alike of an HttpError',
    () => ({ name: 'HttpError', status: 404, detail: SECRET, headers: {}, extensions: {} }),
  ],
  ['a web response', () => new Response(SECRET, { status: 404 })],
  ['a promise', () => Promise.resolve(SECRET)],
  ['an HttpError that throws at every touch', () => new Proxy(new HttpError(404, SECRET), { get: trap })],
]

describe('failureReply()', () => {
  for (const [about, thrown] of THROWN) {
    it(`answers ${about} with a 500 that shows nothing of it`, async () => {
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

    it(`survives ${about} with a logger that writes to a stream`, async () => {
      for (const isTTY of [true, false]) {
        const { defaultLogger } = await import('#src/observe/lines.js')
        const logger = defaultLogger({ isTTY, write: (text: string) => text.length })
        assert.equal((await sendRequest(throwing(thrown, { logger }), '/probe')).status, 500)
      }
    })
  }

  it('logs the error itself, with where it happened', async () => {
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

  it('logs no route where none answers', async () => {
    const { logger, lines } = captureLog()
    const failing = () => Promise.reject(new Error(SECRET))
    await sendRequest(
      throwing(() => null, { logger, middleware: [failing] }),
      '/none',
    )
    assert.deepEqual(Object.keys(lines[0]?.fields ?? {}).toSorted(), ['err', 'method', 'path', 'requestId'])
  })

  it('survives a logger that throws, and one whose child throws', async () => {
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

describe('an HttpError', () => {
  it('speaks: status, text, type, extensions and headers', async () => {
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

  it('cannot have the members that are ours replaced', async () => {
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

  it('is logged from 500 up, and its text is shown', async () => {
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
    ['a status that was made another', () => Object.assign(new HttpError(409, SECRET), { status: 200 })],
    ['a bad header', () => new HttpError(409, SECRET, { headers: { 'x-a': 'a\r\nb: c' } })],
    ['an extension with a bigint', () => new HttpError(409, SECRET, { n: 7n })],
    ['an extension that throws', () => new HttpError(409, SECRET, { n: { toJSON: trap } })],
    ['an extension with a cycle', () => new HttpError(409, SECRET, { cyclic: cycle() })],
  ]
  for (const [about, error] of UNWRITABLE) {
    it(`with ${about} is a plain 500, and both errors are logged`, async () => {
      const { logger, lines } = captureLog()
      const { status, text } = await sendRequest(throwing(error, { logger }), '/probe')
      assert.equal(status, 500)
      assert.doesNotMatch(text, new RegExp(SECRET))
      const messages = lines.map(({ message }) => message)
      assert.deepEqual(messages, ['An HttpError could not be written', 'The request failed'])
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
    ['one that answers', missing, 404],
    ['one that does not', () => undefined, 500],
    ['a list, of which the first that answers counts', [() => undefined, missing, teapot], 404],
    ['an empty list', [], 500],
    ['one that throws', () => assert.fail('mapper'), 500],
    ['one that throws before one that answers', [() => assert.fail('mapper'), teapot], 418],
    ['one that throws an HttpError, which is no answer', () => assert.throws(() => teapot()), 500],
    ['one that answers what it should not', () => ({ status: 404 }), 500],
    ['one that answers later', async () => teapot(), 500],
  ]
  for (const [about, mapError, status] of MAPPED) {
    it(`takes ${about}`, async () => {
      const app = throwing(() => new Missing(SECRET), { mapError })
      const answer = await sendRequest(app, '/probe')
      assert.equal(answer.status, status)
      assert.doesNotMatch(answer.text, new RegExp(SECRET))
    })
  }

  it('logs a mapper that throws, and the error that it was to map', async () => {
    const { logger, lines } = captureLog()
    await sendRequest(
      throwing(() => new Missing(SECRET), { mapError: () => assert.fail('mapper'), logger }),
      '/probe',
    )
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['mapError failed', 'The request failed unexpectedly'],
    )
  })

  it('gets the error and the context', async () => {
    const seen: unknown[] = []
    const error = new Missing()
    const mapError = (thrown: unknown, { request }: Context) => void seen.push(thrown, request.path)
    await sendRequest(
      throwing(() => error, { mapError }),
      '/probe',
    )
    assert.deepEqual(seen, [error, '/probe'])
  })

  it('logs the error behind a mapped one from 500 up', async () => {
    const { logger, lines } = captureLog()
    const error = new Missing()
    await sendRequest(
      throwing(() => error, { mapError: () => new HttpError(502), logger }),
      '/probe',
    )
    assert.equal(lines[0]?.fields['err'], error)
  })
})

describe('a handler that stops because the client went away', () => {
  it('has not failed: its error is for those who debug', async () => {
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
      [['debug', 'The client went away']],
    )
  })
})

describe('log lines of failures', () => {
  it('show a path, but where a secret stands in it its template', async () => {
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
