/**
 * The server process: `serve.mjs <server> <app>`, started by the benchmark with a channel to it. It says its port, then
 * answers each message with a reading of its clocks, and ends with the channel.
 */
import { countBytes, processorTime, serveReadings } from './child.mjs'

const [server, app] = process.argv.slice(2)
const bytes = countBytes()
const { start } = await import(`./servers/${server}.mjs`)

await serveReadings(async () => ({ port: await start(app) }), reading)

/** Its processor time and the time of the monotonic clock, in µs, and the bytes that it has received. */
function reading() {
  return { ...processorTime(), at: Number(process.hrtime.bigint() / 1000n), bytes: bytes() }
}
