/**
 * The server process: `serve.mjs <server> <app>`. The benchmark starts it with a channel. It sends its port, then a reading
 * of its clocks for each message. Exits when the channel closes.
 */
import { countBytes, processorTime, readClock, serveReadings } from './child.mjs'

const [server, app] = process.argv.slice(2)
const bytes = countBytes()
const { start } = await import(`./servers/${server}.mjs`)

await serveReadings(async () => ({ port: await start(app) }), reading)

/** Reads the processor time and the monotonic clock, in µs, and the received bytes. */
function reading() {
  return { ...processorTime(), at: readClock(), bytes: bytes() }
}
