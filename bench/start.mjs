/**
 * Measures the start of a server: processor time until the first response, and memory at that time. Each start is a separate
 * process, the kinds take turns, and the cheapest start of each kind counts, because other load can only increase times.
 *
 *   node bench/start.mjs [--rounds 15] [--node <node>] [--publish]
 *
 * The last kinds run from a bundle of esbuild, with the compile cache of Node 22.1 and later, and with both.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { build } from 'esbuild'
import { measureFirstResponse } from './first-response.mjs'
import { readNodeVersion } from './options.mjs'
import { mb, ms, publish, table } from './report.mjs'

const { values } = parseArgs({
  options: {
    rounds: { type: 'string', default: '15' },
    node: { type: 'string', default: process.execPath },
    publish: { type: 'boolean', default: false },
  },
})
const KINDS = [
  'raw',
  'raw-zod',
  'verbena',
  'verbena-zod',
  'hono-zod',
  'fastify',
  'express',
  'nest-express',
  'nest-fastify',
]
/** Ways to start `verbena-zod`. */
const WAYS = {
  'verbena-zod, bundle': { isBundle: true },
  'verbena-zod, compile cache': { isCached: true },
  'verbena-zod, both': { isBundle: true, isCached: true },
}
const SOURCE = fileURLToPath(new URL('start-child.mjs', import.meta.url))
const directory = mkdtempSync(join(tmpdir(), 'verbena-start-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
const bundle = join(directory, 'bundle.mjs')
await build({
  entryPoints: [SOURCE],
  outfile: bundle,
  bundle: true,
  platform: 'node',
  format: 'esm',
  keepNames: true,
  external: ['./legacy-decorators.mjs', 'hono', '@hono/*', 'fastify', 'express', '@nestjs/*'],
  logLevel: 'error',
})
const names = [...KINDS, ...Object.keys(WAYS)]
const readings = Object.fromEntries(names.map((name) => [name, []]))

for (let round = 0; round < Number(values.rounds); round++) {
  for (const name of names) readings[name].push(await startOne(name))
}
const raw = cheapest('raw')
const rows = names.map((name) => {
  const { cpu, memory } = cheapest(name)
  return [name, ms(cpu), (cpu / raw.cpu).toFixed(2), mb(memory), mb(memory - raw.memory)]
})
const shown = table([['', 'CPU until the first 200', 'ratio', 'memory', 'above raw'], ...rows])
console.log(shown)
const version = readNodeVersion(values.node)
if (values.publish)
  publish(`start, Node ${version.split('.')[0]}`, `Node ${version}, the least of ${values.rounds} starts.`, shown)

function startOne(name) {
  const { isBundle = false, isCached = false } = WAYS[name] ?? {}
  const [kind] = name.split(',')
  const env = isCached ? { NODE_COMPILE_CACHE: join(directory, 'cache') } : {}
  return measureFirstResponse(isBundle ? bundle : SOURCE, [kind], { node: values.node, path: '/users/7', env })
}

function cheapest(kind) {
  const least = (name) => Math.min(...readings[kind].map((reading) => reading[name]))
  return { cpu: least('cpu'), memory: least('memory') }
}
