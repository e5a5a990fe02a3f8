/** What is done once the answer has left, and what the log says of a call. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { HttpError, reply, Route, type Context, type Middleware } from 'verbena'
import { log } from 'verbena/decorators'
import { captureLog, createGate, createUntypedApp, sendRequest } from '#test/apps.js'
import { askWire } from '#test/e2e.js'
import * as z from 'zod'

/** An app whose one endpoint does as it is told. */
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
  it('runs when the answer has left, in order, one after the other', async () => {
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

  it('does not keep the answer waiting', async () => {
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

  it('is waited for by close()', async () => {
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

  it('logs a task that fails, and runs the next', async () => {
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
    const line = { level: 'error', message: 'A task after the answer failed' }
    const fields = { requestId: text, err: error, route: 'Probe' }
    assert.deepEqual(lines, [
      { ...line, fields },
      { ...line, fields },
    ])
  })

  it('survives a logger that throws', async () => {
    const fail = (): never => assert.fail('disk full')
    const app = appOf(({ response }) => response.after(() => assert.fail('task')), {
      logger: { debug: fail, info: fail, warn: fail, error: fail },
    })
    assert.equal((await sendRequest(app, '/probe')).status, 204)
    await app.close()
  })

  it('runs when the stream has ended, and takes tasks that the stream adds', async () => {
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
    ['the answer cannot be written', () => 7n],
    ['the answer breaks its contract', () => reply(404)],
    ['the stream fails before it begins', () => failing([])],
    ['the stream breaks off', () => failing(['a'])],
  ]
  for (const [about, end] of DROPPED) {
    it(`is dropped when ${about}`, async () => {
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
        lines.filter(({ message }) => message === 'A task after the answer failed'),
        [],
      )
    })
  }

  it('is dropped when middleware throws, or when it breaks the contract', async () => {
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

  it('is taken from middleware too, even where no route answers', async () => {
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

describe('a stream that breaks off', () => {
  it('is logged, and the client sees that it is not the whole', async () => {
    const { logger, lines } = captureLog()
    const app = appOf(() => failing(['a']), { logger })
    const response = await app.fetch(new Request('http://localhost/probe'))
    assert.equal(response.status, 200)
    await assert.rejects(response.text())
    await app.close()
    assert.deepEqual(
      lines.map(({ level, message, fields }) => [level, message, fields['route']]),
      [['error', 'The answer broke off', 'Probe']],
    )
  })

  it('is stopped when nobody reads on, which is no failure', async () => {
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

  it('is stopped while the next chunk is awaited, and counts once', async () => {
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

  it('is logged without a route where middleware streams and none answers', async () => {
    const { logger, lines } = captureLog()
    const streaming: Middleware = async () => reply(200, failing(['a']))
    const app = appOf(() => 'fine', { logger, middleware: [streaming] })
    const response = await app.fetch(new Request('http://localhost/none'))
    await assert.rejects(response.text())
    assert.deepEqual([lines[0]?.message, lines[0]?.fields['route']], ['The answer broke off', undefined])
  })
})

describe('an answer that cannot be sent', () => {
  it('is logged, and does not keep the app from closing', async () => {
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
  it('with a logger that throws costs neither the answer nor the closing', async () => {
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
