/**
 * Measures large apps: 1,000 and 5,000 classes of two endpoints, each with separate zod schemas.
 *
 *   node bench/large.mjs [--classes 1000,5000] [--rounds 5] [--node <node>] [--compare <build>] [--cli] [--servers] [--publish]
 *
 * Without other flags, it measures only Verbena, in process: the schemas exist before, and the processor time counts from the call of
 * `createApp` to the first response. The heap is measured after a collection, and the document is made after that. `--cli` measures
 * `verbena routes`, `check`, `surface` and `openapi` from the call of `createApp` to the end, `--servers` whole servers with a socket: Verbena,
 * Fastify, Hono and NestJS. Each measurement has a new process, the builds and servers take turns, and the lowest value of each counts,
 * because other load can only increase it.
 */
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { measureFirstResponse } from './first-response.mjs'
import { readNodeVersion } from './options.mjs'
import { kb, mb, ms, publish, table } from './report.mjs'

const { values } = parseArgs({
  options: {
    classes: { type: 'string', default: '1000,5000' },
    rounds: { type: 'string', default: '5' },
    node: { type: 'string', default: process.execPath },
    compare: { type: 'string' },
    cli: { type: 'boolean', default: false },
    servers: { type: 'boolean', default: false },
    publish: { type: 'boolean', default: false },
  },
})
const SIZES = values.classes.split(',').map(Number)
const SERVER = fileURLToPath(new URL('large-server.mjs', import.meta.url))
const COMMANDS = ['routes', 'check', 'surface', 'openapi']
const SERVERS = ['verbena', 'fastify', 'hono', 'nest-express', 'nest-fastify']
const folders = [fileURLToPath(new URL('../dist', import.meta.url)), ...[values.compare ?? []].flat()]
const BUILDS = folders.map((folder) => {
  const path = resolve(folder, 'index.js')
  if (!existsSync(path)) fail(`Cannot measure ${folder}: it holds no index.js`)
  return { path: resolve(folder), url: pathToFileURL(path).href }
})
const version = readNodeVersion(values.node)

if (values.servers) await report('large servers', measureServers)
else if (values.cli) await report('large commands', measureCommands)
else await report('large apps', measureApps)

async function report(place, measure) {
  const shown = table(await measure())
  console.log(shown)
  const said = `Node ${version}, ${new Date().toISOString().slice(0, 10)}, the least of ${values.rounds} processes.`
  if (values.publish) publish(place, said, shown)
}

/** Returns a row for each number of classes; with `--compare`, each cell also has the ratio to the other build. */
async function measureApps() {
  const rows = []
  for (const size of SIZES) {
    const readings = await measureInTurn(BUILDS, ({ url }) => measureApp(url, size))
    const cells = [
      ['setupCpu', ms],
      ['setupHeap', (bytes) => kb(bytes / size)],
      ['peak', mb],
      ['documentCpu', ms],
      ['documentHeap', (bytes) => kb(bytes / size)],
    ]
    rows.push([`${size} classes`, ...cells.map(([name, format]) => formatCell(readings, name, format))])
  }
  const setup = ['CPU to the first response', 'heap a class', 'additional memory']
  return [['', ...setup, 'CPU of the document', 'heap of the document a class'], ...rows]
}

function measureApp(url, size) {
  const args = ['--expose-gc', fileURLToPath(new URL('large-child.mjs', import.meta.url)), String(size)]
  return JSON.parse(run(args, url).stdout)
}

async function measureCommands() {
  const rows = []
  for (const size of SIZES) {
    for (const command of COMMANDS) {
      const readings = await measureInTurn(BUILDS, (build) => measureCommand(build, command, size))
      rows.push([`\`verbena ${command}\`, ${size} classes`, formatCell(readings, 'cpu', ms)])
    }
  }
  return [['', 'CPU from `createApp` to the end'], ...rows]
}

function measureCommand({ path, url }, command, size) {
  const args = [resolve(path, 'cli.js'), command, fileURLToPath(new URL('large-app.mjs', import.meta.url))]
  return { cpu: Number(run(args, url, { CLASSES: String(size) }).figure) }
}

/** Runs a process to its end. Its fourth stream can contain a figure. */
function run(args, url, env) {
  const { output, status, stderr } = spawnSync(values.node, args, {
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    maxBuffer: 1e9,
    env: { ...process.env, NODE_ENV: 'production', VERBENA_BUILD: url, ...env },
  })
  if (status !== 0) fail(`Cannot measure ${args.join(' ')}: ${stderr}`)
  return { stdout: output[1], figure: output[3] }
}

async function measureServers() {
  const rows = []
  for (const size of SIZES) {
    const readings = await measureInTurn(SERVERS, (server) => startServer(server, size))
    for (const [at, server] of SERVERS.entries()) {
      const cpu = lowest(readings[at], 'cpu')
      const ratio = (cpu / lowest(readings[0], 'cpu')).toFixed(2)
      rows.push([`${server}, ${size} classes`, ms(cpu), ratio, mb(lowest(readings[at], 'memory'))])
    }
  }
  return [['', 'CPU until the first 200', 'ratio', 'memory'], ...rows]
}

function startServer(server, size) {
  const env = { VERBENA_BUILD: BUILDS[0].url }
  return measureFirstResponse(SERVER, [server, String(size)], { node: values.node, path: '/things0?limit=5', env })
}

/** Returns the readings of each target. The targets take turns. */
async function measureInTurn(targets, measure) {
  const readings = targets.map(() => [])
  for (let round = 0; round < Number(values.rounds); round++) {
    for (const [at, target] of targets.entries()) readings[at].push(await measure(target))
  }
  return readings
}

function formatCell([own, other], name, format) {
  const value = lowest(own, name)
  return other === undefined ? format(value) : `${format(value)} (${(value / lowest(other, name)).toFixed(2)})`
}

function lowest(readings, name) {
  return Math.min(...readings.map((reading) => reading[name]))
}

function fail(message) {
  console.error(message)
  process.exit(1)
}
