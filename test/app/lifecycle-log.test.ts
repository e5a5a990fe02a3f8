/** Log lines about the start, signals and the end of an app in production. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { createInterface } from 'node:readline'
import { describe, it } from 'node:test'
import { Route, type Logger } from 'verbena'
import { LifecycleLog } from '#src/app/lifecycle-log.js'
import { noop } from '#src/values/noop.js'
import { createUntypedApp } from '#test/apps.js'

class Home extends Route {
  get() {
    return 'home'
  }
}

/** Creates a logger that stores the level, fields and message of each line. `captureLog` drops these lines. */
function recordLines(): { readonly logger: Logger; readonly lines: unknown[] } {
  const lines: unknown[] = []
  const write = (level: string) => (fields: object, message?: string) => void lines.push([level, fields, message])
  return { lines, logger: { debug: write('debug'), info: write('info'), warn: write('warn'), error: write('error') } }
}

const END = ['info', {}, 'App closed']
const startLine = (address: string): unknown[] => [
  'info',
  { address, version: '1.2.0', mode: 'production' },
  'App started',
]

describe('LifecycleLog', () => {
  const options = { routes: { Home }, version: '1.2.0', signals: false, fastPath: false }

  it('logs address, version and mode of an app that listens, and its end', async () => {
    const { logger, lines } = recordLines()
    const app = createUntypedApp({ ...options, logger })
    const { url } = await app.listen()
    assert.deepEqual(lines, [startLine(url)])
    await app.close()
    assert.deepEqual(lines, [startLine(url), END])
  })

  it('logs the address of an attached server when it listens', async () => {
    const { logger, lines } = recordLines()
    const apps = [createUntypedApp({ ...options, logger }), createUntypedApp({ ...options, logger })] as const
    const servers = [createServer(), createServer()] as const
    apps[0].attach(servers[0])
    assert.deepEqual(lines, [])
    const expected: unknown[] = []
    for (const [at, host] of ['127.0.0.1', '::1'].entries()) {
      const server = servers[at === 0 ? 0 : 1]
      await once(server.listen(0, host), 'listening')
      const port = Object(server.address()).port
      expected.push(startLine(`http://${host.includes(':') ? `[${host}]` : host}:${port}`))
    }
    apps[1].attach(servers[1])
    assert.deepEqual(lines, expected)
    await Promise.all(apps.map((app) => app.close()))
    assert.deepEqual(lines, [...expected, END, END])
  })

  it('logs the path of an attached server on a Unix socket', async () => {
    const { logger, lines } = recordLines()
    const path = `\0verbena-lifecycle-${process.pid}`
    const app = createUntypedApp({ ...options, logger })
    const server = createServer()
    app.attach(server)
    await once(server.listen(path), 'listening')
    assert.deepEqual(lines, [startLine(`http+unix://${encodeURIComponent(path)}`)])
    await app.close()
  })

  it('logs nothing for an app without a server, or whose port cannot be opened', async () => {
    const { logger, lines } = recordLines()
    const app = createUntypedApp({ ...options, logger })
    await app.start()
    await app.fetch(new Request('http://localhost/home'))
    await app.close()
    const failing = createUntypedApp({ ...options, logger })
    await assert.rejects(failing.listen({ port: 1, host: '192.0.2.1' }))
    await failing.close()
    assert.deepEqual(lines, [])
  })

  it('logs nothing outside of production', (t) => {
    const before = process.env['NODE_ENV']
    t.after(() => (process.env['NODE_ENV'] = before))
    process.env['NODE_ENV'] = 'development'
    const { logger, lines } = recordLines()
    const log = new LifecycleLog(logger, '1.2.0')
    log.started('http://127.0.0.1:1')
    log.signaled('SIGTERM', false)
    log.closed()
    assert.deepEqual(lines, [])
  })

  it('ignores errors of the logger', () => {
    const fail = (): never => {
      throw new Error('disk full')
    }
    const log = new LifecycleLog({ debug: fail, info: fail, warn: fail, error: fail }, '1.2.0')
    log.started('http://127.0.0.1:1')
    log.closed()
  })
})

const PROGRAM = `
import { createApp, Route } from 'verbena'
class Slow extends Route {
  async get({ log }) { log.info({}, 'begun'); await new Promise((resolve) => setTimeout(resolve, 30_000)) }
}
const app = createApp({ routes: { Slow }, version: '1.2.0' })
await app.listen()
`

type Act = 'request' | NodeJS.Signals

/** Runs an app in a separate process, acts when it logs a message, and returns its exit code and the lines of its log. */
async function linesOf(acts: Readonly<Record<string, Act>>): Promise<{ code: unknown; lines: object[] }> {
  const child = spawn(process.execPath, ['--import=tsx', '--input-type=module', '--eval', PROGRAM], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const exit = once(child, 'exit')
  const lines: object[] = []
  for await (const text of createInterface(child.stdout)) {
    const { time: _, requestId: _id, ...line } = JSON.parse(text)
    lines.push(line)
    const act = acts[line.msg]
    if (act === 'request') fetch(`${line.address}/slow`).catch(noop)
    else if (act !== undefined) child.kill(act)
  }
  const [code] = await exit
  return { code, lines }
}

describe('LifecycleLog: signals', () => {
  const listening = { level: 'info', address: '', version: '1.2.0', mode: 'production', msg: 'App started' }

  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    it(`logs ${signal} with the built-in logger, then the end`, async () => {
      const { code, lines } = await linesOf({ 'App started': signal })
      const [started, ...others] = lines
      assert.match(Object(started).address, /^http:\/\/127\.0\.0\.1:\d+$/)
      assert.deepEqual({ ...started, address: '' }, listening)
      assert.deepEqual(others, [
        { level: 'info', signal, msg: 'Signal received' },
        { level: 'info', msg: 'App closed' },
      ])
      assert.equal(code, 0)
    })
  }

  it('logs a second signal, which ends the process', async () => {
    const { code, lines } = await linesOf({ 'App started': 'request', begun: 'SIGTERM', 'Signal received': 'SIGINT' })
    assert.deepEqual(lines.slice(2), [
      { level: 'info', signal: 'SIGTERM', msg: 'Signal received' },
      { level: 'info', signal: 'SIGINT', msg: 'Signal received again; exiting before the app is closed' },
    ])
    assert.equal(code, 1)
  })
})
