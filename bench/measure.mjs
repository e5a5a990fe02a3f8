/** One measurement: a fresh server, warmed up, under load between two readings of its clocks. */
import { setTimeout as sleep } from 'node:timers/promises'
import { load } from './load.mjs'
import { withServer } from './server-process.mjs'

const ATTEMPTS = 3
/** In ms. Other load comes and goes: some slices are free of it where no whole measurement is. */
const SLICE = 100

/**
 * Measures a server on a workload. On a busy machine a server may get no time at all: then it is tried again.
 *
 * @param {object} workload one of `WORKLOADS`
 * @param {object} server one of those that take part
 * @param {object} options as `readOptions` gives them
 * @returns µs of processor time a request, all and by slices, and those outside the kernel; requests a second; latencies in µs; the span
 */
export async function measure(workload, server, options) {
  for (let attempt = 1; ; attempt++) {
    try {
      return await measureOnce(workload, server, options)
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
      slices: slicesOf([before, ...readings, after], size),
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

/** µs a request of each slice in which the server was busy all the time; `size` is the length of a request in bytes. */
function slicesOf(readings, size) {
  const slices = readings.slice(1).map((reading, at) => {
    const { cpu, bytes } = readings[at]
    return { cpu: reading.cpu - cpu, requests: (reading.bytes - bytes) / size }
  })
  const most = Math.max(...slices.map(({ requests }) => requests))
  return slices.filter(({ requests }) => requests > most / 4).map(({ cpu, requests }) => cpu / requests)
}
