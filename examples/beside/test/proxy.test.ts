/** The proxies of the task page: with `mount` and `fetch`, and with `otherwise` and http-proxy-3. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { after, before, describe, it } from 'node:test'
import { WebSocket } from 'ws'
import type { App } from 'verbena'
import { findFreePort } from '../../../test/support/how-to.js'
import { importApp, startServer } from './page-app.js'
import { RawClient } from './raw.js'
import { until } from './until.js'
import { Upstream } from './upstream.js'

const PAGE = 'proxy-to-another-server'

describe('a proxy with mount and fetch', () => {
  let upstream: Upstream
  let app: App
  let url: string

  before(async () => {
    upstream = await Upstream.start()
    app = await importApp(PAGE, { 4000: String(upstream.port) })
    url = (await app.listen()).url
  })
  after(async () => {
    await app.close()
    await upstream.close()
  })

  it('names the client, and drops its claims and the headers of its connection', async () => {
    const client = await RawClient.connect(url)
    const head = ['Host: shop.example', 'Connection: close, X-Hop, @', 'X-Hop: 1', 'TE: trailers', 'X-Kept: 1']
    const claims = [
      'X-Forwarded-For: 192.0.2.1',
      'X-Forwarded-Proto: https',
      'Forwarded: for=192.0.2.1',
      'X-Real-IP: 1',
    ]
    await client.send(`GET /shop/a?b=%20 HTTP/1.1\r\n${[...head, ...claims].join('\r\n')}\r\n\r\n`, /\r\n\r\n/)
    await client.ended()
    const request = upstream.received.at(-1)
    assert.equal(request?.url, '/shop/a?b=%20')
    const {
      host,
      'x-forwarded-for': ip,
      'x-forwarded-host': name,
      'x-forwarded-proto': scheme,
    } = request?.headers ?? {}
    assert.deepEqual([host, ip, name, scheme], [`127.0.0.1:${upstream.port}`, '127.0.0.1', 'shop.example', 'http'])
    const { te, forwarded, 'x-real-ip': realIp, 'x-hop': hop, 'x-kept': kept } = request?.headers ?? {}
    assert.deepEqual([te, forwarded, realIp, hop, kept], [undefined, undefined, undefined, undefined, '1'])
  })

  it('responds to HEAD with the length of GET', async () => {
    const got = await fetch(`${url}/shop/a`)
    const length = got.headers.get('content-length')
    assert.equal(length, String((await got.arrayBuffer()).byteLength))
    const head = await fetch(`${url}/shop/a`, { method: 'HEAD' })
    assert.deepEqual([head.headers.get('content-length'), await head.text()], [length, ''])
  })

  it('sends content that fetch has decompressed without its coding and length', async () => {
    const client = await RawClient.connect(url)
    const request = 'GET /shop/gzip HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAccept-Encoding: gzip\r\n\r\n'
    const response = await client.send(request, /0\r\n\r\n/)
    assert.equal(upstream.received.at(-1)?.headers['accept-encoding'], 'identity')
    assert.doesNotMatch(response, /content-encoding|content-length/i)
    assert.equal(response.split('tea ').length, 101)
  })

  it('passes redirects on, without headers of the connection', async () => {
    const { status, headers, body } = await fetch(`${url}/shop/redirect`, { redirect: 'manual' })
    await body?.cancel()
    assert.deepEqual([status, headers.get('location')], [302, '/elsewhere'])
    assert.deepEqual([headers.get('x-hop'), headers.getSetCookie()], [null, ['a=1', 'b=2']])
  })

  it('streams a request and its response in parallel', async () => {
    const client = await RawClient.connect(url)
    const head = 'POST /shop/echo HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n'
    assert.match(await client.send(`${head}3\r\none\r\n`, /one\r\n/), /^HTTP\/1\.1 200 OK/)
    await client.send('3\r\ntwo\r\n', /two\r\n/)
    await client.send('0\r\n\r\n', /0\r\n\r\n/)
    client.socket.destroy()
  })

  for (const head of ['Content-Length: 3\r\n\r\ntea', 'Transfer-Encoding: chunked\r\n\r\n3\r\ntea\r\n0\r\n\r\n']) {
    it(`forwards a body with ${head.split(':', 1)[0]}, also after a 100`, async () => {
      const client = await RawClient.connect(url)
      const request = `PUT /shop/echo HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n${head}`
      assert.match(await client.send(request, /tea\r\n0\r\n\r\n/), /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
      client.socket.destroy()
    })
  }

  it('passes an event stream on, and ends its request if the client leaves or the app closes', async () => {
    const client = new AbortController()
    const { headers, body } = await fetch(`${url}/shop/events`, { signal: client.signal })
    assert.equal(headers.get('content-type'), 'text/event-stream')
    const reader = body?.getReader()
    assert.equal(new TextDecoder().decode((await reader?.read())?.value), 'data: 1\n\n')
    client.abort()
    await until(() => upstream.aborted.length === 1)

    const closing = await importApp(PAGE, { 4000: String(upstream.port) })
    const events = await fetch(`${(await closing.listen()).url}/shop/events`)
    await closing.close()
    assert.equal(await events.text(), 'data: 1\n\n')
    await until(() => upstream.aborted.length === 2)
  })

  it('cuts a response that its upstream does not finish', async () => {
    const response = await fetch(`${url}/shop/broken`)
    await assert.rejects(response.text(), /terminated/)
  })

  it('rejects a path with dots, which fetch would resolve', async () => {
    const client = await RawClient.connect(url)
    const count = upstream.received.length
    const response = await client.send('GET /shop/%2e%2e/admin HTTP/1.1\r\nHost: a\r\n\r\n', /\r\n\r\n/)
    assert.match(response, /^HTTP\/1\.1 400/)
    assert.equal(upstream.received.length, count)
    client.socket.destroy()
  })
})

describe('a proxy with otherwise and http-proxy-3', () => {
  let upstream: Upstream
  let app: App
  let url: string

  before(async () => {
    upstream = await Upstream.start()
    ;({ app, url } = await startServer(PAGE, { 4000: String(upstream.port) }))
  })
  after(async () => {
    await app.close()
    await upstream.close()
  })

  it('forwards requests, and drops claims of the client', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example' }
    const response = await fetch(`${url}/old`, { headers })
    assert.equal(await response.text(), `/old for 127.0.0.1 at ${url}\n`)
    const echo = await fetch(`${url}/echo`, { method: 'POST', body: 'tea' })
    assert.equal(await echo.text(), 'tea')
  })

  it('forwards a WebSocket', async () => {
    const headers = { 'x-forwarded-for': '192.0.2.1' }
    const socket = new WebSocket(`${url.replace('http', 'ws')}/live`, { headers })
    await once(socket, 'open')
    socket.send('tea')
    const [data] = await once(socket, 'message')
    assert.equal(String(data), 'tea')
    assert.equal(upstream.received.at(-1)?.headers['x-forwarded-for'], '127.0.0.1')
    socket.close()
    await once(socket, 'close')
  })

  it('forwards the rejection of a WebSocket', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/reject`)
    const [error] = await once(socket, 'error')
    assert.match(error.message, /403/)
  })

  it('responds to paths of the app itself, and never with a WebSocket', async () => {
    const socket = new WebSocket(`${url.replace('http', 'ws')}/shop/live`)
    const [error] = await once(socket, 'error')
    assert.match(error.message, /200/)
    assert.equal(upstream.received.at(-1)?.headers.upgrade, undefined)
  })

  it('ends WebSockets when the app closes', async () => {
    const own = await startServer(PAGE, { 4000: String(upstream.port) })
    const socket = new WebSocket(`${own.url.replace('http', 'ws')}/live`)
    await once(socket, 'open')
    await Promise.all([own.app.close(), once(socket, 'close')])
  })
})

describe('a proxy without an upstream', () => {
  it('responds with 502, also to a WebSocket', async (t) => {
    const { app, url } = await startServer(PAGE, { 4000: String(await findFreePort()) })
    t.after(() => app.close())
    const problem = await fetch(`${url}/shop/a`, { method: 'POST', body: 'tea' })
    assert.deepEqual([problem.status, problem.headers.get('content-type')], [502, 'application/problem+json'])
    assert.equal((await fetch(`${url}/old`)).status, 502)
    const socket = new WebSocket(`${url.replace('http', 'ws')}/live`)
    const [error] = await once(socket, 'error')
    assert.match(error.message, /hang up|502/)
  })
})
