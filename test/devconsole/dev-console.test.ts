import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { createApp, Route } from 'verbena'
import { DevConsole } from '#src/devconsole/dev-console.js'
import { createHost } from '#test/console-host.js'
import { programArguments } from '#test/repository.js'

interface Run {
  readonly answers: readonly string[]
  readonly output: string
  /** Addresses of the modules that were loaded. */
  readonly loaded: readonly string[]
}

/** Runs an app in a child process, whose output is not a terminal. */
function runIn(mode: string | undefined, ...flags: readonly string[]): Run {
  const folder = mkdtempSync(join(tmpdir(), 'console-'))
  try {
    const { NODE_ENV: _, ...env } = process.env
    const given = mode === undefined ? env : { ...env, NODE_ENV: mode }
    const output = execFileSync(process.execPath, [...flags, ...programArguments('test/fixtures/console/serve.ts')], {
      // With flags, the process adds to the coverage of this run.
      env: flags.length === 0 ? { ...given, NODE_V8_COVERAGE: folder } : given,
      encoding: 'utf8',
    })
    const loaded = readdirSync(folder).flatMap((file) => urlsIn(readFileSync(join(folder, file), 'utf8')))
    const answers = output.split('\n').filter((line) => line.startsWith('answer '))
    return { answers, output, loaded }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function urlsIn(coverage: string): string[] {
  const { result }: { result: readonly { readonly url: string }[] } = JSON.parse(coverage)
  return result.map(({ url }) => url)
}

const NOT_FOUND =
  'answer 404 string {"type":"about:blank","title":"Not Found","status":404,"detail":"No resource matches this path"}'

describe('DevConsole', () => {
  it('does not load in production, and responds 404 at its path', () => {
    const { answers, output, loaded } = runIn('production')
    assert.deepEqual(answers, [NOT_FOUND, NOT_FOUND, NOT_FOUND])
    assert.ok(!output.includes('Console'))
    const ofConsole = loaded.flatMap((url) => /\/devconsole\/(.+)\.[jt]s$/.exec(url)?.[1] ?? [])
    assert.deepEqual(ofConsole.toSorted(), ['dev-console', 'host/console-state'])
  })

  it('says how to build the page in a checkout that has not built it, and runs the app without the console', () => {
    const { answers, output } = runIn('development', '--import=./test/fixtures/console/without-page.mjs')
    assert.deepEqual(answers, [NOT_FOUND, NOT_FOUND, NOT_FOUND])
    const said = 'Cannot serve the console: its page is not built. Run npm run build:console'
    assert.equal(output.split(said).length, 2, output)
  })

  it('is open in development, and logs its URL', () => {
    const { answers, output, loaded } = runIn('development')
    assert.deepEqual(answers, ['answer 200 string {"none":"text/html; charset=utf-8"}', answers[1] ?? '', NOT_FOUND])
    assert.match(answers[1] ?? '', /^answer 200 undefined \{"v":1/)
    assert.match(
      output,
      /Console \(open to this machine, because NODE_ENV is \\?"development\\?"\): http:\/\/127\.0\.0\.1:\d+\/__dev__/,
    )
    assert.ok(loaded.some((url) => /\/devconsole\/serve\/mount\.[jt]s$/.test(url)))
  })

  it('requires the printed token if NODE_ENV is not set', () => {
    const { answers, output } = runIn(undefined)
    assert.match(answers[0] ?? '', /^answer 401 /)
    assert.match(answers[1] ?? '', /^answer 401 /)
    assert.match(
      output,
      /Console \(token required, because NODE_ENV is not set\): http:\/\/127\.0\.0\.1:\d+\/__dev__#token=[\w-]{22}"?/,
    )
  })

  it('prints the option token in a worker of node:cluster that has created its own token', async () => {
    for (const [options, line] of [
      [
        {},
        /NODE_ENV is not set; each worker of node:cluster has another token unless you set "devConsole: \{ token \}"\): \//,
      ],
      [{ token: 'a-token-of-the-option' }, /NODE_ENV is not set\): \//],
    ] as const) {
      const host = createHost({ isGuarded: true, isClusterWorker: true, reason: 'NODE_ENV is not set', options })
      const console = new DevConsole('guarded', () => host)
      await console.load()
      console.opened(undefined)
      console.close()
      assert.match(host.printed.join(), line)
    }
  })

  it('loads nothing if it is off', async () => {
    const console = new DevConsole('off', () => assert.fail('It was asked for the app'))
    await console.load()
    console.close()
  })

  it('does not mount if the app closes while the console is loading', async () => {
    const host = createHost()
    const console = new DevConsole('open', () => host)
    const loading = console.load()
    console.close()
    await loading
    assert.equal(host.channel.observer, null)
  })

  it('observes requests from its loading until the app closes', async () => {
    const host = createHost()
    const console = new DevConsole('open', () => host)
    console.opened('http://127.0.0.1:1')
    await console.load()
    const { observer } = host.channel
    await console.load()
    assert.ok(observer !== null)
    assert.equal(host.channel.observer, observer)
    console.close()
    assert.equal(host.channel.observer, null)
    assert.deepEqual(host.printed, [])
  })

  it('stores bodies in development, but not with a token', async () => {
    class Home extends Route {
      get(): string {
        return 'home'
      }
    }
    const token = 'a-token-of-the-option'
    for (const [mode, devConsole, title] of [
      ['production', { token, allowInProduction: true }, 'Bodies: off'],
      ['test', { token }, 'Bodies: off'],
      ['development', true, 'Bodies: text'],
    ] as const) {
      const before = process.env['NODE_ENV']
      process.env['NODE_ENV'] = mode
      const app = createApp({ routes: { Home }, logger: false, devConsole })
      if (before !== undefined) process.env['NODE_ENV'] = before
      const { url } = await app.listen()
      const session = await fetch(`${url}/__dev__/session`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ token }),
      })
      const cookie = session.headers.get('set-cookie')?.split(';', 1).join('') ?? ''
      const health = await (await fetch(`${url}/__dev__/api/health`, { headers: { cookie } })).text()
      assert.ok(health.includes(title), title)
      await app.close()
    }
  })

  it('is available with app.attach(), but not with app.handler', async () => {
    class Home extends Route {
      get(): string {
        return 'home'
      }
    }
    const before = process.env['NODE_ENV']
    process.env['NODE_ENV'] = 'development'
    const server = createServer()
    const app = createApp({ routes: { Home }, logger: false })
    app.attach(server)
    const plain = createServer(app.handler)
    if (before !== undefined) process.env['NODE_ENV'] = before
    try {
      const [own, other] = await Promise.all([server, plain].map(listen))
      while ((await fetch(`${own}/__dev__/api/snapshot`)).status !== 200)
        await new Promise((resolve) => setTimeout(resolve, 5))
      assert.equal((await fetch(`${other}/__dev__/api/snapshot`)).status, 404)
    } finally {
      plain.close()
      plain.closeAllConnections()
      await app.close()
    }
  })
})

function listen(server: ReturnType<typeof createServer>): Promise<string> {
  return new Promise((resolve) => {
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(`http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`)
    })
  })
}
