import '#test/development.js'
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, it } from 'node:test'
import { createApp, provide, Route, type DevConsoleOptions, type MetricsOptions } from 'verbena'
import { version } from 'verbena/decorators'
import { mount } from 'verbena/mount'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import type { Health } from '#src/devconsole/wire/view-types.js'
import { newestRecord, read } from '#test/console.js'
import { methodNotes } from '#src/devconsole/host/console-host.js'

class Home extends Route {
  get() {
    return 'fine'
  }
}

/** Returns the metrics address that the console shows for the option `metrics`. */
async function metricsShown(metrics: string | MetricsOptions | undefined): Promise<string | undefined> {
  await using app = createApp({
    routes: { Home },
    logger: false,
    signals: false,
    devConsole: true,
    ...(metrics === undefined ? {} : { metrics }),
  })
  const { url } = await app.listen()
  const { options } = await read<Health>(`${url}/__dev__/api/health`)
  return options.find(({ name }) => name === 'metrics')?.value
}

describe('consoleHost()', () => {
  it('returns the path of metrics, with or without guards', async () => {
    const guard = provide({ errors: [403] }, () => false)
    assert.equal(await metricsShown('/metrics'), '/metrics')
    assert.equal(await metricsShown({ path: '/figures', uses: { guard } }), '/figures')
    assert.equal(await metricsShown(undefined), 'none')
  })
})

class Editions extends Route {
  @version('>=2.0.0')
  get() {
    return 'new'
  }
}

describe('devConsole: versions', () => {
  it('shows no version for a request that has to name one', async () => {
    await using app = createApp({
      routes: { Editions },
      versioning: { require: true },
      logger: false,
      signals: false,
      devConsole: true,
    })
    const { url } = await app.listen()
    assert.equal((await fetch(`${url}/editions`)).status, 400)
    const record = await newestRecord(url, 0)
    assert.deepEqual(record['dev.version'], { asked: null, constraint: '>=2.0.0', ok: false })
  })
})

describe('devConsole: mounted handlers', () => {
  it('shows their requests with the path template', async () => {
    const handler = async (request: Request): Promise<Response> => new Response(await request.text(), { status: 202 })
    const routes = { '/api/auth': mount(handler) }
    await using app = createApp({ routes, logger: false, signals: false, devConsole: true })
    const { url } = await app.listen()
    await (await fetch(`${url}/api/auth/sign-in/`, { method: 'POST', body: 'x' })).text()
    const record = await newestRecord(url, 0)
    assert.deepEqual(
      [record['http.route'], record['url.path'], record['http.response.status_code']],
      ['/api/auth/{path...}', '/api/auth/sign-in/', 202],
    )
  })
})

describe('devConsole: editor', () => {
  const editorShown = async (devConsole: DevConsoleOptions): Promise<string | null> => {
    await using app = createApp({ routes: { Home }, logger: false, signals: false, devConsole })
    const { url } = await app.listen()
    return (await read<Snapshot>(`${url}/__dev__/api/snapshot`)).settings.editor
  }

  it('is guessed from the environment unless it is set', async (t) => {
    const { TERM_PROGRAM: before = '' } = process.env
    t.after(() => (process.env['TERM_PROGRAM'] = before))
    process.env['TERM_PROGRAM'] = 'zed'
    assert.equal(await editorShown({}), 'zed://file/{file}:{line}:{column}')
    assert.equal(await editorShown({ editor: 'mine://{file}' }), 'mine://{file}')
    process.env['TERM_PROGRAM'] = ''
    assert.equal(await editorShown({}), null)
  })
})

class Base extends Route {
  postAll(): void {}
}

class Books extends Base {
  readonly getField = (): void => {}
  get(): void {}
  getById(): void {}
  get_by_id(): void {}
  get2(): void {}
  HEAD(): void {}
  options(): void {}
  Delete(): void {}
  getter(): void {}
  postal(): void {}
  format(): void {}
  override postAll(): void {}
  get getLazily(): never {
    throw new Error('not to be read')
  }
}

describe('methodNotes()', () => {
  it('lists each method that looks like an endpoint once, including methods of base classes', () => {
    assert.deepEqual(
      methodNotes(Books.prototype).map((note) => /^"(\w+)" is not an endpoint/.exec(note)?.[1]),
      ['getById', 'get_by_id', 'get2', 'HEAD', 'options', 'Delete', 'postAll'],
    )
    assert.match(methodNotes(Books.prototype)[0] ?? '', /Endpoints are the methods get, post, put, patch, delete\.$/)
  })
})

/** Prints the output of an app whose console needs a token: `[stdout, stderr]`. `logger` is source code. */
async function outputOf(logger: string, { redirect = '', isTerminal = false } = {}): Promise<[string, string]> {
  const { NODE_ENV: _, ...env } = process.env
  const code = `
    import { pino } from 'pino'
    import { createApp, Route } from 'verbena'
    class Home extends Route { get() { return 1 } }
    const app = createApp({ routes: { Home }, ${logger} signals: false, devConsole: true })
    await app.listen()
    await app.close()`
  const command = `"${process.execPath}" --import=tsx --input-type=module -e "$CODE" ${redirect}`
  const [file, args] = isTerminal ? ['script', ['-qec', command, '/dev/null']] : ['bash', ['-c', command]]
  const { stdout, stderr } = await promisify(execFile)(file, args, { env: { ...env, CODE: code } })
  return [stdout, stderr]
}

const LINK = /Console \(token required, because NODE_ENV is not set\): http:\S+#token=[\w-]+/g
const counts = (texts: readonly string[]): number[] => texts.map((text) => text.match(LINK)?.length ?? 0)
const STUB = '{ debug() {}, info() {}, warn() {}, error() {} }'

describe('ConsoleHost.printAlways', () => {
  const ROWS = [
    { log: 'there is no log', logger: 'logger: false,' },
    { log: 'the built-in logger is at "warn"', logger: "logger: { level: 'warn' }," },
    { log: 'a logger of the app prints nothing', logger: `logger: ${STUB},` },
  ]
  for (const { log, logger } of ROWS) {
    it(`prints the link once to standard error of a pipe if ${log}`, async () => {
      const [stdout, stderr] = await outputOf(logger)
      assert.equal(stdout, '')
      assert.match(stderr, new RegExp(`^${LINK.source}\\n$`))
    })
  }

  it('prints the link once to standard error if a logger of the app writes to it', async () => {
    const [, stderr] = await outputOf(`logger: { ...${STUB}, info: (_, text) => console.error(text) },`)
    assert.deepEqual(counts([stderr]), [1])
  })

  it('prints nothing to standard error if the built-in logger writes to a pipe', async () => {
    assert.deepEqual(counts(await outputOf('')), [1, 0])
  })

  it('prints nothing to standard error if the log is a file or is written past `process.stdout`', async () => {
    const redirect = '>/dev/null'
    const outputs = await Promise.all([
      outputOf("logger: { level: 'debug' },", { redirect }),
      outputOf('logger: pino(),', { redirect }),
      outputOf('logger: pino(),'),
    ])
    assert.deepEqual(outputs.map(counts), [
      [0, 0],
      [0, 0],
      [1, 0],
    ])
  })

  it('prints the link to standard error if it is a terminal, or if the log has no such line', async () => {
    const redirect = '>/dev/null'
    const outputs = await Promise.all([
      outputOf('', { redirect, isTerminal: true }),
      outputOf('logger: false,', { redirect }),
      outputOf("logger: pino({ level: 'warn' }),"),
    ])
    assert.deepEqual(outputs.map(counts), [
      [1, 0],
      [0, 1],
      [0, 1],
    ])
  })

  it('does not crash the app if the reader of standard error is gone', async () => {
    await outputOf('logger: false,', { redirect: '2>&1 | true; exit $PIPESTATUS' })
  })

  it('prints the link once to a terminal', async () => {
    const isTerminal = true
    const LOGGERS = [
      '',
      'logger: false,',
      "logger: { level: 'error' },",
      'logger: pino(),',
      "logger: pino({ level: 'warn' }),",
    ]
    const outputs = await Promise.all(LOGGERS.map((logger) => outputOf(logger, { isTerminal })))
    assert.deepEqual(counts(outputs.map(([stdout]) => stdout)), [1, 1, 1, 1, 1])
  })
})
