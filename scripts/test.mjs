/**
 * Runs the tests by `node:test` through tsx.
 *
 *   node scripts/test.mjs [--coverage] [--dist] [--browser] [--documented] [--console] [part of a path]... [-- option of node]...
 *
 * The files are listed here, because not every supported Node finds TypeScript tests by folder or glob, and some succeed
 * when they find none. `--dist` builds, then runs those that know the package alone, against `dist`; `--browser` adds `test/browser`, which
 * needs Chromium; `--coverage` measures what of `src` ran, which must be all of it; with `--documented` no server takes the fast path; with
 * `--console` apps have the development console. Types are tested by `scripts/types.mjs`. `NODE_ENV` is `production` unless given: the tests
 * see what users of an app see, and those of the console say otherwise themselves.
 */
import { existsSync, readFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { dirname, join } from 'node:path'
import { ROOT, chromiumPath, executable, fail, filesBelow, node } from './tools.mjs'

const NOT_TESTS = ['test/fixtures/', 'test/types/']
/** What is of the fast path alone. */
const OF_FAST_PATH = 'fast-path.test.ts'
const LONGEST_FILE_MS = 300_000
/** In MiB: room for all that one request makes, so that tests of cost measure our code, and not how often memory is collected. */
const YOUNG_MIB = 64
/** The validators of OpenAPI documents make functions of their schemas. */
const MAKES_CODE = /#test\/openapi/
/** Examples with packages of their own find Verbena by its source. */
const OF_SOURCE = /#test\/openapi-linters/
/** What a file imports when it runs; types are gone by then. */
const IMPORTS = /(?:^(?:import|export)(?! type)[^;']*?from |^import |import\()['`]([^'`]+)['`]/gm

const { flags, parts, nodeOptions } = readArguments(process.argv.slice(2))
const files = testFiles()
if (files.length === 0) fail(`Cannot run tests: no file under test/ matches ${parts.join(', ') || '*.test.ts'}`)
if (files.some((file) => file.startsWith('test/browser/'))) process.env.CHROMIUM_BIN = chromiumPath()
if (flags.has('--dist') && node(['scripts/build.mjs']) !== 0) process.exit(1)

process.exitCode = runWhole()

function runWhole() {
  if (flags.has('--dist')) return runDist()
  return run(files, process.env, flags.has('--coverage') ? [executable('c8'), process.execPath] : [])
}

function run(chosen, env, around = []) {
  if (chosen.length === 0) return 0
  return node(
    [
      ...around,
      '--import=tsx',
      ...(flags.has('--documented') ? ['--import=./test/support/documented-path.mjs'] : []),
      '--enable-source-maps',
      `--min-semi-space-size=${YOUNG_MIB}`,
      `--max-semi-space-size=${YOUNG_MIB}`,
      '--test',
      '--test-reporter=spec',
      '--test-reporter-destination=stdout',
      `--test-concurrency=${Math.max(2, availableParallelism())}`,
      `--test-timeout=${LONGEST_FILE_MS}`,
      ...nodeOptions,
      ...chosen,
    ],
    { env: { NODE_ENV: 'production', ...env, ...(flags.has('--console') ? { NODE_ENV: 'development' } : {}) } },
  )
}

/** What is published runs without code made from strings; the tests of it hold it to that, where their own tools do. */
function runDist() {
  const env = { ...process.env, TSX_TSCONFIG_PATH: 'tsconfig.dist.json' }
  const isStrict = (file) => !MAKES_CODE.test(readFileSync(file, 'utf8'))
  const strict = `${process.env.NODE_OPTIONS ?? ''} --disallow-code-generation-from-strings`.trim()
  const code = run(files.filter(isStrict), { ...env, NODE_OPTIONS: strict })
  return (
    run(
      files.filter((file) => !isStrict(file)),
      env,
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
  // What runs the examples makes functions of them; it is a tool of the tests and the same for src and dist.
  const tools = flags.has('--dist') ? ['test/support/'] : []
  const skipped = [...NOT_TESTS, ...tools, ...(browser ? [] : ['test/browser/'])]
  return filesBelow(
    'test',
    (file) => file.endsWith('.test.ts') && !skipped.some((folder) => file.startsWith(folder)),
  ).filter((file) => (parts.length === 0 || parts.some((part) => file.includes(part))) && isRunnable(file))
}

function isRunnable(file) {
  if (flags.has('--documented') && file.endsWith(OF_FAST_PATH)) return false
  return !flags.has('--dist') || (usesPackage(file) && !OF_SOURCE.test(readFileSync(join(ROOT, file), 'utf8')))
}

/** Whether a test knows the package alone: what stands in `src` is one module in dist, and cannot be asked for by file. */
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
