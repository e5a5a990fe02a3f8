/** Services that emit errors without a listener, as pools and clients of databases do when a connection is lost. */
import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { Socket } from 'node:net'
import { describe, it } from 'node:test'
import { MessageChannel } from 'node:worker_threads'
import { createApp, Route, service, type Finding } from 'verbena'
import { captureLog, sendRequest } from '#test/apps.js'

class Home extends Route {
  get() {
    return 'home'
  }
}
const MESSAGE = 'Service emitted an error without a listener'

/** Service with the two traits of a pool that the check reads: it emits events and has `query`. */
class Pool extends EventEmitter {
  query(): void {}
}

function create(services: Readonly<Record<string, unknown>>) {
  const { logger, lines } = captureLog()
  const app = createApp({ services, routes: { Home }, logger, signals: false })
  const logged = () =>
    lines.flatMap(({ level, fields, message }) =>
      message === MESSAGE ? [[level, fields['service'], fields['err']]] : [],
    )
  const findings = (): Finding[] => app.check().filter(({ code }) => code === 'LISTENER_MISSING')
  return { app, logged, findings }
}

describe('an error of a service', () => {
  it('appears in the log with the name of the service at most once a second, and does not end the process', async (t) => {
    let now = 5_000
    t.mock.method(performance, 'now', () => now)
    const { app, logged } = create({ db: service(() => new EventEmitter()) })
    await app.start()
    const { db } = app.services
    assert.ok(db instanceof EventEmitter)
    const lost = ['a', 'b', 'c'].map((text) => new Error(text))
    db.emit('error', lost[0])
    now += 999
    db.emit('error', lost[1])
    now += 1
    db.emit('error', lost[2])
    assert.deepEqual(logged(), [
      ['error', 'db', lost[0]],
      ['error', 'db', lost[2]],
    ])
  })

  it('does not appear in the log while the app has a listener', async () => {
    const { app, logged } = create({ db: service(() => new EventEmitter()) })
    await app.start()
    const { db } = app.services
    assert.ok(db instanceof EventEmitter)
    const heard: unknown[] = []
    const listener = (error: unknown): void => void heard.push(error)
    db.on('error', listener)
    db.emit('error', 'first')
    db.off('error', listener)
    db.emit('error', 'second')
    assert.deepEqual([heard, logged()], [['first'], [['error', 'db', 'second']]])
  })

  it('appears in the log for a value that is older than the app, after the first request', async () => {
    const db = new EventEmitter()
    const { app, logged } = create({ db })
    assert.equal(db.listenerCount('error'), 0)
    assert.equal((await sendRequest(app, '/home')).status, 200)
    assert.equal(db.listenerCount('error'), 1)
    db.emit('error', 'lost')
    assert.deepEqual(logged(), [['error', 'db', 'lost']])
  })

  it('appears in the log of the last of several apps with the same service, even after they are closed', async () => {
    const db = new EventEmitter()
    const apps = [create({ db }), create({ pool: db, again: db })]
    for (const { app } of apps) await app.start()
    await apps[1]?.app.close()
    assert.equal(db.listenerCount('error'), 1)
    db.emit('error', 'lost')
    assert.deepEqual(
      apps.map(({ logged }) => logged()),
      [[], [['error', 'again', 'lost']]],
    )
  })

  it('stays with the listener of the app', async () => {
    const socket = new Socket().on('error', () => {})
    const { app } = create({ socket })
    await app.start()
    assert.equal(socket.listenerCount('error'), 1)
  })

  it('needs an emitter: not process, an event target, a value without the two methods, or one that throws', async () => {
    const { port1 } = new MessageChannel()
    const asked: unknown[] = []
    // Like clients whose methods are sent to another process.
    const remote = new Proxy(() => {}, {
      get: (_, name) => (name === 'then' ? undefined : (...given: unknown[]) => asked.push([name, given])),
    })
    const hostile = new Proxy(new EventEmitter(), {
      has: () => {
        throw new Error('a trap')
      },
    })
    const broken = { on: () => assert.fail('it was called'), listenerCount: () => 'many' }
    const failing = {
      on: () => {
        throw new Error('closed')
      },
      listenerCount: () => 0,
    }
    const thrower = {
      on: () => assert.fail('it was called'),
      listenerCount: () => {
        throw new Error('closed')
      },
    }
    const halves = [{ on: () => {} }, { on: 1, listenerCount: () => 0 }, { on: () => {}, listenerCount: 0 }]
    const values = { process, port1, remote, hostile, broken, failing, thrower, ...halves, text: 'a', none: null }
    const counts = [process, port1].map((each) => each.listenerCount('error'))
    const { app, findings } = create(values)
    await app.start()
    assert.deepEqual([findings(), asked], [[], []])
    assert.deepEqual(
      [process, port1].map((each) => each.listenerCount('error')),
      counts,
    )
    port1.close()
  })

  it('does not fail the app if the logger throws', async () => {
    const bus = new EventEmitter()
    const throws = (): never => {
      throw new Error('the disk is full')
    }
    const logger = { debug: throws, info: throws, warn: throws, error: throws }
    await createApp({ services: { bus }, routes: { Home }, logger, signals: false }).start()
    assert.equal(bus.emit('error', new Error('lost')), true)
  })
})

describe('app.check(): LISTENER_MISSING', () => {
  it('reports connections of an app that has started, and says that a pool connects again', async () => {
    const connecting = Object.assign(new EventEmitter(), { connect: () => {} })
    const own = new Pool().on('error', () => {})
    const { app, findings } = create({ db: service(() => new Pool()), connecting, own, bus: new EventEmitter() })
    assert.deepEqual(findings(), [])
    await app.start()
    const [first, second, ...others] = findings()
    assert.deepEqual(others, [])
    assert.deepEqual(first, {
      code: 'LISTENER_MISSING',
      route: 'Home',
      method: 'GET',
      message: 'The service "db" has no "error" listener: Node ends the process if its connection is lost',
      fix: 'Write "db.on(\'error\', …)" in its function. A pool connects again, a single client does not: use a pool',
    })
    assert.match(second?.message ?? '', /"connecting"/)
    connecting.on('error', () => {})
    assert.equal(findings().length, 1)
  })

  it('reports nothing in an app without endpoints', async () => {
    const app = createApp({ services: { db: new Pool() }, routes: {}, logger: false, signals: false })
    await app.start()
    assert.deepEqual(app.check(), [])
  })

  it('skips a service whose methods throw', async () => {
    const trap = Object.defineProperty(new EventEmitter(), 'query', {
      get: () => {
        throw new Error('a trap')
      },
    })
    const { app, findings } = create({ trap })
    await app.start()
    assert.deepEqual(findings(), [])
  })
})
