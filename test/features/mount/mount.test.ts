/** Handlers of other libraries below a path: their requests, and their responses. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { files } from 'verbena/files'
import { mount } from 'verbena/mount'
import { createApp, HttpError, Route } from 'verbena'
import { captureLog, createGate, echo, readEcho, sendRequest, type EchoApp } from '#test/apps.js'
import { Client, exchangeBytes, formatRequest } from '#test/wire.js'

async function askSocket(app: EchoApp, bytes: string): Promise<string> {
  await using own = app
  const { port } = await own.listen()
  return await exchangeBytes(port, bytes)
}

class Users extends Route {
  static readonly path = '/api/auth/users'
  get() {
    return 'users'
  }
}

describe('mount(): paths', () => {
  const app = createApp({ routes: { '/api/auth': mount(echo), Users }, logger: false })

  for (const target of [
    '/api/auth',
    '/api/auth/',
    '/api/auth?a=1&a=%20&b',
    '/api/auth/sign-in/email',
    '/api/auth/callback/a%2fb/%E2%9C%93',
    '/api/auth//empty/segment//',
    '/api/auth/users/7',
    '/api/auth/users/',
  ]) {
    it(`passes ${target} unchanged`, async () => {
      assert.equal((await readEcho(app, target)).url, `http://localhost${target}`)
    })
  }

  it('prefers a class, and leaves other paths to the app', async () => {
    assert.equal((await sendRequest(app, '/api/auth/users')).text, 'users')
    assert.equal((await sendRequest(app, '/api/auth/users', { method: 'POST' })).status, 405)
    for (const target of ['/api/authors', '/api', '/API/auth', '/%61pi/auth'])
      assert.equal((await sendRequest(app, target)).status, 404, target)
  })

  it('has no path in which a literal of the app is spelled differently, because a guard of that path would not run', async () => {
    const say = (text: string) => mount(() => new Response(text))
    const app = createApp({ routes: { '/': say('root'), '/admin': say('admin'), Users }, logger: false })
    const status = async (target: string) => (await sendRequest(app, target)).status
    for (const target of ['/%61dmin', '/%61dmin/x', '/adm%69n/', '/api/auth/%75sers', '/api/%61uth/users'])
      assert.equal(await status(target), 404, target)
    for (const target of ['/%61bc', '/admin/%61', '/x%20y', '/api/auth/users/%75'])
      assert.equal(await status(target), 200, target)
  })

  it('rejects paths that could mean another path to the handler', async () => {
    for (const target of ['/api/auth/../x', '/api/auth/%2e%2E/x', '/api/auth/a\\b', '/api/auth/%zz', '/api/auth/%00']) {
      assert.match(
        await askSocket(
          createApp({ routes: { '/api/auth': mount(echo) }, logger: false }),
          formatRequest(`GET ${target}`),
        ),
        /^HTTP\/1\.1 400 /,
        target,
      )
    }
  })

  it('finds the innermost handler, and handlers before fallbacks of shorter paths', async () => {
    const say = (text: string) => mount(() => new Response(text))
    const nested = createApp({
      routes: {
        '/': say('root'),
        '/a': { '/': say('a'), '/b': say('b') },
        '/docs': files('docs/guides'),
        '/docs/api': say('api'),
      },
      logger: false,
    })
    const text = async (target: string, init?: RequestInit) => (await sendRequest(nested, target, init)).text
    assert.deepEqual(
      [await text('/'), await text('/x'), await text('/a'), await text('/a/c'), await text('/a/b/c')],
      ['root', 'root', 'a', 'a', 'b'],
    )
    assert.match(await text('/docs/files.md'), /^# /)
    assert.equal(await text('/docs/api/files.md'), 'api')
    assert.equal(await text('/docs/files.md', { method: 'POST' }), 'root')
  })

  it('follows the final slash that classes have', async () => {
    for (const trailingSlash of ['ignore', 'redirect', 'strict'] as const) {
      const own = createApp({ routes: { '/api/auth': mount(echo), Users }, trailingSlash, logger: false })
      assert.equal((await readEcho(own, '/api/auth/x/')).url, 'http://localhost/api/auth/x/')
      const { status } = await sendRequest(own, '/api/auth/users/')
      assert.equal(status, trailingSlash === 'redirect' ? 308 : 200)
    }
  })
})

describe('mount(): requests', () => {
  it('passes every method, with OPTIONS and methods that routes do not have', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'PURGE', 'QUERY']) {
      const app = createApp({ routes: { '/dav': mount(echo) }, logger: false })
      assert.equal((await readEcho(app, '/dav/x', { method })).method, method)
    }
  })

  it('passes methods over a socket, and HEAD as sent', async () => {
    const methods: string[] = []
    const handler = (request: Request): Response => {
      methods.push(request.method)
      return new Response('seven b', { headers: { 'x-method': request.method } })
    }
    for (const method of ['PROPFIND', 'OPTIONS', 'HEAD']) {
      const app = createApp({ routes: { '/dav': mount(handler) }, logger: false })
      const answer = await askSocket(app, formatRequest(`${method} /dav`))
      assert.match(answer, new RegExp(`^HTTP/1\\.1 200 OK\r\n[^]*x-method: ${method}\r\n`))
      assert.equal(answer.includes('seven b'), method !== 'HEAD')
    }
    assert.deepEqual(methods, ['PROPFIND', 'OPTIONS', 'HEAD'])
  })

  it('responds 501 to methods that a web Request cannot have', async () => {
    const app = createApp({ routes: { '/dav': mount(echo) }, logger: false })
    assert.match(await askSocket(app, formatRequest('TRACE /dav')), /^HTTP\/1\.1 501 /)
  })

  it('passes headers, and a body as a stream', async () => {
    const app = createApp({ routes: { '/api': mount(echo) }, logger: false })
    const init = { method: 'POST', body: '{"a":1}', headers: { 'content-type': 'application/json', 'x-a': '1, 2' } }
    const { text, headers, hasBody } = await readEcho(app, '/api', init)
    assert.deepEqual(
      [text, hasBody, headers['x-a'], headers['content-type']],
      ['{"a":1}', true, '1, 2', 'application/json'],
    )
    assert.equal((await readEcho(app, '/api', { method: 'POST' })).hasBody, false)
    assert.equal((await readEcho(app, '/api')).hasBody, false)
  })

  it('passes a body before it is complete, and without Content-Type', async () => {
    const handler = async (request: Request): Promise<Response> => {
      const reader = request.body?.getReader()
      const { value } = (await reader?.read()) ?? {}
      return new Response(`began with ${Buffer.from(value ?? []).toString()}`)
    }
    await using app = createApp({ routes: { '/api': mount(handler) }, logger: false })
    const { port } = await app.listen()
    const client = new Client(port)
    client.write('POST /api HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')
    await client.until('began with half')
    client.socket.destroy()
  })

  it('omits the body of GET, and reads the next request of the connection', async () => {
    const app = createApp({ routes: { '/api': mount(echo) }, logger: false })
    const first = formatRequest('GET /api', { 'Content-Length': '3', Connection: 'keep-alive' }, 'abc')
    const answers = await askSocket(app, first + formatRequest('GET /api/second'))
    assert.match(answers, /"hasBody":false[^]*HTTP\/1\.1 200 OK[^]*\/api\/second/)
  })

  it('has the public URL of trusted proxies, and of a server that mounts the app', async () => {
    const headers = { host: 'internal:3000', 'x-forwarded-host': 'shop.example', 'x-forwarded-proto': 'https' }
    const trusting = createApp({ routes: { '/api': mount(echo) }, trustProxy: ['127.0.0.1'], logger: false })
    const { host: Host, ...forwarded } = headers
    assert.match(
      await askSocket(trusting, formatRequest('GET /api/x?a', { Host, ...forwarded })),
      /"https:\/\/shop\.example\/api\/x\?a"/,
    )
    const plain = createApp({ routes: { '/api': mount(echo) }, logger: false })
    assert.match(
      await askSocket(plain, formatRequest('GET /api/x', { Host, ...forwarded })),
      /"http:\/\/internal:3000\/api\/x"/,
    )
  })

  it('has a URL without a host, and of a target with a host', async () => {
    const bare = createApp({ routes: { '/api': mount(echo) }, logger: false })
    assert.match(await askSocket(bare, 'GET /api/x HTTP/1.0\r\n\r\n'), /"http:\/\/localhost\/api\/x"/)
    const absolute = createApp({ routes: { '/api': mount(echo) }, logger: false })
    assert.match(
      await askSocket(absolute, formatRequest('GET http://localhost/api/x?a=1')),
      /"http:\/\/localhost\/api\/x\?a=1"/,
    )
    const short = createApp({ routes: { '/api': mount(echo) }, logger: false })
    assert.match(await askSocket(short, formatRequest('GET http://localhost/api/x')), /"http:\/\/localhost\/api\/x"/)
  })

  it('aborts signal when the client leaves', async () => {
    const [begun, gone] = [createGate(), createGate()]
    const handler = async ({ signal }: Request): Promise<Response> => {
      begun.open()
      await once(signal, 'abort')
      gone.open()
      return new Response()
    }
    await using app = createApp({ routes: { '/api': mount(handler) }, logger: false })
    const { port } = await app.listen()
    const client = new Client(port).write(formatRequest('GET /api'))
    await begun.opened
    client.socket.destroy()
    await gone.opened
  })
})

describe('mount(): limits of the body', () => {
  const catching = async (request: Request): Promise<Response> =>
    new Response(await request.text().catch(() => 'caught'), { status: 200 })

  it('responds 413 to a large body, also if the handler catches the error', async () => {
    for (const handler of [catching, echo]) {
      const app = createApp({ routes: { '/api': mount(handler, { limit: 4 }) }, logger: false })
      assert.equal((await sendRequest(app, '/api', { method: 'POST', body: '1234' })).status, 200)
      assert.equal((await sendRequest(app, '/api', { method: 'POST', body: '12345' })).status, 413)
      const chunked =
        'POST /api HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n12345\r\n0\r\n\r\n'
      assert.match(
        await askSocket(createApp({ routes: { '/api': mount(handler, { limit: 4 }) }, logger: false }), chunked),
        /^HTTP\/1\.1 413 /,
      )
    }
  })

  it('uses the limit of the app by default', async () => {
    const app = createApp({ routes: { '/api': mount(echo) }, limits: { body: 4 }, logger: false })
    assert.equal((await sendRequest(app, '/api', { method: 'POST', body: '12345' })).status, 413)
  })

  it('responds 415 to another type', async () => {
    const app = createApp({ routes: { '/api': mount(echo, { types: ['application/json', 'text/*'] }) }, logger: false })
    const status = async (type: string) =>
      (await sendRequest(app, '/api', { method: 'POST', body: '1', headers: { 'content-type': type } })).status
    assert.equal(await status('application/json; charset=latin1'), 200)
    assert.equal(await status('TEXT/plain'), 200)
    assert.equal(await status('application/xml'), 415)
    const untyped = await sendRequest(app, '/api', { method: 'POST', body: new Uint8Array([1]) })
    assert.deepEqual([untyped.status, untyped.headers.get('accept')], [415, 'application/json, text/*'])
  })

  it('passes encoded bodies', async () => {
    const app = createApp({ routes: { '/api': mount(echo) }, logger: false })
    const { headers } = await readEcho(app, '/api', {
      method: 'POST',
      body: 'x',
      headers: { 'content-encoding': 'gzip' },
    })
    assert.equal(headers['content-encoding'], 'gzip')
  })

  it('sends a 100 when the handler reads the body', async () => {
    await using app = createApp({
      routes: { '/api': mount(echo), '/deaf': mount(() => new Response('no')) },
      logger: false,
    })
    const { port } = await app.listen()
    const head = (path: string) => formatRequest(`POST ${path}`, { Expect: '100-continue', 'Content-Length': '2' })
    const client = new Client(port).write(head('/api'))
    await client.until('HTTP/1.1 100 Continue\r\n\r\n')
    client.write('ab')
    await client.until('"text":"ab"')
    assert.match(await exchangeBytes(port, head('/deaf')), /^HTTP\/1\.1 200 OK\r\n/)
  })
})

describe('mount(): responses', () => {
  it('sends status, cookies and Vary as the handler returns them', async () => {
    const handler = (): Response => {
      const headers = new Headers({ vary: 'accept', location: '/there' })
      headers.append('set-cookie', 'a=1; Path=/')
      headers.append('set-cookie', 'b=2')
      return new Response(null, { status: 307, headers })
    }
    const app = createApp({
      routes: { '/api': mount(handler) },
      cors: { origins: ['https://a.example'] },
      logger: false,
    })
    const answer = await sendRequest(app, '/api/x')
    assert.deepEqual([answer.status, answer.headers.get('location')], [307, '/there'])
    assert.deepEqual(answer.headers.getSetCookie(), ['a=1; Path=/', 'b=2'])
    assert.equal(answer.headers.get('vary'), 'accept, origin')
  })

  it('turns an error into a problem', async () => {
    const { logger, lines } = captureLog()
    const handler = (request: Request): Response => {
      if (request.url.endsWith('teapot')) throw new HttpError(418, 'short and stout')
      throw new Error('inner')
    }
    const app = createApp({ routes: { '/api': mount(handler) }, logger })
    const known = await sendRequest(app, '/api/teapot')
    assert.deepEqual([known.status, known.headers.get('content-type')], [418, 'application/problem+json'])
    const unknown = await sendRequest(app, '/api/x')
    assert.equal(unknown.status, 500)
    assert.doesNotMatch(unknown.text, /inner/)
    assert.match(String(lines[0]?.fields['err']), /inner/)
  })

  it('is a 500 without a web response, which names the handler', async () => {
    const { logger, lines } = captureLog()
    for (const value of [undefined, null, { ok: true }, 'text']) {
      const make: unknown = () => value
      // Proof: only the types require a web response.
      const app = createApp({ routes: { '/api': mount(make as () => Response) }, logger })
      assert.equal((await sendRequest(app, '/api')).status, 500)
    }
    assert.match(
      String(lines[0]?.fields['err']),
      /The handler mounted at "\/api" returned undefined instead of a web Response/,
    )
    assert.equal(lines.length, 4)
  })
})
