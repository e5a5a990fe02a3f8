/**
 * Plants the same 40 faults in two commits, and compares which of them the tests find.
 *
 *   npm run test:faults -- --before <commit> [--after HEAD] [--seed 45] [--only 3,17] [--most 60]
 *
 * The faults are drawn with the seed, from code that both commits have. Each runs with the nearest test files first: tests of its file, of its
 * folder and of whole apps, until the first failure. A failure counts if the test file passes without the fault. `--only` selects
 * faults, `--most` limits the test files of each.
 *
 * The results are in `.cache/planted-faults`, so a run that was stopped continues, also with a larger `--most`. The commits are checked out in
 * the folder for temporary files. Fails if a fault was found before and not after.
 */
import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { parseArgs } from 'node:util'
import { createRandom } from '../test/support/mutator.ts'
import { findFaults, KINDS, plantFault } from './source-faults.mjs'
import { CACHE, ROOT, capture, fail } from './tools.mjs'

const OPTIONS = {
  before: { type: 'string' },
  after: { type: 'string', default: 'HEAD' },
  seed: { type: 'string', default: '45' },
  only: { type: 'string' },
  most: { type: 'string', default: '1000' },
}
const SRC_FOLDERS = [
  ...['app', 'cli', 'devconsole', 'http', 'observe', 'openapi', 'request', 'route', 'setup', 'validation'],
  ...['features/auth', 'features/idempotency', 'features/multipart', 'features/session', 'features/stores'],
]
/** Files that get faults, with the number of faults, and the folders of tests that can show them, with options of `scripts/test.mjs`. */
const PLACES = [
  ...SRC_FOLDERS.map((folder) => ({
    ...{ files: new RegExp(`^src/${folder}/.*(?<!\\.d)\\.ts$`), count: 2, options: [] },
    tests: [`test/${folder}/`, 'test/e2e/', 'test/conformance/', 'test/security/', 'test/'],
  })),
  {
    ...{ files: /^console\/page\/.*\.ts$/, count: 6, options: ['--browser'] },
    tests: ['console/test/unit/', 'test/devconsole/ui/', 'console/test/browser/', 'test/browser/'],
  },
  {
    ...{ files: /^src\/http\/(?:body|send|node-exchange)\.ts$/, count: 3, options: ['--documented'] },
    tests: ['test/http/', 'test/e2e/', 'test/conformance/', 'test/security/'],
  },
  {
    files: /^scripts\/(?:build|comments)\.mjs$/,
    count: 3,
    options: ['--dist'],
    tests: ['test/e2e/'],
  },
]
/** Number of test files in each run of a fault. The runs end with the first that fails. */
const GROUP_SIZES = [1, 3, 11, 36, 72, 144, 1000]
const MAX_TEST_MS = 120_000
/** Time limit of a run, which then counts as failed, because a fault can stop the runner. */
const MAX_RUN_MS = 600_000

const running = new Set()
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.once(signal, () => {
    running.forEach(endProcesses)
    process.exit(1)
  })
}

const { values } = parseArgs({ options: OPTIONS })
if (values.before === undefined) fail('Cannot compare faults: name the first commit with --before')
const commits = [values.before, values.after].map(commitHash)
const statePath = join(
  CACHE,
  'planted-faults',
  `${commits.map((hash) => hash.slice(0, 8)).join('-')}-${values.seed}.json`,
)
const state = existsSync(statePath)
  ? JSON.parse(readFileSync(statePath, 'utf8'))
  : { faults: null, found: { before: {}, after: {} }, failsAlone: { before: {}, after: {} } }
const versions = { before: checkout(commits[0]), after: checkout(commits[1]) }
const formerPaths = renamedFiles(commits)
state.faults ??= drawFaults(createRandom(Number(values.seed)))
save()
const chosen = state.faults.filter(({ id }) => values.only === undefined || values.only.split(',').includes(String(id)))
await Promise.all(Object.keys(versions).map(runAll))
process.exitCode = printTable()

function git(args, root = ROOT) {
  const { code, stdout, output } = capture('git', ['-C', root, ...args])
  if (code !== 0) fail(`Cannot run git ${args.join(' ')}: ${output}`)
  return stdout
}

function commitHash(name) {
  return git(['rev-parse', '--verify', `${name}^{commit}`]).trim()
}

/** Returns the folder of a commit, with packages. */
function checkout(hash) {
  const root = join(tmpdir(), `verbena-faults-${hash.slice(0, 8)}`)
  if (!existsSync(root)) git(['worktree', 'add', '--detach', root, hash])
  git(['checkout', '--', '.'], root)
  if (existsSync(join(root, 'node_modules'))) return root
  const isSame = readFileSync(join(root, 'package-lock.json')).equals(readFileSync(join(ROOT, 'package-lock.json')))
  const [program, args] = isSame
    ? ['cp', ['-al', join(ROOT, 'node_modules'), root]]
    : ['npm', ['ci', '--ignore-scripts']]
  const { code, output } = capture(program, args, { cwd: root })
  if (code !== 0) fail(`Cannot install the packages of ${hash}: ${output}`)
  return root
}

/** Returns the path in the first commit for each path of the second. */
function renamedFiles([before, after]) {
  const lines = git(['diff', '-M', '--name-status', '--diff-filter=R', before, after]).split('\n')
  return new Map(lines.filter((line) => line !== '').map((line) => line.split('\t').slice(1).toReversed()))
}

function drawFaults(random) {
  const files = git(['ls-files'], versions.after).split('\n')
  const drawn = []
  for (const [place, { files: pattern, count }] of PLACES.entries()) {
    const candidates = files.filter((file) => pattern.test(file)).flatMap(faultsOfBoth)
    for (let left = count; left > 0; left--) {
      const rest = candidates.filter((fault) => drawn.every(({ key }) => key !== fault.key))
      const id = drawn.length
      // Kinds and files take turns, so that rare ones are drawn too.
      const ofKind = prefer(rest, ({ kind }) => kind === KINDS[id % KINDS.length])
      const ofFile = prefer(ofKind, (fault) => drawn.every(({ file }) => file !== fault.file))
      drawn.push({ ...ofFile[Math.floor(random() * ofFile.length)], id, place })
    }
  }
  return drawn
}

/** Returns the elements that fulfill a wish, or all if none does. */
function prefer(elements, isWished) {
  const wished = elements.filter(isWished)
  return wished.length > 0 ? wished : elements
}

/** Returns the faults of a file that the first commit has too. */
function faultsOfBoth(file) {
  const formerFile = formerPaths.get(file) ?? file
  const formerPath = join(versions.before, formerFile)
  if (!existsSync(formerPath)) return []
  const formerKeys = new Set(findFaults(readFileSync(formerPath, 'utf8')).map(({ key }) => key))
  return findFaults(readFileSync(join(versions.after, file), 'utf8'))
    .filter(({ key }) => formerKeys.has(key))
    .map(({ kind, key, line }) => ({ file, formerFile, kind, key, line }))
}

async function runAll(version) {
  for (const fault of chosen) {
    const { test, files } = state.found[version][fault.id] ?? { test: null, files: [] }
    const rest = testFiles(version, fault)
      .slice(0, Number(values.most))
      .filter((file) => !files.includes(file))
    if (test !== null || rest.length === 0) continue
    const found = await findByTests(version, fault, rest)
    state.found[version][fault.id] = { test: found.test, files: [...files, ...found.files] }
    save()
    console.log(`${version}\t${row(fault)}\t${cell(version, fault)}`)
  }
}

/** Returns the first test that fails with a fault and passes without it, `null` if there is none, and the files that ran. */
async function findByTests(version, fault, files) {
  for (let at = 0, group = 0; at < files.length; at += GROUP_SIZES[group++]) {
    const end = at + GROUP_SIZES[group]
    const failed = await withFault(version, fault, () => runTests(version, fault, files.slice(at, end)))
    for (const { file, name } of failed) {
      if (!(await failsAlone(version, fault, file))) return { test: `${file} > ${name}`, files: files.slice(0, end) }
    }
  }
  return { test: null, files }
}

/** Lists the test files that can show a fault, the nearest first. */
function testFiles(version, fault) {
  const root = versions[version]
  const { tests, options } = PLACES[fault.place]
  const canShow = (test) =>
    test.endsWith('.test.ts') &&
    !/^test\/(?:fixtures|types)\//.test(test) &&
    tests.some((folder) => test.startsWith(folder)) &&
    (options.includes('--browser') || !isOfBrowser(test))
  return git(['ls-files', 'test', 'console/test'], root)
    .split('\n')
    .filter(canShow)
    .map((test) => ({ test, distance: distance(version, fault, test) }))
    .toSorted((one, other) => one.distance - other.distance)
    .map(({ test }) => test)
}

/** Returns 0 for the test file of a source, 1 for files that import the source, then numbers for the folders. */
function distance(version, { file, formerFile, place }, test) {
  const path = version === 'before' ? formerFile : file
  const name = basename(path).replace(/\.\w+$/, '')
  if (basename(test) === `${name}.test.ts`) return 0
  if (readFileSync(join(versions[version], test), 'utf8').includes(`${basename(dirname(path))}/${name}.js`)) return 1
  if (dirname(test) === dirname(path).replace(/^src/, 'test')) return 2
  return 3 + PLACES[place].tests.findIndex((folder) => test.startsWith(folder))
}

async function withFault(version, { file, formerFile, key }, run) {
  const root = versions[version]
  const path = join(root, version === 'before' ? formerFile : file)
  const source = readFileSync(path, 'utf8')
  const fault = findFaults(source).find((candidate) => candidate.key === key)
  try {
    writeFileSync(path, plantFault(source, fault))
    return await run()
  } finally {
    git(['checkout', '--', '.'], root)
  }
}

async function failsAlone(version, fault, file) {
  const name = [...PLACES[fault.place].options, file].join(' ')
  state.failsAlone[version][name] ??= (await runTests(version, fault, [file])).length > 0
  save()
  return state.failsAlone[version][name]
}

/** Runs test files. Returns the tests that failed. */
async function runTests(version, { place }, files) {
  const root = versions[version]
  const { options } = PLACES[place]
  // Older commits contain the built page of the console.
  const build = join(root, 'scripts/build-console.mjs')
  const list = join(dirname(statePath), `failed-${version}.txt`)
  rmSync(list, { force: true })
  if (files.some(isOfBrowser) && existsSync(build)) await runNode(root, [build])
  const code = await runNode(root, [
    ...['scripts/test.mjs', ...options, ...files, '--', `--test-timeout=${MAX_TEST_MS}`],
    ...[`--test-reporter=${join(ROOT, 'scripts/test-list.mjs')}`, `--test-reporter-destination=${list}`],
  ])
  if (code === 0) return []
  const rows = existsSync(list) ? readFileSync(list, 'utf8').split('\n') : []
  const failed = rows
    .map((line) => line.split('\t'))
    .filter(([, , result]) => result === 'failed')
    .map(([file, name]) => ({ file: file.replace(/^.*?(?=(?:console\/)?test\/)/, ''), name }))
    .filter(({ file }) => files.includes(file))
  return failed.length > 0 ? failed : [{ file: files[0], name: `the run ended with code ${code}` }]
}

/** Returns the exit code; `null` after the time limit. */
function runNode(root, args) {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, args, { cwd: root, stdio: 'ignore', detached: true })
    running.add(child)
    const timer = setTimeout(() => endProcesses(child), MAX_RUN_MS)
    child.on('close', (code) => {
      clearTimeout(timer)
      running.delete(child)
      endProcesses(child)
      resolve(code)
    })
  })
}

/** Ends a run, and all processes that it started. */
function endProcesses({ pid }) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

function isOfBrowser(test) {
  return /^(?:console\/)?test\/browser\//.test(test)
}

function save() {
  mkdirSync(dirname(statePath), { recursive: true })
  writeFileSync(statePath, JSON.stringify(state, null, 1))
}

function row({ id, kind, file, line, key }) {
  return `${id} | ${kind} | ${file}:${line} | ${key.split('\n')[1].slice(0, 60).replaceAll('|', '\\|')}`
}

function cell(version, { id }) {
  const { test, files } = state.found[version][id] ?? { test: null, files: [] }
  return test ?? `not found by ${files.length} files`
}

function printTable() {
  console.log('| fault | kind | place | code | before | after |\n|---|---|---|---|---|---|')
  for (const fault of chosen) console.log(`| ${row(fault)} | ${cell('before', fault)} | ${cell('after', fault)} |`)
  const lost = chosen.filter(({ id }) => state.found.before[id]?.test && state.found.after[id]?.test === null)
  console.log(`${chosen.length} faults, ${lost.length} of them found before and not after`)
  return lost.length === 0 ? 0 : 1
}
