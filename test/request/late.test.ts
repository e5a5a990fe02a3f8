/** Methods that are still running when their request ends: their providers are cleaned up after them. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, it } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import { createApp, decorator, HttpError, provide, reply, Route, service, type App, type Middleware } from 'verbena'
import { testApp } from 'verbena/testing'
import { sendRequest, createGate } from '#test/apps.js'
import { until, Wire } from '#test/e2e.js'
import { logLevels } from '#test/provider-ends.js'
import { createRunning, type Running, type RunningOptions } from '#test/running-methods.js'
import * as z from 'zod'

const STILL_RUNNING = 'Endpoint still running; its providers are cleaned up without it'
const GET = 'GET /probe HTTP/1.1\r\nHost: a\r\n\r\n'

const apps: App[] = []
const closeApps = () => Promise.all(apps.splice(0).map((app) => app.close()))

function start(options: RunningOptions): Running {
  const running = createRunning({ ...options, app: { timeouts: { close: 10_000 }, ...options.app } })
  apps.push(running.app)
  return running
}

/** Returns after a few turns of the event loop, whether or not `next()` has settled. */
const impatient: Middleware = async (_context, next) => {
  void next()
  for (let count = 0; count < 5; count++) await turn()
  return reply(202, 'accepted')
}

const failing: Middleware = async (context, next) => {
  await impatient(context, next)
  throw new HttpError(409)
}

const hasty = decorator(() => ({
  async around(_input, proceed) {
    await Promise.race([proceed(), sleep(20)])
    return 'hasty'
  },
}))

const broken = decorator(() => ({
  async around(_input, proceed) {
    await Promise.race([proceed(), sleep(20)])
    throw new HttpError(504)
  },
}))

interface Way extends RunningOptions {
  readonly status: number
  /** How cleanup ends. */
  readonly end: string
}

/** Ways in which a request ends while its method is running. */
const WAYS: Readonly<Record<string, Way>> = {
  'the timeout of its contract': { spec: { timeout: 20 }, status: 503, end: 'end HttpError' },
  'timeouts.handler': { app: { timeouts: { handler: 20, close: 10_000 } }, status: 503, end: 'end HttpError' },
  'a timeout while the response is validated': {
    spec: { timeout: 20 },
    method: (late) => ({ [Symbol.asyncIterator]: () => ({ next: () => late().then(() => ({ done: true })) }) }),
    status: 503,
    end: 'end HttpError',
  },
  'a timeout before the first chunk of a stream': {
    spec: { timeout: 20 },
    method: async function* (late) {
      yield await late()
    },
    status: 503,
    end: 'end HttpError',
  },
  'middleware that does not await next()': { middleware: [impatient], status: 202, end: 'end' },
  'middleware that throws': { middleware: [failing], status: 409, end: 'end' },
  'middleware inside middleware': { middleware: [(_context, next) => next(), impatient], status: 202, end: 'end' },
  'a decorator that does not await the method': { spec: { decorators: [hasty] }, status: 200, end: 'end' },
  'a decorator that throws': { spec: { decorators: [broken] }, status: 504, end: 'end HttpError' },
}

for (const [about, { status, end, ...way }] of Object.entries(WAYS)) {
  for (const isAsync of [true, false]) {
    for (const ends of ['before-response', 'after-response'] as const) {
      describe(`a request ended by ${about}: ${isAsync ? 'async' : 'sync'} provider, ${ends}`, () => {
        afterEach(closeApps)

        it('sends the response first, and cleans up after the method', async () => {
          const { app, log, begun, finish } = start({ ...way, isAsync, ends })
          const response = sendRequest(app, '/probe')
          await begun
          assert.equal((await response).status, status)
          let isClosed = false
          const closing = app.close().then(() => (isClosed = true))
          await sleep(20)
          assert.deepEqual([log, isClosed], [['begin'], false])
          finish()
          await closing
          const first = ['begin', 'write late, aborted']
          // Providers that are cleaned up after the response receive an error response of middleware.
          const isTold = ends === 'after-response' && status === 409
          assert.deepEqual(log, [...first, isTold ? 'end HttpError' : end])
        })
      })
    }
  }
}

describe('a method after its timeout', () => {
  afterEach(closeApps)

  it('cleans up once with the error of the timeout if the method throws', async () => {
    const method = (late: () => Promise<string>) => late().then(() => Promise.reject(new RangeError('late')))
    const { app, log, lines, finish } = start({ spec: { timeout: 10 }, method })
    assert.equal((await sendRequest(app, '/probe')).status, 503)
    finish()
    await until(() => log.length === 3, 'the cleanup')
    assert.deepEqual(log.slice(1), ['write late, aborted', 'end HttpError'])
    assert.deepEqual(logLevels(lines), [
      ['error', 'The request failed'],
      ['warn', 'Handler failed after the response'],
    ])
  })

  it('discards a reply that the method returns late', async () => {
    const method = (late: () => Promise<string>) => late().then(() => reply(201, 'made'))
    const { app, log, lines, finish } = start({ spec: { timeout: 10 }, method })
    assert.equal((await sendRequest(app, '/probe')).status, 503)
    finish()
    await until(() => log.length === 3, 'the cleanup')
    assert.deepEqual(
      lines.map(({ message, fields }) => [message, fields['status']]),
      [
        ['The request failed', undefined],
        ['Late response discarded', 201],
      ],
    )
  })

  for (const kind of ['a generator', 'an object that is no generator']) {
    it(`cleans up after ${kind} that the method returns late`, async () => {
      const log: string[] = []
      const method = async (late: () => Promise<string>) => {
        await late()
        return kind === 'a generator' ? generate() : iterable
      }
      async function* generate() {
        try {
          await sleep(20)
          yield 'first'
        } finally {
          await sleep(20)
          log.push('stream ended')
        }
      }
      const iterable = { [Symbol.asyncIterator]: () => ({ next: () => generate().next(), return: ended }) }
      async function ended() {
        log.push('stream ended')
        return { done: true }
      }
      const running = start({ spec: { timeout: 10 }, method })
      assert.equal((await sendRequest(running.app, '/probe')).status, 503)
      running.finish()
      await until(() => running.log.length === 3, 'the cleanup')
      assert.deepEqual(log, ['stream ended'])
    })
  }

  it('logs a running method with its endpoint after timeouts.close, and then cleans up', async () => {
    for (const isAsync of [true, false]) {
      const running = start({ spec: { timeout: 10 }, isAsync, app: { timeouts: { close: 100 } } })
      const { app, log, lines, finish } = running
      assert.equal((await sendRequest(app, '/probe')).status, 503)
      await sleep(50)
      assert.deepEqual(log, ['begin'])
      await until(() => log.length === 2, 'the cleanup')
      assert.deepEqual(log, ['begin', 'end HttpError'])
      const { level, message, fields } = lines.at(-1) ?? assert.fail()
      assert.deepEqual(
        [level, message, fields['route'], fields['method'], fields['path']],
        [...['error', STILL_RUNNING], ...['Probe', 'GET', '/probe']],
      )
      await app.close()
      finish()
      await turn()
      assert.deepEqual(log.slice(2), ['write late, aborted'])
    }
  })

  it('does not clean up early if middleware returns while an error format is written', async () => {
    const written = createGate()
    const schema = z.object({ wrong: z.string() }).refine(() => written.opened.then(() => true))
    const errorFormat = { schema, write: () => ({ wrong: 'time' }) }
    const late: Middleware = async (_context, next) => {
      void next()
      await sleep(60)
      return reply(200, 'mine')
    }
    const running = start({ spec: { timeout: 10 }, middleware: [late], app: { errorFormat } })
    assert.equal((await sendRequest(running.app, '/probe')).text, 'mine')
    written.open()
    await sleep(20)
    assert.deepEqual(running.log, ['begin'])
    running.finish()
    await until(() => running.log.length === 3, 'the cleanup')
  })

  it('ignores headers set during late cleanup, even in strict mode', async () => {
    const finish = createGate()
    const log: string[] = []
    const timed = provide({}, function* ({ response }) {
      try {
        yield 1
      } finally {
        response.header('x-time', '1')
        log.push('released')
      }
    })
    class Slow extends Route {
      static readonly get = this.contract({ uses: { timed }, timeout: 10, returns: null })
      async get() {
        await finish.opened
      }
    }
    const { api, close } = await testApp(createApp({ routes: { Slow }, signals: false }))
    assert.equal((await api('/slow').get()).status, 503)
    finish.open()
    await close()
    assert.deepEqual(log, ['released'])
  })
})

describe('middleware that returns', () => {
  afterEach(closeApps)

  it('logs a commit that fails after middleware has returned', async () => {
    const commit = createGate()
    const tx = provide({}, async function* () {
      yield 'tx'
      await commit.opened
      throw new RangeError('commit failed')
    })
    const running = start({ middleware: [impatient], method: () => 'made', spec: { uses: { tx } } })
    assert.equal((await sendRequest(running.app, '/probe')).status, 202)
    commit.open()
    await running.app.close()
    assert.deepEqual(logLevels(running.lines), [['error', 'Provider cleanup failed after the response']])
  })

  it('lets the app close if inner middleware has not called next()', async () => {
    const outer: Middleware = async (_context, next) => {
      void next()
      return reply(200, 'outer')
    }
    const inner: Middleware = async (_context, next) => {
      await sleep(30)
      return next()
    }
    const { app, log } = start({ middleware: [outer, inner] })
    assert.equal((await sendRequest(app, '/probe')).text, 'outer')
    await app.close()
    await sleep(40)
    assert.deepEqual(log, [])
  })

  it('does not stop the timeout of the contract', async () => {
    const running = start({ middleware: [impatient], spec: { timeout: 30 }, app: { timeouts: { close: 30 } } })
    assert.equal((await sendRequest(running.app, '/probe')).status, 202)
    await until(() => running.log.length === 2, 'the cleanup')
    assert.deepEqual(running.log, ['begin', 'end HttpError'])
    assert.equal(running.lines.at(-1)?.message, STILL_RUNNING)
    running.finish()
  })
})

describe('a client that disconnects', () => {
  afterEach(closeApps)

  it('does not end providers while the method is running', async () => {
    for (const ends of ['before-response', 'after-response'] as const) {
      const { app, log, begun, finish } = start({ ends, method: (late) => late() })
      const { port } = await app.listen()
      const wire = new Wire(port)
      wire.send(GET)
      await begun
      wire.destroy()
      await sleep(30)
      assert.deepEqual(log, ['begin'])
      finish()
      await app.close()
      assert.deepEqual(log, ['begin', 'write late, aborted', 'end AbortError'])
    }
  })
})

describe('app.close() at its deadline', () => {
  afterEach(closeApps)

  const ways: Readonly<Record<string, (app: App) => Promise<() => unknown>>> = {
    'listen()': async (app) => {
      const { port } = await app.listen()
      const wire = new Wire(port)
      wire.send(GET)
      return () => wire.destroy()
    },
    'app.handler': async (app) => {
      const server = createServer(app.handler).listen(0, '127.0.0.1')
      await new Promise((resolve) => server.once('listening', resolve))
      // Proof: a TCP server has such an address.
      const wire = new Wire((server.address() as AddressInfo).port)
      wire.send(GET)
      return () => {
        wire.destroy()
        server.close()
      }
    },
    'app.fetch': async (app) => {
      void sendRequest(app, '/probe')
      return () => {}
    },
  }
  for (const [about, request] of Object.entries(ways)) {
    it(`aborts the signal and waits for the method before it closes services: ${about}`, async () => {
      const log: string[] = []
      const db = service(() => 'db', { close: () => log.push('closed') })
      const method = async (late: () => Promise<string>, { signal }: { signal: AbortSignal }) => {
        const result = late()
        signal.addEventListener('abort', () => setTimeout(running.finish, 40))
        return result
      }
      const running = start({ method: method as never, app: { services: { db }, timeouts: { close: 80 } } })
      await running.app.start()
      const end = await request(running.app)
      await running.begun
      await running.app.close()
      assert.deepEqual([...running.log, ...log].slice(0, 2), ['begin', 'write late, aborted'])
      assert.deepEqual([running.log.length, log], [3, ['closed']])
      assert.deepEqual(logLevels(running.lines)[0], ['warn', 'App closed before all requests and tasks were done'])
      await end()
    })

    it(`cleans up without a method that does not stop, and logs it: ${about}`, async () => {
      for (const ends of ['before-response', 'after-response'] as const) {
        const log: string[] = []
        const db = service(() => 'db', { close: () => log.push(...running.log, 'closed') })
        const running = start({ ends, app: { services: { db }, timeouts: { close: 40 } } })
        await running.app.start()
        const end = await request(running.app)
        await running.begun
        await running.app.close()
        assert.deepEqual(log, ['begin', 'end HttpError', 'closed'])
        const { message, fields } = running.lines.at(-1) ?? assert.fail()
        assert.deepEqual([message, fields['route']], [STILL_RUNNING, 'Probe'])
        running.finish()
        await end()
      }
    })
  }

  it('fails a request if its providers are cleaned up before its method has finished', async () => {
    const running = start({ app: { timeouts: { close: 20 } } })
    const response = sendRequest(running.app, '/probe')
    await running.begun
    await running.app.close()
    running.finish()
    assert.equal((await response).status, 503)
    assert.deepEqual(running.log, ['begin', 'end HttpError', 'write late, aborted'])
  })

  it('cleans up after a timeout whose method does not stop, once', async () => {
    const running = start({ spec: { timeout: 10 }, app: { timeouts: { close: 40 } } })
    assert.equal((await sendRequest(running.app, '/probe')).status, 503)
    await running.app.close()
    assert.deepEqual(running.log, ['begin', 'end HttpError'])
    running.finish()
  })
})
