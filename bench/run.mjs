/**
 * Compares complete servers:
 *
 *   node bench/run.mjs [--rounds 7] [--seconds 3] [--warm-up 2] [--only W1,W3] [--servers hono,elysia] [--node <binary>]
 *     [--compare <build>] [--onto <file>] [--publish]
 *
 * `--compare` names the folder of another build of Verbena, which takes part in each round. `bench/costs.mjs` measures the cost
 * of features. `--onto` names the JSON file of an earlier run of the same build, to add these rounds to it: on a busy machine,
 * more rounds find a quiet moment. `--publish` writes the tables of the cheapest slices to
 * `docs/benchmarks.md`.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { checkWorkload } from './check.mjs'
import { measure } from './measure.mjs'
import { loadBefore, readOptions, RESULTS, takesPart } from './options.mjs'
import { bestTable, countRounds, formatBaseTimes, markdown, publish, splitTables } from './report.mjs'
import { WORKLOADS } from './workloads.mjs'

const options = readOptions()
const { names, servers, rounds } = options
const load = loadBefore()

for (const name of names) await checkWorkload(name, WORKLOADS[name], options)
console.log(`${names.join(', ')}: the servers respond the same`)

const results = options.onto === undefined ? {} : earlierResults(options.onto)
for (const name of names) results[name] = joinRounds(results[name], await measureWorkload(name))
const run = { ...readSetting(options), results }
save(run)
if (options.publish) publishBest(run)

/** The servers take turns in each round, so that a change of the machine's speed affects all. */
async function measureWorkload(name) {
  const peers = servers.filter((server) => takesPart(server, name))
  const found = Object.fromEntries(peers.map((server) => [server.name, []]))
  for (let round = 1; round <= rounds; round++) {
    for (const server of peers) found[server.name].push(await measure(WORKLOADS[name], server, options))
    console.log(`${name} round ${round} of ${rounds}: ${lastRatios(found)}`)
  }
  return found
}

/** Rounds are compared individually, so both runs must have the same servers. */
function earlierResults(file) {
  const { results: earlier } = JSON.parse(readFileSync(file, 'utf8'))
  const serversOn = (workload) => servers.flatMap((server) => (takesPart(server, workload) ? server.name : [])).join()
  if (Object.entries(earlier).every(([name, byServer]) => Object.keys(byServer).join() === serversOn(name)))
    return earlier
  console.error(`Cannot add to ${file}: other servers took part in it. Leave "--onto" out`)
  process.exit(1)
}

function joinRounds(earlier = {}, found) {
  return Object.fromEntries(
    Object.entries(found).map(([name, rounds]) => [name, [...(earlier[name] ?? []), ...rounds]]),
  )
}

function lastRatios(found) {
  const [base, ...others] = Object.entries(found).map(([name, measured]) => ({ name, cpu: measured.at(-1).cpu }))
  return others.map(({ name, cpu }) => `${name} ${(base.cpu / cpu).toFixed(2)}`).join(', ')
}

function readSetting({ version, seconds, warmUp }) {
  const processor = cpus().at(0)?.model ?? 'unknown processor'
  return { date: new Date().toISOString(), node: version, processor, load, seconds, warmUp }
}

function publishBest({ date, node, processor, results }) {
  const setting = `Node ${node}, ${processor}, ${date.slice(0, 10)}`
  for (const [name, part] of splitTables(results)) {
    const slices = name === 'sockets' ? 'slices of 0.1 s' : 'slices'
    const times = name === 'sockets' ? '' : ` ${formatBaseTimes(part)}.`
    const said = `${setting}, the cheapest ${slices} in ${countRounds(part)} rounds.${times}`
    publish(`${name}, Node ${node.split('.')[0]}`, said, bestTable(part))
  }
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
