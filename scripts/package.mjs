/**
 * Checks the published package: builds and packs it, lints the tarball, proves that it has no dependencies, and uses it like a
 * project, with each TypeScript in `COMPILERS`, by `import` and by `require`, and in the projects that `verbena new` creates.
 *
 *   npm run package [-- --compare <tarball> [--ref <commit>] | --compare-node | --update-api]
 *
 * With `--compare`, only checks that a tarball is the source of its tag. With `--compare-node`, only checks that the oldest and the
 * newest supported Node version build the same bytes. With `--update-api`, only writes the public types to `etc`.
 */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { parseArgs } from 'node:util'
import ts from 'typescript'
import { findDifferences, writeReport } from './api-report.mjs'
import { compare } from './compare-package.mjs'
import { VALIDATORS, createProject, useProject } from './new-project.mjs'
import { findRestricted } from './restrictions.mjs'
import {
  CACHE,
  COMPILERS,
  NODE_VERSIONS,
  ROOT,
  capture,
  executable,
  fail,
  filesBelow,
  nodeBinary,
  seconds,
} from './tools.mjs'

const CONSUMER = join(CACHE, `consumer-${process.pid}`)
const PACKED = join(CACHE, `packed-${process.pid}`)
/** Folder of the created projects, outside of this checkout and its packages. */
const PROJECTS = join(tmpdir(), `verbena-projects-${process.pid}`)
const TEMPORARY = [CONSUMER, PACKED, PROJECTS]

const PROGRAM = `import { createApp, Route } from 'verbena'
import { createClient } from 'verbena/client'
import { log } from 'verbena/decorators'
import { testApp } from 'verbena/testing'

class Home extends Route {
  async get() {
    return { hello: 'world' }
  }
}

const app = createApp({ routes: { Home } })
const response = await app.fetch(new Request('http://localhost/home'))
const status: number = response.status
const body: unknown = await response.json()
console.log(status, JSON.stringify(body))
const { api } = await testApp(app)
const asked = await createClient<typeof app>('http://localhost', { fetch: (request) => app.fetch(request) })('/home').get()
const tested = await api('/home').get()
const texts: string[] = [asked, tested].flatMap((answer) => (answer.ok ? [answer.body.hello] : []))
console.log(typeof log, texts.join(' '))
await app.close()
`

const REQUIRING = `const { createApp, Route } = require('verbena')

class Home extends Route {
  get() {
    return { hello: 'world' }
  }
}

const app = createApp({ routes: { Home } })
app
  .fetch(new Request('http://localhost/home'))
  .then(async (response) => console.log(response.status, await response.text()))
  .then(() => app.close())
`

/** A module for the command line. */
const APP = `import { createApp, Route } from 'verbena'

class Home extends Route {
  get() {
    return 'home'
  }
}

export const app = createApp({ routes: { Home } })
`

/** The oldest supported compiler, and all compilers that check this project. */
const CONSUMERS = { 5.4: 'typescript-5.4', ...COMPILERS }

/** Serves two routes, and prints the large Node modules that a server written by hand does not load. */
const STARTING = `const { createServer, get } = process.getBuiltinModule('node:http')

const ask = (port) => new Promise((resolve) => {
  get({ port, path: '/users', agent: false }, (answer) => answer.resume().on('end', resolve))
})
const server = createServer((request, response) => response.end('[]'))
await new Promise((resolve) => server.listen(0, resolve))
await ask(server.address().port)
server.close()
const before = new Set(process.moduleLoadList)

const { createApp, Route } = await import('verbena')
class Users extends Route {
  async get() {
    return []
  }
}
class Status extends Route {
  async get() {
    return { ok: true }
  }
}
const app = createApp({ routes: { Users, Status }, logger: false })
const { port } = await app.listen()
await ask(port)
await app.close()
const large = /undici|https|tls_wrap|http2|zlib|inspector|worker|fetch/
console.log(process.moduleLoadList.filter((name) => !before.has(name) && large.test(name)).join() || 'nothing large')
`

/** The shares of the tarball: files, and their maximum size in bytes, packed together. */
const SHARES = [
  { name: 'modules', holds: /^dist\/(?!console|prove|proofs|reference|reading|cli[.-])[a-z-]+\.js$/, max: 340_000 },
  { name: 'page of the API', holds: /^dist\/(?:reference|reading)\.js$/, max: 25_000 },
  { name: 'proofs', holds: /^dist\/(?:prove|proofs)\.js$/, max: 25_000 },
  { name: 'command line', holds: /^dist\/cli(?:-[a-z-]+)?\.js$/, max: 67_000 },
  { name: 'console', holds: /^dist\/console[a-z-]*\.js$/, max: 164_000 },
  { name: 'types', holds: /\.d\.ts$/, max: 79_000 },
  { name: 'manifest', holds: /^dist\/manifest\.json$/, max: 28_000, isBesideCode: true },
  { name: 'documents', holds: /\.md$/, max: 254_000, isBesideCode: true },
]
/** Pages of the site that are not packed, because documents have a maximum size. AGENTS.md names them. */
const UNPACKED = [
  ...filesBelow('docs/coming-from', (path) => path.endsWith('.md')),
  ...['console', 'proofs', 'proxies', 'speed', 'stores'].map((name) => `docs/guides/${name}.md`),
  ...filesBelow('docs/how-to', (path) => /\/mount-[a-z-]+\.md$/.test(path)),
  ...['proxy-to-another-server', 'report-errors-to-sentry', 'serve-vite-beside-api', 'show-bullmq-board'].map(
    (name) => `docs/how-to/${name}.md`,
  ),
  'docs/how-to/stream-pdf-csv-zip.md',
  ...['knex', 'kysely', 'mikroorm', 'sequelize', 'socket-io', 'typeorm'].map((name) => `docs/how-to/use-${name}.md`),
]
/** Like npm, which writes no owner and the same time for all files. */
const SAME_OWNER = ['--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']
/** Maximum size of a tarball of the files in no share with `isBesideCode`, in bytes, and maximum number of files without documents. */
const MAX_BYTES = 705_000
const MAX_FILES = 66

/** Modules of the main entry: the rooms that every app loads. */
const LOADED_BY_ALL = [
  ...['index.js', 'ground.js', 'http.js', 'validation.js', 'observe.js'],
  ...['core.js', 'features.js', 'setup.js', 'app.js'],
]

const ANSWER = '200 {"hello":"world"}'

const STRICT = { target: 'ES2022', lib: ['ES2022'], types: ['node'], strict: true, skipLibCheck: false, noEmit: true }
const RESOLUTIONS = {
  nodenext: {
    ...STRICT,
    declaration: true,
    module: 'nodenext',
    moduleResolution: 'nodenext',
    exactOptionalPropertyTypes: true,
  },
  bundler: { ...STRICT, declaration: true, module: 'esnext', moduleResolution: 'bundler' },
}

const { values } = parseArgs({
  options: {
    compare: { type: 'string' },
    ref: { type: 'string' },
    'compare-node': { type: 'boolean', default: false },
    'update-api': { type: 'boolean', default: false },
  },
})
if (values.compare !== undefined) compare(values.compare, values.ref)
else if (values['compare-node']) step('builds of two Node versions, byte for byte', compareNodeVersions)
else if (values['update-api']) {
  build()
  await writeReport()
} else await check()

async function check() {
  try {
    step('src makes no code from strings and is ESM', checkSources)
    step('build', build)
    step('build again, byte for byte', checkReproducible)
    const changed = await findDifferences()
    step('the public types are those in etc', () => checkTypes(changed))
    const tarball = step('pack', pack)
    step('publint', () => run(process.execPath, [executable('publint'), 'run', '--strict', tarball]))
    const attw = executable('@arethetypeswrong/cli', 'attw')
    step('are the types wrong?', () => run(process.execPath, [attw, '--profile', 'esm-only', tarball]))
    step('npm ls --omit=dev', checkAlone)
    step('consumer', () => makeConsumer(tarball))
    step('links of the packed documents', checkLinks)
    for (const version of Object.keys(CONSUMERS)) {
      for (const resolution of Object.keys(RESOLUTIONS)) {
        step(`consumer, TypeScript ${version}, ${resolution}`, () => compileConsumer(version, resolution))
      }
      step(`project references, TypeScript ${version}`, () => compileReferences(version))
    }
    step('consumer, import', () => runConsumer('main.js'))
    step('consumer, require', () => runConsumer('main.cjs'))
    step('a start loads what it needs', checkStart)
    step('the main entry loads no code of other entries', checkMainEntry)
    step('the command line shows routes', checkCommand)
    for (const validator of VALIDATORS) step(`verbena new, ${validator}`, () => checkProject(validator))
    step('the app and the audit run with restrictions of Node.js', checkRestrictions)
    step('the package has no violations, and runs without its removable parts', checkAudit)
  } finally {
    for (const folder of TEMPORARY) rmSync(folder, { recursive: true, force: true })
  }
}

function step(name, act) {
  const begin = performance.now()
  const result = act()
  console.log(`ok  ${name}  ${seconds(begin)}`)
  return result
}

function run(program, args, options) {
  const { code, output, stdout } = capture(program, args, options)
  if (code !== 0) stop(`FAILED  ${[basename(program), ...args].join(' ')}\n${output}`)
  return stdout
}

/** Cleans up, and ends the script. */
function stop(message) {
  for (const folder of TEMPORARY) rmSync(folder, { recursive: true, force: true })
  fail(message)
}

function build() {
  run(process.execPath, ['scripts/build.mjs'])
}

function checkReproducible() {
  const first = hashOfBuild()
  build()
  if (hashOfBuild() !== first) stop('FAILED  two builds of the same source differ')
}

function compareNodeVersions() {
  const builds = [NODE_VERSIONS[0], NODE_VERSIONS.at(-1)].map((version) => {
    run(nodeBinary(version), ['scripts/build.mjs'])
    const hash = hashOfBuild()
    console.log(`    Node ${version}: ${hash}`)
    return hash
  })
  if (builds[0] !== builds[1]) stop('FAILED  two Node versions build different files')
}

function checkTypes(changed) {
  const fix = 'Review the change, then run `npm run package -- --update-api`'
  if (changed.length > 0)
    stop(`FAILED  the public types differ from ${changed.map((name) => `etc/${name}`).join(', ')}. ${fix}`)
}

function hashOfBuild() {
  const hash = createHash('sha256')
  for (const path of filesBelow('dist', () => true)) hash.update(path).update(readFileSync(join(ROOT, path)))
  return hash.digest('hex')
}

function hashOf(path) {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, path)))
    .digest('hex')
}

function pack() {
  rmSync(PACKED, { recursive: true, force: true })
  mkdirSync(PACKED, { recursive: true })
  const [report] = JSON.parse(run('npm', ['pack', '--json', '--ignore-scripts', `--pack-destination=${PACKED}`]))
  const paths = report.files.map(({ path }) => path)
  for (const path of ['LICENSE', 'package.json', 'dist/index.js', 'dist/index.d.ts']) {
    if (!paths.includes(path)) stop(`FAILED  the tarball holds no ${path}`)
  }
  const strange = paths.filter(
    (path) =>
      !/^dist\/[a-z-]+(?:\.js|\.d\.ts)$|^dist\/manifest\.json$|^(?:README|AGENTS|LICENSE)(?:\.md)?$|^docs\/(?:(?:guides|how-to)\/)?[a-z\d-]+\.md$|^package\.json$/.test(
        path,
      ),
  )
  if (strange.length > 0) stop(`FAILED  the tarball holds what nobody needs: ${strange.join(', ')}`)
  const sizes = SHARES.map((share) => ({ ...share, bytes: packedSize(paths.filter((path) => share.holds.test(path))) }))
  const besideCode = SHARES.filter(({ isBesideCode }) => isBesideCode)
  const code = tarballSize(paths.filter((path) => !besideCode.some(({ holds }) => holds.test(path))))
  for (const { name, max, bytes } of [...sizes, { name: 'code', max: MAX_BYTES, bytes: code }]) {
    console.log(`    ${name}: ${bytes} bytes packed, at most ${max}`)
    if (bytes > max) stop(`FAILED  ${name}: ${bytes} bytes packed, at most ${max} are allowed`)
  }
  const files = paths.filter((path) => !path.endsWith('.md')).length
  console.log(`    files: ${files}, at most ${MAX_FILES}`)
  if (files > MAX_FILES) stop(`FAILED  the tarball holds ${files} files, at most ${MAX_FILES} are allowed`)
  return join(PACKED, report.filename)
}

/**
 * Follows the links of the packed documents: to files and headings of the tarball, and to the repository for other files of this
 * checkout. Pictures of guides and the pages in `UNPACKED` are not packed.
 */
function checkLinks() {
  const { repository } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const pages = repository.url.replace(/^git\+|\.git$/g, '')
  const files = pages.replace('://github.com/', '://raw.githubusercontent.com/')
  const packed = join(CONSUMER, 'node_modules/verbena')
  const broken = readdirSync(packed, { recursive: true })
    .filter((path) => path.endsWith('.md'))
    .flatMap((path) => listLinks(readFileSync(join(packed, path), 'utf8')).map((link) => ({ path, link })))
    .filter(({ path, link }) => !resolves(path, link))
  if (broken.length > 0) stop(`FAILED\n${broken.map(({ path, link }) => `${path} links to ${link}`).join('\n')}`)

  function resolves(from, link) {
    const own = [`${pages}/blob/main/`, `${pages}/tree/main/`, `${files}/main/`].find((base) => link.startsWith(base))
    if (own !== undefined) return existsSync(join(ROOT, link.slice(own.length).split('#', 1)[0]))
    if (link.startsWith('https:')) return !link.startsWith(pages) && !link.startsWith(files)
    const [path, heading] = link.split('#')
    const target = path === '' ? join(packed, from) : join(packed, dirname(from), path)
    const isUnpacked = path.endsWith('.png') || UNPACKED.includes(join(dirname(from), path))
    if (isUnpacked) return from !== 'README.md' && existsSync(join(ROOT, dirname(from), path))
    return existsSync(target) && (heading === undefined || listHeadings(readFileSync(target, 'utf8')).has(heading))
  }
}

function listLinks(markdown) {
  return [...withoutCode(markdown).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link)
}

/** The anchors of the headings, as GitHub makes them. */
function listHeadings(markdown) {
  const titles = [...withoutCode(markdown).matchAll(/^#+ (.+)$/gm)].map(([, title]) => title)
  const written = [...markdown.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, id]) => id)
  const made = titles.map((title) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
  return new Set([...made, ...written])
}

function withoutCode(markdown) {
  return markdown.replace(/^```[^]*?^```/gm, '')
}

function packedSize(paths) {
  return gzipSync(Buffer.concat(paths.map((path) => readFileSync(join(ROOT, path)))), { level: 9 }).length
}

function tarballSize(paths) {
  const { status, stdout, stderr } = spawnSync('tar', ['--create', '--file=-', ...SAME_OWNER, ...paths], {
    cwd: ROOT,
    maxBuffer: 2 ** 28,
  })
  if (status !== 0) stop(`FAILED  tar: ${stderr}`)
  return gzipSync(stdout, { level: 9 }).length
}

function checkAlone() {
  const { dependencies } = JSON.parse(run('npm', ['ls', '--omit=dev', '--all', '--json']))
  const names = Object.keys(dependencies ?? {})
  if (names.length > 0) stop(`FAILED  the package does not come alone: ${names.join(', ')}`)
}

function checkSources() {
  const sources = ['src', 'console/page'].flatMap((folder) => filesBelow(folder, (path) => path.endsWith('.ts')))
  const found = sources.flatMap((path) => strangeCode(path))
  if (found.length > 0) stop(`FAILED\n${found.join('\n')}`)
}

/** Finds `eval`, `new Function`, `require` and `module.exports` in a file. */
function strangeCode(path) {
  const file = ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest, true)
  const found = []
  visit(file)
  return found

  function visit(node) {
    const callee = ts.isCallExpression(node) || ts.isNewExpression(node) ? node.expression.getText(file) : ''
    const use = /^(?:globalThis\.)?(?:eval|Function|require)$/.test(callee) ? callee : commonJsExport(node)
    const { line } = file.getLineAndCharacterOfPosition(node.getStart(file))
    if (use) found.push(`${path}:${line + 1} uses ${use}`)
    ts.forEachChild(node, visit)
  }

  function commonJsExport(node) {
    return ts.isPropertyAccessExpression(node) && node.getText(file) === 'module.exports' ? 'module.exports' : undefined
  }
}

function makeConsumer(tarball) {
  const installed = join(CONSUMER, 'node_modules/verbena')
  rmSync(CONSUMER, { recursive: true, force: true })
  mkdirSync(installed, { recursive: true })
  run('tar', ['-xzf', tarball, '--strip-components=1', '-C', installed])
  write('package.json', JSON.stringify({ name: 'consumer', private: true, type: 'module' }))
  write('main.ts', PROGRAM)
  cpSync(join(ROOT, 'test/fixtures/consumer'), CONSUMER, { recursive: true })
  write('main.cjs', REQUIRING)
  write('start.js', STARTING)
  const options = { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } }
  write('main.js', ts.transpileModule(PROGRAM, options).outputText)
  for (const [resolution, compilerOptions] of Object.entries(RESOLUTIONS)) {
    write(
      `tsconfig.${resolution}.json`,
      JSON.stringify({ compilerOptions, files: ['main.ts', 'library.ts', 'factories.ts'] }),
    )
  }
  const { noEmit: _, ...compilerOptions } = { ...RESOLUTIONS.nodenext, composite: true, emitDeclarationOnly: true }
  write('tsconfig.factories.json', JSON.stringify({ compilerOptions, files: ['factories.ts', 'schema.ts'] }))
  const references = [{ path: '../tsconfig.factories.json' }]
  write('references/tsconfig.json', JSON.stringify({ compilerOptions, files: ['client.ts'], references }))
}

function write(name, text) {
  writeFileSync(join(CONSUMER, name), text)
}

function compileConsumer(version, resolution) {
  const compiler = executable(CONSUMERS[version], 'tsc')
  run(process.execPath, [compiler, '-p', `tsconfig.${resolution}.json`], { cwd: CONSUMER })
}

/** Compiles a project against the declarations that another project exports. */
function compileReferences(version) {
  const compiler = executable(CONSUMERS[version], 'tsc')
  run(process.execPath, [compiler, '--build', '--force', 'references'], { cwd: CONSUMER })
}

function checkProject(validator) {
  const folder = join(PROJECTS, validator)
  createProject({ folder, packed: join(CONSUMER, 'node_modules/verbena'), validator, run })
  // Its script "check" runs the compiler that it installs.
  const compilers = Object.values(CONSUMERS).filter((name) => name !== 'typescript')
  const failed = useProject({ folder, compilers, run })
  if (failed !== undefined) stop(`FAILED  npm run ${failed.script} of a new project printed\n${failed.printed}`)
}

function checkStart() {
  const env = { ...process.env, NODE_ENV: 'production' }
  const printed = run(process.execPath, ['start.js'], { cwd: CONSUMER, env }).trim()
  if (printed !== 'nothing large') stop(`FAILED  an app of two routes loads ${printed}`)
}

/** Follows the static imports of the main entry. Code of features that only other entries load is not among them. */
function checkMainEntry() {
  const loaded = new Set()
  load('index.js')
  const others = [...loaded].filter((name) => !LOADED_BY_ALL.includes(name))
  if (others.length > 0) stop(`FAILED  the main entry loads ${others.join(', ')}`)

  function load(name) {
    if (loaded.has(name)) return
    loaded.add(name)
    const code = readFileSync(join(ROOT, 'dist', name), 'utf8')
    for (const [, path] of code.matchAll(/^(?:import|export|\}).* from '\.\/([^']+)'/gm)) load(path)
  }
}

function runConsumer(file) {
  const printed = run(process.execPath, ['--disallow-code-generation-from-strings', file], { cwd: CONSUMER })
  // The app also logs; the output of the program is one of the lines.
  if (!printed.split('\n').includes(ANSWER)) stop(`FAILED  ${file} printed ${JSON.stringify(printed)}, not ${ANSWER}`)
}

/** Runs the installed command. npm makes it executable only if its first line names Node. */
function checkCommand() {
  write('app.js', APP)
  const printed = run(process.execPath, ['node_modules/verbena/dist/cli.js', 'routes', 'app.js'], { cwd: CONSUMER })
  if (!/^GET +\/home +- +Home +app\.js:\d+$/m.test(printed))
    stop(`FAILED  verbena routes printed ${JSON.stringify(printed)}`)
  const first = readFileSync(join(CONSUMER, 'node_modules/verbena/dist/cli.js'), 'utf8').split('\n')[0]
  if (first !== '#!/usr/bin/env node') stop(`FAILED  dist/cli.js begins with ${first}`)
}

function checkRestrictions() {
  const problem = findRestricted({ folder: CONSUMER, binary: process.execPath })
  if (problem !== undefined) stop(`FAILED  ${problem}`)
}

/** The guide shows the first lines of the audit, with other sizes. */
function checkAuditGuide(printed) {
  const guide = readFileSync(join(ROOT, 'docs/auditing.md'), 'utf8')
  const [, shown = ''] = /^\$ node package\/dist\/cli\.js audit\n([^]*?)\n {2}…$/m.exec(guide) ?? []
  const withoutSizes = (text) => text.replace(/\d[\d,]* (?:files|bytes)/g, 'n')
  if (shown === '' || !withoutSizes(printed).startsWith(`${withoutSizes(shown)}\n`))
    stop('FAILED  docs/auditing.md does not show the first lines of verbena audit')
}

/** Audits the installed package, then deletes the parts that no app in production loads, and runs an app. */
function checkAudit() {
  const audit = (...args) =>
    run(process.execPath, ['node_modules/verbena/dist/cli.js', 'audit', ...args], { cwd: CONSUMER })
  const { violations, files, dependencies } = JSON.parse(audit('--json'))
  if (violations.length + dependencies.length > 0 || files.every(({ state }) => state === null))
    stop(`FAILED  verbena audit printed ${violations.join('; ')}`)
  const wrong = files.flatMap(({ sources }) => sources).find(({ path, sha256 }) => sha256 !== hashOf(path))
  if (wrong !== undefined) stop(`FAILED  verbena audit prints a wrong SHA-256 of ${wrong.path}`)
  checkAuditGuide(audit())
  const parts = ['console', 'types', 'documents', 'cli'].flatMap((part) => ['--without', part])
  const removable = JSON.parse(audit('--json', ...parts))
  if (!removable.includes('dist/console.js')) stop(`FAILED  verbena audit lists ${removable.join(', ')} as removable`)
  for (const path of removable) rmSync(join(CONSUMER, 'node_modules/verbena', path))
  runConsumer('main.js')
  checkStart()
}
