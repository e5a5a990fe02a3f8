/**
 * Serves event streams: `streams-child.mjs <kind>`, with `FAST_PATH=false` on the documented path. A message `{ open }` waits for that many
 * streams and reports the memory, `{ events, perTurn }` sends that many events to all streams and reports the processor time,
 * `{ broadcast }` sends one event to all, and any other message reports the processor time so far.
 */
import { setImmediate as turn } from 'node:timers/promises'
import { processorTime, readClock, serveReadings } from './child.mjs'

// Another build of Verbena, for a comparison.
const build = process.env['VERBENA_BUILD'] ?? new URL('../dist/index.js', import.meta.url).href
const DATA = { n: 1, text: 'an event of fifty bytes, more or less' }
/** Turns of the event loop until the streams wait for an event. */
const IDLE_TURNS = 50

/** The queue of one client: `push` delivers an event, or stores it until the client reads. */
function createQueue() {
  const waiting = []
  let wake = null
  return {
    push(event) {
      if (wake === null) return void waiting.push(event)
      const resolve = wake
      wake = null
      resolve(event)
    },
    take: () => (waiting.length > 0 ? waiting.shift() : new Promise((resolve) => (wake = resolve))),
  }
}

const queues = new Set()

async function* readQueue(queue) {
  try {
    for (;;) yield await queue.take()
  } finally {
    queues.delete(queue)
  }
}

function openQueue() {
  const queue = createQueue()
  queues.add(queue)
  return queue
}

const SERVERS = {
  async raw() {
    const { createServer } = await import('node:http')
    const server = createServer((request, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      response.flushHeaders()
      const writer = { push: (event) => response.write(`data: ${JSON.stringify(event)}\n\n`) }
      queues.add(writer)
      response.on('close', () => queues.delete(writer))
    })
    await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
    return server.address().port
  },
  async events() {
    return listen(
      await eventFeed(async function* () {
        for await (const data of readQueue(openQueue())) yield { data }
      }),
    )
  },
  async signal() {
    return listen(
      await eventFeed(async function* ({ signal }) {
        const queue = openQueue()
        signal.addEventListener('abort', () => queues.delete(queue))
        for await (const data of readQueue(queue)) yield { data }
      }),
    )
  },
  async stream() {
    return listen(await textFeed((text) => text))
  },
  async bytes() {
    return listen(await textFeed((text) => Buffer.from(text)))
  },
}

/** Creates a route whose `GET` is an event stream from the generator function. */
async function eventFeed(method) {
  const { Route, events } = await import(build)
  const { z } = await import('zod')
  class Feed extends Route {
    static path = '/'
    static get = this.contract({ returns: events(z.object({ n: z.number(), text: z.string() })) })
  }
  Feed.prototype.get = method
  return Feed
}

/** Creates a route whose `GET` is a stream of converted strings. */
async function textFeed(convert) {
  const { Route, stream } = await import(build)
  return class Feed extends Route {
    static path = '/'
    static get = this.contract({ returns: stream() })
    async *get() {
      yield ':\n\n'
      for await (const data of readQueue(openQueue())) yield convert(`data: ${JSON.stringify(data)}\n\n`)
    }
  }
}

async function listen(Feed) {
  const { createApp } = await import(build)
  const fastPath = process.env['FAST_PATH'] !== 'false'
  const app = createApp({ routes: { Feed }, logger: false, signals: false, devConsole: false, fastPath })
  return (await app.listen()).port
}

/** Memory after two collections, in bytes. */
function readMemory() {
  globalThis.gc()
  globalThis.gc()
  const { heapUsed, rss } = process.memoryUsage()
  return { heap: heapUsed, rss }
}

async function waitForStreams(count) {
  while (queues.size < count) await turn()
  for (let turns = 0; turns < IDLE_TURNS; turns++) await turn()
  return readMemory()
}

async function sendEvents(count, perTurn) {
  const { cpu } = processorTime()
  for (let sent = 0; sent < count;) {
    for (let index = 0; index < perTurn; index++, sent++) pushToAll()
    // Verbena writes at the end of a turn, after the first of these immediates. With one, it would join the events of two turns.
    await turn()
    await turn()
  }
  return { cpu: processorTime().cpu - cpu }
}

function pushToAll() {
  for (const queue of queues) queue.push(DATA)
}

function broadcast() {
  const begin = { at: readClock(), ...processorTime() }
  pushToAll()
  return begin
}

await serveReadings(
  async () => ({ port: await SERVERS[process.argv[2]](), ...readMemory() }),
  (_, message) => {
    if (message.open !== undefined) return waitForStreams(message.open)
    if (message.events !== undefined) return sendEvents(message.events, message.perTurn)
    return message.broadcast ? broadcast() : processorTime()
  },
)
