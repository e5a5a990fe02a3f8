/**
 * Upgrades among other requests in one packet, in all orders: the server responds to each request, releases every descriptor, and survives.
 *
 * `HAND_OVER_SEED` repeats a run, `HAND_OVER_COUNT` makes it longer; `npm run test:hand-over` does so.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { onCleanup } from '#test/cleanup.js'
import { allPackets, checkPackets, openHandOverApp, randomPackets } from '#test/hand-over-packets.js'
import { formatTitle } from '#test/attack-rows.js'

const SEED = Number(process.env['HAND_OVER_SEED'] ?? 20_260_101)
const COUNT = Number(process.env['HAND_OVER_COUNT'] ?? 1500)
/** Time in ms after which a socket that is still open is a leak. */
const MAX_TIME = 10_000

const openSockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

for (const [name, fastPath] of [
  ['the fast path', true],
  ['the documented path', false],
] as const) {
  describe(`packets with upgrades over ${name}`, () => {
    it(
      formatTitle({ rule: 'get their responses, and leave no socket open', source: 'RFC 9110 §7.8, RFC 9112 §9.3.2' }),
      async (test) => {
        test.diagnostic(`${COUNT} random packets, seed ${SEED}`)
        const before = openSockets()
        const { app, port, counts, messages } = await openHandOverApp(fastPath)
        onCleanup(test, () => app.close())
        await checkPackets(port, allPackets(3))
        await checkPackets(port, randomPackets(COUNT, SEED))
        const begin = performance.now()
        while (openSockets() > before && performance.now() - begin < MAX_TIME) await sleep(10)
        assert.ok(openSockets() <= before, `${openSockets() - before} sockets are still open`)
        assert.ok(counts.accepted > 0)
        assert.equal(counts.closed, counts.accepted, 'sockets of upgrades did not emit close')
        assert.deepEqual(messages(), [])
        await checkPackets(port, allPackets(1))
      },
    )
  })
}
