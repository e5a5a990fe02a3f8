/** Checks that a server has released everything after its traffic has ended. */
import assert from 'node:assert/strict'
import { setTimeout as wait } from 'node:timers/promises'
import type { Measurement } from '../security/child-server.js'
import type { ChildServer } from './probe-child.js'

/** Waits at most 20 s until nothing runs in the server, and returns its last measurement. */
export async function quiet(server: ChildServer): Promise<Measurement> {
  for (let tries = 0; ; tries++) {
    const measured = await server.measure()
    const { begun, aborted, opened, stopped } = measured.counts
    const isQuiet = begun === aborted && opened === stopped && countSockets(measured) === 0
    if (isQuiet || tries === 100) return measured
    await wait(200)
  }
}

/** Returns the number of open connections. */
export const countSockets = ({ resources }: Measurement): number => resources['TCPSocketWrap'] ?? 0

/** Asserts that no connection, handler, stream, listener or timer remains. */
export function assertNothingHeld(before: Measurement, after: Measurement): void {
  const { counts } = after
  assert.equal(countSockets(after), 0, 'Connections are open')
  assert.equal(counts.aborted, counts.begun, 'A handler was not aborted after its client disconnected')
  assert.equal(counts.stopped, counts.opened, 'A stream was not stopped')
  assert.equal(counts.listeners, before.counts.listeners, 'Listeners are left')
  const timers = (after.resources['Timeout'] ?? 0) - (before.resources['Timeout'] ?? 0)
  assert.ok(timers <= 1, `${timers} timers are left`)
}
