/**
 * A process that serves an app of ours twice: `serve-twice.mjs <app> <feature>`, the second time with the feature. It says the two
 * ports, then answers each message with a reading of its clock and of what it has received at each port, and ends with the channel.
 */
import { subscribe } from 'node:diagnostics_channel'
import { processorTime, serveReadings } from './child.mjs'
import { start } from './servers/verbena.mjs'

const [app, feature] = process.argv.slice(2)
const sockets = []

// To count requests would cost each of them something; all are of one length.
subscribe('net.server.socket', ({ socket }) => void sockets.push({ socket, port: socket.localPort }))
await serveReadings(async () => ({ ports: [await start(app), await start(app, feature)] }), reading)

/** Its processor time in µs, and bytes received at each port. */
function reading({ ports }) {
  const bytes = ports.map((port) =>
    sockets.reduce((sum, each) => sum + (each.port === port ? each.socket.bytesRead : 0), 0),
  )
  return { ...processorTime(), bytes }
}
