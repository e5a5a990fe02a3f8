/** Errors and requests in Sentry, with a transport that collects its envelopes: without the subscribers of the task page, and with them. */
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import * as Sentry from '@sentry/node'
import { createApp, HttpError, Route, stream, type Input } from 'verbena'
import { readPage, writePage } from '../../../test/support/how-to.js'
import { readEnvelope, type Reports } from './envelopes.js'

const PARENT = join('.cache', `envelopes-${process.pid}`)
const received: Reports = { requests: [], errors: [] }

/** Initializes Sentry as the page does, with a transport instead of a DSN from the environment. */
function start(): void {
  Sentry.init({
    dsn: 'http://key@127.0.0.1/1',
    tracesSampleRate: 1,
    transport: (options) =>
      Sentry.createTransport(options, async ({ body }) => {
        readEnvelope(String(body), received)
        return { statusCode: 200 }
      }),
  })
}

class Orders extends Route {
  static readonly path = '/orders/{id}'
  async get({ params }: Input) {
    if (params['id'] === '404') throw new HttpError(404)
    if (params['id'] === '503') throw new HttpError(503)
    throw new Error('of the method')
  }
  async post({ response }: Input) {
    response.after(async () => {
      await sleep(5)
      throw new Error('of the task')
    })
  }
  static readonly put = this.contract({ returns: stream() })
  async *put() {
    yield 'first'
    await sleep(5)
    throw new Error('of the stream')
  }
}

const app = createApp({ routes: { Orders }, logger: false, signals: false })
let url: string

before(async () => {
  start()
  url = (await app.listen()).url
})
after(async () => {
  await app.close()
  await Sentry.close()
  rmSync(PARENT, { recursive: true, force: true })
})

/** Sends a request from another process, so that Sentry sees only its server. Returns everything that Sentry has received. */
async function send(method: string, path: string): Promise<Reports> {
  for (const list of [received.requests, received.errors]) list.length = 0
  await promisify(execFile)('curl', ['--silent', '--request', method, url + path]).catch(() => {})
  await sleep(30)
  await Sentry.flush()
  return structuredClone(received)
}

describe('Sentry without the subscribers', () => {
  it('names requests after their method, and receives no error', async () => {
    assert.deepEqual(await send('GET', '/orders/7'), { requests: [{ name: 'GET', route: undefined }], errors: [] })
  })
})

describe('Sentry with the subscribers of the page', () => {
  before(async () => {
    await Sentry.close()
    const folder = writePage(readPage('report-errors-to-sentry'), PARENT)
    await import(pathToFileURL(join(folder, 'src/telemetry.ts')).href)
    await Sentry.close()
    start()
  })

  const named = (method: string) => ({ name: `${method} /orders/{id}`, route: '/orders/{id}' })
  const failed = (method: string, message: string) => ({ name: named(method).name, message, isHandled: false })

  it('receives the error of a method, with the path template', async () => {
    const errors = [failed('GET', 'of the method')]
    assert.deepEqual(await send('GET', '/orders/7'), { requests: [named('GET')], errors })
  })

  it('receives an HttpError of the server, but none of the client', async () => {
    const errors = [failed('GET', 'Service Unavailable')]
    assert.deepEqual(await send('GET', '/orders/503'), { requests: [named('GET')], errors })
    assert.deepEqual(await send('GET', '/orders/404'), { requests: [named('GET')], errors: [] })
  })

  it('receives errors of streams and of tasks after the response', async () => {
    const ofStream = { requests: [named('PUT')], errors: [failed('PUT', 'of the stream')] }
    assert.deepEqual(await send('PUT', '/orders/7'), ofStream)
    const ofTask = { requests: [named('POST')], errors: [failed('POST', 'of the task')] }
    assert.deepEqual(await send('POST', '/orders/7'), ofTask)
  })

  it('names a request with the wrong method after its template, and one without a route after its method', async () => {
    assert.deepEqual(await send('PATCH', '/orders/7'), { requests: [named('PATCH')], errors: [] })
    assert.deepEqual(await send('GET', '/none'), { requests: [{ name: 'GET', route: undefined }], errors: [] })
  })
})
