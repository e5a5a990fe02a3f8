/** Requests of test helpers, of adapters, and over streams that are not sockets. */
import assert from 'node:assert/strict'
import { createServer, IncomingMessage, ServerResponse, type RequestListener } from 'node:http'
import { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { describe, it, type TestContext } from 'node:test'
import { bytes, events, Route, stream, type App, type Context, type Input } from 'verbena'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { until } from '#test/e2e.js'
import { createFrom, injector, openFastifyApp, type Inject } from '#test/neighbors.js'

class Home extends Route {
  get({ request, response }: Context) {
    response.cookie('a', '1')
    response.cookie('b', '2')
    return { ip: request.ip, url: request.url }
  }

  static readonly post = this.contract({ body: z.object({ a: z.number() }) })
  post({ body }: Input<typeof Home.post>) {
    return body
  }
}

class Streams extends Route {
  static readonly path = '/streams/{end}'
  async *get({ params }: Input) {
    yield 'one '
    yield Buffer.from('two')
    if (params['end'] === 'fails') throw new Error('broken')
  }
}

class Live extends Route {
  static readonly get = this.contract({ returns: events(z.object({ at: z.number() })) })
  async *get() {
    yield { data: { at: 1 } }
  }
}

class Echo extends Route {
  static readonly post = this.contract({ body: stream() })
  async post({ body }: Input<typeof Echo.post>) {
    let text = ''
    for await (const chunk of body) text += String(chunk)
    return text
  }

  static readonly put = this.contract({ body: bytes({ limit: 10 }) })
  put({ body }: Input<typeof Echo.put>) {
    return body
  }
}

function openApp(t: TestContext): App {
  const app = createUntypedApp({ routes: { Home, Streams, Live, Echo }, signals: false, devConsole: false })
  onCleanup(t, () => app.close())
  return app
}

const SERVERS: readonly (readonly [name: string, open: (t: TestContext, app: App) => Promise<Inject>])[] = [
  ['light-my-request', async (_t, app) => injector(app.handler)],
  ['light-my-request in Express 5', async (_t, app) => injector(useIn('express', app))],
  ['light-my-request in Express 4', async (_t, app) => injector(useIn('express-4', app))],
  ['light-my-request in Connect', async (_t, app) => injector(useIn('connect', app))],
  [
    'fastify.inject',
    async (t, app) => {
      const server = await openFastifyApp(t, [['/', app.handler]])
      return (request) => server.inject(request)
    },
  ],
]

function useIn(packageName: string, app: App): RequestListener {
  const server = createFrom(packageName)
  server.use('/', app.handler)
  return server
}

const OCTETS = { 'content-type': 'application/octet-stream' }

for (const [name, open] of SERVERS) {
  describe(`app.handler with ${name}`, () => {
    it('responds as over a socket', async (t) => {
      const inject = await open(t, openApp(t))
      const home = await inject({ url: '/home?a=1' })
      assert.deepEqual(JSON.parse(home.payload), { ip: '127.0.0.1', url: '/home?a=1' })
      assert.equal([home.headers['set-cookie']].flat().length, 2)
      assert.equal((await inject({ url: '/home', method: 'HEAD' })).payload, '')
      assert.equal((await inject({ url: '/home', method: 'POST', payload: { a: 1 } })).payload, '{"a":1}')
      assert.equal((await inject({ url: '/home', method: 'POST', payload: { a: 'x' } })).statusCode, 422)
      assert.equal((await inject({ url: '/home', method: 'PUT' })).statusCode, 405)
      assert.equal((await inject({ url: '/streams/ends' })).payload, 'one two')
      assert.equal((await inject({ url: '/live' })).payload, 'data: {"at":1}\n\n')
      const echo = { url: '/echo', headers: OCTETS }
      assert.equal((await inject({ ...echo, method: 'POST', payload: 'x'.repeat(200_000) })).payload.length, 200_000)
      assert.equal((await inject({ ...echo, method: 'PUT', payload: 'x'.repeat(200_000) })).statusCode, 413)
    })

    it('fails if a stream fails', async (t) => {
      const inject = await open(t, openApp(t))
      await assert.rejects(inject({ url: '/streams/fails' }), /^Error: The response ended early/)
    })
  })
}

describe('app.handler with requests of adapters', () => {
  /** Creates a request as adapters of serverless platforms do: without raw headers, and with a version of strings. */
  function adapted(): readonly [IncomingMessage, ServerResponse, sent: Buffer[]] {
    const request = new IncomingMessage(new Socket())
    const headers = { host: 'a.example', cookie: ['a=1', 'b=2'] }
    const socket = { encrypted: true, remoteAddress: '192.0.2.1' }
    Object.assign(request, {
      method: 'GET',
      url: '/home',
      headers,
      socket,
      httpVersionMajor: '1',
      httpVersionMinor: '1',
    })
    const response = new ServerResponse(request)
    const sent: Buffer[] = []
    const write = (chunk: Buffer, _encoding: unknown, done: () => void): void => {
      sent.push(chunk)
      done()
    }
    // Proof: a response only writes to its socket.
    response.assignSocket(new Duplex({ read() {}, write }) as Socket)
    return [request, response, sent]
  }

  it('reads the headers, the address and the scheme', async (t) => {
    const seen: unknown[] = []
    class See extends Route {
      static readonly path = '/home'
      get({ request }: Context) {
        seen.push(request.ip, request.headers['cookie'], request.href(See, {}))
        return 'seen'
      }
    }
    const app = createUntypedApp({ routes: { See }, signals: false })
    onCleanup(t, () => app.close())
    const [request, response, sent] = adapted()
    app.handler(request, response)
    await until(() => response.writableFinished, 'the response is sent')
    assert.match(Buffer.concat(sent).toString(), /^HTTP\/1\.1 200 OK\r\n/)
    assert.deepEqual(seen, ['192.0.2.1', 'a=1, b=2', '/home'])
  })

  it('reads a request without a socket, a version and headers', async (t) => {
    const app = openApp(t)
    const [request, response, sent] = adapted()
    Object.assign(request, {
      socket: undefined,
      headers: { host: undefined },
      httpVersionMajor: null,
      httpVersionMinor: null,
    })
    app.handler(request, response)
    await until(() => response.writableFinished, 'the response is sent')
    assert.match(Buffer.concat(sent).toString(), /^HTTP\/1\.1 400 Bad Request\r\n[^]*The Host header is missing/)
  })

  it('rejects objects that are not of node:http, with a reason', (t) => {
    const { handler } = openApp(t)
    const call: unknown = handler
    assert.ok(typeof call === 'function')
    const says =
      /^TypeError: Cannot handle a request that is not of node:http: it has no socket\. Send the request with "app\.fetch\(\)"/
    assert.throws(() => call({ url: '/home', method: 'GET', headers: {} }, { end() {} }), says)
    const [, response] = adapted()
    assert.throws(() => call({ url: '/home', method: 'GET', headers: {} }, response), says)
  })
})

/** Two ends of a connection in memory. They have no methods of `net.Socket`. */
function createPair(): readonly [Duplex, Duplex] {
  const create = (other: () => Duplex): Duplex =>
    new Duplex({
      read() {},
      write(chunk, _encoding, done) {
        other().push(chunk)
        done()
      },
      final(done) {
        other().push(null)
        done()
      },
      destroy(error, done) {
        if (!other().readableEnded) other().push(null)
        done(error)
      },
    })
  const one: Duplex = create(() => two)
  const two: Duplex = create(() => one)
  return [one, two]
}

describe('app.attach() with streams that are not sockets', () => {
  for (const version of ['1.1', '1.0']) {
    for (const [path, end] of [
      ['/home', /"url":"\/home"\}$/],
      ['/streams/ends', version === '1.1' ? /two\r\n0\r\n\r\n$/ : /\r\n\r\none two$/],
      ['/streams/fails', version === '1.1' ? /two\r\n$/ : /\r\n\r\n(?:one (?:two)?)?$/],
    ] as const) {
      it(`sends ${path} to HTTP/${version}, and closes`, async (t) => {
        const app = openApp(t)
        const server = createServer()
        app.attach(server)
        await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
        const [ours, theirs] = createPair()
        server.emit('connection', ours)
        let text = ''
        theirs.on('data', (chunk) => (text += String(chunk)))
        theirs.write(`GET ${path} HTTP/${version}\r\nHost: a\r\n\r\n`)
        await until(() => end.test(text), 'the response has arrived')
        await app.close()
        await until(() => theirs.readableEnded, 'the connection has ended')
      })
    }
  }
})
