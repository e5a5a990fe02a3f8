/**
 * Measures open streams: heap per stream and processor time per event, of a handler on `node:http`, of `events()`, which validates each
 * event, and of `stream()`; and one event to 10,000 streams.
 *
 *   node bench/streams.mjs [--streams 4000] [--events 3000] [--many 10000] [--rounds 2] [--node <binary>] [--publish]
 *
 * Server and clients are separate processes, each on its core. The servers take turns, and the lowest of all rounds counts,
 * because other load can only increase times. One event in a turn of the event loop is a live update, ten are a busy one.
 */
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { findCores, readNodeVersion } from './options.mjs'
import { publish, table } from './report.mjs'
import { startProcess } from './server-process.mjs'

const SERVER = fileURLToPath(new URL('streams-child.mjs', import.meta.url))
const CLIENT = fileURLToPath(new URL('streams-client.mjs', import.meta.url))
/** Streams that stay open for the processor time of an event. */
const FEW = 100
/** Processes of the clients that receive an event at the same time. */
const CLIENTS = 2
/** Files of a process apart from its streams. */
const OTHER_FILES = 100
/** Time for the server to close streams, in ms. */
const CLOSING_TIME = 1_000
const WARM_UP_EVENTS = 150
const BROADCASTS = 5

const OFF = { FAST_PATH: 'false' }
const KINDS = [
  { name: 'node:http', kind: 'raw' },
  { name: '`events()`', kind: 'events' },
  { name: '`events()`, `fastPath: false`', kind: 'events', env: OFF },
  { name: '`events()`, reads `signal`', kind: 'signal' },
  { name: '`stream()`', kind: 'stream' },
  { name: '`stream()`, `fastPath: false`', kind: 'stream', env: OFF },
  { name: '`stream()` of bytes', kind: 'bytes' },
]
const BROADCAST_KINDS = KINDS.filter(({ env, kind }) => env === undefined && ['raw', 'events', 'stream'].includes(kind))

const { values } = parseArgs({
  options: {
    streams: { type: 'string', default: '4000' },
    events: { type: 'string', default: '3000' },
    many: { type: 'string', default: '10000' },
    rounds: { type: 'string', default: '2' },
    node: { type: 'string', default: process.execPath },
    publish: { type: 'boolean', default: false },
  },
})
const [streams, events, many, rounds] = ['streams', 'events', 'many', 'rounds'].map((flag) => Number(values[flag]))
const cores = findCores()
const version = readNodeVersion(values.node)
checkOpenFiles()

const [costs, broadcasts] = [new Map(), new Map()]
for (let round = 1; round <= rounds; round++) {
  for (const kind of KINDS) record(costs, kind.name, await withServer(kind, measureCosts), round)
  for (const kind of BROADCAST_KINDS) record(broadcasts, kind.name, await withServer(kind, measureBroadcast), round)
}
print()

/** Node raises the limit of a process to the hard limit. A socket takes one file in the server and one in its client. */
function checkOpenFiles() {
  const limit = Number(/^Max open files\s+\S+\s+(\S+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1])
  const needed = Math.max(streams, many) + OTHER_FILES
  if (!(limit < needed)) return
  console.error(
    `Cannot open ${needed} files: the limit is ${limit}. Raise it with "ulimit -n ${needed}", or lower "--many"`,
  )
  process.exit(1)
}

async function withServer({ kind, env }, measure) {
  const server = await startProcess(values.node, ['--expose-gc', SERVER, kind], { core: cores.server, env })
  const clients = []
  try {
    for (let count = 0; count < CLIENTS; count++) {
      const args = [CLIENT, String(server.said.port)]
      clients.push(await startProcess(process.execPath, args, { core: cores.client }))
    }
    return await measure(server, clients)
  } finally {
    for (const process of [...clients, server]) await process.stop()
  }
}

/** Bytes of heap per stream, and µs per event with one and with ten events per turn of the event loop. */
async function measureCosts(server, clients) {
  const heap = (await openStreams(server, clients, streams)).heap
  await readAll(clients, { left: FEW / CLIENTS })
  await sleep(CLOSING_TIME)
  const result = { heap }
  for (const perTurn of [1, 10]) {
    await server.read({ events: WARM_UP_EVENTS, perTurn })
    const { cpu } = await server.read({ events, perTurn })
    result[`perTurn${perTurn}`] = cpu / (events * FEW)
  }
  return result
}

/** Bytes of heap and of memory per stream; µs from one event for all streams until the last client has it, and µs of processor time. */
async function measureBroadcast(server, clients) {
  const { heap, rss } = await openStreams(server, clients, many)
  const [times, cpus] = [[], []]
  for (let count = 0; count < BROADCASTS; count++) {
    const arrival = readAll(clients, { events: many / CLIENTS })
    const begin = await server.read({ broadcast: true })
    const last = Math.max(...(await arrival).map(({ at }) => at))
    times.push(last - begin.at)
    cpus.push((await server.read({})).cpu - begin.cpu)
  }
  return { heap, rss, time: Math.min(...times), cpu: Math.min(...cpus) }
}

/** Returns the bytes of heap and of memory per stream. */
async function openStreams(server, clients, count) {
  const { said } = server
  await readAll(clients, { open: count / CLIENTS })
  const { heap, rss } = await server.read({ open: count })
  return { heap: (heap - said.heap) / count, rss: (rss - said.rss) / count }
}

function readAll(clients, message) {
  return Promise.all(clients.map((client) => client.read(message)))
}

/** Stores the lowest figures. */
function record(results, name, result, round) {
  const best = results.get(name) ?? result
  const lower = Object.entries(result).map(([key, value]) => [key, Math.min(value, best[key])])
  results.set(name, Object.fromEntries(lower))
  console.log(`round ${round} of ${rounds}, ${name}: ${JSON.stringify(result)}`)
}

function print() {
  const costTable = table([
    ['', 'heap a stream', 'µs an event, one a turn', 'µs an event, ten a turn'],
    ...createRows(costs, { heap: kilobytes, perTurn1: micros, perTurn10: micros }),
  ])
  const broadcastTable = table([
    ['', 'heap a connection', 'memory a connection', 'last client after', 'CPU'],
    ...createRows(broadcasts, { heap: kilobytes, rss: kilobytes, time: millis, cpu: millis }),
  ])
  const setting = `Node ${version}, ${new Date().toISOString().slice(0, 10)}, the lowest of ${rounds} processes`
  const first = `${setting}; in parentheses the ratio to \`node:http\`, above 1 costs more. ${streams} streams for the heap, ${FEW} for the events.`
  const second = `One event to ${many} streams, the lowest of ${BROADCASTS * rounds}:`
  console.log(`\n${first}\n\n${costTable}\n\n${second}\n\n${broadcastTable}`)
  if (values.publish)
    publish(`streams, Node ${version.split('.')[0]}`, first, `${costTable}\n\n${second}\n\n${broadcastTable}`)
}

/** Creates a row per server, with the formatted figures and their ratios to the first server. */
function createRows(results, formats) {
  const [base] = results.values()
  return Array.from(results, ([name, result]) => [
    name,
    ...Object.entries(formats).map(
      ([key, format]) => `${format(result[key])} (${(result[key] / base[key]).toFixed(2)})`,
    ),
  ])
}

function kilobytes(bytes) {
  return `${(bytes / 1000).toFixed(1)} kB`
}

function micros(time) {
  return time.toFixed(2)
}

function millis(time) {
  return `${(time / 1000).toFixed(0)} ms`
}
