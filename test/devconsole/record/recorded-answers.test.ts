/** Responses of every form in the console. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { gzipSync } from 'node:zlib'
import { after, before, describe, it } from 'node:test'
import { createApp, reply, Route, type App, type Middleware } from 'verbena'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { captureLog } from '#test/apps.js'
import { post, read, waitForSnapshot } from '#test/console.js'
import { openFeed } from '#test/console-feed.js'
import { HarSchema } from '#test/har-schema.js'

const COOKIES: [string, string][] = [
  ['set-cookie', 'a=1'],
  ['set-cookie', 'b=2'],
]

class Forms extends Route {
  static readonly path = '/forms/{kind}'
  static readonly put = this.contract({ timeout: 20 })

  get({ params }: { params: { kind: string } }) {
    if (params.kind === 'cached') return new Response(null, { status: 304, headers: { etag: '"a"' } })
    if (params.kind === 'empty') return reply(204)
    if (params.kind === 'cookies') return new Response('', { headers: COOKIES })
    if (params.kind === 'stream') return Readable.from(['a', 'b'])
    return 'x'.repeat(1_000)
  }

  post({ body }: { body: unknown }) {
    return { body }
  }

  async put({ signal }: { signal: AbortSignal }) {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
}

class Links extends Route {
  static readonly path = '/links/{token}'

  get() {
    return ''
  }
}

/** Compresses every response, like the middleware of an app. */
const compress: Middleware = async (_context, next) => {
  const { status, body } = await next()
  return reply(status, gzipSync(JSON.stringify(body))).with({
    'content-type': 'application/json',
    'content-encoding': 'gzip',
  })
}

describe('console: responses', () => {
  let app: App
  let url: string
  let port: number
  before(async () => {
    app = createApp({ routes: { Forms, Links }, logger: false, devConsole: true })
    ;({ url, port } = await app.listen())
  })
  after(() => app.close())

  async function recordOf(make: () => Promise<unknown>): Promise<RequestRecord> {
    const { seq } = await waitForSnapshot(url, 0)
    await make()
    for (;;) {
      const [newest] = (await waitForSnapshot(url, 0)).requests
      if (newest !== undefined && newest.seq > seq) return read(`${url}/__dev__/api/requests/${newest.id}`)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  const sizeAndBody = (record: RequestRecord) => [
    record['http.response.status_code'],
    record['http.response.body.size'],
    record.response.body?.text?.length ?? null,
  ]

  it('shows no body for HEAD, 204 and 304', async () => {
    assert.deepEqual(sizeAndBody(await recordOf(() => fetch(`${url}/forms/a`))), [200, 1_000, 1_000])
    assert.deepEqual(sizeAndBody(await recordOf(() => fetch(`${url}/forms/a`, { method: 'HEAD' }))), [200, 0, null])
    assert.deepEqual(sizeAndBody(await recordOf(() => fetch(`${url}/forms/empty`))), [204, 0, null])
    assert.deepEqual(sizeAndBody(await recordOf(() => fetch(`${url}/forms/cached`))), [304, 0, null])
  })

  it('shows the sent headers, except X-Dev-Console and headers that Node adds', async () => {
    const notShown = new Set(['date', 'keep-alive', 'transfer-encoding', 'x-dev-console'])
    const recorded = async (path: string, init: RequestInit = {}) => {
      let fields: [string, string][] = []
      const record = await recordOf(async () => {
        const answer = await fetch(`${url}/forms/${path}`, init)
        fields = [...answer.headers].filter(([name, value]) => !notShown.has(name) && value !== 'keep-alive')
      })
      assert.deepEqual(new Map(record.response.headers), new Map(fields))
      return new Map(fields)
    }
    // Whether the connection ends with an answer to HEAD is a matter of the client.
    const namesOf = (fields: Map<string, string>) =>
      [...fields.keys()].filter((name) => name !== 'connection').join(' ')
    const text = 'content-length content-type x-content-type-options'
    assert.equal(namesOf(await recorded('a')), text)
    assert.equal(namesOf(await recorded('a', { method: 'HEAD' })), text)
    assert.equal(namesOf(await recorded('empty')), '')
    assert.equal(namesOf(await recorded('cached')), 'etag')
    assert.equal(namesOf(await recorded('stream')), 'content-type x-content-type-options')
    assert.equal(namesOf(await recorded('a', { method: 'DELETE' })), `allow ${text} x-request-id`)
    const unread = await recorded('a', { method: 'DELETE', body: 'x'.repeat(70_000) })
    assert.equal(unread.get('connection'), 'close')
  })

  it('shows the headers of responses without a socket', async () => {
    let fields: [string, string][] = []
    const record = await recordOf(async () => {
      const answer = await app.fetch(new Request('http://localhost/forms/cookies'))
      fields = [...answer.headers]
    })
    assert.deepEqual(
      record.response.headers,
      fields.map(([name, value]) => [name, name === 'set-cookie' ? 'redacted' : value]),
    )
    assert.equal(fields.filter(([name]) => name === 'set-cookie').length, 2)
  })

  it('shows the matched template of a 405, and no template for a 404', async () => {
    const record = await recordOf(() => fetch(`${url}/forms/a`, { method: 'DELETE' }))
    const { 'http.route': template, 'code.function.name': handler } = record
    assert.deepEqual([record['http.response.status_code'], template, handler], [405, '/forms/{kind}', null])
    const secret = await recordOf(() => fetch(`${url}/links/hunter2`, { method: 'DELETE' }))
    assert.deepEqual([secret['url.path'], secret.params], ['/links/{token}', { token: 'redacted' }])
    const none = await recordOf(() => fetch(`${url}/none`))
    assert.deepEqual([none['http.route'], none['http.response.status_code']], [null, 404])
  })

  it('shows the 503 of a handler timeout', async () => {
    const record = await recordOf(() => fetch(`${url}/forms/a`, { method: 'PUT' }))
    assert.deepEqual([record['http.response.status_code'], record['dev.flags']], [503, ['error']])
    assert.equal(record.error?.message, 'The server took too long to respond')
  })

  it('shows the final response after a 100 Continue', async () => {
    const record = await recordOf(async () => {
      const socket = connect(port, '127.0.0.1')
      const head =
        'POST /forms/a HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 7\r\n'
      socket.write(`${head}Expect: 100-continue\r\nConnection: close\r\n\r\n`)
      assert.match(String((await once(socket, 'data'))[0]), /^HTTP\/1\.1 100 /)
      socket.end('{"a":1}')
      await once(socket.resume(), 'close')
    })
    assert.deepEqual(
      [record['http.response.status_code'], record.request.body?.text, record.response.body?.text],
      [200, '{"a":1}', '{"body":{"a":1}}'],
    )
  })

  it('exports a valid HAR archive', async () => {
    await recordOf(() => post(`${url}/forms/a?x=1&y=a%20b`, { a: 1 }))
    await recordOf(() => fetch(`${url}/none`))
    const archive = await read(`${url}/__dev__/api/har`)
    const { log } = HarSchema.parse(archive)
    assert.ok(log.entries.length >= 2)
  })
})

describe('console: compressed responses', () => {
  it('does not compress its own responses, and shows the encoding of compressed bodies', async () => {
    await using app = createApp({ routes: { Forms }, middleware: [compress], logger: false, devConsole: true })
    const { url } = await app.listen()
    const feed = await openFeed(url)
    await feed.until('hello')
    const asked = await fetch(`${url}/forms/a`)
    assert.deepEqual([asked.headers.get('content-encoding'), await asked.json()], ['gzip', 'x'.repeat(1_000)])
    await feed.until('req', (data) => JSON.stringify(data).includes('/forms/a'))
    feed.close()
    for (const path of ['', '/api/snapshot', '/requests', '/api/har']) {
      const answer = await fetch(`${url}/__dev__${path}`, { headers: { 'accept-encoding': 'gzip' } })
      assert.deepEqual([answer.status, answer.headers.get('content-encoding')], [200, null], path)
    }
    const { requests } = await waitForSnapshot(url, 1)
    const { response } = await read<RequestRecord>(`${url}/__dev__/api/requests/${requests[0]?.id}`)
    assert.deepEqual([response.body?.text, response.body?.hex?.slice(0, 4)], [null, '1f8b'])
  })

  it('sends headers that stop proxies from changing the feed', async () => {
    await using app = createApp({ routes: { Forms }, logger: false, devConsole: true })
    const { url } = await app.listen()
    const leaving = new AbortController()
    const { headers } = await fetch(`${url}/__dev__/events`, { signal: leaving.signal })
    assert.deepEqual(
      ['cache-control', 'x-accel-buffering', 'content-type'].map((name) => headers.get(name)),
      ['no-store, no-transform', 'no', 'text/event-stream'],
    )
    leaving.abort()
  })
})

describe('console: closing the app', () => {
  it('does not wait for open feeds when the app closes', async () => {
    const { logger, lines } = captureLog()
    const app = createApp({ routes: { Forms }, logger, devConsole: true, timeouts: { close: 600_000 } })
    const { url } = await app.listen()
    const feeds = [await openFeed(url), await openFeed(url), await openFeed(url), await openFeed(url)]
    for (const feed of feeds) await feed.until('hello')
    await app.close()
    for (const feed of feeds) {
      await feed.ended
      assert.equal(feed.events.at(-1)?.type, 'bye')
    }
    const warned = lines.filter(({ level }) => level === 'warn' || level === 'error')
    assert.deepEqual(warned, [])
  })
})

/** Returns the bytes of a response with a fixed `Date`, which differs between requests. */
function bytesOf(port: number, path: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: one\r\nConnection: close\r\n\r\n`)
    })
    socket.on('data', (chunk) => (text += chunk.toString()))
    socket.on('error', reject)
    socket.on('close', () => resolve(text.replace(/^date: .*$/gim, 'date: then')))
  })
}

describe('console: disabled or hidden', () => {
  it('responds to console paths exactly like to unknown paths if the console is off', async () => {
    await using app = createApp({ routes: { Forms }, logger: false, devConsole: false, trustProxy: ['127.0.0.1'] })
    const { port } = await app.listen()
    const expected = await bytesOf(port, '/nowhere')
    assert.match(expected, /^HTTP\/1\.1 404 Not Found\r\n[^]*"requestId":"one"/)
    for (const path of ['/__dev__', '/__dev__/', '/__dev__/events', '/__dev__/api/snapshot', '/__dev__/session']) {
      assert.equal(await bytesOf(port, path), expected, path)
    }
  })

  it('responds to clients that are not allowed exactly like to unknown paths', async () => {
    await using app = createApp({ routes: { Forms }, logger: false, devConsole: true, trustProxy: ['127.0.0.1'] })
    const { port } = await app.listen()
    const through = (path: string) => bytesOf(port, `${path} HTTP/1.1\r\nX-Forwarded-For: 10.0.0.1\r\nX-Ignored: x`)
    assert.equal(await through('/__dev__'), await through('/nowhere'))
  })
})
