/**
 * Runs the tests with `node:test`, from a compiled copy of the repository.
 *
 *   node scripts/test.mjs [--coverage] [--dist] [--browser] [--documented] [--console] [part of a path]... [-- option of node]...
 *
 * It lists the files itself, because some supported Node versions do not find TypeScript tests by folder or glob, and others
 * succeed if they find none. `--dist` builds `dist` and tests it, with the tests that only use the package; `--browser` adds
 * `console/test/browser`, which requires Chromium; `--coverage` requires full coverage of `src`; `--documented` disables the fast path of
 * all servers; `--console` enables the development console of apps. `scripts/types.mjs` tests the types. `NODE_ENV` is
 * `production` by default, as for users of an app; tests of the console set it themselves.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join, relative } from 'node:path'
import { ensurePage } from '../console/build.mjs'
import { compiledCopy, compiledPath } from './compiled.mjs'
import { ROOT, chromiumPath, executable, fail, filesBelow, node } from './tools.mjs'

/** Folders whose tests share a process with others of the folder: starting one costs 0.9 s, and there are 540 files. */
const SHARED =
  /^(?:console\/test\/unit\/|test\/(?:app|check|client|conformance|context|decorators|devconsole|e2e|errors|features|http|injection|naming|observe|openapi|property|prove|request|route|router|secrets|setup|testing|validation|values|versioning)\/)/
/** Files that measure the process or change it need a separate one. */
const NEEDS_PROCESS =
  /\bprocess\.(?:on|once|emit|chdir|exit|kill|memoryUsage|cpuUsage|stdout|stderr)\b|\bprocess\.env\b|\bmock\.|child_process|worker_threads|diagnostics_channel|processorTime|assertLinear|\bstack\b|heapAfterGc|globalThis\.|Reflect\.set\(|prototype\.\w+ =|setFlagsFromString/
/** First line of other files that need a separate process. */
const OWN_PROCESS = /^\/\/ own process: \S/
const BATCH_SIZE = 16
/** A run of fewer files has no batches. */
const MIN_FILES = 40
/** Files that import others, for this run. */
const BATCHES = `.cache/test-batches/${process.pid}`
const BROWSER = 'console/test/browser/'
const END = "import { endAfterTests } from '../../../scripts/end-after-tests.mjs'\n"
const NOT_TESTS = ['test/fixtures/', 'test/types/']
/**
 * Tests that tsx loads: they import TypeScript files that are not in the copy, such as code of guides, or pass `verbena` to tools as a
 * TypeScript file.
 */
const LOADED_BY_TSX =
  /^(?:console\/test\/browser\/how-to|test\/(?:examples\/(?:observe-sqlite|(?:outbox|proofs|sqlite|stores)-guide)|client\/client-size|conformance\/(?:openapi-linters|openapi-tools)|e2e\/(?:bundle|compilers|source-maps)))/
/** Tests of only the fast path. */
const OF_FAST_PATH = 'fast-path.test.ts'
const MAX_FILE_MS = 300_000
/** In MiB: enough for all objects of a request, so that tests of cost measure the code and not the garbage collections. */
const YOUNG_MIB = 64
/** The validators of OpenAPI documents create functions from schemas, mysql2 from columns, and Express 4 and Fastify from strings. */
const MAKES_CODE = /#test\/(?:openapi|neighbors)|'mysql2'|'ajv/
/** Examples with their own packages import Verbena from its source. */
const OF_SOURCE = /#test\/openapi-linters|\/examples\/sqlite\//
/** Tests of compilers, documents and the command line, which start the source. A run on `dist` would repeat them unchanged. */
const OF_TOOLS = /^test\/(?:cli\/|e2e\/codemods|type-errors|words|security-documented)/
/** Matches runtime imports and resolved names, not imports of types. */
const IMPORTS =
  /(?:^(?:import|export)(?! type)[^;']*?from |^import |import\(|import\.meta\.resolve\()['`]([^'`]+)['`]/gm

const { flags, parts, nodeOptions } = readArguments(process.argv.slice(2))
const files = testFiles()
if (files.length === 0) fail(`Cannot run tests: no file under test/ matches ${parts.join(', ') || '*.test.ts'}`)
const isOfBrowser = files.some((file) => file.startsWith(BROWSER))
if (isOfBrowser) process.env.CHROMIUM_BIN = chromiumPath()
/** One process more than cores, because tests wait for timers and sockets. Chromium uses several processes itself. */
const CONCURRENCY = Math.max(2, availableParallelism()) + (isOfBrowser ? 0 : 1)
if (flags.has('--dist') && node(['scripts/build.mjs']) !== 0) process.exit(1)

await ensurePage()
process.exitCode = runWhole()
rmSync(join(ROOT, BATCHES), { recursive: true, force: true })

function runWhole() {
  if (flags.has('--dist')) return runDist()
  return run(files, process.env, { around: flags.has('--coverage') ? [executable('c8'), process.execPath] : [] })
}

/** @param variant names a run beside another with the same options, in a list of tests */
function run(chosen, env, { around = [], variant = '' } = {}) {
  if (chosen.length === 0) return 0
  return node(
    [
      ...around,
      ...(flags.has('--documented') ? ['--import=./test/support/documented-path.mjs'] : []),
      '--enable-source-maps',
      `--min-semi-space-size=${YOUNG_MIB}`,
      `--max-semi-space-size=${YOUNG_MIB}`,
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      ...(chosen.length < MIN_FILES
        ? []
        : ['--test-reporter=./scripts/folder-times.mjs', '--test-reporter-destination=stderr']),
      ...listReporter(variant),
      `--test-concurrency=${CONCURRENCY}`,
      `--test-timeout=${MAX_FILE_MS}`,
      ...nodeOptions,
      ...inBatches(chosen, compiledCopy(flags.has('--dist'))),
    ],
    { env: { NODE_ENV: 'production', ...env, ...(flags.has('--console') ? { NODE_ENV: 'development' } : {}) } },
  )
}

/** With `TEST_LIST`, a reporter that lists the tests of this run in a file of that folder. */
function listReporter(variant) {
  const folder = process.env.TEST_LIST
  if (folder === undefined) return []
  mkdirSync(folder, { recursive: true })
  const options = [...flags].map((flag) => flag.slice(2)).filter((flag) => flag !== 'coverage')
  const name = [...options, isOfBrowser ? 'browser' : '', variant].filter((part) => part !== '').join(' ') || 'source'
  return ['--test-reporter=./scripts/test-list.mjs', `--test-reporter-destination=${join(folder, name)}.txt`]
}

/** Returns a file for each process: one that imports a test file, or up to `BATCH_SIZE` of one folder that can share a process. */
function inBatches(chosen, copy) {
  rmSync(join(ROOT, BATCHES), { recursive: true, force: true })
  mkdirSync(join(ROOT, BATCHES), { recursive: true })
  const inCopy = (file) => relative(ROOT, compiledPath(copy, file))
  const writeAlone = (file) => {
    const name = file.replaceAll('/', '-').replace(/\.ts$/, '.js')
    if (!LOADED_BY_TSX.test(file)) return writeProcess(name, [inCopy(file)])
    return writeCode(name, `import 'tsx'\n${END}await import('../../../${file}')\nendAfterTests()\n`)
  }
  if (chosen.length < MIN_FILES) return chosen.map(writeAlone)
  const canShare = (file) => {
    if (!SHARED.test(file) || LOADED_BY_TSX.test(file)) return false
    const source = readFileSync(join(ROOT, file), 'utf8')
    return !NEEDS_PROCESS.test(source) && !OWN_PROCESS.test(source)
  }
  const batches = []
  for (const file of chosen.filter(canShare)) {
    const last = batches.at(-1)
    if (last !== undefined && last.length < BATCH_SIZE && dirname(last[0]) === dirname(file)) last.push(file)
    else batches.push([file])
  }
  return [
    ...chosen.filter((file) => !canShare(file)).map(writeAlone),
    ...batches.map((batch, index) => writeProcess(`${index}.test.js`, batch.map(inCopy))),
  ]
}

/** Writes a file that imports all its test files before their tests begin. */
function writeProcess(name, files) {
  const imports = files.map((file) => `import '../../../${file}'\n`).join('')
  return writeCode(name, `${imports}${END}endAfterTests()\n`)
}

function writeCode(name, code) {
  const path = `${BATCHES}/${name}`
  writeFileSync(join(ROOT, path), code)
  return path
}

/** Runs the tests on `dist`: without code generation from strings, except for tests whose own tools need it. */
function runDist() {
  const env = { ...process.env, TSX_TSCONFIG_PATH: 'tsconfig.dist.json' }
  const isStrict = (file) => !MAKES_CODE.test(readFileSync(file, 'utf8'))
  const strict = `${process.env.NODE_OPTIONS ?? ''} --disallow-code-generation-from-strings`.trim()
  const code = run(files.filter(isStrict), { ...env, NODE_OPTIONS: strict })
  return (
    run(
      files.filter((file) => !isStrict(file)),
      env,
      { variant: 'code from strings' },
    ) || code
  )
}

function readArguments(args) {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const own = args.slice(0, end)
  const given = own.filter((arg) => arg.startsWith('-'))
  const unknown = given.filter(
    (flag) => !['--coverage', '--dist', '--browser', '--documented', '--console'].includes(flag),
  )
  if (unknown.length > 0) fail(`Cannot run tests: unknown option ${unknown.join(' ')}. Options of node follow \`--\``)
  return {
    flags: new Set(given),
    parts: own.filter((arg) => !arg.startsWith('-')).map((part) => part.replace(/^\.\//, '')),
    nodeOptions: args.slice(end + 1),
  }
}

function testFiles() {
  const browser = flags.has('--browser') || parts.some((part) => part.includes('browser'))
  // The runner of documentation examples creates functions from them. It is a test tool, the same for `src` and `dist`.
  const tools = flags.has('--dist') ? ['test/support/'] : []
  const skipped = [...NOT_TESTS, ...tools, ...(browser ? [] : [BROWSER])]
  const isTest = (file) => file.endsWith('.test.ts') && !skipped.some((folder) => file.startsWith(folder))
  return ['test', 'console/test']
    .flatMap((folder) => filesBelow(folder, isTest))
    .filter((file) => (parts.length === 0 || parts.some((part) => file.includes(part))) && isRunnable(file))
}

function isRunnable(file) {
  if (flags.has('--documented') && file.endsWith(OF_FAST_PATH)) return false
  if (!flags.has('--dist')) return true
  return usesPackage(file) && !OF_TOOLS.test(file) && !OF_SOURCE.test(readFileSync(join(ROOT, file), 'utf8'))
}

/** Whether a test only uses the package. In `dist`, all files of `src` are one module, so they cannot be imported individually. */
function usesPackage(file, seen = new Set()) {
  if (seen.has(file)) return true
  seen.add(file)
  return [...readFileSync(join(ROOT, file), 'utf8').matchAll(IMPORTS)].every(([, from]) => {
    const path = from.startsWith('.') ? join(dirname(file), from) : from.replace(/^#test\//, 'test/support/')
    if (/^(?:#src|src|scripts)\//.test(path)) return false
    const source = path.replace(/\.js$/, '.ts')
    return !existsSync(join(ROOT, source)) || usesPackage(source, seen)
  })
}
