/**
 * A process that serves an app of ours twice: `serve-twice.mjs <app> <feature>`, the second time with the feature. It says the two
 * ports, then answers each message with a reading of its clock and of what it has received at each port, and ends with the channel.
 */
import { countBytes, processorTime, serveReadings } from './child.mjs'
import { start } from './servers/verbena.mjs'

const [app, feature] = process.argv.slice(2)
// All requests are of one length.
const bytesAt = countBytes()
await serveReadings(async () => ({ ports: [await start(app), await start(app, feature)] }), reading)

/** Its processor time in µs, and bytes received at each port. */
function reading({ ports }) {
  return { ...processorTime(), bytes: ports.map((port) => bytesAt(port)) }
}
