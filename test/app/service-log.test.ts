/** The log that services receive: with the built-in logger, its lines contain the id of their request. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, provide, Route, service, type Input, type Logger } from 'verbena'
import { testApp } from 'verbena/testing'
import * as z from 'zod'
import { RunningApp } from '#src/app/running-app.js'
import { SILENT } from '#src/observe/logger.js'
import { captureLog, createUntypedApp, sendRequest } from '#test/apps.js'
import { askWire, until } from '#test/e2e.js'
import { quietStdout } from '#test/quiet-stdout.js'

interface Mailer {
  send(to: string): Promise<void>
}

const mailer = service(({ log }: { log: Logger }): Mailer => {
  log.info({}, 'ready')
  return {
    async send(to) {
      log.info({ to }, 'begin')
      await sleep(1)
      await new Promise((resolve) => setImmediate(resolve))
      log.child?.({ from: 'child' }).warn({ to }, 'sent')
    },
  }
})

const mailed = provide({}, async function* ({ request }, { mailer }: { mailer: Mailer }) {
  await mailer.send(`provider ${request.id}`)
  yield null
  await mailer.send(`cleanup ${request.id}`)
})

class Mails extends Route<{ mailer: Mailer }> {
  static readonly post = this.contract({ body: z.object({ n: z.int() }), uses: { mailed }, returns: z.null() })
  async post({ request, response }: Input<typeof Mails.post>) {
    response.after(() => this.mailer.send(`task ${request.id}`))
    await this.mailer.send(`method ${request.id}`)
    return null
  }

  async *get({ request }: Input) {
    yield 'a'
    await sleep(1)
    await this.mailer.send(`stream ${request.id}`)
    yield 'b'
  }
}

class Home extends Route {
  get({ request }: Input) {
    return request.id
  }
}

const options = { routes: { Mails, Home }, services: { mailer }, devConsole: false, signals: false } as const

/** Returns the lines that an app with the built-in logger has written. */
function logOf(test: TestContext): () => readonly Readonly<Record<string, unknown>>[] {
  const written = quietStdout(test)
  // Other output, such as the report of the test runner, is not JSON.
  return () => written.flatMap((text) => (text.startsWith('{') ? [JSON.parse(text)] : []))
}

/** Returns the function that starts requests in their async context; `undefined` if the app does not use it. */
function startOf(app: object): unknown {
  return RunningApp.partsOf(app)?.state.serviceLog.start
}

describe('ServiceLog', () => {
  it('adds the id of the request to lines of services, in all work of simultaneous requests', async (t) => {
    const lines = logOf(t)
    const app = createApp({ ...options, requestId: { header: true } })
    const { port } = await app.listen()
    const post = { method: 'POST', target: '/mails', headers: { 'content-type': 'application/json' }, body: '{"n":1}' }
    const requests = Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? post : { target: '/mails' }))
    const answers = await Promise.all(requests.map((request) => askWire(port, request)))
    const ofRequests = () => lines().filter(({ to }) => to !== undefined)
    await until(() => ofRequests().length === 10 * 8 + 10 * 2, 'all lines are written')
    await app.close()
    t.mock.restoreAll()
    const ids = answers.map(({ headers }) => headers.get('x-request-id'))
    assert.equal(new Set(ids).size, 20)
    for (const { requestId, to, msg, from } of ofRequests()) {
      assert.equal(String(to).split(' ')[1], requestId)
      assert.equal(from, msg === 'sent' ? 'child' : undefined)
    }
    assert.deepEqual(new Set(ofRequests().map(({ requestId }) => requestId)), new Set(ids))
  })

  it('adds no id to a line outside of requests, and keeps an id that the line has', async (t) => {
    const lines = logOf(t)
    const own = service(
      ({ log }: { log: Logger }) =>
        () =>
          log.info({ requestId: 'own' }, 'explicit'),
    )
    class Explicit extends Route<{ own: () => void }> {
      get() {
        this.own()
      }
    }
    const app = createApp({ ...options, services: { mailer, own }, routes: { Explicit } })
    await sendRequest(app, '/explicit')
    t.mock.restoreAll()
    assert.deepEqual(
      lines().map(({ msg, requestId }) => [msg, requestId]),
      [
        ['ready', undefined],
        ['explicit', 'own'],
      ],
    )
  })

  it('works in app.fetch() and testApp(), and obeys the level', async (t) => {
    const lines = logOf(t)
    const app = createApp({ ...options, logger: { level: 'warn' } })
    await app.fetch(new Request('http://localhost/mails')).then((response) => response.text())
    await using tested = await testApp(app, { logger: { level: 'warn' }, strict: false })
    await tested.fetch('/mails').then((response) => response.text())
    t.mock.restoreAll()
    assert.deepEqual(
      lines().map(({ level, msg, to, requestId }) => [level, msg, to === `stream ${String(requestId)}`]),
      [
        ['warn', 'sent', true],
        ['warn', 'sent', true],
      ],
    )
  })

  it('has no async context if no service reads the log, or the logger is not built in', async () => {
    const { logger, lines } = captureLog()
    const read: unknown[] = []
    const reader = service(({ log }: { log: Logger }) => read.push(log))
    const plain = service((made: object) => Object.keys(made))
    for (const [services, logger_] of [
      [{ plain }, { level: 'error' }],
      [{ reader }, logger],
      [{ reader }, false],
    ] as const) {
      const app = createUntypedApp({ ...options, routes: { Home }, services, logger: logger_ })
      await app.start()
      assert.equal(startOf(app), undefined)
    }
    assert.deepEqual(read, [logger, SILENT])
    assert.deepEqual(lines, [])
    const app = createUntypedApp({ ...options, routes: { Home }, services: { reader }, logger: { level: 'error' } })
    assert.equal(startOf(app), undefined)
    await app.start()
    assert.equal(typeof startOf(app), 'function')
  })

  it('has a name that create can find, and that Object.keys does not list', async () => {
    const seen: unknown[] = []
    const first = service(() => 1)
    const all = service((made: object) => seen.push(Object.keys(made), 'log' in made, 'other' in made))
    await createUntypedApp({ ...options, routes: { Home }, services: { first, all } }).start()
    assert.deepEqual(seen, [['first'], true, false])
  })
})
