/**
 * Measures whole servers against each other:
 *
 *   node bench/run.mjs [--rounds 7] [--seconds 3] [--warm-up 2] [--only W1,W3] [--node <binary>] [--compare <build>] [--onto <file>]
 *     [--publish]
 *
 * `--compare` names the folder of another build of ours, which then takes part in every round. What features cost is
 * measured by `bench/costs.mjs`. `--onto` names the JSON file of an earlier run of the same build, to which these rounds are added: on
 * a busy machine more of them find a quiet moment. `--publish` writes the table of the cheapest slices to `docs/benchmarks.md`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { checkWorkload } from './check.mjs'
import { measure } from './measure.mjs'
import { loadBefore, readOptions, RESULTS } from './options.mjs'
import { bestTable, markdown, publish } from './report.mjs'
import { WORKLOADS } from './workloads.mjs'

const options = readOptions()
const { names, servers, rounds } = options
const load = loadBefore()

for (const name of names) await checkWorkload(name, WORKLOADS[name], options)
console.log(`${names.join(', ')}: the servers answer the same`)

const results = options.onto === undefined ? {} : JSON.parse(readFileSync(options.onto, 'utf8')).results
for (const name of names) results[name] = joined(results[name], await measureWorkload(name))
const run = { ...settingOf(options), results }
save(run)
if (options.publish) publishBest(run)

/** In each round the servers take turns, so that a change of the machine's pace meets them all. */
async function measureWorkload(name) {
  const found = Object.fromEntries(servers.map((server) => [server.name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const server of servers) found[server.name].push(await measure(WORKLOADS[name], server, options))
    console.log(`${name} round ${round} of ${rounds}: ${lastRatios(found)}`)
  }
  return found
}

function joined(earlier = {}, found) {
  return Object.fromEntries(
    Object.entries(found).map(([name, rounds]) => [name, [...(earlier[name] ?? []), ...rounds]]),
  )
}

function lastRatios(found) {
  const [base, ...others] = Object.entries(found).map(([name, measured]) => ({ name, cpu: measured.at(-1).cpu }))
  return others.map(({ name, cpu }) => `${name} ${(base.cpu / cpu).toFixed(2)}`).join(', ')
}

function settingOf({ version, seconds, warmUp }) {
  const processor = cpus().at(0)?.model ?? 'unknown processor'
  return { date: new Date().toISOString(), node: version, processor, load, rounds, seconds, warmUp }
}

function publishBest(run) {
  const { date, node, processor, results } = run
  const counts = Object.values(results).map((byServer) => Object.values(byServer)[0].length)
  const rounds = [...new Set([Math.min(...counts), Math.max(...counts)])].join(' to ')
  const said = `Node ${node}, ${processor}, ${date.slice(0, 10)}, the cheapest slices of 0.1 s in ${rounds} rounds.`
  publish(`sockets, Node ${node.split('.')[0]}`, said, bestTable(run))
}

function save(run) {
  const text = markdown(run)
  console.log(`\n${text}`)
  mkdirSync(RESULTS, { recursive: true })
  const file = join(RESULTS, `${run.date.replaceAll(':', '-').slice(0, 19)}-node-${run.node}`)
  writeFileSync(`${file}.json`, `${JSON.stringify(run, null, 2)}\n`)
  writeFileSync(`${file}.md`, text)
  writeFileSync(join(RESULTS, 'latest.md'), text)
}
