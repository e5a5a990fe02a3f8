/** The end of an app, and its beginnings: graceful closing, states, ports. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import { createSecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createApp, Route, SetupError, type App, type Context, type SetupCode } from 'verbena'
import { assertSetupError, captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { askWire, toBytes, until, Wire } from '#test/e2e.js'

/** An app whose handler waits until it is let go. */
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
  it('finishes what is in flight, refuses what is new, and waits for the tasks after it', async () => {
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

  it('waits for calls without a socket too', async () => {
    const { app, begun, letGo, done } = waitingApp()
    const answer = app.fetch(new Request('http://localhost/slow'))
    await begun
    const closed = app.close().then(() => done.push('closed'))
    letGo()
    assert.equal(await (await answer).text(), 'slow')
    await closed
    assert.deepEqual(done, ['handler', 'after', 'closed'])
  })

  it('ends idle connections at once', async () => {
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

  it('cuts off what is not done by the deadline, says so, and aborts its signal', async () => {
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
        ['warn', 'Closed before all work was done', { running: 1, deadline: 50 }],
        [
          'error',
          'Endpoint still running; its providers are cleaned up without it',
          { method: 'GET', path: '/slow', route: 'Slow' },
        ],
      ],
    )
    letGo()
  })

  it('is one promise however often it is called, and comes with `await using`', async () => {
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

  it('is at once when there is nothing to close', () => waitingApp().app.close())

  it('closes a server that is only just opening', async () => {
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

  it('says where it came to listen: a free port of this machine', async () => {
    await using app = newApp()
    const { port, host, url } = await app.listen()
    assert.deepEqual([host, url, port > 0], ['127.0.0.1', `http://127.0.0.1:${port}`, true])
    assert.equal(await (await fetch(`${url}/home`)).text(), 'home')
  })

  it('is refused while it listens, and after close', async () => {
    const app = newApp()
    await app.listen()
    await assertRejected(() => app.listen(), 'APP_STATE', /^Cannot listen: .*Close it first/)
    await app.close()
    await assertRejected(() => app.listen(), 'APP_STATE', /^Cannot listen: .*closed/)
  })

  it('is refused while another call opens the port', async () => {
    await using app = newApp()
    const first = app.listen()
    await assertRejected(() => app.listen(), 'APP_STATE', /Cannot listen/)
    await first
  })

  it('says that a port is in use, leaves nothing open, and can be tried again', async () => {
    await using other = newApp()
    const { port } = await other.listen()
    await using app = newApp()
    const says = new RegExp(`^Cannot listen on 127\\.0\\.0\\.1:${port}: it is in use \\(EADDRINUSE\\)\\. .*port 0`)
    await assertRejected(() => app.listen({ port }), 'LISTEN_FAILED', says)
    const { url } = await app.listen()
    assert.equal((await fetch(`${url}/home`)).status, 200)
  })

  it('says that a host is none', async () => {
    await using app = newApp()
    await assertRejected(() => app.listen({ host: '192.0.2.1' }), 'LISTEN_FAILED', /no such address/)
  })

  it('refuses options that do not exist', async () => {
    await using app = newApp()
    const listen: unknown = app.listen.bind(app)
    // Proof: the mistake is the point of the test.
    const loose = listen as (options: object) => Promise<unknown>
    await assertRejected(() => loose({ prot: 3000 }), 'OPTION_INVALID', /Did you mean "port"/)
  })
})

describe('attach()', () => {
  it('puts the app on a server of your own, and closes it too', async () => {
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

  it('is refused for what is no such server, for a second one, and after close', async () => {
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
  it('answers in a plain server of node:http', async () => {
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
