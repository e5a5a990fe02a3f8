/** One measurement: a new server, warmed up, under load between two readings of its clocks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { load } from './load.mjs'
import { startProcess, withServer } from './server-process.mjs'
import { WORKLOADS } from './workloads.mjs'

const CLIENT = fileURLToPath(new URL('client.mjs', import.meta.url))

const ATTEMPTS = 3
/** In ms. Other load varies: some slices are free of it even if no complete measurement is. */
const SLICE = 100

/**
 * Measures a server on a workload. Retries if a busy machine gave the server no time.
 *
 * @param {object} workload one of `WORKLOADS`
 * @param {object} server one of the compared servers
 * @param {object} options from `readOptions`
 * @returns processor time in µs per request, event, upload or file (total, by slices and outside the kernel), number of them per second, and
 * times; with `wrk` also latencies in µs
 */
export async function measure(workload, server, options) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await (workload.transfer === undefined ? measureOnce : measurePasses)(workload, server, options)
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      console.log(`${server.name}: ${error.message}. Once more`)
    }
  }
}

function measureOnce(workload, server, { node, flags, cores, warmUp, seconds }) {
  return withServer({ node, flags, server, app: workload.app, core: cores.server }, async ({ url, read }) => {
    await load(url, workload, { seconds: warmUp, core: cores.client })
    const before = await read()
    const loading = load(url, workload, { seconds, core: cores.client })
    const readings = await readUntil(loading, read)
    const { requests, duration, median, p99 } = await loading
    const after = await read()
    const size = (after.bytes - before.bytes) / requests
    return {
      slices: buildSlices([before, ...readings, after], size),
      cpu: (after.cpu - before.cpu) / requests,
      user: (after.user - before.user) / requests,
      rate: requests / (duration / 1e6),
      median,
      p99,
      from: before.at,
      to: after.at,
    }
  })
}

/** Each slice is a pass of the client, so it begins and ends without pending requests. */
function measurePasses(workload, server, { node, flags, cores, warmUp, seconds }) {
  return withServer({ node, flags, server, app: workload.app, core: cores.server }, async ({ url, read }) => {
    const client = await startProcess(process.execPath, [CLIENT, findName(workload), url], { core: cores.client })
    try {
      await runPasses(client, read, warmUp)
      return summarizePasses(await runPasses(client, read, seconds))
    } finally {
      await client.stop()
    }
  })
}

function findName(workload) {
  return Object.keys(WORKLOADS).find((name) => WORKLOADS[name] === workload)
}

/** Runs passes for some seconds, at least one. Returns the readings before, between and after them. */
async function runPasses(client, read, seconds) {
  const readings = [await read()]
  const end = performance.now() + seconds * 1_000
  let units = 0
  while (units === 0 || performance.now() < end) {
    units = (await client.read()).units
    readings.push(await read())
  }
  return { readings, units }
}

function summarizePasses({ readings, units }) {
  const slices = readings.slice(1).map(({ cpu }, at) => (cpu - readings[at].cpu) / units)
  const [before, after] = [readings[0], readings.at(-1)]
  const total = units * slices.length
  return {
    slices,
    cpu: (after.cpu - before.cpu) / total,
    user: (after.user - before.user) / total,
    rate: total / ((after.at - before.at) / 1e6),
    from: before.at,
    to: after.at,
  }
}

async function readUntil(loading, read) {
  const readings = []
  let isOver = false
  const end = () => (isOver = true)
  loading.then(end, end)
  for (;;) {
    await sleep(SLICE)
    if (isOver) return readings
    readings.push(await read())
  }
}

/** Returns the µs per request of each slice in which the server was always busy; `size` is the length of a request in bytes. */
function buildSlices(readings, size) {
  const slices = readings.slice(1).map((reading, at) => {
    const { cpu, bytes } = readings[at]
    return { cpu: reading.cpu - cpu, requests: (reading.bytes - bytes) / size }
  })
  const most = Math.max(...slices.map(({ requests }) => requests))
  return slices.filter(({ requests }) => requests > most / 4).map(({ cpu, requests }) => cpu / requests)
}
