/**
 * Clients of event streams: `streams-client.mjs <port>`. A message `{ open }` opens that many streams, `{ left }` closes all but that
 * many, and `{ events }` waits until that many events have arrived and reports when the last one came.
 */
import { once } from 'node:events'
import { connect } from 'node:net'
import { readClock, serveReadings } from './child.mjs'

/** Streams that are opened at the same time. */
const BATCH = 100
const REQUEST = 'GET / HTTP/1.1\r\nHost: a\r\n\r\n'

const port = Number(process.argv[2])
const sockets = []
let received = 0
let expected = Infinity
let resolve

await serveReadings(
  async () => ({}),
  async (_, { open = 0, left, events }) => {
    while (sockets.length < open) {
      const count = Math.min(BATCH, open - sockets.length)
      sockets.push(...(await Promise.all(Array.from({ length: count }, openStream))))
    }
    if (left !== undefined) for (const socket of sockets.splice(left)) socket.destroy()
    return events === undefined ? {} : { at: await waitForEvents(events) }
  },
)

/** Resolves when the headers have arrived. */
async function openStream() {
  const socket = connect(port, '127.0.0.1', () => socket.write(REQUEST))
  socket.on('data', count)
  await once(socket, 'data')
  return socket
}

/** Counts reads, which have one event each while the server sends one at a time. */
function count(bytes) {
  if (bytes.includes('data: ')) received++
  if (received >= expected) resolve()
}

async function waitForEvents(events) {
  if (received < events) {
    expected = events
    await new Promise((onArrival) => (resolve = onArrival))
  }
  received = 0
  expected = Infinity
  return readClock()
}
