/** Cleanup of a provider after `yield`: when it runs, and which errors it receives. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { HttpError, provide, reply, text, type AnyProvider, type Context, type Middleware } from 'verbena'
import { sendRequest, createGate } from '#test/apps.js'
import { Wire } from '#test/e2e.js'
import { createProbedApp, logLevels, transaction } from '#test/provider-ends.js'
import * as z from 'zod'

for (const isAsync of [true, false]) {
  describe(`provider with ends: before-response, ${isAsync ? 'asynchronous' : 'synchronous'}`, () => {
    it('ends after the handler for every kind of return value', async () => {
      for (const value of [undefined, 'text', { a: 1 }, reply(201, 'made'), new Response('web')]) {
        const log: string[] = []
        const tx = transaction(log, { isAsync })
        const { app } = createProbedApp({
          uses: { tx },
          method: () => {
            log.push('handler')
            return value
          },
        })
        assert.ok((await sendRequest(app, '/probe')).status < 300)
        assert.deepEqual(log, ['begin', 'handler', 'commit'])
      }
    })

    it('ends providers in reverse order', async () => {
      const log: string[] = []
      const named = (name: string): AnyProvider =>
        provide({}, function* () {
          yield name
          log.push(name)
        })
      const tx = transaction(log, { isAsync })
      const { app } = createProbedApp({ uses: { first: named('first'), tx, last: named('last') }, method: () => 1 })
      await sendRequest(app, '/probe')
      assert.deepEqual(log, ['begin', 'last', 'commit', 'first'])
    })

    it('responds 500 without the value of the handler if cleanup fails', async () => {
      const log: string[] = []
      const atCommit = (): never => {
        throw new RangeError('deadlock')
      }
      const { app, lines } = createProbedApp({
        uses: { tx: transaction(log, { isAsync, atCommit }) },
        method: ({ response }) => {
          response.header('x-from', 'handler')
          response.after(() => log.push('task'))
          return 'secret'
        },
      })
      const { status, text: body, headers } = await sendRequest(app, '/probe')
      await app.close()
      assert.deepEqual([status, headers.get('x-from')], [500, null])
      assert.doesNotMatch(body, /secret|deadlock/)
      assert.deepEqual(log, ['begin', 'commit', 'rollback RangeError'])
      assert.deepEqual(logLevels(lines), [['error', 'The request failed unexpectedly']])
    })

    it('sends an HttpError of cleanup to the client', async () => {
      const atCommit = (): never => {
        throw new HttpError(409, 'Somebody was faster')
      }
      const { app } = createProbedApp({ uses: { tx: transaction([], { isAsync, atCommit }) }, method: () => 1 })
      const { status, body } = await sendRequest(app, '/probe')
      assert.deepEqual([status, Object(body).detail], [409, 'Somebody was faster'])
    })

    const FAILURES: readonly (readonly [
      about: string,
      method: (input: Context) => unknown,
      spec: object,
      error: string,
    ])[] = [
      [
        'the error of a handler',
        () => {
          throw new HttpError(404)
        },
        {},
        'HttpError',
      ],
      ['the error of an async handler', () => Promise.reject(new RangeError('no')), {}, 'RangeError'],
      ['a contract violation', () => 'text', { returns: z.number() }, 'ContractBreach'],
      [
        'a contract violation of an asynchronous schema',
        () => 7,
        { returns: z.number().refine(async () => false) },
        'ContractBreach',
      ],
      ['an undeclared status', () => reply(200, 1), { returns: { 201: z.number() } }, 'ContractBreach'],
      ['an error of serialization', () => 10n, {}, 'TypeError'],
      [
        'an immediate error of a stream',
        async function* () {
          yield* []
          throw new RangeError('no')
        },
        {},
        'RangeError',
      ],
    ]
    for (const [about, method, spec, error] of FAILURES) {
      it(`passes ${about} to the provider`, async () => {
        const log: string[] = []
        const { app } = createProbedApp({ uses: { tx: transaction(log, { isAsync }) }, method, spec })
        assert.ok((await sendRequest(app, '/probe')).status >= 400)
        assert.deepEqual(log, ['begin', `rollback ${error}`])
      })
    }

    it('passes the error of a later provider and a timeout to the provider', async () => {
      const log: string[] = []
      const fails = provide({}, () => Promise.reject(new RangeError('no')))
      const { app } = createProbedApp({
        uses: { tx: transaction(log, { isAsync }), fails },
        method: () => log.push('handler'),
      })
      assert.equal((await sendRequest(app, '/probe')).status, 500)
      assert.deepEqual(log.splice(0), ['begin', 'rollback RangeError'])
      const slow = createGate<string>()
      const late = createProbedApp({
        uses: { tx: transaction(log, { isAsync }) },
        method: () => slow.opened,
        spec: { timeout: 1 },
      })
      assert.equal((await sendRequest(late.app, '/probe')).status, 503)
      slow.open('late')
      await late.app.close()
      assert.deepEqual(log, ['begin', 'rollback HttpError'])
    })

    it('passes an AbortError to the provider if the client disconnects', async () => {
      const log: string[] = []
      const [begun, finish, ended] = [createGate(), createGate(), createGate()]
      const seen = provide({}, function* () {
        try {
          yield 1
        } finally {
          ended.open()
        }
      })
      const { app, lines } = createProbedApp({
        uses: { seen, tx: transaction(log, { isAsync }) },
        method: async ({ signal }) => {
          signal.addEventListener('abort', () => finish.open())
          begun.open()
          await finish.opened
          return 'made'
        },
      })
      const { port } = await app.listen()
      const wire = new Wire(port)
      wire.send('GET /probe HTTP/1.1\r\nHost: a\r\n\r\n')
      await begun.opened
      wire.destroy()
      await ended.opened
      await app.close()
      assert.deepEqual(log, ['begin', 'rollback AbortError'])
      assert.deepEqual(logLevels(lines), [['debug', 'Client disconnected']])
    })

    it('passes an AbortError to the provider if a request of fetch() is aborted', async () => {
      const log: string[] = []
      const controller = new AbortController()
      const { app } = createProbedApp({
        uses: { tx: transaction(log, { isAsync }) },
        method: () => {
          controller.abort()
          return 'made'
        },
      })
      await app.fetch(new Request('http://localhost/probe', { signal: controller.signal }))
      assert.deepEqual(log, ['begin', 'rollback AbortError'])
    })
  })
}

describe('provider with ends: before-response', () => {
  it('sets headers and cookies during cleanup', async () => {
    const session = provide({}, async function* ({ response }) {
      const values: string[] = []
      yield values
      response.cookie('session', values.join())
      response.header('x-end', '1')
    })
    const { app } = createProbedApp({
      uses: { session },
      method: (input) => void Reflect.get(input, 'session').push('a', 'b'),
    })
    const { headers } = await sendRequest(app, '/probe')
    assert.match(headers.get('set-cookie') ?? '', /^session=a%2Cb;/)
    assert.equal(headers.get('x-end'), '1')
  })

  it('drops headers of a failed cleanup and keeps headers of middleware', async () => {
    const session = provide({}, function* ({ response }) {
      yield 1
      response.header('x-end', '1')
      throw new HttpError(409)
    })
    const outer: Middleware = (context, next) => {
      context.response.header('x-outer', '1')
      return next()
    }
    const { app } = createProbedApp({ uses: { session }, method: () => 1, options: { middleware: [outer] } })
    const { status, headers } = await sendRequest(app, '/probe')
    assert.deepEqual([status, headers.get('x-end'), headers.get('x-outer')], [409, null, '1'])
  })

  it('ends before middleware receives the reply', async () => {
    const log: string[] = []
    const outer: Middleware = async (_context, next) => {
      const made = await next()
      log.push(`reply ${made.status}`)
      return made
    }
    const { app } = createProbedApp({
      uses: { tx: transaction(log) },
      method: () => 1,
      options: { middleware: [outer] },
    })
    await sendRequest(app, '/probe')
    assert.deepEqual(log, ['begin', 'commit', 'reply 200'])
  })

  it('ends the stream of the response if cleanup fails', async () => {
    let isEnded = false
    const { app } = createProbedApp({
      uses: {
        tx: transaction([], {
          atCommit: () => {
            throw new Error('no')
          },
        }),
      },
      method: async function* () {
        try {
          yield 'a'
          yield 'b'
        } finally {
          isEnded = true
        }
      },
    })
    assert.equal((await sendRequest(app, '/probe')).status, 500)
    assert.equal(isEnded, true)
  })

  it('commits if the handler returns a declared error status', async () => {
    const log: string[] = []
    const { app } = createProbedApp({
      uses: { tx: transaction(log) },
      method: () => reply(409, 'taken'),
      spec: { returns: { 409: text() } },
    })
    assert.equal((await sendRequest(app, '/probe')).status, 409)
    assert.deepEqual(log, ['begin', 'commit'])
  })

  it('logs a cleanup error that occurs during another error', async () => {
    const fails = provide({}, function* () {
      try {
        yield 1
      } finally {
        // oxlint-disable-next-line no-unsafe-finally -- that is what is tried
        throw new RangeError('rollback failed')
      }
    })
    const { app, lines } = createProbedApp({
      uses: { fails },
      method: () => {
        throw new HttpError(404)
      },
    })
    assert.equal((await sendRequest(app, '/probe')).status, 404)
    assert.deepEqual(
      lines.map(({ level, message, fields }) => [level, message, fields['provider'], fields['route']]),
      [['error', 'Provider cleanup failed', 'fails', 'Probe']],
    )
  })

  it('discards the late result of a handler while the provider is ending', async () => {
    const [ended, answer] = [createGate(), createGate<string>()]
    const slow = provide({}, async function* () {
      try {
        yield 1
      } finally {
        answer.open('late')
        await ended.opened
      }
    })
    const options = { timeouts: { close: 1 } }
    const { app, lines } = createProbedApp({
      uses: { slow },
      method: () => answer.opened,
      spec: { timeout: 1 },
      options,
    })
    assert.equal((await sendRequest(app, '/probe')).status, 503)
    await answer.opened
    await new Promise(setImmediate)
    ended.open()
    await app.close()
    assert.deepEqual(logLevels(lines), [
      ['error', 'The request failed'],
      ['error', 'Endpoint still running; its providers are cleaned up without it'],
      ['warn', 'Late response discarded'],
    ])
  })
})
