import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, provide, reply, Route, type CookieOptions, type Input, type Middleware } from 'verbena'
import { sendRequest, json, captureLog, createGate, createUntypedApp } from '#test/apps.js'
import * as z from 'zod'

type Raw = Input & { readonly headers?: unknown; readonly cookies?: unknown }

/** An app with one route, whose methods call the given function. */
function appOf(method: (input: Raw) => unknown, options: object = {}) {
  class Probe extends Route {
    static readonly path = '/probe/{id}'
    get(input: Raw) {
      return method(input)
    }
    post(input: Raw) {
      return method(input)
    }
  }
  return createUntypedApp({ routes: { Probe }, ...options })
}

const isSame = (read: () => unknown): boolean => Object.is(read(), read())

describe('input of a handler', () => {
  it('contains params, raw query and body without a contract', async () => {
    const app = appOf(({ params, query, body }) => ({ params, query, body }))
    const { body } = await sendRequest(app, '/probe/a%20b?x=1&x=2&y=%C3%A9', json([1]))
    assert.deepEqual(body, { params: { id: 'a b' }, query: { x: ['1', '2'], y: 'é' }, body: [1] })
  })

  it('contains no headers and cookies without a contract', async () => {
    const app = appOf(({ headers, cookies }) => [headers === undefined, cookies === undefined])
    assert.deepEqual((await sendRequest(app, '/probe/1', { headers: { cookie: 'a=1' } })).body, [true, true])
  })

  it('contains objects without a prototype for keys of the client', async () => {
    const app = appOf(({ params, query, request }) =>
      [params, query, request.headers].map(
        (record) => Object.getPrototypeOf(record) === null || !('constructor' in record),
      ),
    )
    assert.deepEqual((await sendRequest(app, '/probe/1?__proto__=1')).body, [true, true, true])
  })
})

describe('request', () => {
  it('returns method, url, path and ip of the request', async () => {
    const app = appOf(({ request: { method, url, path, ip } }) => ({ method, url, path, ip }))
    const { body } = await sendRequest(app, '/probe/a%2fb?x=%C3%A9')
    assert.deepEqual(body, { method: 'GET', url: '/probe/a%2fb?x=%C3%A9', path: '/probe/a%2Fb', ip: '' })
  })

  it('returns headers by lower-case name, and caches them', async () => {
    const app = appOf(({ request }) => [request.headers['x-a'], isSame(() => request.headers)])
    assert.deepEqual((await sendRequest(app, '/probe/1', { headers: { 'X-A': '1' } })).body, ['1', true])
  })

  it('has a unique id, also in the log and in responses', async () => {
    const { logger, lines } = captureLog()
    const app = appOf(
      ({ request, log }) => {
        log.info({ a: 1 }, 'seen')
        return request.id
      },
      { logger },
    )
    const [one, two] = [await sendRequest(app, '/probe/1'), await sendRequest(app, '/probe/1')]
    assert.notEqual(one.text, two.text)
    assert.deepEqual(
      lines.map(({ fields }) => fields['requestId']),
      [one.text, two.text],
    )
  })

  it('returns the same views on each read', async () => {
    const app = appOf((input) => [
      isSame(() => input.request),
      isSame(() => input.response),
      isSame(() => input.signal),
      isSame(() => input.log),
    ])
    assert.deepEqual((await sendRequest(app, '/probe/1')).body, [true, true, true, true])
  })

  it('does not share headers with other requests', async () => {
    const app = appOf(({ params, response }) => {
      response.header('x-id', String(Object(params)['id']))
      return 'done'
    })
    const answers = await Promise.all(['1', '2', '3'].map((id) => sendRequest(app, `/probe/${id}`)))
    assert.deepEqual(
      answers.map(({ headers }) => headers.get('x-id')),
      ['1', '2', '3'],
    )
  })
})

type Call = readonly [method: 'header' | 'append', name: string, value: string | null]

const HEADERS: readonly (readonly [about: string, calls: readonly Call[], name: string, value: string | null])[] = [
  ['sets a header', [['header', 'X-A', '1']], 'x-a', '1'],
  [
    'replaces a header',
    [
      ['header', 'x-a', '1'],
      ['header', 'X-A', '2'],
    ],
    'x-a',
    '2',
  ],
  [
    'removes a header',
    [
      ['header', 'x-a', '1'],
      ['header', 'x-a', null],
    ],
    'x-a',
    null,
  ],
  [
    'replaces a list',
    [
      ['header', 'vary', 'a'],
      ['header', 'vary', 'b'],
    ],
    'vary',
    'b',
  ],
  [
    'appends a value',
    [
      ['append', 'x-a', '1'],
      ['append', 'x-a', '2'],
    ],
    'x-a',
    '1, 2',
  ],
  [
    'merges lists in Vary',
    [
      ['append', 'Vary', 'a'],
      ['append', 'vary', 'A, b'],
    ],
    'vary',
    'a, b',
  ],
  ['sets a media type', [['header', 'Content-Type', 'text/csv']], 'content-type', 'text/csv'],
]

describe('response.header() and append()', () => {
  for (const [about, calls, name, value] of HEADERS) {
    it(about, async () => {
      const app = appOf(({ response }) => {
        for (const [method, field, text] of calls) {
          if (method === 'header') response.header(field, text)
          else response.append(field, text ?? '')
        }
        return 'text'
      })
      const { status, headers } = await sendRequest(app, '/probe/1')
      assert.deepEqual([status, headers.get(name)], [200, value])
    })
  }

  for (const [name, value] of [
    ['x-a', 'a\nb'],
    ['x\r\n', 'a'],
    ['x-a', '✓'],
  ] as const) {
    it(`responds 500 to the invalid header ${JSON.stringify([name, value])}`, async () => {
      for (const method of ['header', 'append'] as const) {
        const { logger, lines } = captureLog()
        const app = appOf(({ response }) => response[method](name, value), { logger })
        assert.equal((await sendRequest(app, '/probe/1')).status, 500)
        assert.match(String(lines[0]?.fields['err']), /Cannot set header/)
      }
    })
  }
})

const COOKIES: readonly (readonly [set: readonly [string, string | null, CookieOptions?], written: string])[] = [
  [['a', '1'], 'a=1; Path=/; SameSite=Lax; Secure; HttpOnly'],
  [['a', 'ü;'], 'a=%C3%BC%3B; Path=/; SameSite=Lax; Secure; HttpOnly'],
  [['a', null], 'a=; Path=/; Max-Age=0; SameSite=Lax; Secure; HttpOnly'],
  [['a', '1', { secure: false, httpOnly: false, maxAge: 9 }], 'a=1; Path=/; Max-Age=9; SameSite=Lax'],
]

describe('response.cookie()', () => {
  for (const [set, written] of COOKIES) {
    it(`sends "${written}"`, async () => {
      const app = appOf(({ response }) => response.cookie(...set))
      assert.deepEqual((await sendRequest(app, '/probe/1')).headers.getSetCookie(), [written])
    })
  }

  it('sends each cookie in a separate header line', async () => {
    const app = appOf(({ response }) => {
      response.cookie('a', '1', { httpOnly: false, secure: false })
      response.cookie('b', '2', { httpOnly: false, secure: false })
    })
    const cookies = (await sendRequest(app, '/probe/1')).headers.getSetCookie()
    assert.deepEqual(cookies, ['a=1; Path=/; SameSite=Lax', 'b=2; Path=/; SameSite=Lax'])
  })

  it('sends the last cookie with a name, from response or reply', async () => {
    const plain = { httpOnly: false, secure: false }
    const app = appOf(({ response }) => {
      response.cookie('a', '1', plain)
      response.append('set-cookie', 'b=1; Path=/')
      response.cookie('a', '2', plain)
      return reply(200, 'text', { 'set-cookie': 'b=2; Path=/' })
    })
    const cookies = (await sendRequest(app, '/probe/1')).headers.getSetCookie()
    assert.deepEqual(cookies, ['a=2; Path=/; SameSite=Lax', 'b=2; Path=/'])
  })

  it('responds 500 to a cookie that browsers would ignore', async () => {
    const { logger, lines } = captureLog()
    const app = appOf(({ response }) => response.cookie('a', 'x'.repeat(5000)), { logger })
    const { status, headers } = await sendRequest(app, '/probe/1')
    assert.deepEqual([status, headers.getSetCookie()], [500, []])
    assert.match(String(lines[0]?.fields['err']), /^TypeError: Cannot set cookie "a": it has 50\d\d bytes/)
  })

  it('responds 500 to a cookie name that is not a token', async () => {
    const app = appOf(({ response }) => response.cookie('a b', '1'))
    assert.equal((await sendRequest(app, '/probe/1')).status, 500)
  })
})

describe('signal', () => {
  it('is aborted with an AbortError when the client disconnects', async () => {
    const [begun, stopped] = [createGate(), createGate<unknown>()]
    const app = appOf(async ({ signal }) => {
      signal.addEventListener('abort', () => stopped.open(signal.reason))
      begun.open()
      await stopped.opened
    })
    const client = new AbortController()
    const answer = app.fetch(new Request('http://localhost/probe/1', { signal: client.signal }))
    await begun.opened
    client.abort()
    const reason = await stopped.opened
    assert.ok(reason instanceof DOMException)
    assert.deepEqual([reason.name, reason.message], ['AbortError', 'The client disconnected'])
    await answer
  })

  it('is aborted if it is first read after the client disconnected', async () => {
    const client = new AbortController()
    const app = appOf((input) => {
      client.abort()
      return input.signal.aborted
    })
    const answer = await app.fetch(new Request('http://localhost/probe/1', { signal: client.signal }))
    assert.equal(await answer.text(), 'true')
  })

  it('is not aborted while the client is connected', async () => {
    assert.equal(
      (
        await sendRequest(
          appOf(({ signal }) => signal.aborted),
          '/probe/1',
        )
      ).text,
      'false',
    )
  })
})

/** Names of the properties of an object and of its classes. */
function propertyNames(value: object): string[] {
  const names = new Set<string>()
  for (let each: object = value; each !== Object.prototype; each = Object.getPrototypeOf(each)) {
    for (const name of Object.getOwnPropertyNames(each)) names.add(name)
  }
  names.delete('constructor')
  return [...names].toSorted()
}

describe('RequestContext and ContextView', () => {
  const VIEW = ['endpoint', 'log', 'request', 'response', 'signal']
  const INPUT = ['body', 'cookies', 'headers', 'log', 'params', 'query', 'rawBody', 'request', 'response', 'signal']

  it('shows the body and the values of providers only to handlers and providers with needs', async () => {
    const seen: Record<string, string[]> = {}
    const watch = (name: string) => (context: object) => {
      seen[name] = propertyNames(context)
      return name
    }
    const query = z.object({ page: z.string().optional() })
    const guard = provide({ guard: true }, watch('guard'))
    const pagedGuard = provide({ guard: true, query }, watch('guard with needs'))
    const plain = provide({}, watch('provider'))
    const user = provide({ uses: { plain } }, watch('provider with needs'))
    const middleware: Middleware = async (context, next) => {
      watch('middleware before next()')(context)
      const inner = await next()
      watch('middleware after next()')(context)
      return inner
    }
    class Probe extends Route {
      static readonly post = this.contract({ uses: { guard, pagedGuard, plain, user }, body: z.object({}) })
      post(input: Input<typeof Probe.post>) {
        watch('handler')(input)
        throw new HttpError(409)
      }
    }
    const mapError = (_error: unknown, context: object): undefined => void watch('mapError')(context)
    const { status } = await sendRequest(
      createUntypedApp({ routes: { Probe }, middleware: [middleware], mapError }),
      '/probe',
      json({}),
    )
    assert.equal(status, 409)
    assert.deepEqual(seen, {
      'middleware before next()': VIEW,
      guard: VIEW,
      'guard with needs': INPUT,
      provider: VIEW,
      'provider with needs': [...INPUT, 'plain'].toSorted(),
      handler: [...INPUT, 'guard', 'pagedGuard', 'plain', 'user'].toSorted(),
      mapError: VIEW,
      'middleware after next()': VIEW,
    })
  })
})
