/** Headers that are set after the headers of the response were sent, and would be lost. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { createApp, events, provide, Route, type App, type Input, type Logger, type Middleware } from 'verbena'
import { testApp, TestFailure } from 'verbena/testing'
import * as z from 'zod'
import { sendRequest, captureLog, type Line } from '#test/apps.js'

const WAY_OUT = 'Set it before the first chunk of a stream, and not in "response.after"'
const said = (header: string, where: string): string =>
  `Cannot set the response header "${header}" of ${where}: the headers are already sent. ${WAY_OUT}`

const late = provide(
  {},
  async function* ({ response }) {
    yield 1
    response.append('vary', 'x-late')
  },
  { ends: 'after-response' },
)

class Reports extends Route {
  async *get({ response }: Input) {
    response.header('x-early', 'yes')
    yield 'one,'
    response.header('x-total', '2')
    yield 'two'
  }
  static readonly post = this.contract({ returns: events(z.number()) })
  async *post({ response }: Input<typeof Reports.post>) {
    yield { data: 1 }
    response.cookie('seen', 'a-secret')
    yield { data: 2 }
  }
  async put({ response }: Input) {
    response.after(() => response.header('x-task', '1'))
    return 'put'
  }
  static readonly delete = this.contract({ uses: { late } })
  delete() {
    return 'deleted'
  }
}

function appWith(logger: Logger | false, middleware: readonly Middleware[] = []): App {
  return createApp({ routes: { Reports }, logger, signals: false, middleware })
}

/** Sends two requests, closes the app, and returns the logged warnings and errors with their messages. */
async function linesOf(method: string, middleware: readonly Middleware[] = [], path = '/reports'): Promise<string[]> {
  const { logger, lines } = captureLog()
  const app = appWith(logger, middleware)
  for (let time = 0; time < 2; time++) await sendRequest(app, path, { method }).catch(() => {})
  await app.close()
  return lines.map(textOf)
}

function textOf({ level, fields, message }: Line): string {
  return 'err' in fields ? `${level} ${message}: ${String(fields['err'])}` : `${level} ${message}`
}

const EACH: readonly (readonly [about: string, method: string, header: string, broken: string])[] = [
  ['the first chunk of a stream', 'GET', 'x-total', 'Response interrupted'],
  ['the first event', 'POST', 'set-cookie', 'Response interrupted'],
  ['the response, in a task', 'PUT', 'x-task', 'Task in "response.after" failed'],
  ['the response, in a provider', 'DELETE', 'vary', 'Provider cleanup failed after the response'],
]

describe('headers that are set too late', () => {
  const mode = process.env['NODE_ENV']
  afterEach(() => {
    process.env['NODE_ENV'] = mode
  })

  for (const [about, method, header, broken] of EACH) {
    const text = said(header, `"Reports.${method.toLowerCase()}"`)
    it(`logs one warning per endpoint for a header set after ${about}`, async () => {
      // Each app has separate endpoints, so each one logs a warning.
      assert.deepEqual(await linesOf(method), [`warn ${text}`])
      assert.deepEqual(await linesOf(method), [`warn ${text}`])
    })

    it(`throws in development for every header set after ${about}`, async () => {
      process.env['NODE_ENV'] = 'development'
      const lines = await linesOf(method)
      const line = `error ${broken}: Error: ${text}`
      assert.deepEqual(lines, [line, line])
    })
  }

  it('logs one warning per app for late headers of requests without an endpoint', async () => {
    const tardy: Middleware = async ({ response }, next) => {
      const reply = await next()
      response.after(() => response.header('x-late', '1'))
      return reply
    }
    assert.deepEqual(await linesOf('GET', [tardy], '/none'), [
      `warn ${said('x-late', 'a request without an endpoint')}`,
    ])
  })

  it('does not change the response', async () => {
    const app = appWith(false)
    const { port } = await app.listen()
    const response = await fetch(`http://127.0.0.1:${port}/reports`)
    assert.deepEqual([response.headers.get('x-early'), response.headers.get('x-total')], ['yes', null])
    assert.equal(await response.text(), 'one,two')
    await app.close()
  })

  it('sets a header in middleware after next()', async () => {
    const tardy: Middleware = async ({ response }, next) => {
      const reply = await next()
      response.header('x-time', '1')
      return reply
    }
    const { headers } = await sendRequest(appWith(false, [tardy]), '/reports')
    assert.equal(headers.get('x-time'), '1')
  })
})

describe('headers that are set too late in a test', () => {
  it('interrupts the stream, and close() names the header', async () => {
    const { fetch, close } = await testApp(appWith(false))
    const response = await fetch('/reports')
    await assert.rejects(response.text(), { message: said('x-total', '"Reports.get"') })
    await assert.rejects(close(), failure('the response header "x-total" of "Reports.get" was set after'))
  })

  it('reports a header set in a task at close()', async () => {
    const { fetch, close } = await testApp(appWith(false))
    await (await fetch('/reports', { method: 'PUT' })).text()
    await assert.rejects(close(), failure('the response header "x-task" of "Reports.put" was set after'))
  })

  it('logs only a warning if the test is not strict', async () => {
    const { logger, lines } = captureLog()
    const { fetch, close } = await testApp(appWith(false), { strict: false, logger })
    assert.equal(await (await fetch('/reports')).text(), 'one,two')
    await close()
    assert.deepEqual(lines.map(textOf), [`warn ${said('x-total', '"Reports.get"')}`])
  })
})

function failure(text: string): (error: unknown) => true {
  return (error) => {
    assert.ok(error instanceof TestFailure && error.message.includes(text), String(error))
    return true
  }
}
