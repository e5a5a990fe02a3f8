/** Standard output whose reader has closed it. */
import assert from 'node:assert/strict'
import { spawn, type ChildProcess } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { describe, it, type TestContext } from 'node:test'
import { text as readText } from 'node:stream/consumers'
import { takeTerminal } from '#src/cli/terminal.js'
import { LogOutput } from '#src/observe/log-output.js'
import { noop } from '#src/values/noop.js'
import { until } from '#test/e2e.js'

class FakeStdout extends EventEmitter {
  readonly isTTY = false
  readonly printed: string[] = []

  write(text: string): boolean {
    return this.printed.push(text) > 0
  }

  get listenersOfErrors(): number {
    return this.listenerCount('error')
  }
}

/** Replaces standard output until the end of a test. The test runner has its own listeners on the real one. */
function replaceStdout(t: TestContext): FakeStdout {
  const stdout = new FakeStdout()
  t.mock.getter(process, 'stdout', () => stdout)
  return stdout
}

const brokenPipe = (): Error => Object.assign(new Error('write EPIPE'), { code: 'EPIPE' })

describe('LogOutput', () => {
  it('listens for errors from the first line to the end of the last output', async (t) => {
    const stdout = replaceStdout(t)
    const outputs = [new LogOutput(), new LogOutput(), new LogOutput()] as const
    assert.equal(stdout.listenersOfErrors, 0)
    outputs[0].write('one\n')
    outputs[1].write('two\n')
    outputs[1].write('three\n')
    assert.deepEqual([stdout.printed, stdout.listenersOfErrors], [['one\n', 'two\n', 'three\n'], 1])
    outputs[0].close()
    outputs[2].close()
    await new Promise(setImmediate)
    assert.equal(stdout.listenersOfErrors, 1)
    outputs[1].close()
    // The error of the last line is emitted after the write.
    assert.equal(stdout.listenersOfErrors, 1)
    await until(() => stdout.listenersOfErrors === 0, 'the listener is removed')
    outputs[1].write('after the end\n')
    assert.deepEqual([stdout.printed.at(-1), stdout.listenersOfErrors], ['after the end\n', 0])
  })

  it('adds no listener in a command', (t) => {
    const stdout = replaceStdout(t)
    takeTerminal()
    new LogOutput().write('one\n')
    assert.deepEqual(stdout.listeners('error'), [noop])
  })

  it('throws errors of another kind, unless other code handles them', async (t) => {
    const stdout = replaceStdout(t)
    const output = new LogOutput()
    output.write('one\n')
    const full = Object.assign(new Error('write ENOSPC'), { code: 'ENOSPC' })
    assert.throws(() => stdout.emit('error', full), full)
    stdout.on('error', noop)
    stdout.emit('error', full)
    stdout.off('error', noop)
    output.close()
    await until(() => stdout.listenersOfErrors === 0, 'the listener is removed')
  })

  it('ignores a closed pipe', async (t) => {
    const stdout = replaceStdout(t)
    const output = new LogOutput()
    output.write('one\n')
    for (let count = 0; count < 3; count++) stdout.emit('error', brokenPipe())
    output.close()
    await until(() => stdout.listenersOfErrors === 0, 'the listener is removed')
  })
})

const PROGRAM = `
import { createApp, Route } from 'verbena'
class Home extends Route { get({ log }) { log.info({}, 'A line'); return 'home' } }
const apps = [createApp({ routes: { Home }, signals: false }), createApp({ routes: { Home } })]
const { url } = await apps[0].listen()
await apps[1].listen()
process.on('message', async () => {
  const texts = []
  for (let count = 0; count < 3; count++) texts.push(await (await fetch(url + '/home')).text())
  await apps[0].close()
  process.send(texts)
})
process.send('ready')
`

function start(t: TestContext): ChildProcess {
  const child = spawn(process.execPath, ['--import=tsx', '--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  t.after(() => child.kill('SIGKILL'))
  return child
}

describe('an app whose standard output is closed', () => {
  it('serves requests and closes, after one line on standard error', async (t) => {
    const child = start(t)
    const { stdout: output, stderr } = child
    assert.ok(output && stderr)
    const errors = readText(stderr)
    output.resume()
    await once(child, 'message')
    output.destroy()
    await once(output, 'close')
    child.send('go')
    const [texts] = await once(child, 'message')
    assert.deepEqual(texts, ['home', 'home', 'home'])
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
    const lines = (await errors).split('\n').filter((line) => line !== '')
    assert.equal(lines.length, 1, lines.join('\n'))
    assert.match(lines[0] ?? '', /^Cannot write the log: the reader of standard output has closed it \(EPIPE\)/)
  })

  it('serves requests and closes if standard error is closed, too', async (t) => {
    const child = start(t)
    const { stdout: output, stderr } = child
    assert.ok(output && stderr)
    output.resume()
    stderr.resume()
    await once(child, 'message')
    for (const stream of [output, stderr]) {
      stream.destroy()
      await once(stream, 'close')
    }
    child.send('go')
    assert.deepEqual(await once(child, 'message').then(([texts]) => texts), ['home', 'home', 'home'])
    child.kill('SIGTERM')
    assert.deepEqual(await once(child, 'exit'), [0, null])
  })
})
