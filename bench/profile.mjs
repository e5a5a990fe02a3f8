/**
 * Prints where Verbena spends its time: `node bench/profile.mjs W3 [--seconds 3] [--warm-up 2] [--node <binary>] [--publish]`.
 * `--server raw` or `--server fastify` profiles another server, for comparison.
 *
 * The profile only covers the time under load, and stays in `bench/results`, so that a browser's developer tools can open it.
 * `--publish` writes the shares of the parts to `docs/benchmarks.md`.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure } from './measure.mjs'
import { readOptions, RESULTS } from './options.mjs'
import { findGroup, OURS, formatPlace, selfTimes } from './self-times.mjs'
import { publish, table } from './report.mjs'
import { WORKLOADS } from './workloads.mjs'

const SHOWN = 30
const INTERVAL = 200

const { names, ...options } = readOptions()
const server = options.servers.find(({ module }) => module === options.server)
mkdirSync(RESULTS, { recursive: true })
const shares = new Map()
for (const name of names) shares.set(name, await profile(name))
if (options.publish) publishShares()

async function profile(name) {
  const file = `${server.module}-${name}.cpuprofile`
  const flags = [
    ...options.flags,
    '--cpu-prof',
    `--cpu-prof-interval=${INTERVAL}`,
    `--cpu-prof-dir=${RESULTS}`,
    `--cpu-prof-name=${file}`,
  ]
  const measured = await measure(WORKLOADS[name], server, { ...options, flags })
  const { total, times } = selfTimes(JSON.parse(readFileSync(join(RESULTS, file), 'utf8')), measured)
  const print = (head, keyOf, chosen) =>
    console.log(`\n${table([[head, 'self time', 'µs a request'], ...rows(keyOf, chosen)])}`)
  const rows = (keyOf, chosen) =>
    sumsBy(keyOf, chosen).map(([key, time]) => {
      return [key, `${((100 * time) / total).toFixed(1)} %`, ((measured.cpu * time) / total).toFixed(2)]
    })
  const isOurs = ({ frame }) => findGroup(frame) === OURS
  console.log(
    `\n${name} ${WORKLOADS[name].title}, ${server.name}, Node ${options.version}: ${measured.cpu.toFixed(1)} µs`,
  )
  print('part', findGroup, times)
  if (times.some(isOurs)) print('function of ours', formatPlace, times.filter(isOurs))
  print(
    'other function',
    formatPlace,
    times.filter((each) => !isOurs(each)),
  )
  return new Map(sumsBy(findGroup, times).map(([part, time]) => [part, time / total]))
}

function publishShares() {
  const parts = [...new Set([...shares.values()].flatMap((byPart) => [...byPart.keys()]))]
  const share = (name, part) => `${(100 * (shares.get(name).get(part) ?? 0)).toFixed(0)} %`
  const rows = parts.map((part) => [part, ...names.map((name) => share(name, part))])
  const said = `Node ${options.version}, ${new Date().toISOString().slice(0, 10)}, ${server.name}.`
  publish(`profile, Node ${options.version.split('.')[0]}`, said, table([['', ...names], ...rows]))
}

/** Returns the largest sums in descending order. */
function sumsBy(keyOf, times) {
  const sums = new Map()
  for (const { frame, time } of times) sums.set(keyOf(frame), (sums.get(keyOf(frame)) ?? 0) + time)
  return [...sums].toSorted((a, b) => b[1] - a[1]).slice(0, SHOWN)
}
