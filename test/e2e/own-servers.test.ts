/** Servers that the author creates, with other listeners and body parsers before the app. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bytes, form, Route, stream, text, type App, type Input } from 'verbena'
import * as z from 'zod'
import { captureLog, createUntypedApp, type Line } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { requestUpgrade } from '#test/upgrades.js'

class Json extends Route {
  static readonly post = this.contract({ body: z.object({ a: z.number() }) })
  post({ body }: Input<typeof Json.post>) {
    return body
  }
}

class Text extends Route {
  static readonly post = this.contract({ body: text() })
  post({ body }: Input<typeof Text.post>) {
    return `read ${body}`
  }
}

class Bytes extends Route {
  static readonly post = this.contract({ body: bytes() })
  post({ body }: Input<typeof Bytes.post>) {
    return `read ${String(body)}`
  }
}

class Chunks extends Route {
  static readonly post = this.contract({ body: stream() })
  async post({ body }: Input<typeof Chunks.post>) {
    let all = ''
    for await (const chunk of body) all += String(chunk)
    return `read ${all}`
  }
}

class Fields extends Route {
  static readonly post = this.contract({ body: form(z.object({ a: z.string() })) })
  post({ body }: Input<typeof Fields.post>) {
    return body
  }
}

class Unread extends Route {
  static readonly post = this.contract({})
  get() {
    return 'unread'
  }

  post() {
    return 'unread'
  }
}

class Later extends Route {
  async get() {
    await sleep(5)
    return 'later'
  }
}

class Events extends Route {
  async *get() {
    yield 'event'
  }
}

const routes = { Json, Text, Bytes, Chunks, Fields, Unread, Later, Events }

/** Starts a server, closes it at the end of the test, and returns its port. */
async function listen(t: TestContext, server: Server): Promise<number> {
  onCleanup(t, () => new Promise((resolve) => server.close(resolve)))
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Proof: the server listens on a TCP port.
  return (server.address() as AddressInfo).port
}

function createLoggedApp(t: TestContext): { readonly app: App; readonly lines: readonly Line[] } {
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes, logger, signals: false, timeouts: { body: 1000 } })
  onCleanup(t, () => app.close())
  return { app, lines }
}

type Before = (request: IncomingMessage) => unknown

/** Starts an app on a server that runs another function first, like Express middleware. */
async function openBehind(t: TestContext, before: Before) {
  const { app, lines } = createLoggedApp(t)
  const server = createServer((request, response) => {
    void Promise.resolve(before(request)).then(() => app.handler(request, response))
  })
  const port = await listen(t, server)
  return { port, lines }
}

const FIELDS = 'Host: a\r\nConnection: close\r\n'

function postRequest(path: string, type: string, body: string): string {
  return `POST ${path} HTTP/1.1\r\n${FIELDS}Content-Type: ${type}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

function chunkedRequest(path: string, type: string, body: string): string {
  const chunk = body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`
  return `POST ${path} HTTP/1.1\r\n${FIELDS}Content-Type: ${type}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}0\r\n\r\n`
}

const BODIES = [
  ['/json', 'application/json', '{"a":1}', '{"a":1}'],
  ['/text', 'text/plain', 'abc', 'read abc'],
  ['/bytes', 'application/octet-stream', 'abc', 'read abc'],
  ['/chunks', 'application/octet-stream', 'abc', 'read abc'],
  ['/fields', 'application/x-www-form-urlencoded', 'a=1', '{"a":"1"}'],
] as const

/** Destroys the request as `for await` does, but keeps the connection open, as adapters of other servers do. */
const destroyRequest: Before = (request) => {
  request.socket.destroy = () => request.socket
  request.destroy()
  Reflect.deleteProperty(request.socket, 'destroy')
}

describe('app.handler after a body parser', () => {
  for (const build of [postRequest, chunkedRequest]) {
    it(`responds 500 immediately if the endpoint reads a body that was already read (${build.name})`, async (t) => {
      const { port, lines } = await openBehind(t, buffer)
      for (const [path, type, body] of BODIES) {
        assert.match(await requestUpgrade(port, build(path, type, body)), /^HTTP\/1\.1 500 /, path)
        const { level, fields } = lines.at(-1) ?? assert.fail('The log is empty')
        assert.equal(level, 'error')
        assert.match(String(fields['err']), /already read\. Remove the body parser before app\.handler/)
      }
      assert.equal(lines.length, BODIES.length)
    })

    it(`reads an unread body after 50 ms (${build.name})`, async (t) => {
      const { port, lines } = await openBehind(t, () => sleep(50))
      for (const [path, type, body, result] of BODIES) {
        const response = await requestUpgrade(port, build(path, type, body))
        assert.match(response, /^HTTP\/1\.1 200 /, path)
        assert.ok(response.endsWith(result), response)
      }
      assert.deepEqual(lines, [])
    })

    it(`responds as usual if the endpoint does not read the body (${build.name})`, async (t) => {
      const { port, lines } = await openBehind(t, buffer)
      assert.match(await requestUpgrade(port, build('/unread', 'text/plain', 'abc')), /^HTTP\/1\.1 200 /)
      assert.deepEqual(lines, [])
    })
  }

  it('responds 500 if only a part of the body was read', async (t) => {
    const { port } = await openBehind(t, async (request) => {
      await once(request, 'readable')
      request.read(1)
    })
    assert.match(await requestUpgrade(port, postRequest('/text', 'text/plain', 'abc')), /^HTTP\/1\.1 500 /)
  })

  it('responds 500 if the body was destroyed and the connection is open', async (t) => {
    const { port, lines } = await openBehind(t, destroyRequest)
    assert.match(await requestUpgrade(port, postRequest('/text', 'text/plain', 'abc')), /^HTTP\/1\.1 500 /)
    assert.match(String(lines.at(-1)?.fields['err']), /already read/)
  })

  it('reads an empty chunked body that was already read', async (t) => {
    const { port, lines } = await openBehind(t, buffer)
    for (const [path, type] of [BODIES[1], BODIES[2], BODIES[3]]) {
      assert.match(await requestUpgrade(port, chunkedRequest(path, type, '')), /^HTTP\/1\.1 200 [^]*read $/, path)
    }
    assert.deepEqual(lines, [])
  })
})

describe('a server with another listener that responds', () => {
  const get = (path: string): string => `GET ${path} HTTP/1.1\r\n${FIELDS}\r\n`
  const METHODS = {
    attach: (app: App, server: Server) => app.attach(server, { besides: true }),
    handler: (app: App, server: Server) => server.on('request', app.handler),
  }

  for (const [name, use] of Object.entries(METHODS)) {
    it(`sends its response, and app.${name} discards its own and logs this once`, async (t) => {
      const { app, lines } = createLoggedApp(t)
      const server = createServer((request, response) => {
        if (request.url !== '/json') response.end('theirs')
      })
      use(app, server)
      const port = await listen(t, server)
      for (const path of ['/unread', '/later', '/events', '/none']) {
        const text = await requestUpgrade(port, get(path))
        assert.equal(text.match(/HTTP\/1\.1 /g)?.length, 1, text)
        assert.match(text, /^HTTP\/1\.1 200 [^]*theirs$|\r\n6\r\ntheirs\r\n0\r\n\r\n$/)
      }
      const [line, ...others] = lines
      assert.deepEqual([line?.level, line?.message, others], ['error', 'Response discarded', []])
      assert.match(String(line?.fields['err']), /another listener has already responded\. Call app\.handler only for/)
      assert.match(await requestUpgrade(port, postRequest('/json', 'application/json', '{"a":1}')), /\{"a":1\}$/)
    })
  }

  it('keeps a response that the other listener has started but not ended', async (t) => {
    const { app, lines } = createLoggedApp(t)
    const server = createServer((_request, response) => {
      response.write('theirs, ')
      setTimeout(() => response.end('to the end'), 20)
    })
    app.attach(server, { besides: true })
    const port = await listen(t, server)
    assert.match(await requestUpgrade(port, get('/unread')), /theirs, [^]*to the end/)
    assert.equal(lines.length, 1)
  })
})
