/** The option `otherwise` of `listen`: requests and upgrades that the app does not take go to a handler of `node:http`. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, request as openRequest, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { Route, type App, type ListenOptions, type OtherHandler } from 'verbena'
import { mount } from 'verbena/mount'
import { upgrade } from 'verbena/upgrade'
import { WebSocket, WebSocketServer } from 'ws'
import { assertSetupError, captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { until } from '#test/e2e.js'
import { Client, exchangeBytes, formatRequest } from '#test/wire.js'

class Users extends Route {
  get() {
    return 'users'
  }
  async post({ body }: { body: unknown }) {
    return body
  }
}

/** Responds with the request as Node reads it. */
async function echo(request: IncomingMessage, response: ServerResponse): Promise<void> {
  let body = ''
  for await (const chunk of request) body += String(chunk)
  response.setHeader('x-other', 'yes')
  response.end(`${request.method} ${request.url} ${body}`)
}

interface Listening {
  readonly app: App
  readonly port: number
}

async function listen(otherwise: NonNullable<ListenOptions['otherwise']>, options: object = {}): Promise<Listening> {
  const app = createUntypedApp({ routes: { Users }, ...options })
  const { port } = await app.listen({ otherwise })
  return { app, port }
}

describe('otherwise: requests', () => {
  it('handles all paths that the app does not have, with any method', async () => {
    const { app, port } = await listen(echo)
    for (const line of ['GET /old?a=1', 'DELETE /old/', 'PROPFIND /users2', 'OPTIONS /old', 'GET /', 'GET //x']) {
      const answer = await exchangeBytes(port, formatRequest(line))
      assert.match(answer, /^HTTP\/1\.1 200 OK\r\nx-other: yes\r\n/, line)
      assert.ok(answer.includes(`${line} `), line)
    }
    await app.close()
  })

  it('leaves paths of the app, of built-in routes and malformed requests to the app', async () => {
    const routes = { Users, '/mounted': mount(() => new Response('mounted')) }
    const { app, port } = await listen(echo, { routes, metrics: '/metrics' })
    for (const [line, expected] of [
      ['GET /users', /^HTTP\/1\.1 200 OK[^]*users$/],
      ['PUT /users', /^HTTP\/1\.1 405 /],
      ['GET /mounted/x/', /mounted/],
      ['GET /metrics', /^HTTP\/1\.1 200 /],
      ['GET /openapi.json', /^HTTP\/1\.1 200 /],
      ['OPTIONS *', /^HTTP\/1\.1 204 /],
      ['GET /%zz', /^HTTP\/1\.1 400 /],
      ['GET /old/../x', /^HTTP\/1\.1 400 /],
    ] as const) {
      const answer = await exchangeBytes(port, formatRequest(line))
      assert.match(answer, expected, line)
      assert.doesNotMatch(answer, /x-other/, line)
    }
    const twoHosts = await exchangeBytes(port, formatRequest('GET /old', { Host: ['a', 'b'] }))
    assert.match(twoHosts, /^HTTP\/1\.1 400 /)
    const expecting = await exchangeBytes(port, formatRequest('GET /old', { Expect: 'more' }))
    assert.match(expecting, /^HTTP\/1\.1 417 /)
    await app.close()
  })

  it('leaves the console to the app', async () => {
    const { app, port } = await listen(echo, {
      devConsole: { token: 'secret-token-of-the-console', allowInProduction: true },
    })
    assert.doesNotMatch(await exchangeBytes(port, formatRequest('GET /__dev__')), /x-other/)
    assert.match(await exchangeBytes(port, formatRequest('GET /__device__')), /x-other/)
    await app.close()
  })

  it('reads bodies, in chunks and after a 100', async () => {
    const { app, port } = await listen(echo)
    const chunked = formatRequest('POST /old', { 'Transfer-Encoding': 'chunked' }, '2\r\nab\r\n1\r\nc\r\n0\r\n\r\n')
    assert.match(await exchangeBytes(port, chunked), /POST \/old abc/)
    const client = new Client(port).write(
      formatRequest('POST /old', { Expect: '100-continue', 'Content-Length': '2', Connection: 'keep-alive' }),
    )
    await client.until('HTTP/1.1 100 Continue\r\n\r\n')
    client.write('xy')
    await client.until('POST /old xy')
    client.socket.destroy()
    await app.close()
  })

  it('serves one connection in the order of its requests', async () => {
    const { app, port } = await listen(async (request, response) => {
      await sleep(10)
      return echo(request, response)
    })
    const keep = { Connection: 'keep-alive' }
    const post = { ...keep, 'Content-Type': 'application/json', 'Content-Length': '7' }
    const requests = [
      formatRequest('GET /old/1', keep),
      formatRequest('GET /users', keep),
      formatRequest('POST /old/2', { ...keep, 'Content-Length': '3' }, 'abc'),
      formatRequest('POST /users', post, '{"a":1}'),
      formatRequest('GET /old/3'),
    ]
    const answer = await exchangeBytes(port, requests.join(''))
    const order = [...answer.matchAll(/\/old\/1|users(?=HTTP)|\/old\/2 abc|\{"a":1\}|\/old\/3/g)].map(([text]) => text)
    assert.deepEqual(order, ['/old/1', 'users', '/old/2 abc', '{"a":1}', '/old/3'])
    await app.close()
  })

  it('responds 500 if the handler throws or rejects, and logs the error', async () => {
    const { logger, lines } = captureLog()
    const { app, port } = await listen(
      (request) => {
        if (request.url === '/sync') throw new Error('broken')
        return Promise.reject(new Error('broken'))
      },
      { logger },
    )
    for (const path of ['/sync', '/async']) {
      const answer = await exchangeBytes(port, formatRequest(`GET ${path}`))
      assert.match(answer, /^HTTP\/1\.1 500 Internal Server Error\r\ncontent-type: application\/problem\+json/i)
    }
    assert.deepEqual(
      lines.map(({ level, fields }) => [level, String(fields['err'])]),
      [
        ['error', 'Error: broken'],
        ['error', 'Error: broken'],
      ],
    )
    await app.close()
  })

  it('cuts a response that has begun when the handler fails, and keeps a complete one', async () => {
    const { logger, lines } = captureLog()
    const { app, port } = await listen(
      async (request, response) => {
        response.write('half')
        if (request.url === '/whole') response.end()
        await sleep(5)
        throw new Error('late')
      },
      { logger },
    )
    assert.doesNotMatch(await exchangeBytes(port, formatRequest('GET /half')), /\r\n0\r\n\r\n$/)
    assert.match(await exchangeBytes(port, formatRequest('GET /whole')), /\r\n0\r\n\r\n$/)
    await until(() => lines.length === 2, 'both errors are logged')
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['Handler of "otherwise" failed', 'Handler of "otherwise" failed'],
    )
    await app.close()
  })

  it('logs an error after the client disconnects', async () => {
    const { logger, lines } = captureLog()
    const begun = createGate()
    const { app, port } = await listen(
      async (request, response) => {
        begun.open()
        await once(response, 'close')
        throw new Error(`left ${request.url}`)
      },
      { logger },
    )
    const client = new Client(port).write(formatRequest('GET /x'))
    await begun.opened
    client.socket.destroy()
    await until(() => lines.length === 1, 'the error is logged')
    await app.close()
  })

  it('finishes a request in progress when the app closes, and announces the end of the connection', async () => {
    const [begun, may] = [createGate(), createGate()]
    const { app, port } = await listen(async (request, response) => {
      if (request.url === '/slow') {
        begun.open()
        await may.opened
      }
      return echo(request, response)
    })
    const keep = { Connection: 'keep-alive' }
    const slow = new Client(port).write(formatRequest('GET /slow', keep) + formatRequest('GET /next', keep))
    await begun.opened
    const closed = app.close()
    may.open()
    const answer = await slow.all()
    assert.match(answer, /connection: close\r\n[^]*GET \/slow /i)
    assert.doesNotMatch(answer, /GET \/next/)
    await closed
  })

  it('announces the end of the connection in a response that was in progress when the app began to close', async () => {
    const gate = createGate()
    const started = createGate()
    const app = createUntypedApp({ routes: { Users } })
    const { port } = await app.listen({
      otherwise: async (_request, response) => {
        started.open()
        await gate.opened
        response.end('done')
      },
    })
    const answer = fetch(`http://127.0.0.1:${port}/old`)
    await started.opened
    const closed = app.close()
    await sleep(20)
    gate.open()
    const response = await answer
    assert.equal(response.headers.get('connection'), 'close')
    await closed
  })

  it('keeps the limits of the server', async () => {
    const { app, port } = await listen(echo, { limits: { headerBytes: 1_000, headers: 5 } })
    const large = formatRequest('GET /old', { 'X-Large': 'x'.repeat(2_000) })
    assert.match(await exchangeBytes(port, large), /^HTTP\/1\.1 431 /)
    const many = formatRequest('GET /old', Object.fromEntries(Array.from({ length: 6 }, (_, at) => [`X-${at}`, 'x'])))
    assert.match(await exchangeBytes(port, many), /^HTTP\/1\.1 431 /)
    await app.close()
  })

  it('must be a function, or an object with functions', async () => {
    const wrong: readonly unknown[] = [1, {}, { request: 1 }, { upgrade: echo }, { request: echo, update: echo }]
    for (const otherwise of wrong) {
      const app = createUntypedApp({ routes: { Users } })
      // Proof: only the types reject it.
      const options = { otherwise } as { otherwise: OtherHandler }
      const error: unknown = await app.listen(options).catch((thrown: unknown) => thrown)
      assertSetupError(
        () => {
          throw error
        },
        'OPTION_INVALID',
        'the option "otherwise" of listen()',
      )
      await app.close()
    }
  })
})

describe('otherwise: upgrades', () => {
  const greet = (name: string) => {
    const server = new WebSocketServer({ noServer: true })
    return (request: IncomingMessage, socket: Parameters<NonNullable<OtherHandler['upgrade']>>[1], head: Buffer) =>
      server.handleUpgrade(request, socket, head, (talk) => talk.send(`${name} ${request.url}`))
  }
  const own = upgrade({}, (_input, socket, head, request) => greet('app')(request, socket, head))

  async function greeting(port: number, path: string): Promise<WebSocket & { readonly text: string }> {
    const socket = new WebSocket(`ws://127.0.0.1:${port}${path}`)
    const [message] = await once(socket, 'message')
    return Object.assign(socket, { text: String(message) })
  }

  for (const [about, routes] of [
    ['without upgrades of the app', { Users }],
    ['beside upgrades of the app', { Users, '/live': own }],
  ] as const) {
    it(`go to the handler ${about}`, async () => {
      const { app, port } = await listen(
        { request: echo, upgrade: greet('other') },
        { routes, timeouts: { close: 2000 } },
      )
      const other = await greeting(port, '/hmr?token=1')
      assert.equal(other.text, 'other /hmr?token=1')
      if ('/live' in routes) {
        const ours = await greeting(port, '/live')
        assert.equal(ours.text, 'app /live')
        ours.close()
      }
      const plain = await exchangeBytes(
        port,
        formatRequest('GET /users', { Connection: 'close, upgrade', Upgrade: 'websocket' }),
      )
      assert.match(plain, /^HTTP\/1\.1 200 OK[^]*users$/)
      const offering = { Connection: 'close, Upgrade, HTTP2-Settings', Upgrade: 'h2c', 'HTTP2-Settings': 'AA' }
      assert.match(await exchangeBytes(port, formatRequest('GET /old', offering)), /x-other/)
      const gone = once(other, 'close')
      const began = performance.now()
      await app.close()
      await gone
      assert.ok(performance.now() - began < 1_900, 'the upgrade did not hold the shutdown')
    })
  }

  it('become requests without a handler for them', async () => {
    const asking = formatRequest('GET /old', { Connection: 'close, upgrade', Upgrade: 'websocket' })
    for (const routes of [{ Users }, { Users, '/live': own }]) {
      const { app, port } = await listen(echo, { routes })
      assert.match(await exchangeBytes(port, asking), /^HTTP\/1\.1 200 OK[^]*x-other/)
      await app.close()
    }
  })

  it('get 500 if the handler fails, 404 if it ignores them, and end if it fails later', async () => {
    const { logger, lines } = captureLog()
    const upgradeHandler: NonNullable<OtherHandler['upgrade']> = async ({ url }, socket) => {
      if (url === '/fails') throw new Error('broken')
      if (url === '/ignores') return
      if (url === '/listens') return void socket.on('data', () => socket.end('HTTP/1.1 418 x\r\n\r\n'))
      socket.write('HTTP/1.1 101 Switching Protocols\r\n\r\n')
      await sleep(20)
      throw new Error('later')
    }
    const { app, port } = await listen({ request: echo, upgrade: upgradeHandler }, { logger })
    const ask = (path: string) => formatRequest(`GET ${path}`, { Connection: 'upgrade', Upgrade: 'websocket' })
    const listening = new Client(port).write(ask('/listens'))
    const [failed, ignored, later] = await Promise.all(
      ['/fails', '/ignores', '/later'].map((path) => exchangeBytes(port, ask(path))),
    )
    assert.match(failed ?? '', /^HTTP\/1\.1 500 /)
    assert.match(ignored ?? '', /^HTTP\/1\.1 404 /)
    assert.match(later ?? '', /^HTTP\/1\.1 101 /)
    await sleep(200)
    listening.write('x')
    assert.match(await listening.all(), /^HTTP\/1\.1 418 /)
    assert.deepEqual(lines.map(({ fields }) => String(fields['err'])).toSorted(), ['Error: broken', 'Error: later'])
    await app.close()
  })

  it('forwards an upgrade that an upstream accepts after 2.5 s', async (t) => {
    const upstream = createServer()
    const sockets = new WebSocketServer({ noServer: true })
    upstream.on('upgrade', (request, socket, head) => {
      setTimeout(() => sockets.handleUpgrade(request, socket, head, (client) => client.send('hello')), 2_500)
    })
    await once(upstream.listen(0, '127.0.0.1'), 'listening')
    // Proof: it listens on a port.
    const { port: upstreamPort } = upstream.address() as AddressInfo
    const app = createUntypedApp({ routes: { Users } })
    t.after(async () => {
      await app.close()
      upstream.closeAllConnections()
      upstream.close()
    })
    const { port } = await app.listen({
      otherwise: {
        request: (_request, response) => void response.end(),
        // As http-proxy and http-proxy-3: they listen to "close" and "error" of the socket immediately, and read it after the 101.
        upgrade: ({ url, headers }, socket) => {
          const outgoing = openRequest({ port: upstreamPort, path: url, headers })
          socket.on('close', () => outgoing.destroy()).on('error', () => outgoing.destroy())
          outgoing.on('error', () => {})
          outgoing.on('upgrade', (response, other, head) => {
            other.unshift(head)
            const lines = Object.entries(response.headers).map(([name, value]) => `${name}: ${String(value)}\r\n`)
            socket.write(`HTTP/1.1 101 Switching Protocols\r\n${lines.join('')}\r\n`)
            other.on('error', () => {})
            other.pipe(socket).pipe(other)
          })
          outgoing.end()
        },
      },
    })
    const client = new WebSocket(`ws://127.0.0.1:${port}/live`)
    const [message] = await once(client, 'message')
    assert.equal(String(message), 'hello')
    client.close()
  })
})
