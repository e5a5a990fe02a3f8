import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { group, health, HttpError, reply, Route, service, type Input, type Middleware, type Problem } from 'verbena'
import { version } from 'verbena/decorators'
import { sendRequest, json, captureLog, createUntypedApp } from '#test/apps.js'
import { describedSchema } from '#test/described-schemas.js'
import { Alive } from '#test/response-routes.js'
import { sendStrictly } from '#test/attack-rows.js'
import { formatGet, serving } from '#test/serving.js'
import * as z from 'zod'

const Failed = z.object({
  failed: z.object({ code: z.number(), text: z.string(), at: z.array(z.string()).optional() }),
})
const errorFormat = {
  mediaType: 'application/json',
  schema: Failed,
  write: ({ status, title, detail = title, errors }: Problem) => {
    const at = errors?.map((issue) => issue.in + issue.pointer)
    return { failed: at === undefined ? { code: status, text: detail } : { code: status, text: detail, at } }
  },
}

class Items extends Route {
  static readonly path = '/items/{rest...}'
  static readonly post = this.contract({ body: z.object({ size: z.number() }) })
  async get() {
    throw new Error('secret')
  }
  async post({ body }: Input<typeof Items.post>) {
    return body
  }
  async put() {
    throw new HttpError(409, 'Taken', { headers: { 'retry-after': '9' } })
  }
  async *delete() {
    yield* []
    throw new HttpError(410, 'Gone')
  }
}
const down = service(() => ({}), { check: () => Promise.reject(new Error('down')) })

function appWith(options: object = {}) {
  return createUntypedApp({ routes: { Items, ...health() }, services: { down }, errorFormat, ...options })
}

type Row = readonly [about: string, target: string, init: RequestInit, status: number, text: string, at?: string[]]

const ROWS: readonly Row[] = [
  ['404', '/none', {}, 404, 'No resource matches this path'],
  ['405', '/items/1', { method: 'PATCH' }, 405, 'This path only supports DELETE, GET, HEAD, OPTIONS, POST, PUT'],
  ['501', '/items/1', { method: 'PURGE' }, 501, 'This server does not support the request method'],
  ['414', `/${'a'.repeat(9000)}`, {}, 414, 'The request target is longer than 8192 characters'],
  ['415', '/items/1', { method: 'POST', body: 'a' }, 415, 'Send the body as application/json'],
  ['422', '/items/1', json({}), 422, 'The request does not follow its schema', ['body/size']],
  ['the 500 of an unexpected error', '/items/1', {}, 500, 'Internal Server Error'],
  ['an HttpError', '/items/1', { method: 'PUT' }, 409, 'Taken'],
  ['an HttpError of a generator', '/items/1', { method: 'DELETE' }, 410, 'Gone'],
]

describe('app option errorFormat', () => {
  for (const [about, target, init, code, text, at] of ROWS) {
    it(`formats ${about}`, async () => {
      const { status, headers, body } = await sendRequest(appWith(), target, init)
      assert.deepEqual([status, body], [code, { failed: { code, text, ...(at && { at }) } }])
      assert.equal(headers.get('content-type'), 'application/json')
      assert.notEqual(headers.get('x-request-id'), null)
    })
  }

  it('keeps the headers of the error', async () => {
    const { headers } = await sendRequest(appWith(), '/items/1', { method: 'PUT' })
    assert.equal(headers.get('retry-after'), '9')
  })

  it('formats prepared errors over a socket, on a persistent connection, and without a body for HEAD', async () => {
    for (const fastPath of [true, false]) {
      await serving(appWith({ routes: { Items, Alive }, fastPath }), async (port) => {
        const head = 'HEAD /none HTTP/1.1\r\nHost: a\r\n\r\n'
        const put = 'PUT /items/1 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n'
        const answers = await sendStrictly(port, formatGet('/none') + head + put)
        const text = JSON.stringify({ failed: { code: 404, text: 'No resource matches this path' } })
        assert.deepEqual(
          answers.map(({ status, body }) => [status, String(body)]),
          [
            [404, text],
            [404, ''],
            [409, JSON.stringify({ failed: { code: 409, text: 'Taken' } })],
          ],
        )
      })
    }
  })

  it('calls write for each error, even for prepared errors', async () => {
    let count = 0
    const write = () => ({ count: ++count })
    const app = appWith({ errorFormat: { schema: z.object({ count: z.number() }), write } })
    const bodies = [await sendRequest(app, '/none'), await sendRequest(app, '/none')].map(({ body }) => body)
    assert.deepEqual(bodies, [{ count: 1 }, { count: 2 }])
  })

  it('passes the request id and the extension members of an HttpError to write', async () => {
    class Seats extends Route {
      get(): never {
        throw new HttpError(409, 'Taken', { type: 'https://e.example/taken', seat: '12A' })
      }
    }
    const format = { schema: z.looseObject({}), write: (problem: Problem) => ({ ...problem }) }
    const { body, headers } = await sendRequest(createUntypedApp({ routes: { Seats }, errorFormat: format }), '/seats')
    const requestId = headers.get('x-request-id')
    const said = { type: 'https://e.example/taken', title: 'Conflict', status: 409, detail: 'Taken', seat: '12A' }
    assert.deepEqual(body, { ...said, requestId })
    assert.equal(headers.get('content-type'), 'application/problem+json')
  })

  it('validates and projects the formatted body like any response', async () => {
    const schema = z.object({ code: z.coerce.string() })
    const write = ({ status }: Problem) => ({ code: status, secret: 'x' })
    for (const validateResponses of [true, false]) {
      const { body } = await sendRequest(appWith({ errorFormat: { schema, write }, validateResponses }), '/none')
      assert.deepEqual(body, { code: validateResponses ? '404' : 404 })
    }
  })

  it('runs after mapError and before middleware receives the reply', async () => {
    const order: unknown[] = []
    const middleware: Middleware[] = [
      async (_context, next) => {
        const answer = await next()
        order.push(answer.body, answer.error instanceof HttpError && answer.error.status)
        return answer.with({ 'x-seen': '1' })
      },
    ]
    const mapError = (error: unknown) => {
      order.push('mapped')
      return error instanceof HttpError ? new HttpError(410, 'Gone') : undefined
    }
    const { status, headers } = await sendRequest(appWith({ middleware, mapError }), '/none')
    assert.deepEqual([status, headers.get('x-seen')], [410, '1'])
    assert.deepEqual(order, ['mapped', { failed: { code: 410, text: 'Gone' } }, 404])
  })

  it('formats errors thrown by middleware', async () => {
    const middleware: Middleware[] = [() => Promise.reject(new HttpError(429))]
    const { body } = await sendRequest(appWith({ middleware }), '/none')
    assert.deepEqual(body, { failed: { code: 429, text: 'Too Many Requests' } })
  })

  it('does not format errors of health routes, whose members an orchestrator needs', async () => {
    const { status, body } = await sendRequest(appWith(), '/readyz')
    const { requestId, ...problem } = Object(body)
    const title = 'Service Unavailable'
    const detail = 'The server is not ready'
    assert.deepEqual(
      [status, problem],
      [503, { type: 'about:blank', title, status: 503, detail, services: { down: 'not ready' } }],
    )
    assert.equal(typeof requestId, 'string')
  })

  it('does not format malformed requests and statuses of "returns"', async () => {
    await serving(appWith({ routes: { Items, Alive } }), async (port) => {
      const [answer] = await sendStrictly(port, 'nonsense\r\n\r\n')
      assert.deepEqual([answer?.status, answer?.headers.get('content-type')], [400, ['application/problem+json']])
    })
    class Own extends Route {
      static readonly get = this.contract({ returns: { 404: z.object({ own: z.boolean() }) } })
      async get() {
        return reply(404, { own: true })
      }
    }
    assert.deepEqual((await sendRequest(appWith({ routes: { Own } }), '/own')).body, { own: true })
  })
})

const validating = (validate: () => unknown) => ({ '~standard': { ...describedSchema({})['~standard'], validate } })
const later = validating(async () => ({ value: { late: true } }))
const laterBroken = validating(async () => ({ issues: [{ message: 'Wrong' }] }))
const laterFailing = validating(() => Promise.reject(new Error('later')))

const FAULTS: readonly (readonly [about: string, format: object, fault: RegExp])[] = [
  ['throws', { write: () => assert.fail('no writer') }, /no writer/],
  ['violates its schema', { write: () => ({ failed: { code: 'x' } }) }, /\/failed\/code/],
  ['returns a promise', { write: async () => ({}) }, /it is a promise/],
  ['returns undefined', { schema: describedSchema({}), write: () => undefined }, /JSON cannot represent/],
  ['returns a value that JSON cannot represent', { schema: describedSchema({}), write: () => ({ n: 7n }) }, /BigInt/],
  ['violates an asynchronous schema', { schema: laterBroken }, /Wrong/],
  ['has an asynchronous schema that rejects', { schema: laterFailing }, /later/],
]

describe('errorFormat failures', () => {
  for (const [about, format, fault] of FAULTS) {
    it(`sends the plain problem and logs the error if a format ${about}`, async () => {
      const { logger, lines } = captureLog()
      const app = appWith({ logger, errorFormat: { ...errorFormat, ...format } })
      for (const [target, init, code] of [
        ['/none', {}, 404],
        ['/items/1', { method: 'PUT' }, 409],
      ] as const) {
        const { status, headers, body } = await sendRequest(app, target, init)
        assert.deepEqual(
          [status, Object(body).status, Object(body).requestId],
          [code, code, headers.get('x-request-id')],
        )
        assert.equal(headers.get('content-type'), 'application/problem+json')
      }
      assert.deepEqual(
        lines.map(({ level, message }) => [level, message]),
        [
          ['error', 'The "errorFormat" function threw an error; problem details sent instead'],
          ['error', 'The "errorFormat" function threw an error; problem details sent instead'],
        ],
      )
      assert.match(String(lines[0]?.fields['err']), fault)
      assert.deepEqual(Object.keys(lines[0]?.fields ?? {}).toSorted(), ['err', 'method', 'path', 'requestId'])
    })
  }

  it('waits for an asynchronous schema, with and without middleware', async () => {
    const format = { ...errorFormat, schema: later }
    const throwing: Middleware = async (_context, next) => {
      await next()
      throw new HttpError(418)
    }
    for (const middleware of [[], [throwing]]) {
      const { status, body } = await sendRequest(appWith({ errorFormat: format, middleware }), '/items/1', {
        method: 'PUT',
      })
      assert.deepEqual([status, body], [middleware.length === 0 ? 409 : 418, { late: true }])
    }
  })

  it('sends the original problem if write changes it and throws', async () => {
    const write = (problem: Problem) => {
      Object.assign(problem, { status: 200, detail: 'altered' })
      throw new HttpError(418)
    }
    const { status, body } = await sendRequest(appWith({ errorFormat: { ...errorFormat, write } }), '/items/1', {
      method: 'PUT',
    })
    assert.deepEqual([status, Object(body).status, Object(body).detail], [409, 409, 'Taken'])
  })
})

const named = (name: string) => ({ schema: z.object({ by: z.string() }), write: () => ({ by: name }) })

class Here extends Route {
  static readonly path = '/here'
  get(): never {
    throw new HttpError(409)
  }
}
class There extends Route {
  static readonly path = '/there'
  get(): never {
    throw new HttpError(409)
  }
}
class Old extends Route {
  static readonly path = '/shared'
  @version('<2')
  async get() {}
}
class New extends Route {
  static readonly path = '/shared'
  @version('>=2')
  get(): never {
    throw new HttpError(409)
  }
}

const GROUPS = {
  Here,
  named: group({ errorFormat: named('name'), routes: { There, '/within': { Here } } }),
  '/v1': group({
    errorFormat: named('v1'),
    routes: {
      Here,
      '/admin': group({ errorFormat: named('admin'), routes: { Here } }),
      '/plain': { Here },
      inner: group({ errorFormat: named('inner'), routes: { There } }),
    },
  }),
  '/{org}': group({ errorFormat: named('org'), routes: { '/{team}': group({ routes: { Here } }) } }),
  one: group({ errorFormat: named('one'), routes: { Old } }),
  two: group({ errorFormat: named('two'), routes: { New } }),
}

const PLACES: readonly (readonly [target: string, status: number, by: string, init?: RequestInit])[] = [
  ['/here', 409, 'app'],
  ['/', 404, 'app'],
  ['/there', 409, 'name'],
  ['/there', 405, 'name', { method: 'PUT' }],
  ['/there', 501, 'name', { method: 'PURGE' }],
  ['/within/here', 409, 'name'],
  ['/within/none', 404, 'name'],
  ['/v1/here', 409, 'v1'],
  ['/v1', 404, 'v1'],
  ['/v1/', 404, 'v1'],
  ['/v1//here', 404, 'v1'],
  ['/v1/none', 404, 'v1'],
  ['/v1/none', 501, 'v1', { method: 'PURGE' }],
  [`/v1/${'a'.repeat(9000)}`, 414, 'v1'],
  ['/v1/%zz', 400, 'app'],
  ['/v1/plain/none', 404, 'v1'],
  ['/v1/admin/here', 409, 'admin'],
  ['/v1/admin/none', 404, 'admin'],
  ['/v1/admin', 404, 'admin'],
  ['/v1/administrator', 404, 'v1'],
  ['/v1/there', 409, 'inner'],
  ['/acme/none', 404, 'org'],
  ['/acme/blue/here', 409, 'org'],
  ['/shared', 409, 'two', { headers: { 'accept-version': '2.0.0' } }],
  ['/shared', 405, 'app', { method: 'PUT' }],
  ['/shared', 400, 'app', { headers: { 'accept-version': 'x' } }],
]

describe('group option errorFormat', () => {
  for (const [target, status, by, init] of PLACES) {
    it(`responds ${status} at ${target.slice(0, 30)} ${init?.method ?? ''} in the format of ${by}`, async () => {
      const app = createUntypedApp({ routes: GROUPS, errorFormat: named('app') })
      const answer = await sendRequest(app, target, init)
      assert.deepEqual([answer.status, answer.body], [status, { by }])
    })
  }

  it('sends problem details outside the group', async () => {
    const app = createUntypedApp({ routes: { Here, '/v1': group({ errorFormat: named('v1'), routes: { Here } }) } })
    for (const target of ['/here', '/none', '/openapi.json/none']) {
      assert.equal(Object(Object(await sendRequest(app, target)).body).type, 'about:blank')
    }
    assert.deepEqual((await sendRequest(app, '/v1/none')).body, { by: 'v1' })
  })

  it('applies the format of the group before the app is started', async () => {
    const failing = service(() => Promise.reject(new Error('no')))
    const app = createUntypedApp({
      routes: { '/v1': group({ errorFormat: named('v1'), routes: { Here } }) },
      services: { failing },
      signals: false,
    })
    const { createServer } = await import('node:http')
    const server = createServer(app.handler)
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
    const { port } = Object(server.address())
    const answers = ['/v1/here', '/here'].map((path) => fetch(`http://127.0.0.1:${port}${path}`))
    const [inside, outside] = await Promise.all(answers)
    assert.deepEqual([inside?.status, await inside?.json()], [503, { by: 'v1' }])
    assert.equal(Object(await outside?.json()).status, 503)
    server.close()
    await app.close()
  })
})
