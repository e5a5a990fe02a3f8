/**
 * Measures the time from the save of a file to the last byte of the first response of the new code. Each kind runs its own copy of the
 * project, all run at the same time, and their saves take turns.
 *
 *   node bench/restarts.mjs [--saves 30] [--compare <dist of another build>] [--only <kinds>] [--node <node>] [--publish]
 *
 * It requires a registry, and a build of Verbena in `dist`. The projects have the files of `verbena new`, and 50 files.
 */
import { spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readVersions, runNpm } from './npm.mjs'
import { loadBefore, readNodeVersion } from './options.mjs'
import { publish, quantile, table } from './report.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const TSX = 'node_modules/tsx/dist/cli.mjs'
const VERBENA = 'node_modules/verbena/dist/cli.js'
const NEST = 'node_modules/@nestjs/cli/bin/nest.js'
const NEST_CLI = { '@nestjs/cli': '12.0.8', '@types/node': '20.19.43', typescript: '6.0.3' }
const NEST_PACKAGES = [
  ...['@nestjs/common', '@nestjs/core', '@nestjs/platform-express'],
  ...['class-transformer', 'class-validator', 'reflect-metadata', 'rxjs'],
]
/** Time before the saves of all kinds, in ms, in which a developer looks at the result. */
const PAUSE = 1_500
/** Time before each save, in ms. */
const REST = 200
/** Maximum time of a restart, in ms. */
const TIMEOUT = 20_000

const { values } = parseArgs({
  options: {
    saves: { type: 'string', default: '30' },
    compare: { type: 'string' },
    only: { type: 'string' },
    node: { type: 'string', default: process.execPath },
    publish: { type: 'boolean', default: false },
  },
})
const directory = realpathSync(mkdtempSync(join(tmpdir(), 'verbena-restarts-')))
const started = new Set()
process.on('exit', () => {
  for (const { pid } of started) process.kill(-pid, 'SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** Arguments of Node, and the build of Verbena. */
const KINDS = {
  'verbena dev': { args: [VERBENA, 'dev', 'src/server.ts'] },
  'verbena dev --no-spare': { args: [VERBENA, 'dev', 'src/server.ts', '--no-spare'] },
  'verbena dev, other build': { args: [VERBENA, 'dev', 'src/server.ts'], dist: values.compare },
  'tsx watch': { args: [TSX, 'watch', 'src/server.ts'] },
  'node --watch': { args: ['--import', 'tsx', '--watch', 'src/server.ts'] },
  'nest start --watch': { args: [NEST, 'start', '--watch', '--preserveWatchOutput'], isNest: true },
}
const wanted = values.only?.split('|') ?? Object.keys(KINDS)
const kinds = wanted.filter((kind) => kind !== 'verbena dev, other build' || values.compare !== undefined)

const PROJECTS = { 'verbena new': 3, '50 files': 50 }

loadBefore()
const rows = [['', ...Object.keys(PROJECTS).flatMap((name) => [`${name}, median`, '95 %'])]]
const times = Object.fromEntries(kinds.map((kind) => [kind, []]))
for (const [name, count] of Object.entries(PROJECTS)) {
  const measured = await measure(name, count)
  for (const kind of kinds) times[kind].push(measured[kind])
}
for (const kind of kinds) {
  const cells = times[kind].flatMap((each) => [quantile(each, 0.5), quantile(each, 0.95)])
  rows.push([kind, ...cells.map((time) => `${time.toFixed(0)} ms`)])
}
console.log(table(rows))
const version = readNodeVersion(values.node)
const said = `Node ${version}, ${values.saves} saves each.`
if (values.publish) publish(`restarts, Node ${version.split('.')[0]}`, said, table(rows))
process.exit()

/** Returns the times in ms by kind. */
async function measure(name, count) {
  const apps = []
  for (const kind of kinds)
    apps.push(await startApp(kind, join(directory, `${name} ${kind}`.replace(/\W+/g, '-')), count))
  const result = Object.fromEntries(kinds.map((kind) => [kind, []]))
  // The first save of each is not counted: caches are cold.
  for (let save = 0; save <= Number(values.saves); save++) {
    await sleep(PAUSE)
    // In reverse: after a restart, `verbena dev` makes a process for the next save, which would delay others.
    for (const { kind, port, write } of apps.toReversed()) {
      await sleep(REST)
      const version = save + 2
      const begin = performance.now()
      write(version)
      await untilVersion(port, version)
      if (save > 0) result[kind].push(performance.now() - begin)
    }
  }
  for (const { child } of apps) await stop(child)
  return result
}

async function startApp(kind, folder, count) {
  const { args, dist = join(ROOT, 'dist'), isNest = false } = KINDS[kind]
  const files = isNest ? nestFiles(count) : verbenaFiles(count)
  const write = (version) => writeFileSync(join(folder, 'src/version.ts'), `export const version = ${version}\n`)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  write(1)
  linkPackages(folder, dist, isNest)
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), NODE_ENV: 'development' }
  const child = spawn(values.node, args, { cwd: folder, env, detached: true, stdio: ['ignore', 'ignore', 'inherit'] })
  started.add(child)
  await untilVersion(port, 1)
  return { kind, child, port, write }
}

function linkPackages(folder, dist, isNest) {
  const modules = join(folder, 'node_modules')
  if (isNest) return symlinkSync(installNest(), modules)
  mkdirSync(modules)
  for (const name of ['tsx', 'zod']) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
  cpSync(resolve(dist), join(modules, 'verbena/dist'), { recursive: true })
  cpSync(join(ROOT, 'package.json'), join(modules, 'verbena/package.json'))
}

/** Installs NestJS with its command line, which no other script needs. Returns the folder of the packages. */
function installNest() {
  const folder = join(directory, 'nest')
  const modules = join(folder, 'node_modules')
  if (existsSync(modules)) return modules
  const versions = readVersions()
  const dependencies = Object.fromEntries(NEST_PACKAGES.map((name) => [name, versions[name]]))
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ dependencies: { ...dependencies, ...NEST_CLI } }))
  runNpm(['install', '--no-audit', '--no-fund'], folder)
  return modules
}

function verbenaFiles(count) {
  const names = Array.from({ length: count - 3 }, (_, at) => `Part${at + 1}`)
  const parts = names.map((name) => [`src/parts/${name.toLowerCase()}.ts`, verbenaPart(name)])
  return {
    'package.json': '{ "type": "module" }',
    'tsconfig.json': '{ "compilerOptions": { "module": "nodenext", "target": "es2023", "strict": true } }',
    'src/app.ts': `import { createApp, Route, type Result } from 'verbena'
import * as z from 'zod'
${names.map((name) => `import { ${name} } from './parts/${name.toLowerCase()}.js'\n`).join('')}import { version } from './version.js'

class Version extends Route {
  static readonly get = this.contract({ returns: z.object({ version: z.int() }) })
  async get(): Result<typeof Version.get> {
    return { version }
  }
}

export const app = createApp({ routes: { Version${names.map((name) => `, ${name}`).join('')} } })
`,
    'src/server.ts': `import { environment } from 'verbena'
import * as z from 'zod'
import { app } from './app.js'

const { PORT } = environment(z.object({ PORT: z.int().min(0).max(65_535).default(3000) }))
await app.listen({ port: PORT })
`,
    ...Object.fromEntries(parts),
  }
}

function verbenaPart(name) {
  return `import { HttpError, Route, type Input, type Result } from 'verbena'
import * as z from 'zod'

const Item = z.object({ id: z.string(), title: z.string().min(1).max(200), done: z.boolean() }).meta({ id: '${name}Item' })
const NewItem = Item.omit({ id: true }).meta({ id: 'New${name}Item' })
const items = new Map<string, z.infer<typeof Item>>()

export class ${name} extends Route {
  static readonly get = this.contract({ returns: z.array(Item) })
  async get(): Result<typeof ${name}.get> {
    return [...items.values()]
  }

  static readonly post = this.contract({ body: NewItem, returns: Item })
  async post({ body }: Input<typeof ${name}.post>): Result<typeof ${name}.post> {
    if (items.size > 1_000) throw new HttpError(409, 'Too many items')
    const item = { id: String(items.size), ...body }
    items.set(item.id, item)
    return item
  }
}
`
}

function nestFiles(count) {
  const names = Array.from({ length: count - 3 }, (_, at) => `Part${at + 1}`)
  const parts = names.map((name) => [
    `src/parts/${name.toLowerCase()}.ts`,
    `import { Body, Controller, Get, Post } from '@nestjs/common'
import { IsBoolean, Length } from 'class-validator'

class NewItem {
  @Length(1, 200) title!: string
  @IsBoolean() done!: boolean
}

@Controller('${name.toLowerCase()}')
export class ${name} {
  readonly items: NewItem[] = []

  @Get() list() {
    return this.items
  }

  @Post() create(@Body() item: NewItem) {
    this.items.push(item)
    return item
  }
}
`,
  ])
  return {
    'package.json': '{}',
    'nest-cli.json': '{ "sourceRoot": "src", "entryFile": "server" }',
    'tsconfig.json': JSON.stringify({
      compilerOptions: {
        ...{
          module: 'nodenext',
          target: 'es2023',
          outDir: 'dist',
          rootDir: 'src',
          types: ['node'],
          incremental: true,
          skipLibCheck: true,
          strict: true,
        },
        ...{ experimentalDecorators: true, emitDecoratorMetadata: true },
      },
    }),
    'src/app.ts': `import { Controller, Get, Module } from '@nestjs/common'
${names.map((name) => `import { ${name} } from './parts/${name.toLowerCase()}'\n`).join('')}import { version } from './version'

@Controller('version')
class Version {
  @Get() get() {
    return { version }
  }
}

@Module({ controllers: [Version${names.map((name) => `, ${name}`).join('')}] })
export class AppModule {}
`,
    'src/server.ts': `import 'reflect-metadata'
import { ValidationPipe } from '@nestjs/common'
import { NestFactory } from '@nestjs/core'
import { AppModule } from './app'

void NestFactory.create(AppModule).then((app) => app.useGlobalPipes(new ValidationPipe()).listen(Number(process.env.PORT)))
`,
    ...Object.fromEntries(parts),
  }
}

async function untilVersion(port, version) {
  const end = performance.now() + TIMEOUT
  while ((await readVersion(port)) !== version) {
    if (performance.now() > end) throw new Error(`Version ${version} does not respond after ${TIMEOUT} ms`)
    await sleep(2)
  }
}

/** Returns `null` for no response. */
function readVersion(port) {
  return new Promise((settle) => {
    const request = get(
      { port, host: '127.0.0.1', path: '/version', agent: false, timeout: TIMEOUT },
      async (response) => {
        const text = (await response.toArray()).join('')
        settle(response.statusCode === 200 ? JSON.parse(text).version : null)
      },
    )
    request.on('error', () => settle(null)).on('timeout', () => request.destroy())
  })
}

function freePort() {
  return new Promise((settle) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address()
      server.close(() => settle(port))
    })
  })
}

function stop(child) {
  started.delete(child)
  return new Promise((settle) => {
    child.once('exit', settle)
    process.kill(-child.pid, 'SIGKILL')
  })
}
