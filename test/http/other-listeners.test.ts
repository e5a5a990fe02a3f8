/** Servers with `request` listeners beside the app: owners that would respond, too, and listeners that only watch. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { Route, SetupError, type App } from 'verbena'
import { captureLog, createUntypedApp, type Line } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'

class Home extends Route {
  static readonly path = '/'
  get() {
    return 'ours'
  }
}

function createLoggedApp(t: TestContext): { readonly app: App; readonly lines: readonly Line[] } {
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes: { Home }, logger, signals: false })
  onCleanup(t, () => app.close())
  return { app, lines }
}

async function listen(t: TestContext, server: Server): Promise<string> {
  onCleanup(t, () => {
    server.closeAllConnections()
    server.close()
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  // Proof: the server listens on a TCP port.
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

const theirs: RequestListener = (_request, response) => void response.end('theirs')

/** Replaces the listeners of a server by one that calls them for other paths, as socket.io does. */
function takeOver(server: Server): void {
  const others = server.listeners('request')
  server.removeAllListeners('request')
  server.on('request', (request, response) => {
    if (request.url?.startsWith('/theirs') === true) return theirs(request, response)
    for (const listener of others) Reflect.apply(listener, server, [request, response])
  })
}

function isSharedError(error: unknown): boolean {
  assert.ok(error instanceof SetupError)
  assert.equal(error.code, 'APP_STATE')
  assert.match(error.message, /has another "request" listener, so both would respond/)
  assert.match(error.message, /"app\.attach\(server\)" first, and then libraries such as socket\.io/)
  assert.match(error.message, /"app\.attach\(server, \{ besides: true \}\)"/)
  return true
}

describe('app.attach() to a server with another request listener', () => {
  for (const [name, own] of [
    ['a listener', (server: Server) => server.on('request', theirs)],
    ['a library that has taken over', takeOver],
  ] as const) {
    it(`is a setup error after ${name}, and does not change the server`, async (t) => {
      const { app } = createLoggedApp(t)
      const server = createServer()
      own(server)
      const before = { ...server }
      const listeners = server.listeners('request')
      assert.throws(() => app.attach(server), isSharedError)
      assert.deepEqual(server.listeners('request'), listeners)
      assert.equal(server.requestTimeout, before.requestTimeout)
      app.attach(createServer())
    })
  }

  it('is a setup error if the server already listens', async (t) => {
    const { app } = createLoggedApp(t)
    const server = createServer(theirs)
    await listen(t, server)
    assert.throws(() => app.attach(server), isSharedError)
  })

  it('closes the server that gets another listener before it listens, and emits the error', async (t) => {
    const { app, lines } = createLoggedApp(t)
    const server = createServer()
    app.attach(server)
    server.on('request', theirs)
    const closed = new Promise((resolve) => server.on('close', resolve))
    await assert.rejects(listen(t, server), isSharedError)
    await closed
    assert.equal(server.listening, false)
    assert.deepEqual(lines, [])
  })

  it('accepts a library that takes over later', async (t) => {
    const { app } = createLoggedApp(t)
    const server = createServer()
    app.attach(server)
    takeOver(server)
    const url = await listen(t, server)
    assert.equal(await (await fetch(url)).text(), 'ours')
    assert.equal(await (await fetch(`${url}/theirs`)).text(), 'theirs')
  })

  it('accepts a listener that is added to a listening server', async (t) => {
    const { app } = createLoggedApp(t)
    const server = createServer()
    const url = await listen(t, server)
    app.attach(server)
    let count = 0
    server.on('request', () => void count++)
    assert.equal(await (await fetch(url)).text(), 'ours')
    assert.equal(count, 1)
  })
})

describe('app.attach() with besides', () => {
  it('accepts listeners that watch, before and after, which may set headers', async (t) => {
    const { app, lines } = createLoggedApp(t)
    let count = 0
    const server = createServer((_request, response) => {
      count++
      response.setHeader('x-theirs', '1').setHeader('content-length', '99')
    })
    app.attach(server, { besides: true })
    server.on('request', () => void count++)
    const response = await fetch(await listen(t, server))
    assert.deepEqual([response.headers.get('x-theirs'), response.headers.get('content-length')], ['1', '4'])
    assert.equal(await response.text(), 'ours')
    assert.deepEqual([count, lines], [2, []])
  })

  it('is false by default', (t) => {
    const { app } = createLoggedApp(t)
    assert.throws(() => app.attach(createServer(theirs), { besides: false }), isSharedError)
    assert.throws(() => app.attach(createServer(theirs), { besides: undefined }), isSharedError)
  })
})
