/** A process that is measured, as seen from within: what `startProcess` talks to. */
import { subscribe } from 'node:diagnostics_channel'

/**
 * Says something once it is ready, answers each message with a reading, and ends with the channel.
 *
 * @param {() => Promise<object>} start makes it ready, and gives what it says
 * @param {(said: object) => object} reading made anew for each message
 */
export async function serveReadings(start, reading) {
  process.once('disconnect', () => process.exit(0))
  const said = await start()
  process.on('message', () => process.send(reading(said)))
  process.send(said)
}

/** Processor time of all threads, and the part of it outside the kernel, in µs. */
export function processorTime() {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, user }
}

/**
 * Begins to count what comes. To count requests would cost each of them something.
 *
 * @returns {(port?: number) => number} bytes received so far, at all ports unless one is given
 */
export function countBytes() {
  const sockets = []
  subscribe('net.server.socket', ({ socket }) => void sockets.push({ socket, port: socket.localPort }))
  return (port) =>
    sockets.reduce((sum, each) => sum + (port === undefined || each.port === port ? each.socket.bytesRead : 0), 0)
}
