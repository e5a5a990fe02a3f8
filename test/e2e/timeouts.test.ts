/** Handlers that take too long, heads that are too long, and the signals of the process. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { reply, Route, type Context, type Middleware } from 'verbena'
import { sendRequest, captureLog, createGate, looseContract, createUntypedApp } from '#test/apps.js'
import { until } from '#test/e2e.js'
import * as z from 'zod'

/** Creates an app whose handler waits for the test. */
function endless(contract: object, options: object = {}) {
  const stopped = createGate<unknown>()
  class Slow extends Route {
    async get({ signal, response }: Context) {
      response.header('x-endpoint', '1')
      response.after(() => assert.fail('it was to be dropped'))
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
      stopped.open(signal.reason)
      return 'too late'
    }
  }
  Object.defineProperty(Slow, 'get', { value: looseContract(Slow, contract) })
  return { app: createUntypedApp({ routes: { Slow }, ...options }), stopped: stopped.opened }
}

describe('handler timeouts', () => {
  for (const [about, contract, options] of [
    ['by its contract', { timeout: 10 }, {}],
    ['by the app', {}, { timeouts: { handler: 10 } }],
    ['by its contract instead of the app', { timeout: 10 }, { timeouts: { handler: 60_000 } }],
  ] as const) {
    it(`responds 503 and aborts the signal of a handler that times out: ${about}`, async () => {
      const { app, stopped } = endless(contract, options)
      const { status, headers } = await sendRequest(app, '/slow')
      assert.deepEqual([status, headers.get('x-endpoint')], [503, null])
      assert.match(String(await stopped), /took too long/)
      await app.close()
    })
  }

  it('passes the timeout error to middleware', async () => {
    const see: Middleware = async (_context, next) => ((await next()).error ? reply(200, 'seen') : reply(200, 'missed'))
    assert.equal((await sendRequest(endless({ timeout: 10 }, { middleware: [see] }).app, '/slow')).text, 'seen')
  })

  it('returns an aborted signal if it is first read after the timeout', async () => {
    const [late, read] = [createGate(), createGate<boolean>()]
    class Later extends Route {
      static readonly get = this.contract({ timeout: 10 })
      async get(context: Context): Promise<unknown> {
        await late.opened
        read.open(context.signal.aborted)
        return 'late'
      }
    }
    const app = createUntypedApp({ routes: { Later } })
    assert.equal((await sendRequest(app, '/later')).status, 503)
    late.open()
    assert.equal(await read.opened, true)
  })

  it('logs and discards a late response', async () => {
    const { logger, lines } = captureLog()
    const { app, stopped } = endless({ timeout: 10 }, { logger })
    await sendRequest(app, '/slow')
    await stopped
    await new Promise(setImmediate)
    const messages = lines.map(({ message }) => message)
    assert.deepEqual(messages, ['The request failed', 'Late response discarded'])
    await app.close()
  })

  it('discards a response that was still being validated', async () => {
    const done = createGate()
    const slow = z.any().refine(() => done.opened.then(() => true))
    class Slow extends Route {
      static readonly get = this.contract({ returns: slow, timeout: 10 })
      get() {
        return 'fine'
      }
    }
    const { logger, lines } = captureLog()
    const app = createUntypedApp({ routes: { Slow }, logger })
    assert.equal((await sendRequest(app, '/slow')).status, 503)
    done.open()
    await until(() => lines.length === 2, 'the answer was dropped')
    assert.deepEqual(
      lines.map(({ message }) => message),
      ['The request failed', 'Late response discarded'],
    )
    await app.close()
  })

  it('logs an error after the timeout', async () => {
    const { logger, lines } = captureLog()
    const failed = createGate()
    class Fails extends Route {
      static readonly get = this.contract({ timeout: 10 })
      async get({ signal }: Context): Promise<unknown> {
        await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()))
        failed.open()
        return assert.fail('late')
      }
    }
    await sendRequest(createUntypedApp({ routes: { Fails }, logger }), '/fails')
    await failed.opened
    await new Promise(setImmediate)
    assert.equal(lines.at(-1)?.message, 'Handler failed after the response')
  })

  it('does not affect a fast handler', async () => {
    class Quick extends Route {
      static readonly get = this.contract({ timeout: 60_000 })
      get() {
        return 'quick'
      }
    }
    assert.equal((await sendRequest(createUntypedApp({ routes: { Quick } }), '/quick')).text, 'quick')
  })
})

describe('limits.url', () => {
  it('responds 414 if the request target is too long', async () => {
    const app = createUntypedApp({ routes: {}, limits: { url: 20 } })
    assert.equal((await sendRequest(app, `/${'a'.repeat(19)}`)).status, 404)
    assert.equal((await sendRequest(app, `/${'a'.repeat(20)}`)).status, 414)
  })
})

const PROGRAM = `
import { createApp, Route } from 'verbena'
class Slow extends Route {
  async get() { console.log('begun'); await new Promise((resolve) => setTimeout(resolve, HOLD)); return 'slow' }
}
const app = createApp({ routes: { Slow }, logger: false, timeouts: { close: 60000 } })
const { url } = await app.listen()
console.log(url)
`

/** Runs an app in a child process, sends a request and signals. Returns the exit code and the response. */
async function endedBy(hold: number, signals: readonly NodeJS.Signals[]): Promise<{ code: unknown; answer: string }> {
  const args = ['--import=tsx', '--input-type=module', '--eval', PROGRAM.replace('HOLD', String(hold))]
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
  const exit = once(child, 'exit')
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]()
  const url: unknown = (await lines.next()).value
  const answer = fetch(`${String(url)}/slow`).then(
    (response) => response.text(),
    () => 'none',
  )
  assert.equal((await lines.next()).value, 'begun')
  for (const signal of signals) child.kill(signal)
  const [code] = await exit
  return { code, answer: await answer }
}

describe('SIGTERM and SIGINT', () => {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`finishes requests in progress and exits with code 0 on ${signal}`, async () => {
      assert.deepEqual(await endedBy(300, [signal]), { code: 0, answer: 'slow' })
    })
  }

  it('exits immediately with code 1 on a second signal', async () => {
    assert.deepEqual(await endedBy(30_000, ['SIGTERM', 'SIGINT']), { code: 1, answer: 'none' })
  })

  it('adds no signal listeners with signals: false, and removes them when the last app closes', async () => {
    const count = () => process.listenerCount('SIGTERM') + process.listenerCount('SIGINT')
    const before = count()
    const quiet = createUntypedApp({ routes: {}, signals: false })
    const [one, two] = [createUntypedApp({ routes: {} }), createUntypedApp({ routes: {} })]
    for (const app of [quiet, one, two]) await app.listen()
    assert.equal(count(), before + 2)
    await one.close()
    assert.equal(count(), before + 2)
    await Promise.all([two.close(), quiet.close()])
    assert.equal(count(), before)
  })
})
