/**
 * Measures what features cost a request, the console among them:
 *
 *   node bench/costs.mjs [--rounds 10] [--processes 3] [--only W1,W2,W3] [--node <binary>]
 *
 * The same endpoint is served with one feature each, every one in a process of its own, all on one core. They are asked in
 * turn, in an order that changes with each round, so that a change of the machine's pace meets them all; then by new processes,
 * because each compiles its code in its own way. A turn is a second of load that is not counted and one that is: what the console
 * keeps of the first 500 requests after a rest costs some 5 ms once, and caches are cold. Printed is the processor time a request
 * as ratio to that of the endpoint without the feature: in the same round, the median of all rounds. A second endpoint without
 * anything tells how much of it is noise.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { load } from './load.mjs'
import { loadBefore, readOptions, RESULTS } from './options.mjs'
import { table as markdownTable } from './report.mjs'
import { startServer } from './server-process.mjs'
import { openViewer } from './viewer.mjs'
import { WORKLOADS } from './workloads.mjs'

const WARM_UP_SECONDS = 3
const RUN_IN_SECONDS = 1

/** What is compared; the first is what the others are compared with. */
const VARIANTS = [
  variant('nothing', {}),
  variant('nothing, once more', {}),
  variant('@log to a logger that drops lines', { FEATURE: 'log' }),
  variant('@speed', { FEATURE: 'speed' }),
  variant('@version', { FEATURE: 'version' }),
  variant('console', { CONSOLE: 'on' }),
  { ...variant('console, one page open', { CONSOLE: 'on' }), isViewed: true },
]

const options = readOptions({ rounds: '10', only: 'W1,W2,W3' })
loadBefore()

const results = {}
for (const name of options.names) {
  results[name] = VARIANTS.map(() => [])
  for (let set = 1; set <= options.processes; set++) await measureSet(name, results[name])
}
save(report())

function variant(name, env) {
  return { name, module: 'verbena', env: { NODE_ENV: 'development', ...env } }
}

async function measureSet(name, found) {
  const { node, cores, flags } = options
  const workload = WORKLOADS[name]
  const servers = []
  try {
    for (const server of VARIANTS) {
      const started = await startServer({ node, flags, server, app: workload.app, core: cores.server })
      servers.push({ ...started, viewer: server.isViewed ? openViewer(started.url) : null })
      await load(started.url, workload, { seconds: WARM_UP_SECONDS, core: cores.client })
    }
    for (let round = 0; round < options.rounds; round++) await measureRound({ workload, servers, round, found })
    console.log(`${name}: ${summary(found)}`)
  } finally {
    for (const { viewer, stop } of servers) {
      viewer?.destroy()
      await stop()
    }
  }
}

async function measureRound({ workload, servers, round, found }) {
  const times = []
  for (const [turn] of servers.entries()) {
    const index = (turn + round) % servers.length
    const { url, read } = servers[index]
    await load(url, workload, { seconds: RUN_IN_SECONDS, core: options.cores.client })
    const before = await read()
    const { requests } = await load(url, workload, { seconds: 1, core: options.cores.client })
    const after = await read()
    times[index] = { cpu: (after.cpu - before.cpu) / requests, user: (after.user - before.user) / requests }
  }
  const [base] = times
  for (const [index, { cpu, user }] of times.entries()) {
    found[index].push({ cpu, user, ratio: cpu / base.cpu, ratioOfUser: user / base.user })
  }
}

function summary(found) {
  return VARIANTS.slice(1)
    .map(({ name }, index) => `${name} ${at(found[index + 1], 'ratio', 0.5).toFixed(3)}`)
    .join(', ')
}

function report() {
  const setting = `Node ${options.version}; ${options.processes} sets of processes, ${options.rounds} rounds each.`
  const meaning = 'Processor time a request as ratio to that without anything: median (middle half of the rounds).'
  const whole = ['# What features cost', setting, meaning, costs('cpu', 'ratio')]
  const cheapest = ['Of the cheapest round of each.', leastCosts()]
  return [...whole, ...cheapest, 'Of all rounds, outside the kernel.', costs('user', 'ratioOfUser')]
    .join('\n\n')
    .concat('\n')
}

function costs(time, ratio) {
  return tableOf(([base], rounds) => (rounds === base ? micros(at(base, time, 0.5)) : spread(rounds, ratio)))
}

function leastCosts() {
  const least = (rounds) => at(rounds, 'cpu', 0)
  return tableOf(([base], rounds) => (rounds === base ? micros(least(base)) : (least(rounds) / least(base)).toFixed(3)))
}

/** A row for each variant, a column for each workload. */
function tableOf(cell) {
  const names = Object.keys(results)
  const head = ['', ...names.map((name) => `${name} ${WORKLOADS[name].title}`)]
  const rows = VARIANTS.map((each, index) => [
    each.name,
    ...names.map((name) => cell(results[name], results[name][index])),
  ])
  return markdownTable([head, ...rows])
}

function micros(time) {
  return `${time.toFixed(1)} µs`
}

function spread(rounds, key) {
  const [low, middle, high] = [0.25, 0.5, 0.75].map((share) => at(rounds, key, share).toFixed(3))
  return `${middle} (${low} to ${high})`
}

function at(rounds, key, share) {
  const sorted = rounds.map((round) => round[key]).toSorted((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))]
}

function save(text) {
  console.log(`\n${text}`)
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(join(RESULTS, 'costs.md'), text)
}
