/** Providers whose cleanup runs after the response has been sent. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { events, provide, reply, type AnyProvider, type Middleware } from 'verbena'
import { sendRequest } from '#test/apps.js'
import { until, Wire } from '#test/e2e.js'
import { createProbedApp, logLevels, transaction, type Probe } from '#test/provider-ends.js'
import * as z from 'zod'

describe('provider with ends: after-response', () => {
  const after = { ends: 'after-response' } as const

  it('ends after the response is sent and before the tasks, and close() waits for it', async () => {
    for (const isAsync of [true, false]) {
      const log: string[] = []
      const { app } = createProbedApp({
        uses: { tx: transaction(log, { ...after, isAsync }), inner: transaction(log) },
        method: ({ response }) => {
          response.after(() => log.push('task'))
          return 'fine'
        },
      })
      assert.equal((await sendRequest(app, '/probe')).text, 'fine')
      await app.close()
      assert.deepEqual(log, ['begin', 'begin', 'commit', 'commit', 'task'])
    }
  })

  it('ends a provider after the end of a stream', async () => {
    const log: string[] = []
    const { app } = createProbedApp({
      uses: { tx: transaction(log, after) },
      method: async function* () {
        yield 'a'
        log.push('streamed')
      },
    })
    assert.equal((await sendRequest(app, '/probe')).text, 'a')
    await app.close()
    assert.deepEqual(log, ['begin', 'streamed', 'commit'])
  })

  const FAILURES: readonly (readonly [about: string, probe: Partial<Probe>, error: string])[] = [
    ['the error of the handler', { method: () => Promise.reject(new RangeError('no')) }, 'RangeError'],
    ['a contract violation', { method: () => 1, spec: { returns: z.string() } }, 'ContractBreach'],
    [
      'the error of middleware',
      {
        options: {
          middleware: [
            async (_context: unknown, next: () => Promise<unknown>) => {
              await next()
              throw new RangeError('no')
            },
          ],
        },
      },
      'RangeError',
    ],
    [
      'the error of an interrupted stream',
      {
        method: async function* () {
          yield 'a'
          throw new RangeError('no')
        },
      },
      'RangeError',
    ],
    ['the cleanup error of another provider', { uses: { other: failing() } }, 'RangeError'],
  ]
  for (const [about, probe, error] of FAILURES) {
    it(`passes ${about} to the provider`, async () => {
      const log: string[] = []
      const { app } = createProbedApp({
        method: () => 'fine',
        ...probe,
        uses: { tx: transaction(log, after), ...probe.uses },
      })
      await sendRequest(app, '/probe').catch(() => {})
      await app.close()
      assert.deepEqual(log, ['begin', `rollback ${error}`])
    })
  }

  it('passes the outcome of the endpoint to the provider if middleware replaces the response', async () => {
    const log: string[] = []
    const { app } = createProbedApp({
      uses: { tx: transaction(log, after) },
      method: () => Promise.reject(new RangeError('no')),
      options: {
        middleware: [
          async (_context: unknown, next: () => Promise<unknown>) => {
            await next()
            return reply(200, 'kept')
          },
        ],
      },
    })
    assert.equal((await sendRequest(app, '/probe')).text, 'kept')
    await app.close()
    assert.deepEqual(log, ['begin', 'rollback RangeError'])
  })

  it('passes an AbortError to the provider if the client disconnects from a stream, over a socket and in fetch()', async () => {
    const log: string[] = []
    const probe: Probe = {
      uses: { tx: transaction(log, after) },
      method: async function* ({ signal }) {
        yield { data: 1 }
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      },
      spec: { returns: events(z.number()) },
    }
    const served = createProbedApp(probe)
    const { port } = await served.app.listen()
    const wire = new Wire(port)
    wire.send('GET /probe HTTP/1.1\r\nHost: a\r\n\r\n')
    await until(() => wire.rest.includes('data: 1'), 'the first event')
    wire.destroy()
    await until(() => log.length > 1, 'the end')
    await served.app.close()
    assert.deepEqual(log.splice(0), ['begin', 'rollback AbortError'])

    const fetched = createProbedApp({ ...probe, method: endless })
    const inMemory = await fetched.app.fetch(new Request('http://localhost/probe'))
    await inMemory.body?.cancel()
    await fetched.app.close()
    assert.deepEqual(log, ['begin', 'rollback AbortError'])
  })

  it('logs a failed cleanup and drops the tasks', async () => {
    for (const isAsync of [true, false]) {
      const log: string[] = []
      const atCommit = (): never => {
        throw new RangeError('no')
      }
      const { app, lines } = createProbedApp({
        uses: { tx: transaction(log, { ...after, isAsync, atCommit }) },
        method: ({ response }) => {
          response.after(() => log.push('task'))
          return 'fine'
        },
      })
      assert.equal((await sendRequest(app, '/probe')).text, 'fine')
      await app.close()
      assert.deepEqual(log, ['begin', 'commit', 'rollback RangeError'])
      assert.deepEqual(
        lines.map(({ level, message, fields }) => [level, message, String(fields['err'])]),
        [['error', 'Provider cleanup failed after the response', 'RangeError: no']],
      )
    }
  })

  it('ends the provider if the response cannot be sent', async () => {
    const log: string[] = []
    const { app, lines } = createProbedApp({
      uses: { tx: transaction(log, after) },
      method: () => new Response(null, { status: 204 }),
    })
    const outer: Middleware = async (_context, next) => {
      const made = await next()
      return Object.assign(made, { headers: new Map([['bad name', 'x']]) })
    }
    const broken = createProbedApp({
      uses: { tx: transaction(log, after) },
      method: () => 1,
      options: { middleware: [outer] },
    })
    await sendRequest(app, '/probe')
    void sendRequest(broken.app, '/probe')
    await broken.app.close()
    assert.deepEqual(log, ['begin', 'commit', 'begin', 'rollback TypeError'])
    assert.deepEqual(logLevels([...lines, ...broken.lines]), [['error', 'Failed to send the response']])
  })
})

/** Creates a provider whose cleanup fails before the response is sent. */
function failing(): AnyProvider {
  return provide({}, function* () {
    yield 1
    throw new RangeError('no')
  })
}

async function* endless() {
  for (;;) {
    yield { data: 1 }
    await new Promise(setImmediate)
  }
}
