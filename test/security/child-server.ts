/**
 * A server in a separate process, for tests that measure a process or end it. It sends its port to the parent process, and responds to
 * each `measure` message with a measurement.
 */
import { writeSync } from 'node:fs'
import { getHeapStatistics } from 'node:v8'
import { createServer } from 'node:http'
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises'
import { events, Route, type Context, type Input } from 'verbena'
import { upgrade } from 'verbena/upgrade'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'
import { PROBE_ROUTES } from '#test/probe.js'
import { SWITCHING } from '#test/upgrades.js'

/** Memory and resources of the process. */
export interface Measurement {
  readonly rss: number
  readonly heap: number
  /** Number of open connections. */
  readonly connections: number
  /** Number of timers, sockets and other resources, by name. */
  readonly resources: Readonly<Record<string, number>>
  readonly counts: typeof counts
}

const counts = { begun: 0, aborted: 0, opened: 0, stopped: 0, uploads: 0, cut: 0, done: 0, listeners: 0 }
class FiveMegabytes extends Route {
  get() {
    return Buffer.alloc(5 * 1024 * 1024, 'x')
  }
}

class Megabytes extends Route {
  static readonly get = this.contract({ query: z.object({ mb: z.number().int() }) })
  get({ query }: Input<typeof Megabytes.get>) {
    return Buffer.alloc(query.mb * 1024 * 1024, 'x')
  }
}

/** Waits until its client disconnects. */
class Waiting extends Route {
  async get({ signal }: Context) {
    counts.begun++
    await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    counts.aborted++
  }
}

class Endless extends Route {
  async *get() {
    counts.opened++
    try {
      for (;;) {
        yield 'x'.repeat(1000)
        await turn()
      }
    } finally {
      counts.stopped++
    }
  }
}

class Uploads extends Route {
  static readonly post = this.contract({ body: z.unknown() })
  post() {
    counts.uploads++
  }
}

class News extends Route {
  static readonly get = this.contract({ returns: events(z.number()) })
  async *get({ signal }: Input<typeof News.get>) {
    counts.opened++
    try {
      for (let n = 0; !signal.aborted; n++) {
        yield { data: n }
        await wait(20)
      }
    } finally {
      counts.stopped++
    }
  }
}

/** An event stream that starts after 300 ms. */
class LateNews extends Route {
  static readonly get = this.contract({ returns: events(z.number()) })
  async get({ signal }: Input<typeof LateNews.get>) {
    counts.begun++
    await wait(300)
    return new News().get({ signal } as Input<typeof News.get>)
  }
}

/** Never responds. */
class Stuck extends Route {
  async get() {
    counts.begun++
    await new Promise(() => {})
  }
}

/** Responds after `ms`, and counts completed requests. */
class Working extends Route {
  static readonly get = this.contract({ query: z.object({ ms: z.number().int() }) })
  async get({ query }: Input<typeof Working.get>) {
    counts.begun++
    await wait(query.ms)
    counts.done++
    return 'worked'
  }
}

/** Accepts an upgrade, and then sends nothing. */
const idle = upgrade({}, (_, socket) => void socket.write(SWITCHING))
const upgrades = process.argv.includes('upgrades') ? { '/idle': idle } : {}
const options: unknown = JSON.parse(process.argv[2] ?? '{}')
const kinds = { FiveMegabytes, Megabytes, Waiting, Endless, Uploads, News, LateNews, Stuck, Working }
const routes = { ...PROBE_ROUTES, ...kinds, ...upgrades }
const app = createUntypedApp({ routes, ...(typeof options === 'object' ? options : {}) })
const server = createServer({ requireHostHeader: false, connectionsCheckingInterval: 1000 })
const isAttached = process.argv.includes('attached')

if (isAttached) {
  app.attach(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
}
const address = isAttached ? server.address() : await app.listen()
process.send?.({ port: typeof address === 'object' ? address?.port : 0 })
process.on('exit', () => writeSync(1, JSON.stringify(counts)))
process.on('message', (message) => {
  if (message === 'measure') void measure().then((measured) => process.send?.(measured))
  if (message === 'mix') void mix().then(() => process.send?.('mixed'))
  if (message === 'close') void app.close().then(() => process.send?.('closed'))
  if (message === 'leave') process.disconnect()
})

async function measure(): Promise<Measurement> {
  for (let round = 0; round < 4; round++) {
    globalThis.gc?.()
    await wait(5)
  }
  const resources: Record<string, number> = {}
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1
  const listeners = process.eventNames().reduce((sum, name) => sum + process.listenerCount(name), 0)
  const connections = await new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)))
  const heap = getHeapStatistics().used_heap_size
  return { rss: process.memoryUsage.rss(), heap, connections, resources, counts: { ...counts, listeners } }
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Handles 1,000 requests of different kinds in process. */
async function mix(): Promise<void> {
  const asked: readonly (readonly [string, RequestInit?])[] = [
    ['/alive'],
    ['/nothing'],
    ['/query?limit=7&tag=a&tag=b'],
    ['/query?limit=x'],
    ['/echo/%zz'],
    ['/chunks'],
    ['/ticks'],
    ['/person', { method: 'POST', headers: JSON_TYPE, body: '{"name":"Ada"}' }],
    ['/json', { method: 'POST', headers: JSON_TYPE, body: '{' }],
    ['/small', { method: 'POST', headers: JSON_TYPE, body: `"${'x'.repeat(99)}"` }],
  ]
  for (let round = 0; round < 100; round++) {
    await Promise.all(
      asked.map(async ([target, init]) => {
        const response = await app.fetch(new Request(`http://localhost${target}`, init))
        await response.arrayBuffer()
      }),
    )
  }
}
