/**
 * Measures servers without the kernel: processor time and allocated bytes per request.
 *
 *   node bench/inproc.mjs [W1 W2 ...] [--slices 150] [--processes 3] [--node <binary>] [--compare <build>] [--features] [--record-all] [--publish]
 *
 * Use it for changes of the core: it detects differences of 2 % in a minute, even on a busy machine, because the cheapest slice
 * counts, and other load can only increase times. Each figure is the lowest of several processes, which take turns. `--compare`
 * names the folder of another build of Verbena, to measure both. `--features` measures Verbena with and without each feature
 * that has a cost, `--record-all` only a console that records every request, also of the compared build. Both can measure S1. `--publish` writes the results to `docs/benchmarks.md`.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { env as development, FEATURES } from './features.mjs'
import { OTHER_BUILD, readNodeVersion } from './options.mjs'
import { copyWithoutLimit } from './record-all.mjs'
import { publish, table } from './report.mjs'
import { SMALL, WORKLOADS } from './workloads.mjs'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))
const CHILD = fileURLToPath(new URL('inproc-child.mjs', import.meta.url))
/** The young generation is large enough for all objects of the allocation measurement. */
const FLAGS = ['--expose-gc', '--min-semi-space-size=64', '--max-semi-space-size=64']

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    slices: { type: 'string', default: '150' },
    processes: { type: 'string', default: '3' },
    node: { type: 'string', default: process.execPath },
    compare: { type: 'string' },
    features: { type: 'boolean', default: false },
    'record-all': { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
  },
})
const recordsAll = values['record-all']
const showsFeatures = values.features || recordsAll
const known = showsFeatures ? [...SMALL, 'S1'] : SMALL
const names = positionals.length > 0 ? positionals.map((name) => name.toUpperCase()) : SMALL
for (const name of names) if (!known.includes(name)) fail(`Cannot run ${name}: there are ${known.join()}`)
if (!existsSync(new URL('../dist/index.js', import.meta.url)))
  fail('Cannot run: dist is missing. Make it: npm run build')
if (!existsSync(new URL('node_modules', import.meta.url))) {
  fail('Cannot run: the other servers are missing. Install them: npm ci --prefix bench')
}

const WITH_FEATURES = [{ name: 'without anything', feature: '' }, ...FEATURES].map((each) => ({
  ...each,
  module: 'verbena',
  env: development,
}))
const ALL = [
  { name: 'node:http', module: 'raw' },
  { name: 'node:http, minimal', module: 'minimal' },
  { name: 'node:http, nested', module: 'raw', env: { NESTED: 'true' }, only: ['W7'] },
  { name: 'node:http, responses validated', module: 'raw', env: { VALIDATE_RESPONSES: 'true' }, only: ['W4'] },
  {
    ...{ name: 'node:http, responses validated, zod compiled', module: 'raw', only: ['W4'] },
    env: { VALIDATE_RESPONSES: 'true', ZOD_COMPILED: 'true' },
  },
  { name: 'Fastify', module: 'fastify' },
  { name: 'Hono, responses validated', module: 'hono', env: { VALIDATE_RESPONSES: 'true' }, only: ['W4'] },
  { name: 'Verbena', module: 'verbena' },
  { name: 'Verbena, zod compiled', module: 'verbena', env: { ZOD_COMPILED: 'true' }, only: ['W3', 'W4'] },
  { name: 'Verbena, attached', module: 'verbena', env: { ATTACHED: 'true' } },
  { name: 'Verbena, documented path', module: 'verbena', env: { FAST_PATH: 'false' } },
  { name: 'Verbena, projection only', module: 'verbena', env: { VALIDATE_RESPONSES: 'false' }, only: ['W4'] },
  {
    name: 'Verbena, documented path, projection only',
    module: 'verbena',
    env: { FAST_PATH: 'false', VALIDATE_RESPONSES: 'false' },
    only: ['W4'],
  },
  ...listComparedServers(),
]
const [topic, SERVERS] = selectServers()

const version = readNodeVersion(values.node)
console.log(
  `Node ${version}, ns of processor time a request in process; ratio to ${SERVERS[0].name}; bytes allocated\n`,
)
console.log(`| | ${names.map((name) => `${name} ${WORKLOADS[name].title}`).join(' | ')} |`)
console.log(`| --- |${' --- |'.repeat(names.length)}`)
const figures = measureAll()
for (const { name } of SERVERS) {
  console.log(
    `| ${name} | ${names.map((workload) => cell(figures.get(`${name} ${workload}`), workload)).join(' | ')} |`,
  )
}
if (values.publish) {
  const flag = recordsAll ? ' --record-all' : ' --features'
  const command = `node bench/inproc.mjs${showsFeatures ? ` ${names.join(' ')}${flag}` : ''}`
  const meaning = showsFeatures
    ? 'ns a request, and the ratio to that without anything'
    : 'above 1 is cheaper than `node:http`'
  const place = `${topic}, Node ${version.split('.')[0]}`
  const rows = SERVERS.filter(({ name }) => name !== OTHER_BUILD).map(({ name }) => [
    name,
    ...names.map((workload) => formatFigure(figures.get(`${name} ${workload}`), workload)),
  ])
  const said = `Node ${version}, ${new Date().toISOString().slice(0, 10)}, \`${command}\`; ${meaning}.`
  publish(place, said, table([['', ...names], ...rows]))
}

if (values.compare !== undefined && !showsFeatures) showGaps()

/** Shows what Verbena adds to the smallest server on `node:http`, and the ratio to the compared build. */
function showGaps() {
  const compared = SERVERS.at(-1).name
  const gap = (name, workload, key) => {
    const [figure, base] = [name, 'node:http, minimal'].map((server) => figures.get(`${server} ${workload}`)[key])
    return figure - base
  }
  const row = (title, unit, key) => {
    const cells = names.map((workload) => {
      const [own, other] = ['Verbena', compared].map((server) => gap(server, workload, key))
      return `${own.toFixed(0)} ${unit} (${(own / other).toFixed(2)})`
    })
    return [title, ...cells]
  }
  const shown = table([['', ...names], row('time', 'ns', 'least'), row('allocated', 'B', 'allocated')])
  console.log(`\nAbove the smallest server; in parentheses the ratio to ${compared}\n\n${shown}`)
  if (!values.publish) return
  const said = `Node ${version}, ${new Date().toISOString().slice(0, 10)}, \`node bench/inproc.mjs --compare <build>\`.`
  publish(`above the smallest, Node ${version.split('.')[0]}`, said, shown)
}

function measureAll() {
  const found = new Map()
  for (let round = 0; round < Number(values.processes); round++) {
    for (const workload of names) {
      for (const server of SERVERS) {
        if (server.only !== undefined && !server.only.includes(workload)) continue
        const key = `${server.name} ${workload}`
        found.set(key, lower(found.get(key), measureOnce(server, workload)))
      }
    }
  }
  return found
}

function measureOnce({ module, env, feature = '' }, workload) {
  const args = [...FLAGS, CHILD, module, workload, values.slices, feature]
  const { stdout, stderr, status } = spawnSync(values.node, args, {
    encoding: 'utf8',
    env: { ...process.env, NODE_ENV: 'production', ...env },
  })
  if (status !== 0) fail(`Cannot measure ${module} ${workload}: ${stderr}`)
  return JSON.parse(stdout)
}

function lower(known, found) {
  if (known === undefined) return found
  return { least: Math.min(known.least, found.least), allocated: Math.min(known.allocated, found.allocated) }
}

function cell(figure, workload) {
  return figure === undefined ? '' : `${formatTime(figure, workload)} ${figure.allocated.toFixed(0)} B`
}

/** Formats a cell of the page. Servers only have a ratio, because times depend on the machine. */
function formatFigure(figure, workload) {
  if (figure === undefined) return ''
  return showsFeatures ? formatTime(figure, workload) : formatRatio(figure, workload)
}

function formatTime(figure, workload) {
  return `${figure.least.toFixed(0)} (${formatRatio(figure, workload)})`
}

/** Returns the speed of a server relative to the first one, or the time with a feature relative to the time without. */
function formatRatio(figure, workload) {
  const base = figures.get(`${SERVERS[0].name} ${workload}`).least
  return (showsFeatures ? figure.least / base : base / figure.least).toFixed(2)
}

/** Returns the name of the table, and its rows. */
function selectServers() {
  if (recordsAll) return ['recorded', listRecorded()]
  return values.features ? ['features', WITH_FEATURES] : ['in process', ALL]
}

function listRecorded() {
  const [without] = WITH_FEATURES
  const listOf = (build, ending) => {
    const counted = { ...without, name: `console${ending}, counted`, feature: 'console' }
    const own = { VERBENA_BUILD: pathToFileURL(resolve(build, 'index.js')).href }
    return [
      { ...counted, env: { ...development, ...own } },
      {
        ...counted,
        name: `console${ending}, every request recorded`,
        env: { ...development, VERBENA_BUILD: copyWithoutLimit(build) },
      },
    ]
  }
  const compared = values.compare === undefined ? [] : listOf(values.compare, ` of ${basename(values.compare)}`)
  return [without, ...listOf(DIST, ''), ...compared]
}

function listComparedServers() {
  if (values.compare === undefined) return []
  const build = resolve(values.compare, 'index.js')
  if (!existsSync(build)) fail(`Cannot compare with ${values.compare}: it holds no index.js`)
  const env = { VERBENA_BUILD: pathToFileURL(build).href }
  return [{ name: OTHER_BUILD, module: 'verbena', env }]
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
