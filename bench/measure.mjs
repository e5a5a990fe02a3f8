/** One measurement: a fresh server, warmed up, under load between two readings of its clocks. */
import { load } from './load.mjs'
import { withServer } from './server-process.mjs'

/**
 * Measures a server on a workload.
 *
 * @param {object} workload one of `WORKLOADS`
 * @param {object} server one of `serversOf`
 * @param {object} options as `readOptions` gives them
 * @returns µs of processor time a request, requests a second, latencies in µs
 */
export function measure(workload, server, { node, flags, cores, warmUp, seconds }) {
  return withServer({ node, flags, server, app: workload.app, core: cores.server }, async ({ url, read }) => {
    await load(url, workload, { seconds: warmUp, core: cores.client })
    const before = await read()
    const { requests, duration, median, p99 } = await load(url, workload, { seconds, core: cores.client })
    const after = await read()
    return {
      cpu: (after.cpu - before.cpu) / requests,
      rate: requests / (duration / 1e6),
      median,
      p99,
      from: before.at,
      to: after.at,
    }
  })
}
