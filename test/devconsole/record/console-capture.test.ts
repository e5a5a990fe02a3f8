import '#test/development.js'
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, it, type TestContext } from 'node:test'
import { createApp, Route, type Logger } from 'verbena'
import type { Health } from '#src/devconsole/wire/view-types.js'
import type { LogLine } from '#src/devconsole/wire/request-types.js'
import { isOfFastPath } from '#test/apps.js'
import { post, read, waitForSnapshot } from '#test/console.js'
import { observeConsole } from '#src/devconsole/record/console-capture.js'

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

/** Returns the console lines of an app as soon as one line contains `text`. */
async function linesWith(url: string, text: string): Promise<readonly LogLine[]> {
  for (;;) {
    const { logs } = await waitForSnapshot(url, 0)
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

  it('adds console lines to the log with their request and without secrets', async () => {
    await using app = appWith(true)
    const { url } = await app.listen()
    console.log('outside')
    await (await fetch(`${url}/boxes`)).text()
    const lines = await linesWith(url, 'in the stream')
    const { requests } = await waitForSnapshot(url, 1)
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

  it('assigns lines to the request after its body was read and after the response', async () => {
    await using app = appWith(true)
    const { url } = await app.listen()
    await post(`${url}/boxes`, { title: 'x', password: 'hunter2' })
    const lines = await linesWith(url, 'afterwards')
    const { requests } = await waitForSnapshot(url, 1)
    assert.deepEqual(
      lines.map(({ level, message, request }) => [level, message, request === requests[0]?.id]),
      [
        ['error', 'TypeError: no {"title":"x","password":"redacted"}', true],
        ['debug', 'afterwards', true],
      ],
    )
  })

  it('shows a line once if the logger writes it to console', async () => {
    await using app = appWith(true, console)
    const { url } = await app.listen()
    const { logs } = await waitForSnapshot(url, 0)
    assert.match(
      logs.flatMap(({ message }) => (isOfFastPath(message) ? [] : message)).join('\n'),
      /^Console \(open to this machine, .*$/,
    )
    assert.equal(output.filter((line) => !isOfFastPath(String(line))).length, 1)
    console.log('beside it')
    assert.deepEqual((await linesWith(url, 'beside it')).length, 1)
  })

  it('does not change console by default', async () => {
    const own = METHODS.map((method) => console[method])
    await using app = appWith(false)
    const { url } = await app.listen()
    assert.deepEqual(
      METHODS.map((method) => console[method]),
      own,
    )
    await (await fetch(`${url}/boxes`)).text()
    assert.equal((await waitForSnapshot(url, 1)).logs.length, 1)
    const { cost } = await read<Health>(`${url}/__dev__/api/health`)
    assert.equal(cost.find(({ name }) => name === 'Lines of console')?.value, 'not captured')
  })

  it('is reported in health, and ends when the app closes', async () => {
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

  it('formats values of all kinds, with limits and without running user code', async () => {
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

/** Replaces the methods of `console` with functions that collect their arguments. */
function keepOutput(test: TestContext): unknown[][] {
  const output: unknown[][] = []
  for (const method of METHODS) {
    const before = console[method]
    console[method] = (...args: unknown[]) => void output.push([method, ...args])
    test.after(() => {
      console[method] = before
    })
  }
  return output
}

describe('observeConsole()', () => {
  it('reports each line to the listener and writes it unchanged', (test) => {
    const output = keepOutput(test)
    const told: unknown[][] = []
    const value = { a: 1 }
    const end = observeConsole((method, args) => void told.push([method, ...args]))
    for (const method of METHODS) console[method]('%s', method, value)
    end()
    const expected = METHODS.map((method) => [method, '%s', method, value])
    assert.deepEqual([told, output], [expected, expected])
    assert.equal(output[0]?.at(-1), value)
  })

  it('reports lines of console.assert and console.trace', (test) => {
    const told: string[] = []
    test.mock.method(process.stderr, 'write', () => true)
    const end = observeConsole((method, args) => void told.push(`${method} ${String(args[0]).split('\n', 1).join('')}`))
    console.assert(false, 'no')
    console.trace('here')
    end()
    assert.deepEqual(told, ['warn Assertion failed: no', 'error Trace: here'])
  })

  it('restores the original functions of console when the last listener ends', () => {
    const before = METHODS.map((method) => console[method])
    const [first, second] = [observeConsole(() => {}), observeConsole(() => {})]
    assert.notEqual(console.log, before[1])
    assert.deepEqual([console.log.name, console.log.length], ['log', 0])
    first()
    assert.notEqual(console.log, before[1])
    second()
    assert.deepEqual(
      METHODS.map((method, index) => console[method] === before[index]),
      METHODS.map(() => true),
    )
  })

  it('keeps wrappers that other code has added, and does not wrap console twice', (test) => {
    keepOutput(test)
    const told: unknown[] = []
    const own = console.log
    observeConsole(() => {})()
    assert.equal(console.log, own)
    const end = observeConsole((_method, args) => void told.push(args[0]))
    const tap = console.log
    const over = (...args: unknown[]): void => tap(...args)
    console.log = over
    end()
    assert.equal(console.log, over)
    const again = observeConsole((_method, args) => void told.push(args[0]))
    console.log('once')
    assert.deepEqual(told, ['once'])
    console.log = tap
    again()
    assert.equal(console.log, own)
  })

  it('keeps "this", and calls every listener even if one throws', (test) => {
    keepOutput(test)
    const seen: unknown[] = []
    console.log = function (this: unknown) {
      seen.push(this)
    }
    const ends = [
      observeConsole(() => {
        throw new Error('no')
      }),
      observeConsole((_method, args) => void seen.push(args[0])),
    ]
    console.log('line')
    for (const end of ends) end()
    assert.deepEqual([seen[0], seen[1] === console], ['line', true])
  })

  it('ignores lines and errors of listeners', (test) => {
    const output = keepOutput(test)
    let told = 0
    const end = observeConsole(() => {
      told++
      console.log('of the listener')
      throw new Error('no')
    })
    console.log('first')
    console.log('second')
    end()
    assert.equal(told, 2)
    assert.deepEqual(
      output.map(([, text]) => text),
      ['of the listener', 'first', 'of the listener', 'second'],
    )
  })
})
