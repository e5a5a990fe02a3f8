/**
 * Serves a Verbena app twice in one process, without and with a feature: `serve-twice.mjs <app> <feature>`. It sends the two
 * ports, then its processor time and the bytes received on each port for each message. Exits when the channel closes.
 */
import { countBytes, processorTime, serveReadings } from './child.mjs'
import { start } from './servers/verbena.mjs'

const [app, feature] = process.argv.slice(2)
// All requests have the same length.
const bytesAt = countBytes()
await serveReadings(async () => ({ ports: [await start(app), await start(app, feature)] }), reading)

/** Reads the processor time in µs, and the bytes received on each port. */
function reading({ ports }) {
  return { ...processorTime(), bytes: ports.map((port) => bytesAt(port)) }
}
