/** Load on a server, by `wrk` on a core of its own. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'

const SCRIPT = fileURLToPath(new URL('wrk.lua', import.meta.url))
const CONNECTIONS = 50

/** More than any run takes, in seconds. */
const FOREVER = 86_400

/**
 * Asks a server for a workload for some time.
 *
 * @param {string} url of the server
 * @param {object} workload one of `WORKLOADS`
 * @param {{ seconds: number, core: number }} options
 * @returns requests answered, duration in µs, latencies in µs
 */
export function load(url, workload, { seconds, core }) {
  return outcomeOf(startWrk(url, workload, { seconds, core }), workload)
}

/**
 * Asks a server for a workload until it is ended. It can pause, and keeps its connections then.
 *
 * @param {string} url of the server
 * @param {object} workload one of `WORKLOADS`
 * @param {number} core it is pinned to
 * @returns {{ pause(): void, resume(): void, kill(): void, end(): Promise<object> }} `end` gives what `load` does
 */
export function startLoad(url, workload, core) {
  const child = startWrk(url, workload, { seconds: FOREVER, core })
  const kill = () => child.kill('SIGKILL')
  // One that pauses would outlive this process.
  process.on('exit', kill)
  return {
    pause: () => child.kill('SIGSTOP'),
    resume: () => child.kill('SIGCONT'),
    kill,
    async end() {
      child.kill('SIGCONT')
      // It ends when the signal finds its main thread, not the one that asks.
      const asking = setInterval(() => child.kill('SIGINT'), 50)
      try {
        return await outcomeOf(child, workload)
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

async function outcomeOf(child, { status }) {
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
