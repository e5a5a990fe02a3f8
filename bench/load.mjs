/** Load on a server, by `wrk` on a core of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('wrk.lua', import.meta.url))
const CONNECTIONS = 50

/**
 * Asks a server for a workload for some time.
 *
 * @param {string} url of the server
 * @param {object} workload one of `WORKLOADS`
 * @param {{ seconds: number, core: number }} options
 * @returns requests answered, duration in µs, latencies in µs
 */
export async function load(url, workload, { seconds, core }) {
  const { method, body = '', paths, status } = workload
  const wrk = [
    'wrk',
    '-t',
    '1',
    '-c',
    String(CONNECTIONS),
    '-d',
    `${seconds}s`,
    '--timeout',
    '10s',
    '-s',
    SCRIPT,
    url,
    '--',
  ]
  const child = spawn('taskset', ['-c', String(core), ...wrk, method, body, ...paths], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')])
  const line = output.split('\n').findLast((each) => each.startsWith('{'))
  if (code !== 0 || line === undefined) throw new Error(`Cannot read what wrk says, it ended with ${code}:\n${output}`)
  const outcome = JSON.parse(line)
  const expected = status < 400 ? 0 : outcome.requests
  if (outcome.requests === 0 || outcome.broken > 0 || outcome.refused !== expected) {
    const { requests, refused, broken } = outcome
    throw new Error(`Cannot trust this run: ${requests} answers, ${refused} of them 4xx or 5xx, ${broken} broken off`)
  }
  return outcome
}
