/** Services that are made when an app starts, and ended when it closes. */
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

/** A service that counts how often it is made. */
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

/** An app with one service that is made at the start. */
function appOf(events: string[], options: object = {}) {
  return createApp({ services: { db: counted(events), plain: 1 }, routes: { Names }, logger: false, ...options })
}

const GIVEN = ['field db', 'db']

describe('services of an app', () => {
  it('are made before the first request that is fetched, once', async () => {
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

  it('are made before the port opens', async () => {
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

  it('are made by start() without listening, and given by `services`', async () => {
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

  it('are there at once where none is to be made', () => {
    const app = createApp({ services: { db: { name: 'plain' } }, routes: { Names } })
    assert.equal(app.services.db.name, 'plain')
  })

  it('make listen() reject when one fails: nothing is open then, and the next try is a new one', async () => {
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

  it('make fetch() reject when one fails', async () => {
    const db = service((): { name: string } => {
      throw new Error('refused')
    })
    const app = createApp({ services: { db }, routes: { Names }, logger: false })
    await assert.rejects(sendRequest(app, '/names'), SetupError)
    await app.close()
  })

  it('are closed once, however often the app is closed', async () => {
    const events: string[] = []
    const db = service(() => ({ name: 'db' }), { close: () => void events.push('closed') })
    const app = createApp({ services: { db }, routes: { Names }, logger: false })
    await app.start()
    await Promise.all([app.close(), app.close()])
    await app.close()
    assert.deepEqual(events, ['closed'])
  })

  it('are not made by an app that is closed', async () => {
    const events: string[] = []
    const app = appOf(events)
    await app.close()
    for (const task of [app.start(), sendRequest(app, '/names')]) await assert.rejects(task, { code: 'APP_STATE' })
    assert.deepEqual(events, [])
  })

  it('are found again by start() of a closed app that had them', async () => {
    const app = appOf([])
    await app.start()
    await app.close()
    await app.start()
  })

  it('are closed after the work that uses them is done', async () => {
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

  it('are closed after a request that came before them was answered', async () => {
    const events: string[] = []
    const app = appOf(events)
    const answer = sendRequest(app, '/names')
    await app.close()
    assert.equal((await answer).status, 200)
    assert.deepEqual(events, ['made', 'closed'])
  })

  it('are closed and named in the log if another one hangs', async () => {
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
      [['error', 'hangs', 'A service could not be closed']],
    )
    const state = 'its close function is running after 20 ms. Raise "timeouts.close"'
    assert.equal(Object(lines[0]?.fields['err']).message, `Cannot wait for the service "hangs": ${state}`)
  })

  it('are named in the log when they cannot be closed', async () => {
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
      { level: 'error', fields: { err: error, service: 'db' }, message: 'A service could not be closed' },
    ])
  })

  it('may be values that dispose of themselves', async () => {
    let isDisposed = false
    const db = { name: 'db', [Symbol.asyncDispose]: async () => void (isDisposed = true) }
    const app = createApp({ services: { db }, routes: { Names }, logger: false })
    await app.close()
    assert.equal(isDisposed, true)
  })
})

describe('services on a server of your own', () => {
  async function askOwn(app: ReturnType<typeof appOf>, targets: readonly string[]) {
    const server = createServer(app.handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // Proof: it listens on a port.
    const { port } = server.address() as AddressInfo
    const answers = []
    for (const target of targets) answers.push(await askWire(port, { target }))
    server.close()
    server.closeAllConnections()
    await app.close()
    return answers
  }

  it('are made before the first request', async () => {
    const events: string[] = []
    const [first, second] = await askOwn(appOf(events), ['/names', '/names'])
    assert.deepEqual(
      [first?.body, second?.body, events],
      [JSON.stringify(GIVEN), JSON.stringify(GIVEN), ['made', 'closed']],
    )
  })

  it('are tried again with the next request; until then it is 503, of which middleware is told', async () => {
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
      [['error', 'The app could not start']],
    )
  })
})

describe('fields of a class that reads services', () => {
  class Sly extends Route<{ db: { name: string } }> {
    readonly field = this.db.name
    get() {}
  }

  it('are looked at when the services are there', async () => {
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

  it('are looked at by createApp where nothing has to be made', () => {
    class Hidden extends Route {
      db: unknown
      get() {}
    }
    const db = service(() => 1)
    assert.throws(() => createUntypedApp({ services: { db }, routes: { Hidden } }), { code: 'ROUTE_FIELD' })
  })
})
