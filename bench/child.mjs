/** The measured process: the other end of the channel of `startProcess`. */
import { subscribe } from 'node:diagnostics_channel'

/**
 * Sends a first message when it is ready, then a reading for each message. Exits when the channel closes.
 *
 * @param {() => Promise<object>} start returns the first message
 * @param {(said: object, message: unknown) => object | Promise<object>} reading called for each message
 */
export async function serveReadings(start, reading) {
  process.once('disconnect', () => process.exit(0))
  const said = await start()
  process.on('message', async (message) => process.send(await reading(said, message)))
  process.send(said)
}

/** Processor time of all threads, and its part outside the kernel, in µs. */
export function processorTime() {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, user }
}

/** The monotonic clock, which all processes share, in µs. */
export function readClock() {
  return Number(process.hrtime.bigint() / 1000n)
}

/**
 * Counts received bytes. Counting requests would add to the cost of each request.
 *
 * @returns {(port?: number) => number} bytes received so far; default: on all ports
 */
export function countBytes() {
  const sockets = []
  subscribe('net.server.socket', ({ socket }) => void sockets.push({ socket, port: socket.localPort }))
  return (port) =>
    sockets.reduce((sum, each) => sum + (port === undefined || each.port === port ? each.socket.bytesRead : 0), 0)
}
