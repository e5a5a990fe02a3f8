/** Load on a server, by `wrk` on its own core. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('wrk.lua', import.meta.url))
const CONNECTIONS = 50

/** Longer than any run, in seconds. */
const FOREVER = 86_400

/**
 * Sends a workload to a server for some time.
 *
 * @param {string} url of the server
 * @param {object} workload one of `WORKLOADS`
 * @param {{ seconds: number, core: number }} options
 * @returns answered requests, duration in µs, latencies in µs
 */
export function load(url, workload, { seconds, core }) {
  return readOutcome(startWrk(url, workload, { seconds, core }), workload)
}

/**
 * Sends a workload to a server until `end`. A pause keeps the connections.
 *
 * @param {string} url of the server
 * @param {object} workload one of `WORKLOADS`
 * @param {number} core for the client
 * @returns {{ pause(): void, resume(): void, kill(): void, end(): Promise<object> }} `end` returns the result of `load`
 */
export function startLoad(url, workload, core) {
  const child = startWrk(url, workload, { seconds: FOREVER, core })
  const kill = () => child.kill('SIGKILL')
  // A paused client would outlive this process.
  process.on('exit', kill)
  return {
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    kill,
    async end() {
      child.kill('SIGCONT')
      // It only ends if the main thread receives the signal, not the thread that sends requests.
      const asking = setInterval(() => child.kill('SIGINT'), 50)
      try {
        return await readOutcome(child, workload)
      } finally {
        clearInterval(asking)
        process.off('exit', kill)
      }
    },
  }
}

function startWrk(url, { method, body = '', paths }, { seconds, core }) {
  const options = ['-t', '1', '-c', String(CONNECTIONS), '-d', `${seconds}s`, '--timeout', '10s', '-s', SCRIPT]
  const wrk = ['wrk', ...options, url, '--', method, body, ...paths]
  return spawn('taskset', ['-c', String(core), ...wrk], { stdio: ['ignore', 'pipe', 'inherit'] })
}

async function readOutcome(child, { status }) {
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
