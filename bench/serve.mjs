/**
 * The server process: `serve.mjs <server> <app>`, started by the benchmark with a channel to it. It says its port, then
 * answers each message with a reading of its clocks, and ends with the channel.
 */
const [server, app] = process.argv.slice(2)
const { start } = await import(`./servers/${server}.mjs`)

process.on('message', () => process.send(reading()))
process.once('disconnect', () => process.exit(0))
process.send({ port: await start(app) })

/** Processor time of all threads, the part of it outside the kernel, and the time of the monotonic clock, in µs. */
function reading() {
  const { user, system } = process.cpuUsage()
  return { cpu: user + system, user, at: Number(process.hrtime.bigint() / 1000n) }
}
