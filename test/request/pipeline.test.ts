/** The pipeline of a request: its steps as documented, and requests that leave it early. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { describe, it } from 'node:test'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { HttpError, provide, reply, Route, type App, type Input, type Middleware } from 'verbena'
import { RunningApp } from '#src/app/running-app.js'
import { PIPELINE_STEPS, ROUTING_STEPS } from '#src/request/steps.js'
import { sendRequest, captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { until } from '#test/e2e.js'
import { createProbedApp, logLevels, transaction } from '#test/provider-ends.js'
import * as z from 'zod'

describe('pipeline steps', () => {
  it('matches the list in docs/lifecycle.md', () => {
    const page = readFileSync('docs/lifecycle.md', 'utf8')
    const [, documented] = /<!-- steps -->\s+```text\n([\s\S]*?)\n```/.exec(page) ?? []
    const listed = [...ROUTING_STEPS, ...PIPELINE_STEPS].map(({ part = '', name, statuses = '' }) =>
      `${part.toUpperCase().padEnd(9)}${name.padEnd(23)}${statuses}`.trimEnd(),
    )
    assert.equal(documented, listed.join('\n'))
  })
})

/** Places of a request at which its client may disconnect. */
const PLACES = [
  ...['middleware', 'guard', 'body', 'raw provider', 'validation', 'provider', 'method', 'reply', 'end of provider'],
  ...['middleware, after', 'stream', 'end after the answer', 'task'],
] as const

type Place = (typeof PLACES)[number]

/** App that stops at one place, and counts started and cleaned-up providers. */
class Stopping {
  readonly counts = { begun: 0, ended: 0 }
  readonly reached = createGate()
  readonly #left = createGate()
  readonly #place: Place

  constructor(place: Place) {
    this.#place = place
  }

  readonly at = async (place: Place): Promise<void> => {
    if (place !== this.#place) return
    this.reached.open()
    await this.#left.opened
  }

  goOn(): void {
    this.#left.open()
  }

  #opening(begin: Place, end: Place) {
    const { at, counts } = this
    return async function* () {
      counts.begun++
      try {
        await at(begin)
        yield 'open'
      } finally {
        await at(end)
        counts.ended++
      }
    }
  }

  app(options: object): App {
    const { at } = this
    const passing = (place: Place) => async () => {
      await at(place)
      return true
    }
    const slow = z.string().refine(passing('validation'))
    const guard = provide({ security: { type: 'http', scheme: 'x' } }, this.#opening('guard', 'end of provider'))
    const late = provide({}, this.#opening('provider', 'end after the answer'), { ends: 'after-response' })
    const raw = provide({ rawBody: true }, this.#opening('raw provider', 'end of provider'))
    const said = z.any().refine(passing('reply'))
    const around: Middleware = async (_context, next) => {
      await at('middleware')
      const answer = await next()
      await at('middleware, after')
      return answer
    }
    class Json extends Route {
      static readonly middleware = [around]
      static readonly post = this.contract({ body: slow, uses: { guard, raw, late }, returns: said })
      async post({ body, response }: Input<typeof Json.post>) {
        response.after(() => at('task'))
        await at('method')
        return body
      }
    }
    class Streamed extends Route {
      static readonly post = this.contract({ body: slow, uses: { guard, raw, late } })
      async *post() {
        yield 'a'
        await at('stream')
        yield 'b'
      }
    }
    return createUntypedApp({
      routes: { Json, Streamed },
      signals: false,
      logger: false,
      timeouts: { close: 5000 },
      ...options,
    })
  }
}

function runningIn(app: App): number {
  return RunningApp.partsOf(app)?.state.work.running ?? -1
}

describe('requests whose client disconnects', () => {
  for (const place of PLACES) {
    it(`ends everything that has begun if the client disconnects at: ${place}`, async () => {
      const stopping = new Stopping(place)
      const app = stopping.app({})
      const { port } = await app.listen()
      const socket = connect(port, '127.0.0.1')
      const path = place === 'stream' ? '/streamed' : '/json'
      const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n`
      socket.on('error', () => {}).write(place === 'body' ? `${head}"` : `${head}"x"`)
      if (place === 'body') await until(() => stopping.counts.begun === 1, 'the guard has run')
      else await stopping.reached.opened
      socket.destroy()
      await until(() => socket.destroyed, 'the client has left')
      await turn()
      stopping.goOn()
      await until(() => runningIn(app) === 0, 'the call is over')
      const { begun, ended } = stopping.counts
      assert.deepEqual([ended, begun > 0], [begun, true])
      await app.close()
    })
  }
})

/** Creates middleware that calls `next()`, and responds without waiting for its reply. */
function impatient(): { readonly middleware: Middleware; readonly inner: Promise<unknown>[] } {
  const inner: Promise<unknown>[] = []
  const middleware: Middleware = async (_context, next) => {
    inner.push(next())
    await turn()
    return reply(200, 'mine')
  }
  return { middleware, inner }
}

describe('middleware that does not await next()', () => {
  it('sends the reply of middleware, discards the late response and ends the providers', async () => {
    const log: string[] = []
    const done = createGate()
    const method = async (): Promise<string> => {
      await done.opened
      return 'the endpoint'
    }
    const { middleware } = impatient()
    const { app, lines } = createProbedApp({
      uses: { tx: transaction(log) },
      method,
      options: { middleware: [middleware] },
    })
    assert.equal((await sendRequest(app, '/probe')).text, 'mine')
    assert.deepEqual(log, ['begin'])
    done.open()
    await until(() => log.length === 2, 'the provider has ended')
    await until(() => lines.length === 1, 'the answer was dropped')
    assert.deepEqual([log, logLevels(lines)], [['begin', 'commit'], [['warn', 'Late response discarded']]])
    await app.close()
  })

  it('stops the timeout of a method that has ended', async () => {
    const { middleware } = impatient()
    const method = async (): Promise<string> => {
      await turn()
      await turn()
      return 'the endpoint'
    }
    const { app, lines } = createProbedApp({
      uses: {},
      method,
      spec: { timeout: 400 },
      options: { middleware: [middleware] },
    })
    assert.equal((await sendRequest(app, '/probe')).text, 'mine')
    await wait(450)
    assert.deepEqual(logLevels(lines), [['warn', 'Late response discarded']])
    await app.close()
  })

  it('rolls back providers and logs the error if the endpoint fails later', async () => {
    const log: string[] = []
    const done = createGate()
    const method = async (): Promise<never> => {
      await done.opened
      throw new RangeError('too late')
    }
    const { middleware } = impatient()
    const { app, lines } = createProbedApp({
      uses: { tx: transaction(log) },
      method,
      options: { middleware: [middleware] },
    })
    assert.equal((await sendRequest(app, '/probe')).text, 'mine')
    done.open()
    await until(() => log.length === 2 && lines.length === 1, 'the provider has ended')
    const line = ['warn', 'Handler failed after the response']
    assert.deepEqual([log, logLevels(lines)], [['begin', 'rollback RangeError'], [line]])
    await app.close()
  })

  it('does not affect other requests if an endpoint without providers fails later', async () => {
    const done = createGate()
    const method = async (): Promise<never> => {
      await done.opened
      throw new RangeError('too late')
    }
    class Fine extends Route {
      get() {
        return 'fine'
      }
    }
    class Impatient extends Route {
      static readonly middleware = [impatient().middleware]
      get() {
        return method()
      }
    }
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes: { Fine, Impatient }, logger, signals: false })
    assert.equal((await sendRequest(app, '/impatient')).text, 'mine')
    done.open()
    await until(() => lines.length === 1, 'the endpoint has failed')
    assert.equal((await sendRequest(app, '/fine')).text, 'fine')
    await app.close()
  })

  it('ends the stream of the endpoint if middleware throws while a provider is still ending', async () => {
    const ended = createGate()
    async function* source() {
      try {
        yield 'a'
      } finally {
        ended.open()
      }
    }
    const done = createGate()
    const slow = provide({}, async function* () {
      yield 'open'
      await done.opened
    })
    const around: Middleware = async (_context, next) => {
      void next()
      await wait(20)
      throw new HttpError(409)
    }
    const { app } = createProbedApp({ uses: { slow }, method: () => source(), options: { middleware: [around] } })
    assert.equal((await sendRequest(app, '/probe')).status, 409)
    done.open()
    await ended.opened
    await app.close()
  })

  it('ends an after-response provider that begins after the response is sent', async () => {
    const log: string[] = []
    const done = createGate()
    const late = provide(
      {},
      async function* () {
        await done.opened
        log.push('open')
        yield 'open'
        log.push('close')
      },
      { ends: 'after-response' },
    )
    const { app } = createProbedApp({
      uses: { late },
      method: () => 'late',
      options: { middleware: [impatient().middleware] },
    })
    assert.equal((await sendRequest(app, '/probe')).text, 'mine')
    done.open()
    await until(() => log.length === 2, 'the provider has ended')
    assert.deepEqual(log, ['open', 'close'])
    await app.close()
  })

  it('logs the cleanup error of a provider', async () => {
    const done = createGate()
    const failing = provide({}, function* () {
      yield 'open'
      throw new RangeError('commit failed')
    })
    const { middleware } = impatient()
    const method = (): Promise<void> => done.opened
    const { app, lines } = createProbedApp({ uses: { failing }, method, options: { middleware: [middleware] } })
    assert.equal((await sendRequest(app, '/probe')).text, 'mine')
    done.open()
    await until(() => lines.length === 2, 'both lines are written')
    assert.deepEqual(logLevels(lines).toSorted(), [
      ['error', 'Provider cleanup failed after the response'],
      ['warn', 'Late response discarded'],
    ])
    await app.close()
  })

  it('does not end providers of a method that has timed out and is still running', async () => {
    const log: string[] = []
    const done = createGate()
    const { middleware } = impatient()
    const { app, lines } = createProbedApp({
      uses: { tx: transaction(log) },
      method: () => done.opened,
      spec: { timeout: 10 },
      options: { middleware: [middleware] },
    })
    assert.equal((await sendRequest(app, '/probe')).text, 'mine')
    await until(() => lines.length === 1, 'the time is over')
    await turn()
    assert.deepEqual(log, ['begin'])
    done.open()
    await until(() => log.length === 2, 'the provider has ended')
    await app.close()
  })

  it('does not call the method if the body arrives after the response', async () => {
    const ran: unknown[] = []
    class Notes extends Route {
      static readonly middleware = [impatient().middleware]
      static readonly post = this.contract({ body: z.string() })
      post({ body }: Input<typeof Notes.post>) {
        ran.push(body)
      }
    }
    const app = createUntypedApp({ routes: { Notes }, signals: false, logger: false })
    const { port } = await app.listen()
    const socket = connect(port, '127.0.0.1')
    const head = 'POST /notes HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 3\r\n\r\n'
    socket.write(`${head}"`)
    await new Promise((resolve) => socket.once('data', resolve))
    socket.write('x"')
    await turn()
    await turn()
    socket.destroy()
    await until(() => runningIn(app) === 0, 'the call is over')
    assert.deepEqual(ran, [])
    await app.close()
  })

  it('does not begin the endpoint after middleware has replied', async () => {
    const ran: unknown[] = []
    let begin = (): unknown => undefined
    const middleware: Middleware = async (_context, next) => {
      begin = next
      return reply(200, 'mine')
    }
    const { app } = createProbedApp({ uses: {}, method: () => ran.push('ran'), options: { middleware: [middleware] } })
    assert.equal((await sendRequest(app, '/probe')).text, 'mine')
    void begin()
    await turn()
    assert.deepEqual(ran, [])
    await app.close()
  })
})

describe('failures after the response', () => {
  it('does not change the response if a timer throws', async () => {
    const { app, lines } = createProbedApp({ uses: {}, method: () => 'fine' })
    const channel = RunningApp.partsOf(app)?.state.channel
    assert.ok(channel !== undefined)
    channel.timer = { record: () => assert.fail('the timer') }
    assert.equal((await sendRequest(app, '/probe')).text, 'fine')
    assert.deepEqual(logLevels(lines), [['warn', 'Failed to record a request']])
  })

  it('does not send a second response if a later step throws', async () => {
    const { app, lines } = createProbedApp({ uses: {}, method: () => 'fine' })
    const work = RunningApp.partsOf(app)?.state.work
    assert.ok(work !== undefined)
    work.remove = () => assert.fail('the step')
    assert.equal((await sendRequest(app, '/probe')).text, 'fine')
    assert.deepEqual(logLevels(lines), [['warn', 'Handler failed after the response']])
  })
})
