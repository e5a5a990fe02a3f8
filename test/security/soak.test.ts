/** Mixed traffic for some seconds. `npm run test:soak` runs the same for an hour. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createRandom } from '#test/mutator.js'
import { startChild } from '#test/probe-child.js'
import { assertAlive, formatTitle } from '#test/attack-rows.js'
import { assertNothingHeld, quiet } from '#test/soak-checks.js'
import { visit } from '#test/soak.js'

describe('mixed traffic in which one client in ten disconnects', () => {
  it(
    formatTitle({ rule: 'leaves no socket, timer, listener or handler behind', source: 'CWE-404, CWE-401' }),
    { timeout: 120_000 },
    async (test) => {
      const server = await startChild({ signals: false, timeouts: { body: 1_000, keepAlive: 1_000 } })
      try {
        await visit(server.port, 1_000, createRandom(1), 20)
        const before = await quiet(server)
        const traffic = await visit(server.port, 6_000, createRandom(2), 30)
        const after = await quiet(server)
        test.diagnostic(`${JSON.stringify(traffic)}, heap ${before.heap} -> ${after.heap}`)
        assert.ok(traffic.visits > 100 && traffic.left > 5, JSON.stringify(traffic))
        assertNothingHeld(before, after)
        await assertAlive(server.port)
      } finally {
        await server.stop()
      }
    },
  )
})
