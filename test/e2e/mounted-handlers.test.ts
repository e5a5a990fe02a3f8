/** Mounted handlers in an app: groups, guards, the document, findings and mistakes. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, it } from 'node:test'
import { mount } from 'verbena/mount'
import { testApp } from 'verbena/testing'
import { bearer, createApp, group, HttpError, provide, type Middleware } from 'verbena'
import { assertSetupError, createUntypedApp, echo, readEcho, sendRequest } from '#test/apps.js'
import { exchangeBytes, formatRequest } from '#test/wire.js'

describe('mount() in an app', () => {
  const trace: string[] = []
  const tracing: Middleware = async (_context, next) => {
    trace.push('in')
    const answer = await next()
    trace.push('out')
    return answer.with({ 'x-traced': '1' })
  }
  const name = provide({ errors: [401] }, ({ request }) => {
    const given = request.headers['x-user']
    if (given === undefined) throw new HttpError(401)
    return given
  })

  it('runs middleware, guards and headers of its group', async () => {
    const app = createApp({
      routes: {
        '/in': group({
          middleware: [tracing],
          uses: { name },
          cors: { origins: ['https://a.example'] },
          securityHeaders: {},
          routes: { '/api': mount(echo) },
        }),
      },
      logger: false,
    })
    const rejected = await sendRequest(app, '/in/api')
    assert.deepEqual([rejected.status, trace.splice(0)], [401, ['in', 'out']])
    const headers = { 'x-user': 'ada', origin: 'https://a.example' }
    const answer = await sendRequest(app, '/in/api', { headers })
    assert.deepEqual(
      [answer.status, answer.headers.get('x-traced'), answer.headers.get('access-control-allow-origin')],
      [200, '1', 'https://a.example'],
    )
    assert.notEqual(answer.headers.get('strict-transport-security') ?? answer.headers.get('x-frame-options'), null)
  })

  it('passes values of providers to the handler', async () => {
    const handler = (request: Request, input: { readonly name: string }): Response =>
      new Response(`${input.name} ${new URL(request.url).pathname}`)
    const app = createApp({ routes: { '/api': mount(handler, { uses: { name } }) }, logger: false })
    assert.equal((await sendRequest(app, '/api/x')).status, 401)
    assert.equal((await sendRequest(app, '/api/x', { headers: { 'x-user': 'ada' } })).text, 'ada /api/x')
  })

  it('leaves preflights to the handler, unless its group has cors', async () => {
    const handler = ({ method }: Request): Response =>
      new Response(null, { status: 204, headers: { 'access-control-allow-origin': `own ${method}` } })
    const preflight = {
      method: 'OPTIONS',
      headers: { origin: 'https://a.example', 'access-control-request-method': 'PUT' },
    }
    const app = createApp({ routes: { '/api': mount(handler) }, logger: false })
    assert.equal(
      (await sendRequest(app, '/api/x', preflight)).headers.get('access-control-allow-origin'),
      'own OPTIONS',
    )
  })

  it('responds to preflights itself if its group has cors, before guards', async () => {
    const cors = { origins: ['https://a.example'] }
    const routes = { '/api': mount(echo, { uses: { name } }) }
    const app = createApp({ routes: { '/in': group({ cors, uses: { name }, routes }) }, logger: false })
    const headers = { origin: 'https://a.example', 'access-control-request-method': 'PUT' }
    const preflight = await sendRequest(app, '/in/api/x', { method: 'OPTIONS', headers })
    assert.deepEqual(
      ['access-control-allow-origin', 'access-control-allow-methods', 'allow'].map((key) => preflight.headers.get(key)),
      ['https://a.example', 'DELETE, GET, HEAD, OPTIONS, PATCH, POST, PUT, QUERY', null],
    )
    assert.equal(preflight.status, 204)
    // Other OPTIONS requests belong to the handler.
    const { status } = await sendRequest(app, '/in/api/x', { method: 'OPTIONS' })
    assert.equal(status, 401)
    const known = { method: 'OPTIONS', headers: { 'x-user': 'ada' } }
    assert.equal((await readEcho(app, '/in/api/x', known)).method, 'OPTIONS')
  })

  it('is in routes(), not in the document except by its path, and without findings', async () => {
    const app = createApp({
      routes: { '/api/auth': mount(echo, { tags: ['auth'] }), '/a': { '/graphql': mount(echo) } },
      logger: false,
    })
    const [first] = app.routes()
    assert.deepEqual(
      [first?.route, first?.verb, first?.method, first?.path, first?.tags],
      ['/api/auth', 'all', '*', '/api/auth/{path...}', ['auth']],
    )
    assert.equal(app.routes().length, 2)
    const document = app.openapi()
    assert.deepEqual([document['x-mounted'], document.paths], [['/a/graphql', '/api/auth'], {}])
    assert.deepEqual(app.check(), [])
    assert.equal('x-mounted' in createApp({ routes: {}, logger: false }).openapi(), false)
  })

  it('is reported as open if other endpoints have guards', () => {
    const guarded = bearer(() => 'ada')
    const routes = (isPublic: boolean) => ({
      '/in': group({ uses: { guarded }, routes: { '/api': mount(echo) } }),
      '/open': mount(echo, { public: isPublic }),
    })
    const found = createApp({ routes: routes(false), logger: false, openapi: false }).check()
    assert.deepEqual(
      found.map(({ code, message }) => [code, message]),
      [['MUTATION_OPEN', '"* /open/{path...}" has no guard, but other endpoints do']],
    )
    assert.deepEqual(createApp({ routes: routes(true), logger: false, openapi: false }).check(), [])
  })

  it('works in testApp()', async () => {
    await using app = await testApp(createApp({ routes: { '/api': mount(echo, { uses: { name } }) }, logger: false }))
    const response = await app.fetch('/api/x', { headers: { 'x-user': 'ada' } })
    assert.equal(response.status, 200)
  })

  it('ignores versions', async () => {
    const app = createApp({ routes: { '/api': mount(echo) }, versioning: { require: true }, logger: false })
    assert.equal((await readEcho(app, '/api')).method, 'GET')
  })

  it('is passed on by app.handler only if no handler has the path', async () => {
    const app = createApp({ routes: { '/api': mount(() => new Response('mine')) }, logger: false })
    const server = createServer((request, response) => app.handler(request, response, () => response.end('other')))
    await once(server.listen(0, '127.0.0.1'), 'listening')
    const { port } = Object(server.address())
    for (const [target, text] of [
      ['/api/x/', 'mine'],
      ['/apis', 'other'],
    ] as const)
      assert.ok((await exchangeBytes(port, formatRequest(`GET ${target}`))).includes(text), target)
    await app.close()
    server.close()
  })
})

describe('mount(): mistakes', () => {
  // Proof: only the types reject these arguments.
  const loose = mount as (handler: unknown, options?: unknown) => ReturnType<typeof mount>

  it('rejects handlers other than functions of the Fetch standard', () => {
    assertSetupError(() => loose({ handler: echo }), 'OPTION_INVALID', 'it must be a function', 'auth.handler(request)')
    assertSetupError(
      () => loose((_request: unknown, _response: unknown) => {}),
      'OPTION_INVALID',
      'it has 2 parameters',
      'app.listen({ otherwise })',
    )
    assertSetupError(
      () => loose((_1: unknown, _2: unknown, _3: unknown) => {}, { uses: {} }),
      'OPTION_INVALID',
      'it has 3 parameters',
    )
    assertSetupError(() => loose(echo, { limits: 1 }), 'OPTION_INVALID', 'limit')
    assertSetupError(() => loose(echo, { types: ['json'] }), 'OPTION_INVALID', 'types')
  })

  it('rejects keys other than paths of literal segments', () => {
    const app = (routes: object) => () => createUntypedApp({ routes })
    assertSetupError(app({ auth: mount(echo) }), 'ROUTE_INVALID', `Write "'/auth': mount(…)"`)
    assertSetupError(app({ '/t/{id}': mount(echo) }), 'ROUTE_INVALID', '"/t/{id}" of a mounted handler has parameters')
    assertSetupError(app({ '/t/{id}': { '/api': mount(echo) } }), 'ROUTE_INVALID', 'has parameters')
    assertSetupError(app([mount(echo)]), 'ROUTE_INVALID', 'routes[0]')
  })

  it('rejects two handlers at one path, and guards that read the body', () => {
    const twice = { '/a': { '/b': mount(echo) }, '/a/b': mount(echo) }
    assertSetupError(() => createUntypedApp({ routes: twice }), 'ROUTE_CONFLICT', 'Cannot mount a handler at "/a/b"')
    const raw = provide({ rawBody: true }, () => 1)
    const routes = { '/a': mount(echo, { uses: { raw } }) }
    assertSetupError(() => createUntypedApp({ routes }), 'USES_INVALID', 'gets the body as a stream')
  })
})
