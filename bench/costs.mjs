/**
 * Measures what features cost a request, the console among them:
 *
 *   node bench/costs.mjs [--rounds 6] [--processes 5] [--only W1,W2,W3] [--node <binary>]
 *
 * The same endpoint is served with one feature each, every one in a process of its own, all on one core. They are asked in
 * turn, in an order that changes with each round, so that a change of the machine's pace meets them all; then by new processes,
 * because each compiles its code in its own way. A turn is a second of load that is not counted and one that is: what the console
 * keeps of the first 500 requests after a rest costs up to 50 ms once, and caches are cold. Printed is the processor time a request
 * as ratio to that of the endpoint without the feature: in the same round, the median of all rounds. There are two endpoints
 * without anything, the first and the last to start; what they take together is what the others are compared with, and how far
 * they lie apart is noise.
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

/** What is compared; the others are compared with the first and the last. */
const VARIANTS = [
  variant('nothing', {}),
  variant('@log to a logger that drops lines', { FEATURE: 'log' }),
  variant('@speed', { FEATURE: 'speed' }),
  variant('@version', { FEATURE: 'version' }),
  variant('console', { CONSOLE: 'on' }),
  { ...variant('console, one page open', { CONSOLE: 'on' }), isViewed: true },
  variant('nothing, once more', {}),
]

const options = readOptions({ rounds: '6', processes: '5', only: 'W1,W2,W3' })
loadBefore()

const results = {}
for (const name of options.names) {
  results[name] = []
  for (let set = 1; set <= options.processes; set++) {
    results[name].push(await measureSet(name))
    console.log(`${name}: ${summary(results[name])}`)
  }
}
save(report())

function variant(name, env) {
  return { name, module: 'verbena', env: { NODE_ENV: 'development', ...env } }
}

/** Gives the rounds, each with a measurement for each variant. */
async function measureSet(name) {
  const { node, cores, flags } = options
  const workload = WORKLOADS[name]
  const servers = []
  const rounds = []
  try {
    for (const server of VARIANTS) {
      const started = await startServer({ node, flags, server, app: workload.app, core: cores.server })
      servers.push({ ...started, viewer: server.isViewed ? openViewer(started.url) : null })
      await load(started.url, workload, { seconds: WARM_UP_SECONDS, core: cores.client })
    }
    while (rounds.length < options.rounds) rounds.push(await measureRound(workload, servers, rounds.length))
    return rounds
  } finally {
    for (const { viewer, stop } of servers) {
      viewer?.destroy()
      await stop()
    }
  }
}

async function measureRound(workload, servers, round) {
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
  return times
}

function summary(sets) {
  return VARIANTS.map(({ name }, index) => `${name} ${median(ratios(sets, index, 'cpu')).toFixed(3)}`).join(', ')
}

function report() {
  const setting = `Node ${options.version}; ${options.processes} sets of processes, ${options.rounds} rounds each.`
  const meaning =
    'Processor time a request as ratio to that without anything: median of all rounds (of each set alone).'
  const whole = ['# What features cost', setting, meaning, tableOf('cpu', spread)]
  const least = ['Of the cheapest round of each, because noise only adds.', tableOf('cpu', leastRatio)]
  return [...whole, ...least, 'Median outside the kernel.', tableOf('user', spread)].join('\n\n').concat('\n')
}

/** A row for each variant, a column for each workload. */
function tableOf(time, cell) {
  const names = Object.keys(results)
  const head = ['', ...names.map((name) => `${name} ${WORKLOADS[name].title}`)]
  const base = [
    'without anything',
    ...names.map((name) => `${median(results[name].flat().map(baseOf(time))).toFixed(1)} µs`),
  ]
  const rows = VARIANTS.map((each, index) => [each.name, ...names.map((name) => cell(results[name], index, time))])
  return markdownTable([head, base, ...rows])
}

function spread(sets, index, time) {
  const ofSets = sets.map((rounds) => median(ratios([rounds], index, time)).toFixed(3))
  return `${median(ratios(sets, index, time)).toFixed(3)} (${ofSets.join(', ')})`
}

function leastRatio(sets, index, time) {
  const least = (at) => Math.min(...sets.flat().map((round) => round.at(at)[time]))
  return (least(index) / ((least(0) + least(-1)) / 2)).toFixed(3)
}

function ratios(sets, index, time) {
  return sets.flat().map((round) => round[index][time] / baseOf(time)(round))
}

/** What the two without anything take together. */
function baseOf(time) {
  return (round) => (round.at(0)[time] + round.at(-1)[time]) / 2
}

function median(values) {
  return values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) / 2)]
}

function save(text) {
  console.log(`\n${text}`)
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(join(RESULTS, 'costs.md'), text)
}
