/** Services that the app creates at its start and closes at its end. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { createApp, Route, service, SetupError } from 'verbena'
import { sendRequest, captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { askWire } from '#test/e2e.js'

class Names extends Route<{ db: { name: string } }> {
  readonly field = `field ${this.db.name}`
  get() {
    return [this.field, this.db.name]
  }
}

/** Returns a service that records when it is created and closed. */
function counted(events: string[]) {
  return service(
    async () => {
      events.push('made')
      await Promise.resolve()
      return { name: 'db' }
    },
    { close: () => void events.push('closed') },
  )
}

/** Returns an app with one service that is created at the start, and one plain value. */
function appOf(events: string[], options: object = {}) {
  return createApp({ services: { db: counted(events), plain: 1 }, routes: { Names }, logger: false, ...options })
}

const GIVEN = ['field db', 'db']

describe('option "services"', () => {
  it('creates services once, before the first request of app.fetch()', async () => {
    const events: string[] = []
    const app = appOf(events)
    assert.deepEqual(events, [])
    const answers = await Promise.all([sendRequest(app, '/names'), sendRequest(app, '/names')])
    assert.deepEqual(
      answers.map(({ body }) => body),
      [GIVEN, GIVEN],
    )
    assert.deepEqual((await sendRequest(app, '/names')).body, GIVEN)
    assert.deepEqual(events, ['made'])
    await app.close()
    assert.deepEqual(events, ['made', 'closed'])
  })

  it('creates services before the port opens', async () => {
    const gate = createGate()
    const db = service(async () => {
      await gate.opened
      return { name: 'db' }
    })
    await using app = createApp({ services: { db }, routes: { Names }, logger: false, signals: false })
    let isOpen = false
    const listening = app.listen().then((made) => {
      isOpen = true
      return made
    })
    await new Promise(setImmediate)
    assert.equal(isOpen, false)
    gate.open()
    const { port } = await listening
    assert.deepEqual((await askWire(port, { target: '/names' })).body, JSON.stringify(GIVEN))
  })

  it('creates services in app.start(), and returns them in app.services', async () => {
    const events: string[] = []
    const app = appOf(events)
    assert.throws(() => app.services, { code: 'APP_STATE' })
    await app.start()
    await app.start()
    assert.equal(app.services.db.name, 'db')
    assert.equal(app.services['plain'], 1)
    assert.deepEqual(events, ['made'])
    await app.close()
  })

  it('returns plain values in app.services before the start', () => {
    const app = createApp({ services: { db: { name: 'plain' } }, routes: { Names } })
    assert.equal(app.services.db.name, 'plain')
  })

  it('rejects app.listen() and closes services if one fails, and allows another listen()', async () => {
    const events: string[] = []
    let tries = 0
    const moody = service(() => {
      if (++tries === 1) throw new Error('refused')
      return 1
    })
    const app = createApp({
      services: { db: counted(events), moody },
      routes: { Names },
      logger: false,
      signals: false,
    })
    await assert.rejects(app.listen(), { code: 'SERVICE_FAILED', message: /service "moody".*refused/ })
    assert.deepEqual(events, ['made', 'closed'])
    const { port } = await app.listen()
    assert.ok(port > 0)
    await app.close()
    assert.deepEqual(events, ['made', 'closed', 'made', 'closed'])
  })

  it('rejects app.fetch() if a service fails', async () => {
    const db = service((): { name: string } => {
      throw new Error('refused')
    })
    const app = createApp({ services: { db }, routes: { Names }, logger: false })
    await assert.rejects(sendRequest(app, '/names'), SetupError)
    await app.close()
  })

  it('closes services once, even if app.close() is called again', async () => {
    const events: string[] = []
    const db = service(() => ({ name: 'db' }), { close: () => void events.push('closed') })
    const app = createApp({ services: { db }, routes: { Names }, logger: false })
    await app.start()
    await Promise.all([app.close(), app.close()])
    await app.close()
    assert.deepEqual(events, ['closed'])
  })

  it('does not create services after app.close()', async () => {
    const events: string[] = []
    const app = appOf(events)
    await app.close()
    for (const task of [app.start(), sendRequest(app, '/names')]) await assert.rejects(task, { code: 'APP_STATE' })
    assert.deepEqual(events, [])
  })

  it('resolves app.start() of a closed app that was started before', async () => {
    const app = appOf([])
    await app.start()
    await app.close()
    await app.start()
  })

  it('closes services after requests in progress', async () => {
    const events: string[] = []
    const [begun, finish] = [createGate(), createGate()]
    class Slow extends Route<{ db: { name: string } }> {
      async get() {
        begun.open()
        await finish.opened
        events.push('answered')
      }
    }
    const app = createApp({ services: { db: counted(events) }, routes: { Slow }, logger: false })
    const answer = sendRequest(app, '/slow')
    await begun.opened
    const closed = app.close()
    await new Promise(setImmediate)
    finish.open()
    await Promise.all([answer, closed])
    assert.deepEqual(events, ['made', 'answered', 'closed'])
  })

  it('closes services after a request that waited for their creation', async () => {
    const events: string[] = []
    const app = appOf(events)
    const answer = sendRequest(app, '/names')
    await app.close()
    assert.equal((await answer).status, 200)
    assert.deepEqual(events, ['made', 'closed'])
  })

  it('logs the name of a service that is not created after 10 s, and fails after 60 s by default', async (t) => {
    const { logger, lines } = captureLog()
    const db = service(() => new Promise<{ name: string }>(() => {}))
    const app = createApp({ services: { db }, routes: { Names }, logger, signals: false })
    t.mock.timers.enable({ apis: ['setTimeout'] })
    const listening = app.listen().catch((error: unknown) => error)
    await new Promise(setImmediate)
    t.mock.timers.tick(9_999)
    assert.deepEqual(lines, [])
    t.mock.timers.tick(1)
    assert.deepEqual(lines, [
      { level: 'warn', fields: { service: 'db', ms: 10_000 }, message: 'Service still being created' },
    ])
    t.mock.timers.tick(50_000)
    const error = await listening
    assert.ok(error instanceof SetupError)
    assert.equal(error.code, 'SERVICE_FAILED')
    assert.match(error.message, /^Cannot create the service "db": its function is still running after 60000 ms\. /)
    assert.equal(lines.length, 1)
  })

  it('responds with 503 after timeouts.start, and starts again for the next request', async () => {
    const { logger, lines } = captureLog()
    const [late, closed] = [createGate<{ name: string }>(), createGate<{ name: string }>()]
    let count = 0
    const create = () => (count++ === 0 ? late.opened : { name: 'second' })
    const db = service<{ name: string }>(create, { close: (value) => closed.open(value) })
    const app = createApp({ services: { db }, routes: { Names }, logger, timeouts: { start: 20 }, signals: false })
    const server = createServer(app.handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // Proof: the server listens on a port.
    const { port } = server.address() as AddressInfo
    assert.equal((await askWire(port, { target: '/names' })).status, 503)
    const state = 'its function is still running after 20 ms. Raise "timeouts.start"'
    assert.equal(Object(lines[0]?.fields['err']).message, `Cannot create the service "db": ${state}`)
    assert.equal((await askWire(port, { target: '/names' })).body, JSON.stringify(['field second', 'second']))
    late.open({ name: 'first' })
    assert.deepEqual(await closed.opened, { name: 'first' })
    server.close()
    server.closeAllConnections()
  })

  it('closes the other services if one hangs, and logs its name', async () => {
    const { logger, lines } = captureLog()
    const events: string[] = []
    const hangs = service(() => 1, { close: () => new Promise(() => {}) })
    const app = createApp({
      services: { db: counted(events), hangs },
      routes: { Names },
      logger,
      timeouts: { close: 40 },
    })
    await app.start()
    await app.close()
    assert.deepEqual(events, ['made', 'closed'])
    assert.deepEqual(
      lines.map(({ level, fields, message }) => [level, fields['service'], message]),
      [['error', 'hangs', 'Failed to close a service']],
    )
    const state = 'its close function is still running after 20 ms. Raise "timeouts.close"'
    assert.equal(Object(lines[0]?.fields['err']).message, `Cannot wait for the service "hangs": ${state}`)
  })

  it('logs the name and error of a service that fails to close', async () => {
    const { logger, lines } = captureLog()
    const error = new Error('stuck')
    const db = service(() => ({ name: 'db' }), {
      close: () => {
        throw error
      },
    })
    const app = createApp({ services: { db }, routes: { Names }, logger })
    await app.start()
    await app.close()
    assert.deepEqual(lines, [
      { level: 'error', fields: { err: error, service: 'db' }, message: 'Failed to close a service' },
    ])
  })

  it('disposes of plain values with Symbol.asyncDispose', async () => {
    let isDisposed = false
    const db = { name: 'db', [Symbol.asyncDispose]: async () => void (isDisposed = true) }
    const app = createApp({ services: { db }, routes: { Names }, logger: false })
    await app.close()
    assert.equal(isDisposed, true)
  })
})

describe('app.handler: services', () => {
  async function askOwn(app: ReturnType<typeof appOf>, targets: readonly string[]) {
    const server = createServer(app.handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // Proof: the address of a TCP server is an object.
    const { port } = server.address() as AddressInfo
    const answers = []
    for (const target of targets) answers.push(await askWire(port, { target }))
    server.close()
    server.closeAllConnections()
    await app.close()
    return answers
  }

  it('creates services before the first request', async () => {
    const events: string[] = []
    const [first, second] = await askOwn(appOf(events), ['/names', '/names'])
    assert.deepEqual(
      [first?.body, second?.body, events],
      [JSON.stringify(GIVEN), JSON.stringify(GIVEN), ['made', 'closed']],
    )
  })

  it('responds 503 through middleware if a service fails, and retries on the next request', async () => {
    const { logger, lines } = captureLog()
    let tries = 0
    const db = service(() => {
      if (++tries === 1) throw new Error('refused')
      return { name: 'db' }
    })
    const seen: unknown[] = []
    const app = createApp({
      services: { db },
      routes: { Names },
      logger,
      middleware: [
        async (_context, next) => {
          const reply = await next()
          seen.push(reply.status)
          return reply
        },
      ],
    })
    const [first, second] = await askOwn(app, ['/names', '/names'])
    assert.equal(first?.status, 503)
    assert.doesNotMatch(first?.body ?? '', /refused/)
    assert.deepEqual([second?.status, seen], [200, [503, 200]])
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [['error', 'Failed to start the app']],
    )
  })
})

describe('fields of route classes with services', () => {
  class Sly extends Route<{ db: { name: string } }> {
    readonly field = this.db.name
    get() {}
  }

  it('rejects start() and listen() if a field hides a service', async () => {
    class Hidden extends Sly {
      cache: unknown
    }
    const db = service(() => ({ name: 'db' }))
    const app = createUntypedApp({ services: { db, cache: {} }, routes: { Hidden } })
    for (const start of [() => app.start(), () => app.listen()]) {
      await assert.rejects(start(), { code: 'ROUTE_FIELD', message: /field "cache" of "Hidden"/ })
    }
    await app.close()
  })

  it('throws in createApp() if a field hides a service and no field reads a service', () => {
    class Hidden extends Route {
      db: unknown
      get() {}
    }
    const db = service(() => 1)
    assert.throws(() => createUntypedApp({ services: { db }, routes: { Hidden } }), { code: 'ROUTE_FIELD' })
  })
})
