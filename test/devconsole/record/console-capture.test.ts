import '#test/development.js'
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it } from 'node:test'
import { createApp, Route, type Logger } from 'verbena'
import type { Health } from '#src/devconsole/wire/view-types.js'
import type { LogLine } from '#src/devconsole/wire/request-types.js'
import { post, read, snapshotWith } from '#test/console.js'

const METHODS = ['debug', 'log', 'info', 'warn', 'error'] as const

class Boxes extends Route {
  async get() {
    console.log('before', { password: 'hunter2', size: 3 })
    await new Promise((resolve) => setImmediate(resolve))
    console.warn('%s of %d', 'after', 2)
    return (async function* () {
      yield 'one'
      console.info('in the stream')
      yield 'two'
    })()
  }

  async post({ body, response }: { body: unknown; response: { after(task: () => unknown): void } }) {
    console.error(new TypeError(`no ${JSON.stringify(body)}`))
    response.after(() => console.debug('afterwards'))
    return 'done'
  }
}

/** Lines of the console of an app, once one with a text is there. */
async function linesWith(url: string, text: string): Promise<readonly LogLine[]> {
  for (;;) {
    const { logs } = await snapshotWith(url, 0)
    // The first line says where the console is.
    if (logs.some(({ message }) => message.includes(text))) return logs.toReversed().slice(1)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

function appWith(captureConsole: boolean, logger: Logger | false = false) {
  return createApp({ routes: { Boxes }, logger, devConsole: { captureConsole } })
}

describe('captureConsole', () => {
  const before = METHODS.map((method) => console[method])
  let output: unknown[][] = []
  beforeEach(() => {
    output = []
    for (const method of METHODS) console[method] = (...args: unknown[]) => void output.push(args)
  })
  afterEach(() => {
    for (const [index, method] of METHODS.entries()) {
      const original = before[index]
      if (original !== undefined) console[method] = original
    }
  })

  it('brings lines of console to the log, each with its request, and without secrets', async () => {
    await using app = appWith(true)
    const { url } = await app.listen()
    console.log('outside')
    await (await fetch(`${url}/boxes`)).text()
    const lines = await linesWith(url, 'in the stream')
    const { requests } = await snapshotWith(url, 1)
    const id = requests[0]?.id
    assert.deepEqual(
      lines.map(({ level, message, request }) => [level, message, request]),
      [
        ['info', 'outside', null],
        ['info', "before { password: 'redacted', size: 3 }", id],
        ['warn', 'after of 2', id],
        ['info', 'in the stream', id],
      ],
    )
    assert.equal(requests[0]?.['dev.logs'], 3)
    assert.deepEqual(output[1], ['before', { password: 'hunter2', size: 3 }])
  })

  it('knows the request also once its body was read, and after its answer', async () => {
    await using app = appWith(true)
    const { url } = await app.listen()
    await post(`${url}/boxes`, { title: 'x', password: 'hunter2' })
    const lines = await linesWith(url, 'afterwards')
    const { requests } = await snapshotWith(url, 1)
    assert.deepEqual(
      lines.map(({ level, message, request }) => [level, message, request === requests[0]?.id]),
      [
        ['error', 'TypeError: no {"title":"x","password":"redacted"}', true],
        ['debug', 'afterwards', true],
      ],
    )
  })

  it('shows once what a logger writes by way of console, as the line of that logger', async () => {
    await using app = appWith(true, console)
    const { url } = await app.listen()
    const { logs } = await snapshotWith(url, 0)
    assert.match(logs.map(({ message }) => message).join('\n'), /^Console \(open to this machine, .*$/)
    assert.equal(output.length, 1)
    console.log('beside it')
    assert.deepEqual((await linesWith(url, 'beside it')).length, 1)
  })

  it('is off unless asked for: console is untouched, and no work is followed', async () => {
    const own = METHODS.map((method) => console[method])
    await using app = appWith(false)
    const { url } = await app.listen()
    assert.deepEqual(
      METHODS.map((method) => console[method]),
      own,
    )
    await (await fetch(`${url}/boxes`)).text()
    assert.equal((await snapshotWith(url, 1)).logs.length, 1)
    const { cost } = await read<Health>(`${url}/__dev__/api/health`)
    assert.equal(cost.find(({ name }) => name === 'Lines of console')?.value, 'not captured')
  })

  it('is said on the page of health, and ends when the app closes', async () => {
    const own = METHODS.map((method) => console[method])
    const app = appWith(true)
    const { url } = await app.listen()
    const { cost, options } = await read<Health>(`${url}/__dev__/api/health`)
    assert.match(cost.find(({ name }) => name === 'Lines of console')?.value ?? '', /^captured: .*AsyncLocalStorage/)
    assert.equal(options.find(({ name }) => name === 'devConsole.captureConsole')?.value, 'true')
    await app.close()
    assert.deepEqual(
      METHODS.map((method, index) => console[method] === own[index]),
      METHODS.map(() => true),
    )
  })

  it('shows values of every kind, calls nothing of the author, and bounds what it reads', async () => {
    await using app = appWith(true)
    const { url } = await app.listen()
    const hostile = {
      get a(): never {
        throw new Error('not to be read')
      },
      toString: () => assert.fail('not to be called'),
    }
    const revoked = Proxy.revocable({}, {})
    revoked.revoke()
    console.log(1, null, undefined, true, 10n, Symbol('s'), () => 1, [1], new Map([[1, 2]]))
    console.log(hostile, revoked.proxy)
    console.log(...Array.from({ length: 50 }, (_, index) => index))
    console.log(`${'word '.repeat(1_000)}end`)
    const logs = await linesWith(url, 'word')
    const messages = logs.map(({ message }) => message)
    assert.equal(messages[0], '1 null undefined true 10n Symbol(s) [function] [ 1 ] [map of 1]')
    assert.equal(messages[1], "{ toString: '[function]' } [cannot be read]")
    assert.match(messages[2] ?? '', /^0 1 .* 18 19$/)
    assert.ok((messages[3] ?? '').length <= 2_048)
  })
})
