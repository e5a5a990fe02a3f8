/**
 * Measures the cost of features per request, including the console:
 *
 *   node bench/costs.mjs [--rounds 8] [--processes 6] [--only W1,W2,W3,S1] [--features console,log] [--node <binary>]
 *     [--record-all [--compare <build>]]
 *
 * One process serves the same app twice: without the feature and with it. Each has its own client, and only one client sends at
 * a time. A turn takes less than a second, so that a change of the machine's speed affects both. Both run the same compiled
 * code, because two processes differ by up to 4 %. Their addresses in memory still differ, which changes the ratio of a process
 * by up to 1 % in either direction, so many processes are more precise than many rounds. The result is the processor time of
 * the process per request, as a ratio to the turns without the feature before and after: the median of all rounds. An app that
 * is served twice without a feature shows the noise. With `--record-all`, it measures a console that records every request, in a copy
 * of the build without the recorder's limit, and also in another build.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { env, FEATURES } from './features.mjs'
import { startLoad } from './load.mjs'
import { loadBefore, readOptions, RESULTS } from './options.mjs'
import { copyWithoutLimit } from './record-all.mjs'
import { quantile, spread, table as markdownTable } from './report.mjs'
import { startProcess } from './server-process.mjs'
import { openViewer } from './viewer.mjs'
import { WORKLOADS } from './workloads.mjs'

const DIST = fileURLToPath(new URL('../dist', import.meta.url))
const SERVE = fileURLToPath(new URL('serve-twice.mjs', import.meta.url))

/** In ms. The first requests after a pause are not counted: caches are cold, and the console stores more (25 each half second). */
const WARM_UP = 1_000
const RUN_IN = 150
const TURN = 500

const options = readOptions({ rounds: '8', processes: '6', only: 'W1,W2,W3,S1' })
const COMPARED = [
  { name: 'nothing, for the noise', feature: '' },
  ...(options.recordsAll ? listRecorded() : listFeatures()),
]
loadBefore()
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const results = COMPARED.map(() => ({}))
for (let set = 1; set <= options.processes; set++) {
  for (const name of options.names) {
    for (const [at, feature] of COMPARED.entries()) {
      const turns = await measure(WORKLOADS[name], feature)
      ;(results[at][name] ??= []).push(turns)
      console.log(`${set} of ${options.processes}, ${name}, ${feature.name}: ${median(ratios(turns)).toFixed(3)}`)
    }
  }
}
save(report())

function listFeatures() {
  const features = [...FEATURES, { name: 'console, one page open', feature: 'console', isViewed: true }]
  return features.filter(({ feature }) => options.features?.includes(feature) ?? true)
}

function listRecorded() {
  const name = 'console, every request recorded'
  const own = { name, feature: 'console', build: copyWithoutLimit(DIST) }
  if (options.compare === undefined) return [own]
  return [own, { ...own, name: `${name}, ${options.compare}`, build: copyWithoutLimit(options.compare) }]
}

/** Measures the µs per request of each turn, alternately without and with the feature. */
async function measure(workload, { feature, isViewed, build }) {
  const { node, cores, flags } = options
  const place = { core: cores.server, env: build === undefined ? env : { ...env, VERBENA_BUILD: build } }
  const server = await startProcess(node, [...flags, SERVE, workload.app, feature], place)
  const urls = server.said.ports.map((port) => `http://127.0.0.1:${port}`)
  const viewer = isViewed ? openViewer(urls[1]) : null
  const loads = urls.map((url) => startLoad(url, workload, cores.client))
  try {
    for (const { pause } of loads) pause()
    for (const at of [0, 1, 0, 1]) await during(loads[at], () => sleep(WARM_UP))
    const turns = []
    while (turns.length <= 2 * options.rounds) {
      const at = turns.length % 2
      turns.push(await during(loads[at], () => measureCost(server, at)))
    }
    const outcomes = await Promise.all(loads.map(({ end }) => end()))
    const { bytes } = await server.read()
    return turns.map((cost, turn) => (cost * bytes[turn % 2]) / outcomes[turn % 2].requests)
  } finally {
    viewer?.destroy()
    for (const { kill } of loads) kill()
    await server.stop()
  }
}

async function during({ resume, pause }, act) {
  resume()
  try {
    return await act()
  } finally {
    pause()
  }
}

/** Returns the processor time per received byte. All requests to a port have the same length. */
async function measureCost(server, at) {
  await sleep(RUN_IN)
  const before = await server.read()
  await sleep(TURN)
  const after = await server.read()
  return (after.cpu - before.cpu) / (after.bytes[at] - before.bytes[at])
}

function report() {
  const setting = `Node ${options.version}; ${options.processes} processes for each, ${options.rounds} rounds.`
  const meaning =
    'Processor time a request as ratio to that without the feature: median of all rounds (of the processes, lowest to highest).'
  const cheap =
    'Of the turns that a quarter is cheaper than, because noise only adds: median of the processes (lowest to highest).'
  const added = 'Additional processor time of a request in µs, in the same way as the first table.'
  const tables = [meaning, buildTable(ratios), cheap, buildTable(cheapRatio), added, buildTable(additions)]
  return ['# What features cost', setting, ...tables].join('\n\n').concat('\n')
}

/** Creates a table with a row per feature and a column per workload. */
function buildTable(ratiosOf) {
  const head = ['', ...options.names.map((name) => `${name} ${WORKLOADS[name].title}`)]
  const costs = options.names.map((name) =>
    results.flatMap((byName) => byName[name].flatMap((turns) => selectTurns(turns, 0))),
  )
  const base = ['without anything', ...costs.map((all) => `${median(all).toFixed(1)} µs`)]
  const rows = COMPARED.map(({ name }, at) => [
    name,
    ...options.names.map((workload) => formatCell(results[at][workload].map(ratiosOf))),
  ])
  return markdownTable([head, base, ...rows])
}

function formatCell(ofProcesses) {
  return spread(ofProcesses.map(median), 3, median(ofProcesses.flat()))
}

/** Returns the ratio of each turn with the feature to the mean of its neighbors. */
function ratios(turns) {
  return turns.flatMap((cost, turn) => (turn % 2 === 0 ? [] : [(2 * cost) / (turns[turn - 1] + turns[turn + 1])]))
}

/** Returns the time that each turn with the feature takes more than its neighbors. */
function additions(turns) {
  return turns.flatMap((cost, turn) => (turn % 2 === 0 ? [] : [cost - (turns[turn - 1] + turns[turn + 1]) / 2]))
}

function cheapRatio(turns) {
  const [without, having] = [0, 1].map((at) => quantile(selectTurns(turns, at), 0.25))
  return [having / without]
}

/** Splits turns: without the feature at 0, with it at 1. */
function selectTurns(turns, at) {
  return turns.filter((_, turn) => turn % 2 === at)
}

function median(values) {
  return quantile(values, 0.5)
}

function save(text) {
  console.log(`\n${text}`)
  mkdirSync(RESULTS, { recursive: true })
  writeFileSync(join(RESULTS, 'costs.md'), text)
}
