/** Tasks after a sent response, and log lines of a request. */
import assert from 'node:assert/strict'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { HttpError, reply, Route, type Context, type Input, type Middleware } from 'verbena'
import { log } from 'verbena/decorators'
import { multipart } from 'verbena/multipart'
import { captureLog, createGate, createUntypedApp, sendRequest } from '#test/apps.js'
import { askWire } from '#test/e2e.js'
import * as z from 'zod'

/** Creates an app whose only endpoint calls `method`. */
function appOf(method: (context: Context) => unknown, options: object = {}) {
  class Probe extends Route {
    static readonly middleware: readonly Middleware[] = []
    get(context: Context) {
      return method(context)
    }
  }
  return createUntypedApp({ routes: { Probe }, ...options })
}

describe('response.after()', () => {
  it('runs tasks in sequence after the response is sent', async () => {
    const done: string[] = []
    const app = appOf(({ response }) => {
      response.after(async () => {
        await new Promise(setImmediate)
        done.push('first')
      })
      response.after(() => void done.push('second'))
      done.push('handler')
      return 'fine'
    })
    await sendRequest(app, '/probe')
    await app.close()
    assert.deepEqual(done, ['handler', 'first', 'second'])
  })

  it('runs tasks before the files of the request are deleted', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'uploads-'))
    const counts: number[] = []
    class Uploads extends Route {
      static readonly post = this.contract({ body: multipart({ files: { image: {} }, folder, memory: 0 }) })
      post({ response, request }: Input<typeof Uploads.post>) {
        if (!request.url.endsWith('?count')) return
        response.after(async () => void counts.push((await readdir(folder)).length))
      }
    }
    const app = createUntypedApp({ routes: { Uploads } })
    for (const query of ['?count', '']) {
      const body = new FormData()
      body.append('image', new Blob(['a picture']), 'a.png')
      assert.equal((await sendRequest(app, `/uploads${query}`, { method: 'POST', body })).status, 204)
    }
    await app.close()
    assert.deepEqual([counts, await readdir(folder)], [[1], []])
    await rm(folder, { recursive: true })
  })

  it('does not delay the response', async () => {
    const [asked, finish] = [createGate(), createGate()]
    const app = appOf(({ response }) => {
      response.after(() => {
        asked.open()
        return finish.opened
      })
      return 'fine'
    })
    assert.equal((await sendRequest(app, '/probe')).text, 'fine')
    await asked.opened
    finish.open()
    await app.close()
  })

  it('delays close() until tasks are done', async () => {
    const [begun, finish] = [createGate(), createGate()]
    let isDone = false
    const app = appOf(({ response }) => {
      response.after(async () => {
        begun.open()
        await finish.opened
        isDone = true
      })
    })
    await sendRequest(app, '/probe')
    await begun.opened
    const closed = app.close().then(() => isDone)
    finish.open()
    assert.equal(await closed, true)
  })

  it('logs a failed task and runs the next', async () => {
    const { logger, lines } = captureLog()
    const done: string[] = []
    const error = new Error('task')
    const app = appOf(
      ({ response, request }) => {
        response.after(() => {
          throw error
        })
        response.after(async () => Promise.reject(error))
        response.after(() => void done.push('third'))
        return request.id
      },
      { logger },
    )
    const { text } = await sendRequest(app, '/probe')
    await app.close()
    assert.deepEqual(done, ['third'])
    const line = { level: 'error', message: 'Task in "response.after" failed' }
    const fields = { requestId: text, err: error, route: 'Probe' }
    assert.deepEqual(lines, [
      { ...line, fields },
      { ...line, fields },
    ])
  })

  it('ignores errors of the logger', async () => {
    const fail = (): never => assert.fail('disk full')
    const app = appOf(({ response }) => response.after(() => assert.fail('task')), {
      logger: { debug: fail, info: fail, warn: fail, error: fail },
    })
    assert.equal((await sendRequest(app, '/probe')).status, 204)
    await app.close()
  })

  it('runs tasks after the end of a stream, including tasks added by the stream', async () => {
    const done: string[] = []
    async function* stream({ response }: Context) {
      yield 'a'
      done.push('streamed')
      response.after(() => void done.push('added'))
    }
    const app = appOf((context) => {
      context.response.after(() => void done.push('after'))
      return stream(context)
    })
    assert.equal((await sendRequest(app, '/probe')).text, 'a')
    await app.close()
    assert.deepEqual(done, ['streamed', 'after', 'added'])
  })

  const DROPPED: readonly (readonly [about: string, end: () => unknown, contract?: object])[] = [
    ['the handler throws', () => assert.fail('handler')],
    ['the handler throws an HttpError', () => Promise.reject(new HttpError(409))],
    ['the response cannot be serialized', () => 7n],
    ['the response violates its contract', () => reply(404)],
    ['the stream fails before it begins', () => failing([])],
    ['the stream is interrupted', () => failing(['a'])],
  ]
  for (const [about, end] of DROPPED) {
    it(`drops tasks if ${about}`, async () => {
      const app = appOf(({ response }) => {
        response.after(() => assert.fail('it was to be dropped'))
        return end()
      })
      const { logger, lines } = captureLog()
      const logged = appOf(
        ({ response }) => {
          response.after(() => assert.fail('it was to be dropped'))
          return end()
        },
        { logger },
      )
      for (const each of [app, logged]) {
        await sendRequest(each, '/probe').catch(() => {})
        await each.close()
      }
      assert.deepEqual(
        lines.filter(({ message }) => message === 'Task in "response.after" failed'),
        [],
      )
    })
  }

  it('drops tasks if middleware throws or if the reply violates the contract', async () => {
    const { logger, lines } = captureLog()
    class Strict extends Route {
      static readonly get = this.contract({ returns: z.string() })
      get({ response }: Context): string {
        response.after(() => assert.fail('it was to be dropped'))
        return JSON.parse('7')
      }
    }
    const app = createUntypedApp({ routes: { Strict }, logger })
    assert.equal((await sendRequest(app, '/strict')).status, 500)
    const failing: Middleware = async (_context, next) => {
      await next()
      return assert.fail('middleware')
    }
    const other = appOf(({ response }) => response.after(() => assert.fail('dropped')), {
      logger,
      middleware: [failing],
    })
    assert.equal((await sendRequest(other, '/probe')).status, 500)
    await Promise.all([app.close(), other.close()])
    assert.equal(lines.filter(({ message }) => message?.startsWith('A task')).length, 0)
  })

  it('runs tasks of middleware, even without a matching route', async () => {
    const done: string[] = []
    const counting: Middleware = async ({ response, request }, next) => {
      const answer = await next()
      response.after(() => void done.push(`${request.path} ${answer.status}`))
      return answer
    }
    const app = appOf(() => 'fine', { middleware: [counting] })
    for (const target of ['/probe', '/none']) await sendRequest(app, target)
    await app.close()
    assert.deepEqual(done, ['/probe 200', '/none 404'])
  })
})

async function* failing(chunks: readonly string[]) {
  yield* chunks
  throw new Error('stream')
}

describe('interrupted streams', () => {
  it('logs an interrupted stream, and the client detects it', async () => {
    const { logger, lines } = captureLog()
    const app = appOf(() => failing(['a']), { logger })
    const response = await app.fetch(new Request('http://localhost/probe'))
    assert.equal(response.status, 200)
    await assert.rejects(response.text())
    await app.close()
    assert.deepEqual(
      lines.map(({ level, message, fields }) => [level, message, fields['route']]),
      [['error', 'Response interrupted', 'Probe']],
    )
  })

  it('ends a stream without an error if the client stops reading', async () => {
    const { logger, lines } = captureLog()
    const stopped = createGate()
    async function* endless() {
      try {
        for (;;) yield 'a'
      } finally {
        stopped.open()
      }
    }
    const app = appOf(() => endless(), { logger, timeouts: { close: 2000 } })
    const response = await app.fetch(new Request('http://localhost/probe'))
    await response.body?.cancel()
    await stopped.opened
    await app.close()
    assert.deepEqual(lines, [])
  })

  it('ends a stream once if the client cancels while the next chunk is pending', async () => {
    const { logger, lines } = captureLog()
    const [asked, given] = [createGate(), createGate()]
    async function* slow() {
      yield 'a'
      asked.open()
      await given.opened
      yield 'b'
    }
    const app = appOf(() => slow(), { logger, timeouts: { close: 2000 } })
    const response = await app.fetch(new Request('http://localhost/probe'))
    const reader = response.body?.getReader()
    await reader?.read()
    void reader?.read()
    await asked.opened
    await reader?.cancel()
    given.open()
    await new Promise(setImmediate)
    await app.close()
    assert.deepEqual(lines, [])
  })

  it('logs no route if a stream of middleware fails without a matching route', async () => {
    const { logger, lines } = captureLog()
    const streaming: Middleware = async () => reply(200, failing(['a']))
    const app = appOf(() => 'fine', { logger, middleware: [streaming] })
    const response = await app.fetch(new Request('http://localhost/none'))
    await assert.rejects(response.text())
    assert.deepEqual([lines[0]?.message, lines[0]?.fields['route']], ['Response interrupted', undefined])
  })
})

describe('responses that cannot be sent', () => {
  it('logs the error and lets the app close', async () => {
    const { logger, lines } = captureLog()
    const app = appOf(() => 'fine', { logger, timeouts: { close: 2000 } })
    const server = createServer((request, response) => {
      response.writeHead(200)
      app.handler(request, response)
      response.end('foreign')
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    // Proof: it listens on a port.
    const { port } = server.address() as AddressInfo
    assert.equal((await askWire(port, { target: '/probe' })).body, 'foreign')
    await app.close()
    assert.deepEqual(
      lines.map(({ level, message }) => [level, message]),
      [['error', 'Response discarded']],
    )
    await new Promise((resolve) => server.close(resolve))
  })
})

describe('@log', () => {
  it('sends the response and lets the app close if the logger throws', async () => {
    const fail = (): never => assert.fail('disk full')
    class Logged extends Route {
      @log
      get({ request, response }: Context) {
        if (request.url.endsWith('after')) response.after(() => {})
        return 'fine'
      }
    }
    const logger = { debug: fail, info: fail, warn: fail, error: fail }
    const app = createUntypedApp({ routes: { Logged }, logger, timeouts: { close: 2_000_000 } })
    for (const target of ['/logged', '/logged?after']) assert.equal((await sendRequest(app, target)).text, 'fine')
    await app.close()
  })
})
