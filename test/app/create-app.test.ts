import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, group, HttpError, reply, Route, type Input, type Middleware } from 'verbena'
import * as z from 'zod'
import { LEVELS } from '#src/observe/logger.js'
import { sendRequest, assertSetupError, captureLog, createUntypedApp } from '#test/apps.js'
import { askWire } from '#test/e2e.js'
import { quietStdout } from '#test/quiet-stdout.js'

class Users extends Route {
  static readonly tags = ['class']
  static readonly get = this.contract({ returns: z.array(z.string()), tags: ['contract'], summary: 'List' })
  get() {
    return ['Ada']
  }
  delete() {}
}
class Home extends Route {
  get() {
    return 'home'
  }
}

describe('createApp()', () => {
  it('sets name and version from the options or defaults', () => {
    const [given, none] = [
      createUntypedApp({ routes: {}, name: 'users', version: '2.0.0' }),
      createUntypedApp({ routes: {} }),
    ]
    assert.deepEqual([given.name, given.version, none.name, none.version], ['users', '2.0.0', 'app', '0.0.0'])
  })

  it('rejects middleware that is not an array of functions', () => {
    assertSetupError(
      () => createUntypedApp({ routes: {}, middleware: 'cors' }),
      'OPTION_INVALID',
      'option "middleware"',
    )
    assertSetupError(() => createUntypedApp({ routes: {}, middleware: [() => {}, 7] }), 'MIDDLEWARE_INVALID', 'entry 1')
  })

  it('accepts services that no route uses', () => {
    assert.ok(createApp({ routes: { Home }, services: { db: {} }, logger: false }))
    assert.ok(createUntypedApp({ routes: { Home }, services: undefined }))
  })

  it('logs to standard output by default, and nothing with logger: false', async (t) => {
    const written = quietStdout(t)
    class Fails extends Route {
      get() {
        throw new Error('secret')
      }
    }
    try {
      await sendRequest(createApp({ routes: { Fails } }), '/fails')
      await sendRequest(createApp({ routes: { Fails }, logger: false }), '/fails')
    } finally {
      t.mock.restoreAll()
    }
    assert.equal(written.filter((text) => text.includes('The request failed unexpectedly')).length, 1)
  })

  const LEVELS_BY_MODE: readonly (readonly [mode: string, logger: object | undefined, first: string])[] = [
    ['production', undefined, 'info'],
    ['production', { level: undefined }, 'info'],
    ['production', { level: 'debug' }, 'debug'],
    ['production', { level: 'error' }, 'error'],
    ['development', undefined, 'debug'],
    ['development', { level: 'warn' }, 'warn'],
    ['', undefined, 'debug'],
  ]
  for (const [mode, logger, first] of LEVELS_BY_MODE) {
    it(`writes lines from ${first} with logger: ${JSON.stringify(logger)} if NODE_ENV is "${mode}"`, async (t) => {
      const before = process.env['NODE_ENV']
      process.env['NODE_ENV'] = mode
      const written = quietStdout(t)
      class Logs extends Route {
        get({ log }: Input) {
          for (const level of LEVELS) log[level]({}, `at ${level}`)
        }
      }
      try {
        await sendRequest(createUntypedApp({ routes: { Logs }, logger, devConsole: false }), '/logs')
      } finally {
        t.mock.restoreAll()
        process.env['NODE_ENV'] = before
      }
      const levels = written.flatMap((text) => LEVELS.filter((level) => text.includes(`at ${level}`)))
      assert.deepEqual(levels, LEVELS.slice(LEVELS.findIndex((level) => level === first)))
    })
  }

  it('uses child() of a logger such as pino', async () => {
    const { logger, lines } = captureLog()
    const child = (fields: object) => ({
      ...logger,
      info: (own: object) => logger.info({ ...fields, ...own }, 'child'),
    })
    class Logs extends Route {
      get({ log }: { log: { info(fields: object): void } }) {
        log.info({ a: 1 })
      }
    }
    await sendRequest(createUntypedApp({ routes: { Logs }, logger: { ...logger, child } }), '/logs')
    assert.deepEqual([lines[0]?.message, Object.keys(lines[0]?.fields ?? {})], ['child', ['requestId', 'a']])
  })
})

describe('responses of an app', () => {
  const app = createUntypedApp({ routes: { Users, Home } })

  const ANSWERS: readonly (readonly [method: string, target: string, status: number, allow?: string])[] = [
    ['GET', '/users', 200],
    ['HEAD', '/users', 200],
    ['DELETE', '/users', 204],
    ['OPTIONS', '/users', 204, 'DELETE, GET, HEAD, OPTIONS'],
    ['OPTIONS', '/home', 204, 'GET, HEAD, OPTIONS'],
    ['POST', '/users', 405, 'DELETE, GET, HEAD, OPTIONS'],
    ['PUT', '/home', 405, 'GET, HEAD, OPTIONS'],
    ['GET', '/Users', 404],
    ['GET', '/users/', 404],
    ['GET', '//users', 404],
    ['OPTIONS', '/none', 404],
    ['HEAD', '/none', 404],
    ['PROPFIND', '/users', 501],
    ['GET', '/%zz', 400],
    ['GET', '/a%00b', 400],
  ]
  for (const [method, target, status, allow] of ANSWERS) {
    it(`responds ${status} to ${method} ${target}`, async () => {
      const answer = await sendRequest(app, target, { method })
      assert.deepEqual([answer.status, answer.headers.get('allow')], [status, allow ?? null])
      if (method === 'HEAD') assert.equal(answer.text, '')
      if (status >= 400) assert.equal(answer.headers.get('content-type'), 'application/problem+json')
    })
  }

  it('separates the problems of different requests', async () => {
    const marking: Middleware = async (_context, next) => (await next()).with({ 'x-mark': '1' })
    const marked = createUntypedApp({ routes: { Home }, middleware: [marking] })
    const [one, two] = [await sendRequest(marked, '/none'), await sendRequest(app, '/none')]
    assert.notEqual(Object(one.body).requestId, Object(two.body).requestId)
    assert.deepEqual([one.headers.get('x-mark'), two.headers.get('x-mark')], ['1', null])
  })
})

describe('ROUTE_CONFLICT', () => {
  const other = (path: string) => Object.assign(class extends Home {}, { path })

  for (const [one, two] of [
    ['/a/{x}', '/a/{y}'],
    ['/a', '/a'],
    ['/a/{x...}', '/a/{y...}'],
    ['/a/{x}/b', '/a/{y}/b'],
  ] as const) {
    it(`names both routes of ${one} and ${two}`, () => {
      const routes = { One: other(one), Two: other(two) }
      assertSetupError(() => createUntypedApp({ routes }), 'ROUTE_CONFLICT', '"One"', '"Two"', `"${one}"`, `"${two}"`)
    })
  }

  it('rejects the same path in different sections', () => {
    const routes = { '/a': { Users }, b: { '/a': group({ routes: { Users: Home } }) } }
    assertSetupError(() => createUntypedApp({ routes }), 'ROUTE_CONFLICT', '/a/users')
  })

  it('accepts a literal segment next to a parameter', () => {
    assert.equal(createUntypedApp({ routes: { One: other('/a/{x}'), Two: other('/a/b') } }).routes().length, 2)
  })
})

describe('TEMPLATE_INVALID', () => {
  const BAD: readonly (readonly [path: string, ...says: string[]])[] = [
    ['users', 'does not start with "/"'],
    ['/users/:id', '"{id}"'],
    ['/users/*', '{rest...}'],
    ['/users/(\\d+)', 'regular expression'],
    ['/users//all', 'empty segment'],
    ['/users/', 'empty segment'],
    ['/{id}/{id}', '"id" is used twice'],
    ['/{rest...}/x', 'not the last segment'],
    ['', 'does not start with "/"'],
  ]
  for (const [path, ...says] of BAD) {
    it(`rejects "${path}" with a fix`, () => {
      class Wrong extends Home {}
      Object.defineProperty(Wrong, 'path', { value: path })
      assertSetupError(() => createUntypedApp({ routes: { Wrong } }), 'TEMPLATE_INVALID', '"Wrong"', ...says)
    })
  }

  it('rejects a prefix or mount that makes a template malformed', () => {
    class Wrong extends Home {
      static readonly prefix = 'orgs'
    }
    assertSetupError(() => createUntypedApp({ routes: { Wrong } }), 'TEMPLATE_INVALID', '"orgs/wrong"')
    assertSetupError(() => createUntypedApp({ routes: { '/v1/': { Home } } }), 'TEMPLATE_INVALID', '"/v1//home"')
    assertSetupError(() => createUntypedApp({ routes: { '/{id}': { '/{id}': { Home } } } }), 'TEMPLATE_INVALID', '"id"')
  })
})

describe('app.routes()', () => {
  it('describes all endpoints in the order of registration', () => {
    const routes = { '/v1': group({ tags: ['group'], routes: { Users } }), Home }
    const described = createUntypedApp({ routes }).routes()
    assert.deepEqual(
      described.map(({ contract, ...rest }) => ({ ...rest, summary: contract?.summary })),
      [
        {
          route: 'Users',
          verb: 'get',
          method: 'GET',
          path: '/v1/users',
          tags: ['group', 'class', 'contract'],
          version: undefined,
          summary: 'List',
        },
        {
          route: 'Users',
          verb: 'delete',
          method: 'DELETE',
          path: '/v1/users',
          tags: ['group', 'class'],
          version: undefined,
          summary: undefined,
        },
        { route: 'Home', verb: 'get', method: 'GET', path: '/home', tags: [], version: undefined, summary: undefined },
      ],
    )
  })

  it('returns copies', () => {
    const app = createUntypedApp({ routes: { Users } })
    for (const described of app.routes()) Object.assign(described, { path: '/x' }).tags.concat()
    const [first] = app.routes()
    assert.ok(Array.isArray(first?.tags))
    first.tags.push('mine')
    assert.deepEqual(
      app.routes().map(({ path, tags }) => [path, tags]),
      [
        ['/users', ['class', 'contract']],
        ['/users', ['class']],
      ],
    )
  })
})

describe('request id', () => {
  it('is in the problem, its header and the log, and ignores an untrusted x-request-id', async () => {
    const { logger, lines } = captureLog()
    class Fails extends Route {
      get() {
        throw new HttpError(500)
      }
    }
    const app = createUntypedApp({ routes: { Fails }, logger })
    const { headers, body } = await sendRequest(app, '/fails', { headers: { 'x-request-id': 'forged' } })
    const { requestId } = Object(body)
    assert.notEqual(requestId, 'forged')
    assert.deepEqual([headers.get('x-request-id'), lines[0]?.fields['requestId']], [requestId, requestId])
  })

  it('is missing in a successful response', async () => {
    const { headers } = await sendRequest(createUntypedApp({ routes: { Home } }), '/home')
    assert.equal(headers.get('x-request-id'), null)
  })

  it('is in the header of every response with requestId: { header: true }', async () => {
    const ids: string[] = []
    const seen: Middleware = async ({ request }, next) => {
      ids.push(request.id)
      return next()
    }
    class Cups extends Route {
      static readonly get = this.contract({ etag: true })
      get({ response }: Input) {
        response.header('x-request-id', 'mine')
        return 'blue'
      }
      async *put() {
        yield 'one'
      }
      post() {
        throw new HttpError(409)
      }
    }
    const options = {
      requestId: { header: true },
      trailingSlash: 'redirect',
      trustProxy: ['127.0.0.1'],
      signals: false,
    }
    const app = createUntypedApp({ routes: { Cups }, middleware: [seen], cors: { origins: '*' }, ...options })
    const { port } = await app.listen()
    const preflight = { origin: 'https://a.example', 'access-control-request-method': 'PUT' }
    const requests: readonly (readonly [number, Parameters<typeof askWire>[1]])[] = [
      [200, { target: '/cups' }],
      [200, { method: 'HEAD', target: '/cups' }],
      [304, { target: '/cups', headers: { 'if-none-match': '*' } }],
      [200, { method: 'PUT', target: '/cups' }],
      [409, { method: 'POST', target: '/cups' }],
      [405, { method: 'DELETE', target: '/cups' }],
      [204, { method: 'OPTIONS', target: '/cups' }],
      [308, { target: '/cups/' }],
      [404, { target: '/none' }],
      [400, { target: '/%zz' }],
      [200, { target: '/openapi.json' }],
    ]
    for (const [status, request] of requests) {
      const answer = await askWire(port, request)
      assert.deepEqual([answer.status, answer.headers.get('x-request-id')], [status, ids.at(-1)], request.target)
    }
    assert.equal(new Set(ids).size, requests.length)
    const answer = await askWire(port, { method: 'OPTIONS', target: '/cups', headers: preflight })
    assert.deepEqual([answer.status, answer.headers.get('x-request-id')?.length], [204, 12])
    const traced = await askWire(port, { target: '/cups', headers: { 'x-request-id': 'trace-7' } })
    assert.equal(traced.headers.get('x-request-id'), 'trace-7')
    await app.close()
  })

  it('is the same in middleware and handler', async () => {
    const seen = new Set<string>()
    const see: Middleware = async ({ request }, next) => {
      seen.add(request.id)
      await next()
      return reply(200)
    }
    class Fails extends Route {
      get({ request }: { request: { id: string } }) {
        seen.add(request.id)
        throw new Error('secret')
      }
    }
    await sendRequest(createUntypedApp({ routes: { Fails }, middleware: [see] }), '/fails')
    assert.equal(seen.size, 1)
  })
})
