/** `close`, `listen`, `attach` and `handler`: graceful shutdown, states and ports of an app. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createApp, Route, SetupError, type App, type Context, type SetupCode } from 'verbena'
import { assertSetupError, captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { askWire, toBytes, until, Wire } from '#test/e2e.js'

/** Creates an app whose handler waits until `letGo` is called. */
function waitingApp(options: object = {}) {
  const [begun, letGo] = [createGate(), createGate()]
  const done: string[] = []
  class Slow extends Route {
    async get({ response, signal }: Context) {
      signal.addEventListener('abort', () => done.push('aborted'))
      response.after(async () => {
        await new Promise(setImmediate)
        done.push('after')
      })
      begun.open()
      await letGo.opened
      done.push('handler')
      return 'slow'
    }
  }
  class Home extends Route {
    get() {
      return 'home'
    }
  }
  const app = createUntypedApp({ routes: { Slow, Home }, signals: false, ...options })
  return { app, begun: begun.opened, letGo: letGo.open, done }
}

async function refusal(task: () => Promise<unknown>): Promise<SetupError> {
  try {
    await task()
  } catch (error) {
    assert.ok(error instanceof SetupError, String(error))
    return error
  }
  return assert.fail('nothing was refused')
}

async function assertRejected(task: () => Promise<unknown>, code: SetupCode, says: RegExp): Promise<void> {
  const error = await refusal(task)
  assert.equal(error.code, code)
  assert.match(error.message, says)
}

describe('close()', () => {
  it('finishes requests in flight and their tasks, and refuses new connections', async () => {
    const { app, begun, letGo, done } = waitingApp()
    const { port } = await app.listen()
    const wire = new Wire(port)
    wire.send(toBytes({ target: '/slow' }))
    await begun
    const closed = app.close().then(() => done.push('closed'))
    await assert.rejects(fetch(`http://127.0.0.1:${port}/home`))
    letGo()
    const answer = await wire.read()
    assert.deepEqual([answer.status, answer.body, answer.headers.get('connection')], [200, 'slow', 'close'])
    await wire.ended()
    await closed
    assert.deepEqual(done, ['handler', 'after', 'closed'])
  })

  it('waits for app.fetch', async () => {
    const { app, begun, letGo, done } = waitingApp()
    const answer = app.fetch(new Request('http://localhost/slow'))
    await begun
    const closed = app.close().then(() => done.push('closed'))
    letGo()
    assert.equal(await (await answer).text(), 'slow')
    await closed
    assert.deepEqual(done, ['handler', 'after', 'closed'])
  })

  it('closes idle connections immediately', async () => {
    const { app } = waitingApp()
    const { port } = await app.listen()
    const wires = [new Wire(port), new Wire(port)]
    for (const wire of wires) {
      wire.send(toBytes({ target: '/home' }))
      assert.equal((await wire.read()).headers.get('connection') === 'close', false)
    }
    await app.close()
    for (const wire of wires) await wire.ended()
  })

  it('cuts connections at the deadline, logs this, and aborts the signals of their handlers', async () => {
    const { logger, lines } = captureLog()
    const { app, begun, letGo, done } = waitingApp({ logger, timeouts: { close: 50 } })
    const { port } = await app.listen()
    const wire = new Wire(port)
    wire.send(toBytes({ target: '/slow' }))
    await begun
    await app.close()
    await wire.ended()
    await until(() => done.includes('aborted'), 'the signal of the handler')
    assert.deepEqual(
      lines.map(({ level, message, fields: { requestId: _, ...fields } }) => [level, message, fields]),
      [
        ['warn', 'App closed before all requests and tasks were done', { running: 1, deadline: 50 }],
        [
          'error',
          'Endpoint still running; its providers are cleaned up without it',
          { method: 'GET', path: '/slow', route: 'Slow' },
        ],
      ],
    )
    letGo()
  })

  it('returns the same promise every time, and supports `await using`', async () => {
    const { app } = waitingApp()
    await app.listen()
    assert.equal(app.close(), app.close())
    await app.close()
    let port = 0
    {
      await using inner = waitingApp().app
      port = (await inner.listen()).port
      assert.equal((await askWire(port, { target: '/home' })).status, 200)
    }
    await assert.rejects(fetch(`http://127.0.0.1:${port}/home`))
  })

  it('resolves immediately if the app never listened', () => waitingApp().app.close())

  it('closes a server that is still opening its port', async () => {
    const { app } = waitingApp()
    const opening = app.listen().then(
      ({ port }) => port,
      () => 0,
    )
    await app.close()
    const port = await opening
    if (port !== 0) await assert.rejects(fetch(`http://127.0.0.1:${port}/home`))
  })
})

describe('listen()', () => {
  const HOME = class extends Route {
    get() {
      return 'home'
    }
  }
  const newApp = (): App => createApp({ routes: { Home: HOME }, logger: false, signals: false })

  it('returns host, port and URL of a free local port', async () => {
    await using app = newApp()
    const { port, host, url } = await app.listen()
    assert.deepEqual([host, url, port > 0], ['127.0.0.1', `http://127.0.0.1:${port}`, true])
    assert.equal(await (await fetch(`${url}/home`)).text(), 'home')
  })

  it('rejects while the app listens, and after close', async () => {
    const app = newApp()
    await app.listen()
    await assertRejected(() => app.listen(), 'APP_STATE', /^Cannot listen: .*Create a second app/)
    await app.close()
    await assertRejected(() => app.listen(), 'APP_STATE', /^Cannot listen: .*closed/)
  })

  it('rejects while another call opens the port', async () => {
    await using app = newApp()
    const first = app.listen()
    await assertRejected(() => app.listen(), 'APP_STATE', /Cannot listen/)
    await first
  })

  it('reports a port in use, and can be called again', async () => {
    await using other = newApp()
    const { port } = await other.listen()
    await using app = newApp()
    const says = new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: it is in use \\(EADDRINUSE\\)\\. .*port 0`)
    await assertRejected(() => app.listen({ port }), 'LISTEN_FAILED', says)
    const { url } = await app.listen()
    assert.equal((await fetch(`${url}/home`)).status, 200)
  })

  it('reports a host that is not an address of this machine', async () => {
    await using app = newApp()
    await assertRejected(() => app.listen({ host: '192.0.2.1' }), 'LISTEN_FAILED', /no such address/)
  })

  it('rejects unknown options', async () => {
    await using app = newApp()
    const listen: unknown = app.listen.bind(app)
    // Proof: the mistake is the point of the test.
    const loose = listen as (options: object) => Promise<unknown>
    await assertRejected(() => loose({ prot: 3000 }), 'OPTION_INVALID', /Did you mean "port"/)
  })
})

describe('attach()', () => {
  it('attaches the app to your server, and close() closes that server', async () => {
    const { app } = waitingApp()
    const server = createServer()
    app.attach(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // Proof: it listens on a port.
    const { port } = server.address() as AddressInfo
    assert.equal((await askWire(port, { target: '/home' })).body, 'home')
    await app.close()
    assert.equal(server.listening, false)
  })

  it('rejects other kinds of servers, a second server, and any server after close', async () => {
    const { app } = waitingApp()
    const attach: unknown = app.attach.bind(app)
    // Proof: the mistake is the point of the test.
    const loose = attach as (server: object) => void
    assertSetupError(() => loose(createSecureServer({})), 'APP_STATE', 'node:http or node:https')
    const server = createServer()
    app.attach(server)
    assertSetupError(() => app.attach(createServer()), 'APP_STATE', 'Cannot attach')
    await assertRejected(() => app.listen(), 'APP_STATE', /^Cannot listen/)
    await app.close()
    assertSetupError(() => app.attach(server), 'APP_STATE', 'closed')
  })
})

describe('handler', () => {
  it('responds in a plain node:http server', async () => {
    const { app, letGo, done } = waitingApp()
    letGo()
    const server = createServer(app.handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // Proof: it listens on a port.
    const { port } = server.address() as AddressInfo
    assert.equal((await askWire(port, { target: '/home' })).body, 'home')
    assert.equal((await askWire(port, { target: '/none' })).status, 404)
    assert.equal((await askWire(port, { target: '/slow' })).body, 'slow')
    await app.close()
    assert.deepEqual(done, ['handler', 'after'])
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
})
