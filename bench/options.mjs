/** The options of the command line, and the cores of the machine. */
import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { loadavg } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { FEATURES } from './features.mjs'
import { SHARED, SMALL, WORKLOADS } from './workloads.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** Folder of results; ignored by git. */
export const RESULTS = fileURLToPath(new URL('results/', import.meta.url))

/**
 * V8 sizes the young generation by the surviving objects, to 8 MB or 16 MB by chance, and cache misses of the larger one cost up
 * to 4 % per request. All servers get the same size, as after a long run.
 */
const HEAP = ['--min-semi-space-size=16', '--max-semi-space-size=16']

/** Warns if the machine has other load. Returns the load. */
export function loadBefore() {
  const [load] = loadavg()
  if (load > 0.5) console.log(`The machine is busy, its load is ${load.toFixed(1)}: expect noise`)
  return load
}

/** Name of the build of `--compare`. */
export const OTHER_BUILD = 'Verbena, other build'

const FLAGS = {
  rounds: { type: 'string', default: '7' },
  seconds: { type: 'string', default: '3' },
  'warm-up': { type: 'string', default: '2' },
  only: { type: 'string', default: SHARED.join() },
  node: { type: 'string', default: process.execPath },
  compare: { type: 'string' },
  servers: { type: 'string' },
  features: { type: 'string' },
  processes: { type: 'string', default: '3' },
  server: { type: 'string', default: 'verbena' },
  onto: { type: 'string' },
  publish: { type: 'boolean', default: false },
  'record-all': { type: 'boolean', default: false },
}

/**
 * Reads the command line. Exits with an error message if it is invalid.
 *
 * @param {Record<string, string>} [defaults] different defaults of flags
 */
export function readOptions(defaults = {}) {
  checkTools()
  const given = parseArgs({ options: FLAGS, allowPositionals: true, tokens: true })
  const { positionals, tokens } = given
  const named = new Set(tokens.flatMap((token) => (token.kind === 'option' ? [token.name] : [])))
  const others = Object.entries(defaults).filter(([flag]) => !named.has(flag))
  const values = { ...given.values, ...Object.fromEntries(others) }
  return {
    rounds: wholeNumber(values.rounds, '--rounds'),
    seconds: wholeNumber(values.seconds, '--seconds'),
    warmUp: wholeNumber(values['warm-up'], '--warm-up'),
    names: listNames(positionals, values).map(workloadName),
    ...findNode(values.node),
    publish: values.publish,
    recordsAll: values['record-all'],
    compare: values.compare,
    features: values.features?.split(',').map(featureName) ?? null,
    onto: values.onto,
    processes: wholeNumber(values.processes, '--processes'),
    servers: selectServers(listServers(values.compare), values.servers),
    server: serverName(values.server),
    cores: findCores(),
    flags: HEAP,
  }
}

function listNames(positionals, { only }) {
  return positionals.length > 0 ? positionals : only.split(',')
}

/** Whether a server is measured on a workload. */
export function takesPart({ only }, workload) {
  return only === undefined || only.includes(workload)
}

/** The compared servers. The first one is the reference. `only` limits a server to some workloads. */
function listServers(other) {
  const servers = [
    { name: 'node:http', module: 'raw' },
    { name: 'Verbena', module: 'verbena', isOurs: true },
    { name: `Fastify ${readVersion('fastify')}`, module: 'fastify' },
    { name: `Hono ${readVersion('hono')}`, module: 'hono' },
    {
      ...{ name: `Hono ${readVersion('hono')}, responses validated`, module: 'hono', only: SMALL },
      env: { VALIDATE_RESPONSES: 'true' },
    },
    { name: `Express ${readVersion('express')}`, module: 'express', only: SMALL },
    { name: `NestJS ${readVersion('@nestjs/core')} on Express`, module: 'nest', only: SMALL },
    {
      ...{ name: `NestJS ${readVersion('@nestjs/core')} on Fastify`, module: 'nest', only: SMALL },
      env: { ADAPTER: 'fastify' },
    },
    { name: `polka ${readVersion('polka')}`, module: 'polka', only: SMALL },
    { name: `Elysia ${readVersion('elysia')}`, module: 'elysia', only: SMALL },
    // Like Fastify: responses are projected, but not validated.
    {
      ...{ name: 'Verbena, responses not validated', module: 'verbena', isOurs: true, only: [...SMALL, 'W8'] },
      env: { VALIDATE_RESPONSES: 'false' },
    },
    { name: 'Verbena, zod compiled', module: 'verbena', isOurs: true, only: ['W4'], env: { ZOD_COMPILED: 'true' } },
    {
      ...{ name: 'node:http, responses validated', module: 'raw', only: ['W4'] },
      env: { VALIDATE_RESPONSES: 'true' },
    },
    {
      ...{ name: 'node:http, responses validated, zod compiled', module: 'raw', only: ['W4'] },
      env: { VALIDATE_RESPONSES: 'true', ZOD_COMPILED: 'true' },
    },
    { name: 'Verbena, documented path', module: 'verbena', isOurs: true, env: { FAST_PATH: 'false' } },
  ]
  if (other === undefined) return servers
  const build = resolve(other, 'index.js')
  if (!existsSync(build)) fail(`Cannot compare with ${other}: it holds no index.js. Name a folder made by the build`)
  const env = { VERBENA_BUILD: pathToFileURL(build).href }
  return [...servers.slice(0, 2), { name: OTHER_BUILD, module: 'verbena', isOurs: true, env }, ...servers.slice(2)]
}

/** Returns the reference, and the servers of the named modules. */
function selectServers(servers, names) {
  if (names === undefined) return servers
  const modules = names.split(',').map(serverName)
  return servers.filter(({ module }, index) => index === 0 || modules.includes(module))
}

function findNode(given) {
  const node = resolve(given)
  return { node, version: readNodeVersion(node) }
}

/** Returns the version of a binary, such as `26.10.0`. */
export function readNodeVersion(node) {
  const { stdout, error } = spawnSync(node, ['-p', 'process.versions.node'], { encoding: 'utf8' })
  if (error) fail(`Cannot use --node ${node}: ${error.message}`)
  return stdout.trim()
}

/** Returns the version of a package of the benchmark, or of the repository. */
export function readVersion(name) {
  const own = new URL(`node_modules/${name}/package.json`, import.meta.url)
  const file = existsSync(own) ? own : new URL(`../node_modules/${name}/package.json`, import.meta.url)
  return JSON.parse(readFileSync(file, 'utf8')).version
}

function checkTools() {
  if (spawnSync('wrk', ['-v']).error) fail('Cannot run: wrk is missing. Install it: apt-get install wrk')
  if (spawnSync('taskset', ['-V']).error) fail('Cannot run: taskset is missing. Install it: apt-get install util-linux')
  if (!existsSync(join(ROOT, 'dist/index.js'))) fail('Cannot run: dist is missing. Make it: npm run build')
  if (!existsSync(new URL('node_modules', import.meta.url))) {
    fail('Cannot run: the other servers are missing. Install them: npm ci --prefix bench')
  }
}

/** Returns the last two cores of this process. The first core handles most interrupts. */
export function findCores() {
  const list = /^Cpus_allowed_list:\s*(.*)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? ''
  const cores = list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, index) => first + index)
  })
  if (cores.length < 2) fail('Cannot run: this process has one core. Server and client need one each')
  return { server: cores.at(-1), client: cores.at(-2) }
}

function workloadName(given) {
  const name = given.toUpperCase()
  if (!(name in WORKLOADS)) fail(`Cannot run ${given}: it is no workload. There are ${Object.keys(WORKLOADS).join()}`)
  return name
}

function serverName(given) {
  const modules = listServers().map(({ module }) => module)
  return requireName(given, 'server', modules)
}

function featureName(given) {
  const features = FEATURES.map(({ feature }) => feature)
  return requireName(given, 'feature', features)
}

function requireName(given, kind, known) {
  if (!known.includes(given)) fail(`Cannot measure the ${kind} ${given}: it is unknown. There are ${known.join()}`)
  return given
}

function wholeNumber(text, flag) {
  const number = Number(text)
  if (!Number.isInteger(number) || number < 1) fail(`Cannot use ${flag} ${text}: give a whole number from 1 up`)
  return number
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
