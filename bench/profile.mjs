/**
 * Where our server spends its time: `node bench/profile.mjs W3 [--seconds 3] [--warm-up 2] [--node <binary>]`.
 *
 * The profile covers the time under load alone, and stays in `bench/results` for the tools of a browser to open.
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { measure } from './measure.mjs'
import { readOptions, RESULTS } from './options.mjs'
import { groupOf, placeOf, selfTimes } from './self-times.mjs'
import { table } from './report.mjs'
import { WORKLOADS } from './workloads.mjs'

const SHOWN = 30
const INTERVAL = 200

const { names, ...options } = readOptions()
const server = options.servers.find(({ isOurs }) => isOurs)
mkdirSync(RESULTS, { recursive: true })
for (const name of names) await profile(name)

async function profile(name) {
  const file = `${name}.cpuprofile`
  const flags = [
    '--cpu-prof',
    `--cpu-prof-interval=${INTERVAL}`,
    `--cpu-prof-dir=${RESULTS}`,
    `--cpu-prof-name=${file}`,
  ]
  const measured = await measure(WORKLOADS[name], server, { ...options, flags })
  const { total, times } = selfTimes(JSON.parse(readFileSync(join(RESULTS, file), 'utf8')), measured)
  const row = ([what, time]) => [
    what,
    `${((100 * time) / total).toFixed(1)} %`,
    ((measured.cpu * time) / total).toFixed(2),
  ]
  const sum = (keyOf, chosen) => {
    const sums = new Map()
    for (const { frame, time } of chosen) sums.set(keyOf(frame), (sums.get(keyOf(frame)) ?? 0) + time)
    return [...sums].toSorted((a, b) => b[1] - a[1]).map(row)
  }
  const ours = times.filter(({ frame }) => groupOf(frame) === 'Verbena')
  console.log(`\n${name} ${WORKLOADS[name].title}, Node ${options.version}: ${measured.cpu.toFixed(1)} µs a request\n`)
  console.log(table([['part', 'self time', 'µs a request'], ...sum(groupOf, times)]))
  console.log(`\n${table([['function', 'self time', 'µs a request'], ...sum(placeOf, ours).slice(0, SHOWN)])}`)
}
