/**
 * Sends millions of mutated requests to an app in this process, first without the console, then with it.
 *
 *   node --import tsx scripts/mutate.mjs [--count 10000000] [--seed 1]
 *
 * Each half is a separate process. Requests use a Unix socket, because its connections need no ports, and one in fifty uses TCP.
 * Exits with 1 after the first request with a 500, a partial response, no response in two minutes, or the end of the process.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ensurePage } from '../console/build.mjs'
import { runMutations } from '../test/support/mutation-run.ts'
import { namingApp } from '../test/support/probe.ts'
import { assertAlive } from '../test/support/attack-rows.ts'

const OPTIONS = {
  count: { type: 'string', default: '10000000' },
  seed: { type: 'string', default: '1' },
  half: { type: 'string' },
}
await ensurePage()
const { values } = parseArgs({ options: OPTIONS })
const count = Number(values.count)
const seed = Number(values.seed)
/** Number of simultaneous connections. Most of them wait until the server is silent. */
const TOGETHER = 400
/** Maximum number of requests per connection. */
const MOST = 5
/** Time limit of a connection in ms. */
const PATIENCE = 120_000
const TIMEOUTS = { headers: 250, body: 250, keepAlive: 200, write: 1000, close: 2000 }

if (values.half === undefined) process.exitCode = await both()
else await half(values.half === 'on')

async function both() {
  const codes = await Promise.all(['off', 'on'].map((state) => child(state)))
  return codes.every((code) => code === 0) ? 0 : 1
}

async function child(state) {
  const args = [
    '--import=tsx',
    'scripts/mutate.mjs',
    `--half=${state}`,
    `--count=${Math.ceil(count / 2)}`,
    `--seed=${seed}`,
  ]
  const env = { ...process.env, NODE_ENV: state === 'on' ? 'development' : 'production' }
  const [code] = await once(spawn(process.execPath, args, { stdio: 'inherit', env }), 'close')
  return code
}

async function half(hasConsole) {
  const name = `console ${hasConsole ? 'on' : 'off'}`
  const folder = mkdtempSync(join(tmpdir(), 'verbena-mutate-'))
  const path = join(folder, 'socket')
  const [app, overTcp] = [namingApp({ timeouts: TIMEOUTS }), namingApp({ timeouts: TIMEOUTS })]
  const begin = performance.now()
  let next = 100_000
  const said = (done) => {
    if (done < next) return
    next += 100_000
    const seconds = (performance.now() - begin) / 1000
    const heap = Math.round(process.memoryUsage().heapUsed / 2 ** 20)
    console.log(`${name}: ${done} requests, ${Math.round(done / seconds)} a second, heap ${heap} MB`)
  }
  try {
    await app.listen({ path })
    const { port } = await overTcp.listen()
    const few = Math.floor(count / 50)
    const [statuses] = await Promise.all([
      runMutations({
        place: { path },
        seed: seed + (hasConsole ? 1 : 0),
        count: count - few,
        together: TOGETHER,
        most: MOST,
        patience: PATIENCE,
        progress: said,
      }),
      runMutations({
        place: { port },
        seed: seed + (hasConsole ? 3 : 2),
        count: few,
        together: 20,
        most: MOST,
        patience: PATIENCE,
      }),
    ])
    await assertAlive(port)
    const table = [...statuses].toSorted(([a], [b]) => a - b).map(([status, times]) => `${status} x ${times}`)
    console.log(
      `${name}: ${count} requests passed in ${Math.round((performance.now() - begin) / 1000)} s; ${table.join(', ')}`,
    )
  } finally {
    await Promise.all([app.close(), overTcp.close()])
    rmSync(folder, { recursive: true })
  }
}
