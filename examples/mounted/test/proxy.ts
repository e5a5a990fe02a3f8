/** Responses of the package undici. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it, type TestContext } from 'node:test'
import { gzipSync } from 'node:zlib'
import { createApp } from 'verbena'
import { Upstream, mountProxy } from '../proxy.js'
import { readToClose, start } from './start.js'

async function startProxy(t: TestContext) {
  const streams = new Set<ServerResponse>()
  const upstream = createServer((request, response) => {
    if (request.url === '/text') response.setHeader('set-cookie', ['a=1', 'b=2']).end('plain')
    else if (request.url === '/gzip') response.setHeader('content-encoding', 'gzip').end(gzipSync('unzipped'))
    else if (request.url === '/events') {
      streams.add(response.on('close', () => streams.delete(response)))
      response.setHeader('content-type', 'text/event-stream').write('data: 1\n\n')
    } else response.writeHead(302, { location: '/text' }).end()
  })
  await once(upstream.listen(0, '127.0.0.1'), 'listening')
  t.after(() => upstream.close().closeAllConnections())
  // Proof: the server listens on a TCP port.
  const origin = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`
  const routes = { '/old': mountProxy('/old', origin), Upstream }
  return { ...(await start(t, createApp({ routes, services: { origin }, logger: false, signals: false }))), streams }
}

describe('undici', () => {
  it('passes status, cookies and decoded content on', async (t) => {
    const { url } = await startProxy(t)
    for (const path of ['/old/text', '/fetched']) {
      const response = await fetch(url + path)
      assert.deepEqual([response.status, response.headers.getSetCookie()], [200, ['a=1', 'b=2']], path)
      assert.equal(await response.text(), 'plain')
    }
    const unzipped = await fetch(`${url}/old/gzip`)
    assert.deepEqual([await unzipped.text(), unzipped.headers.get('content-encoding')], ['unzipped', null])
    const moved = await fetch(`${url}/old/moved`, { redirect: 'manual' })
    assert.deepEqual([moved.status, moved.headers.get('location')], [302, '/text'])
    const head = await fetch(`${url}/old/text`, { method: 'HEAD' })
    assert.deepEqual([head.status, await head.text()], [200, ''])
  })

  it('ends an event stream when the app closes, and the request for it', async (t) => {
    const { app, url, streams } = await startProxy(t)
    const text = await readToClose(app, await fetch(`${url}/old/events`), 'data: 1')
    assert.equal(text, 'data: 1\n\n')
    for (const response of streams) await once(response, 'close')
  })
})
