/** One measurement: a fresh server, warmed up, under load between two readings of its clocks. */
import { load } from './load.mjs'
import { withServer } from './server-process.mjs'

const ATTEMPTS = 3

/**
 * Measures a server on a workload. On a busy machine a server may get no time at all: then it is tried again.
 *
 * @param {object} workload one of `WORKLOADS`
 * @param {object} server one of those that take part
 * @param {object} options as `readOptions` gives them
 * @returns µs of processor time a request, and those outside the kernel; requests a second; latencies in µs; the span
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
    const { requests, duration, median, p99 } = await load(url, workload, { seconds, core: cores.client })
    const after = await read()
    return {
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
