/**
 * Sends mixed traffic to a server in a separate process, by default for an hour.
 *
 *   node --import tsx scripts/soak.mjs [--minutes 60] [--console] [--together 24] [--seed 1]
 *
 * One client in ten disconnects before its responses. Prints memory and sockets of the server after each minute. Exits with 1 if
 * the heap after collection grew by more than 5 % from the first third to the last (after a warm-up of one tenth), or if a
 * socket, timer or listener is left at the end.
 */
import { parseArgs } from 'node:util'
import { ensurePage } from '../console/build.mjs'
import { createRandom } from '../test/support/mutator.ts'
import { startChild } from '../test/support/probe-child.ts'
import { assertAlive } from '../test/support/attack-rows.ts'
import { assertNothingHeld, quiet, countSockets } from '../test/support/soak-checks.ts'
import { visit } from '../test/support/soak.ts'

await ensurePage()
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    console: { type: 'boolean', default: false },
    together: { type: 'string', default: '24' },
    seed: { type: 'string', default: '1' },
  },
})
const MB = 2 ** 20
const ROUNDS = 60
const roundMs = (Number(values.minutes) * 60_000) / ROUNDS

process.env.NODE_ENV = values.console ? 'development' : 'production'
const server = await startChild({ signals: false, timeouts: { body: 2_000, keepAlive: 2_000 } })
try {
  const random = createRandom(Number(values.seed))
  await visit(server.port, 2_000, random, 10)
  const before = await quiet(server)
  const heaps = []
  const total = { visits: 0, left: 0, bytes: 0 }
  for (let round = 1; round <= ROUNDS; round++) {
    const traffic = await visit(server.port, roundMs, random, Number(values.together))
    for (const name of Object.keys(total)) total[name] += traffic[name]
    const held = await quiet(server)
    heaps.push(held.heap)
    const sockets = countSockets(held)
    console.log(`${round}: ${total.visits} visits, heap ${mb(held.heap)}, resident ${mb(held.rss)}, ${sockets} sockets`)
  }
  const after = await quiet(server)
  const [early, late] = thirds(heaps)
  const growth = late / early - 1
  console.log(`heap ${mb(early)} -> ${mb(late)} (${(growth * 100).toFixed(1)} %), ${JSON.stringify(total)}`)
  assertNothingHeld(before, after)
  await assertAlive(server.port)
  process.exitCode = growth > 0.05 ? 1 : 0
} finally {
  await server.stop()
}

/** Returns the medians of the first and the last third, after the first tenth. */
function thirds(all) {
  const warm = all.slice(Math.floor(all.length / 10))
  const third = Math.ceil(warm.length / 3)
  return [median(warm.slice(0, third)), median(warm.slice(-third))]
}

function median(numbers) {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)]
}

function mb(bytes) {
  return `${(bytes / MB).toFixed(1)} MB`
}
