/**
 * Measures the start of a server: processor time until the first response, and memory at that time. Each start is a separate
 * process, the kinds take turns, and the cheapest start of each kind counts, because other load can only increase times.
 *
 *   node bench/start.mjs [--rounds 15] [--node <node>] [--publish]
 */
import { fork } from 'node:child_process'
import { get } from 'node:http'
import { parseArgs } from 'node:util'
import { publish, table } from './report.mjs'

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
const readings = Object.fromEntries(KINDS.map((kind) => [kind, []]))

for (let round = 0; round < Number(values.rounds); round++) {
  for (const kind of KINDS) readings[kind].push(await startOne(kind))
}
const raw = cheapest('raw')
const rows = KINDS.map((kind) => {
  const { cpu, memory } = cheapest(kind)
  return [kind, ms(cpu), (cpu / raw.cpu).toFixed(2), mb(memory), mb(memory - raw.memory)]
})
const shown = table([['', 'CPU until the first 200', 'ratio', 'memory', 'above raw'], ...rows])
console.log(shown)
if (values.publish) publish('start', `Node ${process.versions.node}, the least of ${values.rounds} starts.`, shown)

/** Starts a process, and reads its costs after the first response: CPU in µs, memory in bytes. */
async function startOne(kind) {
  const child = fork(new URL('start-child.mjs', import.meta.url), [kind], {
    execPath: values.node,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const port = await waitForMessage(child)
  const status = await fetchStatus(`http://127.0.0.1:${port}/users/7`)
  if (status !== 200) throw new Error(`${kind} answers ${status}`)
  child.send('read')
  const reading = await waitForMessage(child)
  child.disconnect()
  return reading
}

function waitForMessage(child) {
  return new Promise((resolve, reject) => {
    child.once('message', resolve)
    child.once('exit', (code) => reject(new Error(`the server ended with ${code}`)))
  })
}

function fetchStatus(url) {
  return new Promise((resolve, reject) => {
    get(url, { agent: false }, (response) => response.resume().on('end', () => resolve(response.statusCode))).on(
      'error',
      reject,
    )
  })
}

function cheapest(kind) {
  const least = (name) => Math.min(...readings[kind].map((reading) => reading[name]))
  return { cpu: least('cpu'), memory: least('memory') }
}

function ms(micros) {
  return `${(micros / 1000).toFixed(0)} ms`
}

function mb(bytes) {
  return `${(bytes / 1e6).toFixed(1)} MB`
}
