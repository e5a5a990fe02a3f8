/**
 * Serves an event stream: `streams-child.mjs <kind>`. A `message` `{ events, perTurn }` sends that many events to all open streams. Reports
 * the heap and the processor time.
 */
import { setImmediate as turn } from 'node:timers/promises'

const DATA = { n: 1, text: 'an event of fifty bytes, more or less' }

/** The queue of one client: `push` delivers an event, or keeps it until the client reads. */
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

async function* eventsOf(queue) {
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
    const { Route, createApp, events } = await import('../dist/index.js')
    const { z } = await import('zod')
    class Feed extends Route {
      static path = '/'
      static get = this.contract({ returns: events(z.object({ n: z.number(), text: z.string() })) })
      async *get() {
        for await (const data of eventsOf(openQueue())) yield { data }
      }
    }
    const app = createApp({ routes: { Feed }, logger: false, signals: false })
    return (await app.listen()).port
  },
  async stream() {
    const { Route, createApp, stream } = await import('../dist/index.js')
    class Feed extends Route {
      static path = '/'
      static get = this.contract({ returns: stream() })
      async *get() {
        yield ':\n\n'
        for await (const data of eventsOf(openQueue())) yield `data: ${JSON.stringify(data)}\n\n`
      }
    }
    const app = createApp({ routes: { Feed }, logger: false, signals: false })
    return (await app.listen()).port
  },
}

function heapUsed() {
  globalThis.gc()
  globalThis.gc()
  return process.memoryUsage().heapUsed
}

process.on('message', async ({ open, events, perTurn }) => {
  if (open !== undefined) {
    while (queues.size < open) await turn()
    for (let turns = 0; turns < 50; turns++) await turn()
    return process.send({ heap: heapUsed() })
  }
  const start = process.cpuUsage()
  for (let sent = 0; sent < events;) {
    for (let index = 0; index < perTurn; index++, sent++) for (const queue of queues) queue.push(DATA)
    await turn()
  }
  const { user, system } = process.cpuUsage(start)
  process.send({ cpu: user + system })
})

const port = await SERVERS[process.argv[2]]()
process.send({ port, heap: heapUsed() })
