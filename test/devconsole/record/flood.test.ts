/** Floods of requests: the console only counts most of them, and shows the known data of notable ones. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createApp, Route, type App } from 'verbena'
import { speed, version } from 'verbena/decorators'
import * as z from 'zod'
import type { Snapshot } from '#src/devconsole/wire/feed-types.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { read, snapshotWhere, waitForSnapshot } from '#test/console.js'

class Flood extends Route {
  get() {
    return 'ok'
  }
}

class Orders extends Route {
  static readonly path = '/orders/{id}'
  static readonly post = this.contract({ body: z.object({ count: z.number() }) })
  static readonly put = this.contract({ timeout: 20 })

  get() {
    throw new TypeError('No such order')
  }

  post() {
    return 'made'
  }

  async put({ signal }: { signal: AbortSignal }) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
}

class Streams extends Route {
  async *get() {
    yield 'half'
    await new Promise((resolve) => setTimeout(resolve, 850))
    yield 'whole'
  }
}

class Editions extends Route {
  @version('>=2')
  get() {
    return 'second'
  }
}

class Never extends Route {
  async get({ signal }: { signal: AbortSignal }) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return 'nobody reads this'
  }
}

class Counter {
  add(value: number): number {
    return value + 1
  }
}

class Busy extends Route<{ counter: Counter }> {
  get() {
    let sum = 0
    for (let call = 0; call < 50; call++) sum = this.counter.add(sum)
    return sum
  }
}

describe('console: many requests with many calls', () => {
  it('records fewer requests if each has many service calls', async () => {
    await using app = createApp({
      routes: { Busy },
      services: { counter: new Counter() },
      logger: false,
      devConsole: true,
    })
    const { url } = await app.listen()
    for (let request = 0; request < 150; request++) assert.equal(await (await fetch(`${url}/busy`)).text(), '50')
    const { requests, buffer } = await snapshotWhere(url, (snapshot) => {
      return snapshot.requests.length + snapshot.buffer.skipped === 150
    })
    assert.ok(requests.length >= 100 && requests.length < 150, String(requests.length))
    return assert.ok(buffer.skipped > 0)
  })
})

describe('console: many requests', () => {
  let app: App
  let url: string
  let port: number
  before(async () => {
    const routes = { Flood, Orders, Streams, Editions, Never }
    app = createApp({ routes, logger: false, devConsole: true })
    ;({ url, port } = await app.listen())
  })
  after(() => app.close())

  /** Sends more requests than the console records at the same time. */
  async function flooded(): Promise<void> {
    for (let index = 0; index < 800; index++) await app.fetch(new Request('http://localhost/flood'))
  }

  /** The record of a request for which there was no room when it began. */
  async function lateRecordOf(path: string, make: () => Promise<unknown>): Promise<RequestRecord> {
    for (;;) {
      const { seq } = await waitForSnapshot(url, 0)
      await flooded()
      await make()
      const record = await recordAfter(seq, path)
      if (record['dev.phases'].length === 0) return record
    }
  }

  async function recordAfter(seq: number, path: string): Promise<RequestRecord> {
    for (;;) {
      const { requests } = await waitForSnapshot(url, 0)
      const found = requests.find((each) => each.seq > seq && each['url.path'] === path)
      if (found !== undefined) return read(`${url}/__dev__/api/requests/${found.id}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  it('counts all requests', async () => {
    const before = (await waitForSnapshot(url, 0)).buffer
    await flooded()
    const after = (await waitForSnapshot(url, 0)).buffer
    assert.equal(after.total - before.total, 800)
    const { endpoints } = (await waitForSnapshot(url, 0)).metrics
    assert.equal(endpoints.find(({ template }) => template === '/flood')?.calls, after.total)
  })

  it('shows the body and the issues of a rejected request', async () => {
    const body = JSON.stringify({ count: 'many' })
    const headers = { 'content-type': 'application/json' }
    const record = await lateRecordOf('/orders/1', () => fetch(`${url}/orders/1`, { method: 'POST', body, headers }))
    assert.deepEqual([record['http.response.status_code'], record['http.route']], [422, '/orders/{id}'])
    assert.deepEqual([record.request.body?.text, record.issues[0]?.where], [body, 'body.count'])
    assert.ok(record.response.headers.some(([name]) => name === 'content-type'))
  })

  it('shows an exception with its log line', async () => {
    const record = await lateRecordOf('/orders/2', () => fetch(`${url}/orders/2`))
    assert.deepEqual([record['error.type'], record.logs.length], ['TypeError', 1])
    assert.equal(record['code.function.name'], 'Orders.get')
  })

  it('shows a timeout and a slow stream with its size', async () => {
    const late = await lateRecordOf('/orders/3', () => fetch(`${url}/orders/3`, { method: 'PUT' }))
    assert.equal(late['http.response.status_code'], 503)
    const slow = await lateRecordOf('/streams', async () => (await fetch(`${url}/streams`)).text())
    assert.deepEqual([slow['http.response.status_code'], slow.response.body?.size], [200, 9])
    assert.ok(slow['dev.duration'] >= 850 && slow['dev.flags'].includes('slow'))
  })

  it('shows the requested version', async () => {
    const record = await lateRecordOf('/editions', () =>
      fetch(`${url}/editions`, { headers: { 'accept-version': '1' } }),
    )
    assert.deepEqual([record['http.response.status_code'], record.version?.asked], [406, '1'])
  })

  it('shows a request whose client has disconnected', async () => {
    const record = await lateRecordOf('/never', async () => {
      const socket = connect(port, '127.0.0.1', () => socket.write('GET /never HTTP/1.1\r\nHost: a\r\n\r\n'))
      await new Promise((resolve) => setTimeout(resolve, 30))
      socket.destroy()
      await once(socket, 'close')
    })
    assert.deepEqual([record.aborted, record['http.response.status_code']], [true, 0])
  })
})

describe('console: unobserved requests', () => {
  class Held extends Route {
    static readonly get = this.contract({ decorators: [speed] })
    async get({ signal }: { signal: AbortSignal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve))
      return 'let go'
    }
  }

  it('ignores requests that started before the console, without a negative count in flight', async () => {
    const app = createApp({ routes: { Held }, logger: false, devConsole: true })
    const controller = new AbortController()
    const answer = app.fetch(new Request('http://localhost/held', { signal: controller.signal })).catch(() => null)
    const { url } = await app.listen()
    try {
      controller.abort()
      await answer
      assert.equal(app.metrics().total.count, 1)
      const { buffer, metrics } = await pointOf(url)
      assert.deepEqual([buffer.total, metrics.points[0]?.inFlight], [0, 0])
    } finally {
      await app.close()
    }
  })

  it('does not record requests to the console or to ignored paths, even with many requests and log lines', async () => {
    const devConsole = { ignore: ['/flood', '/orders/*'] }
    const app = createApp({ routes: { Flood, Orders }, logger: false, devConsole })
    const { url } = await app.listen()
    try {
      for (let index = 0; index < 800; index++) await app.fetch(new Request('http://localhost/flood'))
      assert.equal((await fetch(`${url}/orders/2`)).status, 500)
      assert.equal((await app.fetch(new Request('http://localhost/__dev__/x'))).status, 404)
      const { buffer, metrics, requests } = await pointOf(url)
      assert.deepEqual([buffer.total, metrics.points[0]?.inFlight, requests, metrics.endpoints], [0, 0, [], []])
    } finally {
      await app.close()
    }
  })

  /** The first second takes one to be over. */
  function pointOf(url: string): Promise<Snapshot> {
    return snapshotWhere(url, ({ metrics }) => metrics.points.length > 0)
  }
})
