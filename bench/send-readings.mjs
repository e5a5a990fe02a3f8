/** The side of the child for `first-response.mjs`. Imports nothing, because its imports would be part of the costs. */

/** Sends the port of the server of this process, and then its costs for each message. */
export function sendReadings(port) {
  process.once('disconnect', () => process.exit(0))
  process.on('message', () => {
    const { user, system } = process.cpuUsage()
    process.send({ cpu: user + system, memory: process.memoryUsage.rss() })
  })
  process.send(port)
}
