/** The process that waits for the next save: its modules, its start, and changes after which a new process starts. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync, symlinkSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { createProject } from '#test/command-line.js'
import { APP, isAlive, MANIFEST, nextApp, readVersion } from '#test/dev-app.js'
import { ask, saveFile, startDev, type DevCommand } from '#test/dev-command.js'
import { eventually } from '#test/eventually.js'
import { createDirectory } from '#test/temp-directory.js'

const PROGRAM = 'node_modules/verbena/dist/cli.js'

/** Responds with its process. Its packages are given. */
const appOf = (imports: string, values: string): string => `import { createServer } from 'node:http'
${imports}
const began = process.uptime()
const state = () => JSON.stringify({ pid: process.pid, began, ${values} })
createServer((request, response) => response.end(state())).listen(0, '127.0.0.1', function () {
  console.log('port', this.address().port)
})
`

/** A package that says when it was loaded, and how often. */
const packageOf = (name: string): Readonly<Record<string, string>> => ({
  [`node_modules/${name}/package.json`]: `{"name":"${name}","version":"1.0.0","type":"module","exports":{".":"./index.js","./compile":"./compile.js"}}`,
  [`node_modules/${name}/index.js`]: `import './part.js'\nexport const at = process.uptime()\n`,
  [`node_modules/${name}/part.js`]: `globalThis.loads = (globalThis.loads ?? 0) + 1\n`,
  [`node_modules/${name}/compile.js`]: `export const at = process.uptime()\n`,
})

const commonJs = (name: string): Readonly<Record<string, string>> => ({
  [`node_modules/${name}/package.json`]: `{"name":"${name}","version":"1.0.0","main":"./index.js"}`,
  [`node_modules/${name}/index.js`]: `exports.at = process.uptime()\nexports.key = {}\n`,
})

interface Opened {
  readonly folder: string
  readonly dev: DevCommand
  readonly port: number
  /** Process that waits. */
  readonly pid: number
  readonly save: (name?: string, text?: string) => Promise<State>
}

type State = Readonly<Record<string, unknown>>

/** Acts, such as to save a file, waits for the restart, and returns the state of the app. */
async function restart(dev: DevCommand, port: number | string | undefined, act: () => void): Promise<State> {
  const restarted = dev.next('restart')
  act()
  await restarted
  return JSON.parse((await ask({ port: Number(port) })).text)
}

/** Starts an app, and waits for the process that waits. */
async function open(
  files: Readonly<Record<string, string>>,
  args: readonly string[] = [],
  options: Parameters<typeof startDev>[2] = {},
): Promise<Opened> {
  const folder = createDirectory({ ...MANIFEST, ...files })
  const [file = ''] = Object.keys(files)
  const dev = startDev(folder, [file, ...args], options)
  const [, digits] = await dev.printed(/port (\d+)/)
  const { pid, memory } = await dev.first('spare')
  assert.ok(memory > 1_000_000)
  const save = (name = file, text = `${files[file]}\n`): Promise<State> =>
    restart(dev, digits, () => saveFile(join(folder, name), text))
  return { folder, dev, port: Number(digits), pid, save }
}

describe('verbena dev: the process that waits', { timeout: 240_000 }, () => {
  it('runs the saved code, with the arguments and options of every other process', async () => {
    const values = 'argv: process.argv, execArgv: process.execArgv, main: import.meta.main, node: process.env.NODE_ENV'
    const { dev, port, pid, save } = await open({ 'app.js': appOf('', values) })
    await using _ = dev
    const { pid: earlier, began: _began, ...first } = JSON.parse((await ask({ port })).text)
    const { pid: later, began, ...second } = await save()
    assert.deepEqual([second, later], [first, pid])
    assert.notEqual(earlier, pid)
    assert.ok(Number(began) > 0.1)
    assert.match(String(first.argv), /app\.js$/)
    // The next one was made after the restart.
    await sleep(2_500)
    const third = await save('app.js', appOf('', `${values}, third: true`))
    assert.ok(third['third'] === true && Number(third['began']) > 1)
  })

  it('has loaded the validation library and named packages, each once, and nothing that only the app may load', async () => {
    const imports = `import { at } from 'zod'
import { at as compiled } from 'zod/compile'
import { at as other } from 'other'
import named, { at as warmed } from 'named'
import { createRequire } from 'node:module'`
    const values = `at, compiled, other, warmed, loads: globalThis.loads,
      same: createRequire(import.meta.url)('named') === named`
    const files = { 'app.js': appOf(imports, values), ...packageOf('zod'), ...packageOf('other'), ...commonJs('named') }
    const { dev, pid, save } = await open(files, ['--warm', 'pg,named'])
    await using _ = dev
    await sleep(1_000)
    const { pid: later, began, at, compiled, other, warmed, loads, same } = await save()
    assert.deepEqual([later, loads, same], [pid, 2, true])
    const early = [at, warmed, compiled, other].map((time) => Number(began) - Number(time) > 0.5)
    assert.deepEqual(early, [true, true, false, false])
  })

  it('has one copy of Verbena, with ES modules and CommonJS', async () => {
    const app = `${appOf(
      `import { createApp, Route } from 'verbena'
import * as z from '${import.meta.resolve('zod')}'
import { createRequire } from 'node:module'
class Version extends Route {
  static get = this.contract({ returns: z.object({ version: z.int() }) })
  get() { return { version: 1 } }
}
const app = createApp({ routes: { Version } })
const { body } = await (await app.fetch(new Request('http://a/version'))).json().then((body) => ({ body }))`,
      `same: createRequire(import.meta.url)('verbena').Route === Route, body`,
    )}`
    using project = await createProject({ 'app.js': app })
    await using dev = startDev(project.folder, ['app.js'], { program: join(project.folder, PROGRAM) })
    const [, port] = await dev.printed(/port (\d+)/)
    const { pid } = await dev.first('spare')
    const save = () => saveFile(join(project.folder, 'app.js'), `${app}\n`)
    const { pid: later, same, body } = await restart(dev, port, save)
    assert.deepEqual([later, same, body], [pid, true, { version: 1 }])
  })

  it('compiles TypeScript with tsx, in ES modules and CommonJS', async () => {
    for (const type of ['module', 'commonjs']) {
      const app = `const text: string = '${type}'\n${appOf(`import { createApp } from 'verbena'`, 'text, kind: typeof createApp')}`
      using project = await createProject({ 'package.json': `{"type":"${type}"}`, 'app.ts': app })
      const link = join(project.folder, 'node_modules/tsx')
      rmSync(link, { recursive: true })
      symlinkSync(resolve('node_modules/tsx'), link)
      await using dev = startDev(project.folder, ['app.ts'], { program: join(project.folder, PROGRAM) })
      const [, port] = await dev.printed(/port (\d+)/)
      const { pid } = await dev.first('spare')
      const save = () => saveFile(join(project.folder, 'app.ts'), app.replace(type, 'saved'))
      const { pid: later, text, kind } = await restart(dev, port, save)
      assert.deepEqual([later, text, kind], [pid, 'saved', 'function'])
    }
  })

  for (const [name, ...change] of [
    ['a package', 'node_modules/zod/index.js', `export const at = 'changed'\n`],
    ['a lock file', 'yarn.lock', 'zod@1.0.0'],
    ['the variables', '.env.local', 'A=1'],
    ['the settings of a compiler', 'tsconfig.base.json', '{}'],
  ] as const) {
    it(`ends unused after a change of ${name}`, async () => {
      const files = { 'app.js': appOf(`import { at } from 'zod'`, 'at'), ...packageOf('zod') }
      const { folder, dev, pid, save } = await open(files)
      await using _ = dev
      const [path, text] = change
      saveFile(join(folder, path), text)
      const { pid: later, at } = await save()
      assert.notEqual(later, pid)
      if (name === 'a package') assert.equal(at, 'changed')
      await eventually(() => assert.equal(isAlive(pid), false))
    })
  }

  it('stays unused for a saved file other than code, for a file of --env-file, and for Enter', async () => {
    const { dev, pid, save, port } = await open({ 'app.js': appOf('', 'a: 1'), 'data.json': '{}' })
    await using _ = dev
    assert.notEqual((await restart(dev, port, () => dev.child.stdin?.write('\n')))['pid'], pid)
    assert.equal(isAlive(pid), true)
    assert.notEqual((await save('data.json', '[]'))['pid'], pid)
    const folder = createDirectory({ ...MANIFEST, 'app.js': appOf('', 'a: process.env.A') })
    const variables = join(createDirectory({ variables: 'A=1' }), 'variables')
    await using other = startDev(folder, ['app.js', '--env-file', variables])
    const [, digits] = await other.printed(/port (\d+)/)
    const { pid: waiting } = await other.first('spare')
    saveFile(variables, 'A=2')
    const changed = appOf('', 'a: process.env.A, b: 1')
    const { pid: later, a } = await restart(other, digits, () => saveFile(join(folder, 'app.js'), changed))
    assert.ok(later !== waiting && a === '2')
  })

  it('starts again after code that does not start', async () => {
    const { dev, folder, pid, save } = await open({ 'app.js': appOf('', 'a: 1') })
    await using _ = dev
    const failed = dev.next('failed')
    saveFile(join(folder, 'app.js'), 'const a = 1 2')
    await failed
    assert.equal(isAlive(pid), false)
    await sleep(2_500)
    assert.ok(Number((await save())['began']) > 1)
  })

  it('does not delay a save if it has ended, or is not ready', async () => {
    const { dev, pid, save, port } = await open({ 'app.js': APP })
    await using _ = dev
    process.kill(pid, 'SIGKILL')
    await eventually(() => assert.equal(isAlive(pid), false))
    await save('app.js', nextApp(2))
    // Saves while the next one starts.
    for (const [version, wait] of [
      [3, 500],
      [4, 520],
      [5, 560],
      [6, 600],
    ] as const) {
      await sleep(wait)
      await save('app.js', nextApp(version))
      assert.equal(await readVersion(port), version)
    }
  })

  it('ends without a word if a module that it loads throws', async () => {
    const files = { 'app.js': appOf(`import { at } from 'zod'`, 'at'), ...packageOf('zod') }
    const throwing = `if (globalThis.isApp === undefined) throw new Error('alone')\nexport const at = 1`
    const folder = createDirectory({
      ...MANIFEST,
      ...files,
      'app.js': `globalThis.isApp = true\n${appOf(`const { at } = await import('zod')`, 'at')}`,
      'node_modules/zod/index.js': throwing,
    })
    await using dev = startDev(folder, ['app.js'])
    const [, port] = await dev.printed(/port (\d+)/)
    await sleep(1_500)
    const changed = `globalThis.isApp = 1\n${appOf(`const { at } = await import('zod')`, 'at')}`
    const { at } = await restart(dev, port, () => saveFile(join(folder, 'app.js'), changed))
    assert.equal(at, 1)
    assert.deepEqual(
      dev.events.map(({ event }) => event),
      ['save', 'restart'],
    )
    assert.doesNotMatch(dev.errors(), /alone/)
  })

  it('ends with verbena dev', async () => {
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const { dev, pid } = await open({ 'app.js': APP })
      const exited = once(dev.child, 'exit')
      dev.child.kill(signal)
      await exited
      await eventually(() => assert.equal(isAlive(pid), false))
    }
  })

  it('does not exist with --no-spare, --inspect or a preload of the app', async () => {
    const preload = join(createDirectory({ 'trace.mjs': '' }), 'trace.mjs')
    const cases = [
      { args: ['--no-spare'], nodeOptions: [], said: /^(?!.*Restarts load)/s },
      { args: ['--inspect=0'], nodeOptions: [], said: /Restarts load all packages again, because "--inspect"/ },
      { args: [], nodeOptions: ['--import', preload], said: /because "\S+trace\.mjs" is loaded before the app\n/ },
    ]
    for (const { args, nodeOptions, said } of cases) {
      const folder = createDirectory({ ...MANIFEST, 'app.js': APP })
      await using dev = startDev(folder, ['app.js', ...args], { nodeOptions })
      const [, port] = await dev.printed(/port (\d+)/)
      await sleep(1_200)
      const { version } = await restart(dev, port, () => saveFile(join(folder, 'app.js'), nextApp(2)))
      assert.equal(version, 2)
      assert.match(dev.errors(), said)
      assert.ok(dev.events.every(({ event }) => event !== 'spare'))
    }
  })

  it('says once how much memory it takes', async () => {
    const folder = createDirectory({ ...MANIFEST, 'app.js': APP })
    await using text = startDev(folder, ['app.js'], { text: true })
    await text.printed(/A process waits for the next save, with \d+ MB of memory\. "--no-spare" restarts without it\n/)
    saveFile(join(folder, 'app.js'), nextApp(2))
    await text.printed(/Restarted in \d+ ms\n/)
    await sleep(2_000)
    assert.equal(text.errors().match(/MB of memory/g)?.length, 1)
  })
})
