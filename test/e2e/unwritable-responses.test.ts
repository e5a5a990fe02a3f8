/** Responses that cannot be written: the client gets a 500, or its connection is cut. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { connect, type AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { HttpError, reply, Route, type App, type Context, type Middleware, type Reply } from 'verbena'
import { sendRequest, captureLog, createUntypedApp, type Line } from '#test/apps.js'
import { sendStrictly, exchange } from '#test/attack-rows.js'
import { formatGet } from '#test/serving.js'

/** Sets a header without the checks of `reply`. */
function forced(made: Reply, name: string, value: unknown): Reply {
  Reflect.apply(Map.prototype.set, made.headers, [name, value])
  return made
}

/** Adds a property that throws or changes when it is read. */
function withGetter<T extends object>(value: T, key: string, get: () => unknown): T {
  return Object.defineProperty(value, key, { get })
}

function fails(): never {
  throw new Error('hostile')
}

/** Return values of a handler that Node cannot write. */
const UNWRITABLE: Readonly<Record<string, () => unknown>> = {
  'an undefined header': () => forced(reply(200, { a: 1 }, { a: '1' }), 'x-a', undefined),
  'a header with a line break': () => forced(reply(200, { a: 1 }, { a: '1' }), 'x-a', 'a\r\nb: c'),
  'a header beyond Latin-1': () => forced(reply(200, { a: 1 }, { a: '1' }), 'x-a', '\u2713'),
  'a header name that is not a token': () => forced(reply(200, { a: 1 }, { a: '1' }), 'x a', 'b'),
  'an undefined header of a 204': () => forced(reply(204, undefined, { a: '1' }), 'x-a', undefined),
  'an undefined header of a 304': () => forced(reply(304, undefined, { a: '1' }), 'x-a', undefined),
  'an undefined header of a stream': () => forced(reply(200, endless(), { a: '1' }), 'x-a', undefined),
  'an undefined cookie': () => forced(reply(200, { a: 1 }, { a: '1' }), 'set-cookie', undefined),
  'a list that is not a string': () => forced(reply(200, { a: 1 }, { a: '1' }), 'vary', Object.create(null)),
  'a status that does not exist': () => withGetter(new Response('a'), 'status', () => 1000),
  'bytes without a length': () => withGetter(new Uint8Array(4), 'byteLength', fails),
}

let openStreams = 0

async function* endless(): AsyncGenerator<string, void, undefined> {
  openStreams++
  try {
    for (;;) {
      await new Promise(setImmediate)
      yield 'a'
    }
  } finally {
    openStreams--
  }
}

const passes: Middleware = (_, next) => next()

/** Options that add steps that read the headers after the handler. */
const OPTIONS: Readonly<Record<string, object>> = {
  'the fast path': {},
  'the documented path': { fastPath: false },
  middleware: { middleware: [passes] },
  'all features': {
    cors: { origins: ['https://a.example'] },
    compression: { threshold: 0 },
    securityHeaders: 'api',
    middleware: [passes],
    devConsole: { allowInProduction: true, token: 'a'.repeat(32) },
  },
}

function appOf(method: (context: Context) => unknown, options: object): App {
  class Probe extends Route {
    static readonly get = this.contract({ etag: true })
    get(context: Context) {
      return method(context)
    }
  }
  class Alive extends Route {
    get() {
      return 'alive'
    }
  }
  return createUntypedApp({ routes: { Probe, Alive }, signals: false, ...options })
}

/** Attaches an app to a server that counts its connections. */
async function attached(app: App, task: (port: number, server: Server) => Promise<void>): Promise<void> {
  const server = createServer()
  app.attach(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    // Proof: the server listens on a TCP port.
    await task((server.address() as AddressInfo).port, server)
  } finally {
    await app.close()
    server.close()
  }
}

const countOf = (server: Server): Promise<number> =>
  new Promise((resolve) => server.getConnections((_, count) => resolve(count)))

const FAILED = 'Failed to send the response'
const UNRECORDED = 'Failed to record a request'

describe('responses that cannot be written', () => {
  for (const [kind, options] of Object.entries(OPTIONS)) {
    for (const [name, method] of Object.entries(UNWRITABLE)) {
      it(`responds 500 to ${name}: ${kind}`, async () => {
        const { logger, lines } = captureLog()
        const app = appOf(method, { logger, ...options })
        const { port } = await app.listen()
        try {
          const headers = 'Origin: https://a.example\r\nAccept-Encoding: gzip\r\n'
          const [answer, ...more] = await sendStrictly(port, formatGet('/probe', `${headers}Connection: close\r\n`))
          assert.deepEqual([answer?.status, more.length], [500, 0])
          assert.equal((await sendRequest(app, '/probe', { headers: { origin: 'https://a.example' } })).status, 500)
        } finally {
          await app.close()
        }
        assert.equal(openStreams, 0)
        assert.equal(lines.filter(({ level }) => level === 'error').length, 2, JSON.stringify(lines))
      })
    }
  }

  it('logs the reason, and reports the status 500 to metrics', async () => {
    const { logger, lines } = captureLog()
    const app = appOf(() => forced(reply(200, { a: 1 }, { a: '1' }), 'x-a', undefined), { logger })
    const { status, body, headers } = await sendRequest(app, '/probe')
    assert.deepEqual([status, headers.get('content-type')], [500, 'application/problem+json'])
    assert.equal(headers.get('x-request-id'), Object(body).requestId)
    assert.deepEqual(
      lines.map(({ level, message }): readonly [Line['level'], unknown] => [level, message]),
      [['error', FAILED]],
    )
  })

  it('handles the next request and frees the descriptor if the next one is cut', async () => {
    for (const fastPath of [true, false]) {
      const app = appOf(() => forced(reply(200, { a: 1 }, { a: '1' }), 'x-a', undefined), { fastPath })
      await attached(app, async (port, server) => {
        for (let count = 0; count < 5; count++) {
          const cut = connect(port, '127.0.0.1').on('error', () => {})
          cut.write(`${formatGet('/probe')}GET /alive HTTP/1.1\r\nHo`)
          await once(cut, 'data')
          cut.destroy()
        }
        assert.equal((await sendStrictly(port, formatGet('/alive', 'Connection: close\r\n')))[0]?.status, 200)
        while ((await countOf(server)) > 0) await new Promise((resolve) => setTimeout(resolve, 10))
      })
    }
  })

  it('cuts the connection if the headers are already sent', async () => {
    class Broken extends String {}
    async function* chunks() {
      yield 'a'
      await new Promise(setImmediate)
      yield new Broken('b')
    }
    const app = appOf(chunks, {})
    const { port } = await app.listen()
    const text = String(await exchange(port, formatGet('/probe')))
    await app.close()
    assert.match(text, /^HTTP\/1\.1 200 /)
    assert.doesNotMatch(text, /\r\n0\r\n/)
  })

  it('runs no task of a response that could not be written, and sends a single 500', async () => {
    for (const fastPath of [true, false]) {
      let hasRun = false
      const app = appOf(
        ({ response }) => {
          response.after(() => void (hasRun = true))
          return withGetter(new Uint8Array(4), 'byteLength', fails)
        },
        { fastPath },
      )
      const { port } = await app.listen()
      const answers = await sendStrictly(port, formatGet('/probe', 'Connection: close\r\n'))
      await app.close()
      assert.deepEqual([answers.map(({ status }) => status), hasRun], [[500], false])
    }
  })

  it('responds 500 to bytes whose length throws undefined, or cuts the connection if the headers are sent', async () => {
    for (const [kind, options] of Object.entries(OPTIONS)) {
      const { logger, lines } = captureLog()
      const statuses = new Set<number | undefined>()
      for (let failing = 1; failing <= 8; failing++) {
        const app = appOf(
          ({ response }) => {
            let reads = 0
            response.after(() => {})
            return withGetter(new Uint8Array(4), 'byteLength', () => {
              // oxlint-disable-next-line no-throw-literal -- the value of a hostile getter
              if (++reads === failing) throw undefined
              return 4
            })
          },
          { logger, ...options },
        )
        const { port } = await app.listen()
        statuses.add((await sendStrictly(port, formatGet('/probe', 'Connection: close\r\n')))[0]?.status)
        await app.close()
      }
      assert.deepEqual(statuses, new Set([500, undefined, 200]), kind)
      // Closing logs nothing, because every request has ended, even if the console could not record it.
      const messages = new Set(lines.map(({ message }) => message))
      const isRecorded = kind === 'all features' || process.env['NODE_ENV'] === 'development'
      assert.deepEqual(messages, new Set([FAILED, ...(isRecorded ? [UNRECORDED] : [])]), kind)
    }
  })

  it('cuts the connection if the server of the author has replaced writeHead', async () => {
    const { logger, lines } = captureLog()
    const app = appOf(() => 'alive', { logger })
    await attached(app, async (port, server) => {
      server.prependListener('request', (_, response) => Object.assign(response, { writeHead: fails }))
      assert.equal(String(await exchange(port, formatGet('/probe'))), '')
    })
    assert.deepEqual(
      lines.map(({ message }) => message),
      [FAILED],
    )
  })

  it('resumes middleware after next() if the headers of a reply throw, and logs an error that it throws then', async () => {
    const resumed: number[] = []
    const { logger, lines } = captureLog()
    const cleansUp: Middleware = async (_, next) => {
      const { status } = await next()
      resumed.push(status)
      throw new Error('cleanup')
    }
    const returns: Middleware = async (_, next) => {
      const inner = await next()
      resumed.push(inner.status)
      return inner
    }
    const method = ({ response }: Context) => {
      response.header('x-a', 'b')
      const made = reply(200, { a: 1 }, { a: '1' })
      Object.defineProperty(made.headers, Symbol.iterator, { value: fails })
      return made
    }
    for (const middleware of [[cleansUp], [returns]]) {
      const app = appOf(method, { logger, middleware })
      const { port } = await app.listen()
      const answers = await sendStrictly(port, formatGet('/probe', 'Connection: close\r\n'))
      await app.close()
      assert.deepEqual(
        answers.map(({ status }) => status),
        [500],
      )
    }
    assert.deepEqual(resumed, [500, 500])
    assert.deepEqual(
      lines.map(({ message }) => message),
      [FAILED, 'The request failed unexpectedly', FAILED],
    )
  })

  it('responds to an error whose status throws at any of its reads', async () => {
    const statuses = new Set<number | undefined>()
    for (const middleware of [[], [passes]]) {
      for (let failing = 1; failing <= 12; failing++) {
        let reads = 0
        const status = (): number => (++reads === failing ? fails() : 400)
        const app = appOf(
          () => {
            reads = 0
            throw withGetter(new HttpError(400), 'status', status)
          },
          { middleware },
        )
        const { port } = await app.listen()
        try {
          const [answer] = await sendStrictly(port, formatGet('/probe', 'Connection: close\r\n'))
          statuses.add(answer?.status).add((await sendRequest(app, '/probe')).status)
        } finally {
          await app.close()
        }
      }
    }
    assert.deepEqual([...statuses].toSorted(), [400, 500])
  })
})
