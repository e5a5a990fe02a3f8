import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createApp, HttpError, reply, Route, service, type CommonOptions, type Context, type Input } from 'verbena'
import { log, version } from 'verbena/decorators'
import { RunningApp } from '#src/app/running-app.js'
import { LOG, logAllCalls, logCalls } from '#src/decorators/log.js'
import { Channel } from '#src/observe/channel.js'
import { Secrets } from '#src/secrets/secrets.js'
import { sendRequest, assertSetupError, json, captureLog, createGate, createUntypedApp, type Line } from '#test/apps.js'
import { callEnd } from '#test/call-events.js'
import { askWire, until, Wire } from '#test/e2e.js'
import * as z from 'zod'

class Notes extends Route {
  static readonly path = '/notes/{id}'
  @log get() {
    return { fine: true }
  }
  @log({ level: 'debug' }) async put() {
    throw new HttpError(409, 'taken')
  }
  @log() async post() {
    throw new Error('broken')
  }
  delete() {}
}

async function linesOf(routes: object, target: string, init: RequestInit = {}, options: Partial<CommonOptions> = {}) {
  const { logger, lines } = captureLog()
  await sendRequest(createUntypedApp({ routes, logger, ...options }), target, init)
  return lines
}

function notes(method: string): Promise<Line[]> {
  return linesOf({ Notes }, '/notes/7?a=1', { method })
}

describe('@log', () => {
  it('logs one line for each request, with route, path and status', async () => {
    const [line, ...others] = await notes('GET')
    const { requestId, duration, ...fields } = line?.fields ?? {}
    assert.deepEqual(others, [])
    assert.deepEqual([line?.level, line?.message], ['info', 'GET /notes/7 200'])
    assert.deepEqual(fields, { route: 'Notes', method: 'GET', template: '/notes/{id}', path: '/notes/7', status: 200 })
    assert.ok(typeof requestId === 'string' && requestId.length > 0)
    assert.ok(typeof duration === 'number' && duration >= 0)
  })

  it('uses the option "level", and logs no error for a status below 500', async () => {
    const lines = await notes('PUT')
    assert.deepEqual(
      lines.map(({ level, fields }) => [level, fields['status'], 'err' in fields]),
      [['debug', 409, false]],
    )
  })

  it('logs a 500 as an error, with the thrown error', async () => {
    const line = (await notes('POST')).at(-1)
    assert.deepEqual([line?.level, line?.fields['status']], ['error', 500])
    const { err } = line?.fields ?? {}
    assert.ok(err instanceof Error && err.stack?.includes('post'))
  })

  it('logs nothing for methods without the decorator', async () => {
    assert.deepEqual(await notes('DELETE'), [])
  })

  it('supports contracts and classes', async () => {
    class Users extends Route {
      static readonly decorators = [log({ level: 'warn' })]
      static readonly get = this.contract({ decorators: [log] })
      get() {}
      put() {}
    }
    assert.equal((await linesOf({ Users }, '/users'))[0]?.level, 'info')
    assert.equal((await linesOf({ Users }, '/users', { method: 'PUT' }))[0]?.level, 'warn')
  })

  it('logs the version and the trace id', async () => {
    class Users extends Route {
      @log @version('>=1.2') get() {}
    }
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    const [line] = await linesOf({ Users }, '/users', { headers: { 'accept-version': '1.4', traceparent } })
    assert.equal(line?.fields['version'], '1.4.0')
    assert.equal(line?.fields['traceId'], '4bf92f3577b34da6a3ce929d0e0e4736')
  })

  it('logs inputs and the result without secrets if args and result are true', async () => {
    class Users extends Route {
      static readonly path = '/users/{id}'
      static readonly post = this.contract({
        query: z.object({ page: z.int() }),
        headers: z.object({ 'x-api-key': z.string(), 'x-name': z.string() }),
        cookies: z.object({ theme: z.string() }),
        body: z.object({ name: z.string(), password: z.string() }),
        returns: z.object({ id: z.string(), token: z.string() }),
      })
      @log({ args: true, result: true }) post({ params }: Input<typeof Users.post>) {
        return { id: params.id, token: 't0k3n', hidden: 'by the schema' }
      }
    }
    const { body, headers } = json({ name: 'Ann', password: 'pa55word' })
    const [line] = await linesOf({ Users }, '/users/7?page=2', {
      ...{ method: 'POST', body: body ?? null },
      headers: { ...Object.fromEntries(new Headers(headers)), 'x-api-key': 'k3y', 'x-name': 'n', cookie: 'theme=dark' },
    })
    assert.equal(
      JSON.stringify([line?.fields['args'], line?.fields['result']]),
      JSON.stringify([
        {
          params: { id: '7' },
          query: { page: 2 },
          headers: { 'x-api-key': 'redacted', 'x-name': 'n' },
          cookies: { theme: 'redacted' },
          body: { name: 'Ann', password: 'redacted' },
        },
        { id: '7', token: 'redacted' },
      ]),
    )
    assert.doesNotMatch(JSON.stringify(line), /pa55word|t0k3n|k3y|dark/)
  })

  it('omits sources that are not in the contract', async () => {
    class Users extends Route {
      static readonly get = this.contract({})
      @log({ args: true, result: true }) get() {
        return reply(200, [1])
      }
    }
    const [line] = await linesOf({ Users }, '/users?a=1')
    assert.deepEqual([line?.fields['args'], line?.fields['result']], [{ params: {} }, [1]])
  })

  it('hides keys and values of the option "redact"', async () => {
    class Users extends Route {
      @log({ args: true }) post() {}
    }
    const redact = { keys: ['birth-day'], values: [/\d{4}/] }
    const [line] = await linesOf({ Users }, '/users', json({ birthDay: 'x', note: 'code 1234' }), { redact })
    assert.equal(
      JSON.stringify(line?.fields['args']),
      '{"params":{},"query":{},"body":{"birthDay":"redacted","note":"code redacted"}}',
    )
  })

  it('logs the template if the path contains a secret', async () => {
    class Reset extends Route {
      static readonly path = '/reset/{user}/{token}'
      @log get() {}
    }
    const [line] = await linesOf({ Reset }, '/reset/ann/s3cret')
    assert.deepEqual([line?.fields['path'], line?.message], ['/reset/{user}/{token}', 'GET /reset/{user}/{token} 204'])
    assert.doesNotMatch(JSON.stringify(line), /s3cret/)
  })

  it('logs results with throwing getters, and streams', async () => {
    class Users extends Route {
      @log({ result: true }) get() {
        return {
          toJSON: () => 'shown',
          get broken(): never {
            throw new Error('unreadable')
          },
        }
      }
      @log({ result: true }) async *put() {
        yield 'a'
      }
    }
    assert.equal((await linesOf({ Users }, '/users'))[0]?.fields['result'], 'shown')
    assert.equal((await linesOf({ Users }, '/users', { method: 'PUT' }))[0]?.fields['result'], '[stream]')
  })

  it('does not fail the request if logging is disabled or the logger throws', async () => {
    assert.equal((await sendRequest(createApp({ routes: { Notes }, logger: false }), '/notes/7')).status, 200)
    const fail = (): never => assert.fail('the disk is full')
    const logger = { debug: fail, info: fail, warn: fail, error: fail }
    assert.equal((await sendRequest(createApp({ routes: { Notes }, logger }), '/notes/7')).status, 200)
  })

  it('rejects unknown options and levels', () => {
    for (const [options, ...says] of [
      [
        { levle: 'info' },
        '"levle" of @log: it is unknown',
        'Did you mean "level"?',
        'Valid options are level, args, result',
      ],
      [{ level: 'loud' }, "must be 'debug', 'info', 'warn' or 'error', not \"loud\""],
    ] as const) {
      // Proof: tests pass options that the types reject.
      assertSetupError(() => log(options as object), 'OPTION_INVALID', 'of @log', ...says)
    }
  })
})

describe('option "accessLog"', () => {
  class Hooks extends Route {
    static readonly path = '/hooks/{token}'
    get() {
      return 'hook'
    }
  }
  const begun = createGate()
  class Slow extends Route {
    async get({ signal }: Context) {
      begun.open()
      await sleep(10_000, undefined, { signal })
    }
  }
  const routes = { Notes, Hooks, Slow }
  const signals = false

  /** Sends requests over one socket after the other, and returns the lines with their message and route. */
  async function accessLines(requests: readonly string[], options: object = {}): Promise<unknown[]> {
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes, logger, accessLog: true, signals, ...options })
    const { port } = await app.listen()
    for (const request of requests) {
      const wire = new Wire(port)
      wire.send(`${request} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n`)
      await wire.read(request.startsWith('HEAD'))
      wire.destroy()
    }
    await app.close()
    return lines
      .filter(({ fields }) => 'status' in fields)
      .map(({ level, message, fields }) => [level, message, fields['template'], fields['route']])
  }

  it('logs one line for each request, with and without a route, and keeps the options of @log', async () => {
    const id = '/notes/{id}'
    const expected: readonly (readonly [request: string, ...line: unknown[]])[] = [
      ['GET /notes/7?a=1', 'info', 'GET /notes/7 200', id, 'Notes'],
      ['HEAD /notes/7', 'info', 'HEAD /notes/7 200', id, 'Notes'],
      ['PUT /notes/7', 'debug', 'PUT /notes/7 409', id, 'Notes'],
      ['POST /notes/7', 'error', 'POST /notes/7 500', id, 'Notes'],
      ['DELETE /notes/7', 'info', 'DELETE /notes/7 204', id, 'Notes'],
      ['PATCH /notes/7', 'info', 'PATCH /notes/7 405', id, undefined],
      ['OPTIONS /notes/7', 'info', 'OPTIONS /notes/7 204', id, undefined],
      ['GET /none?token=1', 'info', 'GET /none 404', undefined, undefined],
      ['PROPFIND /none', 'info', 'PROPFIND /none 501', undefined, undefined],
      ['GET /%zz?a=1', 'info', 'GET /%zz 400', undefined, undefined],
      ['GET /hooks/0123456789', 'info', 'GET /hooks/{token} 200', '/hooks/{token}', 'Hooks'],
      ['PUT /hooks/0123456789', 'info', 'PUT /hooks/{token} 405', '/hooks/{token}', undefined],
      ['PUT /hooks/9876543210', 'info', 'PUT /hooks/{token} 405', '/hooks/{token}', undefined],
      ['GET /openapi.json', 'info', 'GET /openapi.json 200', '/openapi.json', 'option openapi'],
    ]
    const lines = await accessLines(expected.map(([request]) => request))
    assert.deepEqual(
      lines,
      expected.map(([, ...line]) => line),
    )
  })

  it('logs requests that middleware responds to, and requests that fail before the app has started', async () => {
    const middleware = [() => Promise.resolve(reply(203, 'no'))]
    assert.deepEqual(await accessLines(['GET /none'], { middleware }), [
      ['info', 'GET /none 203', undefined, undefined],
    ])
    const { logger, lines } = captureLog()
    const services = { db: service(() => Promise.reject(new Error('down'))) }
    const app = createUntypedApp({ routes, services, logger, accessLog: true, signals })
    const server = createServer(app.handler)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // Proof: the server listens on a port.
    const { port } = server.address() as AddressInfo
    assert.equal((await askWire(port, { target: '/notes/7?a=1' })).status, 503)
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['Failed to start the app', 'GET /notes/7 503'],
    )
    server.close()
    server.closeAllConnections()
  })

  it('logs 499 and aborted if the client disconnects before the response', async () => {
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes, logger, accessLog: true, signals })
    const { port } = await app.listen()
    const wire = new Wire(port)
    wire.send('GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')
    await begun.opened
    wire.destroy()
    await until(() => lines.length === 2, 'both lines are written')
    assert.deepEqual(
      lines.map(({ level, message, fields }) => [level, message, fields['aborted']]),
      [
        ['debug', 'Client disconnected', undefined],
        ['info', 'GET /slow 499', true],
      ],
    )
    await app.close()
  })

  it('does not observe requests with logger: false', async () => {
    const channels: unknown[] = []
    for (const logger of [false, captureLog().logger]) {
      const app = RunningApp.partsOf(
        createUntypedApp({ routes: { Hooks }, logger, accessLog: true, devConsole: false }),
      )
      channels.push(app?.state.channel.isSubscribed)
    }
    assert.deepEqual(channels, [false, true])
  })
})

describe('logAllCalls()', () => {
  it('logs a request without a path or its target', () => {
    const channel = new Channel()
    const { logger, lines } = captureLog()
    logAllCalls(channel, logger, [], new Secrets())
    channel.emit('end', callEnd({ path: '' }))
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['GET  200'],
    )
  })
})

describe('logCalls()', () => {
  const logged = { number: 0, path: '/a', meta: LOG.carry({ level: 'info', args: false, result: false }) }

  it('logs only requests to methods with @log', () => {
    const channel = new Channel()
    const { logger, lines } = captureLog()
    const plain = { number: 1, path: '/b', meta: {} }
    const own = { ...logged, number: 2 }
    logCalls(channel, logger, [logged, plain], new Secrets())
    for (const endpoint of [undefined, plain, own]) channel.emit('end', callEnd({ endpoint }))
    assert.deepEqual(lines, [])
    channel.emit('end', callEnd({ endpoint: logged }))
    assert.equal(lines.length, 1)
  })

  it('does not subscribe if no method has @log', () => {
    const channel = new Channel()
    logCalls(channel, captureLog().logger, [{ path: '/b', meta: {} }], new Secrets())
    assert.equal(channel.isSubscribed, false)
  })
})
