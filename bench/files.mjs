/**
 * Measures served files against `@fastify/static` and the `serveStatic` of Hono, all with support for compressed files:
 *
 *   node bench/files.mjs [--rounds 3] [--seconds 2] [--warm-up 1]
 *
 * The servers take turns in each round. The result is the server's processor time per request.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { measure } from './measure.mjs'
import { loadBefore, readOptions } from './options.mjs'

const options = readOptions({ rounds: '3', seconds: '2', 'warm-up': '1', only: 'W1' })
const root = mkdtempSync(join(tmpdir(), 'verbena-bench-files-'))
process.on('exit', () => rmSync(root, { recursive: true, force: true }))
writeFileSync(join(root, 'small.js'), 'x'.repeat(2_000))
writeFileSync(join(root, 'image.png'), Buffer.alloc(30_000))
writeFileSync(join(root, 'large.bin'), Buffer.alloc(5_000_000))

const FILES = { 'script of 2 kB': 'small.js', 'image of 30 kB': 'image.png', '5 MB': 'large.bin' }
const NAMES = ['verbena', 'fastify', 'hono']
const servers = NAMES.map((name) => ({
  name,
  module: 'files',
  env: { FILES_SERVER: name, FILES_ROOT: root },
}))

loadBefore()
const rows = []
for (const [title, file] of Object.entries(FILES)) rows.push([title, ...(await measureFile(file))])
console.log(`\n| µs of processor time a request | ${NAMES.join(' | ')} |\n|---|${'---|'.repeat(NAMES.length)}`)
for (const row of rows) console.log(`| ${row.join(' | ')} |`)

async function measureFile(file) {
  const workload = { app: 'files', method: 'GET', paths: [`/assets/${file}`], status: 200 }
  const found = new Map(NAMES.map((name) => [name, []]))
  for (let round = 1; round <= options.rounds; round++) {
    for (const server of servers) {
      const { cpu, rate } = await measure(workload, server, options)
      found.get(server.name).push(cpu)
      console.log(`${file} ${server.name}: ${cpu.toFixed(1)} µs, ${Math.round(rate)} a second`)
    }
  }
  return [...found.values()].map((values) => median(values).toFixed(1))
}

function median(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1]
}
