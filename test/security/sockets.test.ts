// own process: it measures processor time of sockets
/**
 * Requests around upgrades, CONNECT and unread bodies, from clients that reset, end, half-close or stay: each socket has the `error` listener
 * of Verbena from `connection` to `close`, each request gets its response, every descriptor is released, and the process survives.
 *
 * `SOCKETS_SEED` repeats a run, `SOCKETS_COUNT` sets the number of random sequences per server; `npm run test:sockets` sends all others too.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { onCleanup } from '#test/cleanup.js'
import { formatTitle } from '#test/attack-rows.js'
import { allSequences, checkSequences, randomSequences, type Sequence } from '#test/socket-sequences.js'
import { openSocketApp, PLACES } from '#test/socket-servers.js'

const SEED = Number(process.env['SOCKETS_SEED'] ?? 20_260_101)
const COUNT = Number(process.env['SOCKETS_COUNT'] ?? 200)
const IS_LONG = 'SOCKETS_COUNT' in process.env
/** Time in ms after which a socket that is still open is a leak; below `timeouts.write`. */
const MAX_TIME = 25_000
/** Time in ms in which a server must close; the short form also runs on machines with much other work. */
const CLOSE_TIME = IS_LONG ? 1000 : 5000

const openSockets = (): number => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

async function releaseSockets(limit: number): Promise<void> {
  const begin = performance.now()
  while (openSockets() > limit && performance.now() - begin < MAX_TIME) await sleep(10)
  assert.ok(openSockets() <= limit, `${openSockets() - limit} sockets are still open`)
}

const isReset = ({ leave }: Sequence): boolean => leave === 'reset' || leave === 'late reset'

for (const [index, place] of PLACES.entries()) {
  describe(`sequences of requests over ${place.name} on the ${place.fastPath ? 'fast' : 'documented'} path`, () => {
    it(
      formatTitle({
        rule: 'get their responses, leave no socket open, and never a socket without an error listener',
        source: 'RFC 9110 §7.8, RFC 9112 §9.3.2 and §9.6',
      }),
      { timeout: 3_600_000 },
      async (test) => {
        const before = openSockets()
        const cpu = process.cpuUsage()
        const app = await openSocketApp(place)
        onCleanup(test, () => app.close())
        const triples = allSequences(3)
        // In short runs, each triple goes to one of the servers.
        const share = triples.filter((_, at) => IS_LONG || at % PLACES.length === index)
        const all = [...allSequences(1), ...allSequences(2), ...share, ...randomSequences(COUNT, SEED)]
        await checkSequences(app, all)
        await releaseSockets(before)
        assert.deepEqual([...app.watch.faults], [])
        assert.ok(app.watch.sockets > all.length / 3, `${app.watch.sockets} sockets were watched`)
        assert.equal(app.counts.closed, app.counts.accepted, 'sockets of upgrades did not emit close')
        assert.deepEqual(app.messages(), [])
        // At the end, the server must not wait for clients that have just left.
        await checkSequences(app, allSequences(2).filter(isReset))
        const begin = performance.now()
        await app.close()
        const time = performance.now() - begin
        assert.ok(time < CLOSE_TIME, `close() took ${time} ms`)
        await releaseSockets(before)
        const { user, system } = process.cpuUsage(cpu)
        test.diagnostic(
          `${all.length} sequences, seed ${SEED}, ${app.watch.checks} checks on ${app.watch.sockets} sockets, ${((user + system) / 1e6).toFixed(1)} s of CPU`,
        )
      },
    )
  })
}
