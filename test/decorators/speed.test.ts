import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, Route, stream, type Context, type Middleware } from 'verbena'
import { log, speed } from 'verbena/decorators'
import { SPEED, warnOfSlowCalls } from '#src/decorators/speed.js'
import { Channel } from '#src/observe/channel.js'
import type { RequestEnd } from '#src/observe/event-types.js'
import { sendRequest, assertSetupError, captureLog, createGate, createUntypedApp } from '#test/apps.js'

const ENTRY = /^app;dur=\d+(\.\d{1,3})?$/

class Cups extends Route {
  static readonly path = '/cups/{id}'
  @speed
  get() {
    return ['blue']
  }
  @speed({ slow: 0 })
  async post() {
    return 'made'
  }
  @speed({ slow: 60_000 })
  put() {
    throw new Error('broken')
  }
  @speed()
  patch() {
    throw new HttpError(409, 'taken')
  }
  delete() {}
}

/** Sends a request and returns the response, the log lines and the metrics. */
async function answerOf(method: string, options: object = {}) {
  const { logger, lines } = captureLog()
  const app = createUntypedApp({ routes: { Cups }, logger, ...options })
  const answer = await sendRequest(app, '/cups/7?a=1', { method })
  return { ...answer, lines, metrics: app.metrics(), timing: answer.headers.get('server-timing') }
}

describe('@speed', () => {
  it('sends Server-Timing, with and without options', async () => {
    for (const method of ['GET', 'HEAD', 'POST', 'PATCH']) {
      assert.match(String((await answerOf(method)).timing), ENTRY, method)
    }
  })

  it('sends Server-Timing with a 500', async () => {
    const { status, timing } = await answerOf('PUT')
    assert.deepEqual([status, ENTRY.test(String(timing))], [500, true])
  })

  it('does not send Server-Timing for other endpoints or without an endpoint', async () => {
    assert.equal((await answerOf('DELETE')).timing, null)
    assert.equal((await answerOf('OPTIONS')).timing, null)
    assert.equal((await answerOf('BREW')).timing, null)
  })

  it('measures the time until the headers, including middleware', async () => {
    const slow: Middleware = async (_context, next) => {
      const reply = await next()
      const began = performance.now()
      while (performance.now() - began < 20);
      return reply
    }
    const { timing } = await answerOf('GET', { middleware: [slow] })
    assert.ok(Number(timing?.slice('app;dur='.length)) >= 20, String(timing))
  })

  it('appends to a Server-Timing header of the method', async () => {
    class Own extends Route {
      @speed
      get({ response }: Context) {
        response.header('server-timing', 'db;dur=3')
        return 'own'
      }
    }
    const { headers } = await sendRequest(createUntypedApp({ routes: { Own } }), '/own')
    const [first, second] = String(headers.get('server-timing')).split(', ')
    assert.equal(first, 'db;dur=3')
    assert.match(String(second), ENTRY)
  })

  it('counts requests and errors in app.metrics()', async () => {
    const { metrics } = await answerOf('PUT')
    const [get, post, put, patch, ...others] = metrics.endpoints
    assert.deepEqual(others, [])
    assert.deepEqual(
      [get, post, put, patch].map((each) => each?.method),
      ['GET', 'POST', 'PUT', 'PATCH'],
    )
    assert.deepEqual([put?.route, put?.path, put?.count, put?.errors], ['Cups', '/cups/{id}', 1, 1])
    const { p50, max } = metrics.total
    assert.ok(max > 0 && p50 > 0 && p50 <= max, `${p50} of ${max}`)
    assert.deepEqual([put?.p50, put?.max], [p50, max])
    assert.deepEqual([get?.count, metrics.total.count, metrics.total.errors], [0, 1, 1])
  })

  it('logs a warning only if a request is slower than "slow"', async () => {
    const [line, ...others] = (await answerOf('POST')).lines
    const { requestId, duration, ...fields } = line?.fields ?? {}
    assert.deepEqual(others, [])
    assert.equal(line?.level, 'warn')
    assert.match(String(line?.message), /^POST \/cups\/\{id\} took [\d.]+ ms, more than 0 ms$/)
    assert.deepEqual(fields, {
      ...{ route: 'Cups', method: 'POST', template: '/cups/{id}', status: 200, slow: 0 },
    })
    assert.ok(typeof requestId === 'string' && requestId !== '')
    assert.ok(typeof duration === 'number' && duration > 0)
    assert.deepEqual((await answerOf('GET')).lines, [])
    assert.deepEqual(
      (await answerOf('PUT')).lines.map(({ level }) => level),
      ['error'],
    )
  })

  it('supports contracts, classes and @log', async () => {
    class Stacked extends Route {
      static readonly decorators = [speed({ slow: 0 })]
      @log
      get() {
        return 'class'
      }
      static readonly post = this.contract({ decorators: [log, speed] })
      post() {
        return 'contract'
      }
    }
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes: { Stacked }, logger })
    for (const method of ['GET', 'POST']) {
      assert.match(String((await sendRequest(app, '/stacked', { method })).headers.get('server-timing')), ENTRY)
    }
    assert.deepEqual(lines.map(({ level, fields }) => `${level} ${String(fields['method'])}`).toSorted(), [
      'info GET',
      'info POST',
      'warn GET',
    ])
  })

  it('measures a stream to its end', async () => {
    const end = createGate()
    class Streamed extends Route {
      static readonly get = this.contract({ returns: stream() })
      @speed
      async *get() {
        yield Buffer.from('a')
        await end.opened
      }
    }
    const app = createUntypedApp({ routes: { Streamed } })
    const response = await app.fetch(new Request('http://localhost/streamed'))
    assert.match(String(response.headers.get('server-timing')), ENTRY)
    assert.equal(app.metrics().total.count, 0)
    end.open()
    await response.text()
    await app.close()
    assert.equal(app.metrics().total.count, 1)
  })

  it('does not apply to an overriding method', async () => {
    class Base extends Route {
      @speed
      get(): unknown {
        return 'base'
      }
    }
    class Kept extends Base {}
    class Overridden extends Base {
      override get() {
        return 'own'
      }
    }
    const app = createUntypedApp({ routes: { Kept, Overridden } })
    assert.match(String((await sendRequest(app, '/kept')).headers.get('server-timing')), ENTRY)
    assert.equal((await sendRequest(app, '/overridden')).headers.get('server-timing'), null)
  })

  it('rejects an invalid "slow"', () => {
    const loose: (options: object) => unknown = speed
    for (const slow of [-1, NaN, null]) {
      assertSetupError(() => loose({ slow }), 'OPTION_INVALID', '@speed', `not ${String(slow)}`, '0 or greater')
    }
    assertSetupError(() => loose({ slow: '200' }), 'OPTION_INVALID', 'not a string of length 3')
  })
})

const SLOW_END: RequestEnd = {
  ...{ requestId: '1', traceId: undefined, route: undefined, method: 'GET', template: undefined, path: '/' },
  ...{
    version: undefined,
    status: 404,
    aborted: false,
    duration: 1e6,
    error: undefined,
    meta: undefined,
    endpoint: undefined,
  },
  ...{ input: { params: {}, query: {}, headers: {}, cookies: {}, body: undefined }, output: undefined },
}

describe('warnOfSlowCalls()', () => {
  it('logs nothing for requests without an endpoint or without @speed', () => {
    const channel = new Channel()
    const { logger, lines } = captureLog()
    warnOfSlowCalls(channel, logger)
    channel.emit('end', { ...SLOW_END, meta: undefined })
    channel.emit('end', { ...SLOW_END, meta: {} })
    assert.deepEqual(lines, [])
  })

  it('logs the trace id', () => {
    const channel = new Channel()
    const { logger, lines } = captureLog()
    warnOfSlowCalls(channel, logger)
    channel.emit('end', { ...SLOW_END, traceId: 'abc', meta: SPEED.carry({ slow: 200 }) })
    assert.equal(lines[0]?.fields['traceId'], 'abc')
  })
})
