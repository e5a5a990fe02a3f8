/** Headers about the connection, which are not forwarded (RFC 9110 section 7.6.1), and the address of a client. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { reply, Route, type Context } from 'verbena'
import { sendRequest, createUntypedApp } from '#test/apps.js'
import { sendStrictly } from '#test/attack-rows.js'

const FIELDS = {
  'keep-alive': 'timeout=600',
  'proxy-connection': 'keep-alive',
  te: 'trailers',
  trailer: 'x-checksum',
  'transfer-encoding': 'gzip',
}

type Method = (context: Context) => unknown

/** Ways to set headers. */
const METHODS: Readonly<Record<string, Method>> = {
  'response.header()': ({ response }) => {
    for (const [name, value] of Object.entries(FIELDS)) response.header(name, value)
    return { ok: true }
  },
  'reply()': () => reply(200, { ok: true }, FIELDS),
  'reply() of a stream': () => reply(200, chunks(), FIELDS),
  'a Response': () => new Response('{"ok":true}', { headers: FIELDS }),
}

async function* chunks() {
  yield 'a'
}

function getOf(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
}

function appOf(method: Method, options: object = {}) {
  class Probe extends Route {
    get(context: Context) {
      return method(context)
    }
  }
  return createUntypedApp({ routes: { Probe }, signals: false, ...options })
}

describe('headers about a connection', () => {
  for (const [name, method] of Object.entries(METHODS)) {
    it(`removes connection headers from ${name}`, async () => {
      for (const fastPath of [true, false]) {
        const app = appOf(method, { fastPath })
        const { port } = await app.listen()
        const [answer] = await sendStrictly(port, getOf('/probe'))
        await app.close()
        assert.equal(answer?.status, 200)
        for (const field of ['keep-alive', 'proxy-connection', 'te', 'trailer']) {
          assert.equal(answer?.headers.has(field), false, field)
        }
        assert.notDeepEqual(answer?.headers.get('transfer-encoding'), ['gzip'])
      }
      const { headers } = await sendRequest(appOf(method), '/probe')
      for (const field of Object.keys(FIELDS)) assert.equal(headers.has(field), false, field)
    })
  }

  it('removes connection headers from the response of an upstream server', async () => {
    const upstream = createServer((_, response) => response.writeHead(200, { 'keep-alive': 'timeout=600' }).end('a'))
    await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
    // Proof: it listens on TCP.
    const { port } = upstream.address() as AddressInfo
    const app = appOf(() => fetch(`http://127.0.0.1:${port}`))
    try {
      const { headers } = await sendRequest(app, '/probe')
      assert.equal(headers.has('keep-alive'), false)
    } finally {
      upstream.close()
      upstream.closeAllConnections()
    }
  })

  it('keeps "Connection: close" set by a handler', async () => {
    const app = appOf(({ response }) => void response.header('connection', 'close'))
    const { port } = await app.listen()
    const [answer] = await sendStrictly(port, 'GET /probe HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await app.close()
    assert.deepEqual([answer?.status, answer?.headers.get('connection')], [204, ['close']])
  })
})

describe('request.ip', () => {
  it('is an IPv4 address on a server that listens on IPv4 and IPv6', async () => {
    const app = appOf(({ request }) => ({ ip: request.ip }))
    const { port } = await app.listen({ host: '::' })
    const response = await fetch(`http://127.0.0.1:${port}/probe`)
    assert.deepEqual(await response.json(), { ip: '127.0.0.1' })
    await app.close()
  })

  it('is an IPv4 address if a proxy sends its IPv6-mapped form', async () => {
    const app = appOf(({ request }) => ({ ip: request.ip }), { trustProxy: ['127.0.0.1'] })
    const { url } = await app.listen()
    for (const headers of [
      { 'x-forwarded-for': '::ffff:192.0.2.7' },
      { forwarded: 'for="[::ffff:c000:207]"' },
      { 'x-forwarded-for': '192.0.2.7', forwarded: 'for="[::ffff:192.0.2.7]"' },
    ]) {
      const response = await fetch(`${url}/probe`, { headers })
      assert.deepEqual(await response.json(), { ip: '192.0.2.7' }, JSON.stringify(headers))
    }
    await app.close()
  })
})
