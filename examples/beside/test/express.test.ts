/** An Express 5 app by `otherwise`. */
import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { createNewApp } from '../app.js'
import { createLegacy } from '../legacy.js'
import { RawClient } from './raw.js'

async function start(t: TestContext, work?: () => Promise<void>) {
  const app = createNewApp()
  t.after(() => app.close())
  const { url } = await app.listen({ otherwise: createLegacy(work).set('env', 'test') })
  return { app, url }
}

const JSON_TYPE = { 'content-type': 'application/json' }

function format(method: string, path: string, body = ''): string {
  const content = body === '' ? '' : `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n`
  return `${method} ${path} HTTP/1.1\r\nHost: a\r\n${content}\r\n${body}`
}

describe('an Express app by otherwise', () => {
  it('responds to its paths, with its status and its parsed body', async (t) => {
    const { url } = await start(t)
    const response = await fetch(`${url}/old/teas`, { method: 'POST', headers: JSON_TYPE, body: '{"name":"green"}' })
    assert.deepEqual([response.status, await response.json()], [201, { received: { name: 'green' } }])
    const streamed = await fetch(`${url}/old/stream`)
    assert.equal(await streamed.text(), 'half whole')
  })

  it('limits its bodies itself', async (t) => {
    const { url } = await start(t)
    const body = JSON.stringify('a'.repeat(2_000))
    const response = await fetch(`${url}/old/teas`, { method: 'POST', headers: JSON_TYPE, body })
    assert.deepEqual([response.status, response.headers.get('content-type')], [413, 'text/html; charset=utf-8'])
  })

  it('responds with its own 404', async (t) => {
    const { url } = await start(t)
    const theirs = await fetch(`${url}/none`)
    assert.equal(theirs.status, 404)
    assert.match(await theirs.text(), /Cannot GET \/none/)
  })

  it('gets no request to a path of the app, with any method', async (t) => {
    const { url } = await start(t)
    const response = await fetch(`${url}/new/teas`, { method: 'DELETE' })
    assert.deepEqual([response.status, response.headers.get('allow')], [405, 'GET, HEAD, OPTIONS, POST'])
    const invalid = await fetch(`${url}/new/teas`, { method: 'POST', headers: JSON_TYPE, body: '{}' })
    assert.equal(invalid.status, 422)
  })

  it('responds to its own errors, and the connection stays open', async (t) => {
    const { url } = await start(t)
    const client = await RawClient.connect(url)
    for (const name of ['broken', 'rejected']) {
      const response = await client.send(format('GET', `/old/${name}`), /<\/html>\n/)
      assert.match(response, /^HTTP\/1\.1 500/)
      assert.match(await client.send(format('GET', '/new/teas'), /\[.*\]/), /^HTTP\/1\.1 200/)
    }
    client.socket.destroy()
  })

  it('shares a keep-alive connection with the app', async (t) => {
    const { url } = await start(t)
    const client = await RawClient.connect(url)
    for (let round = 0; round < 20; round++) {
      assert.match(await client.send(format('GET', '/old'), /\r\n\r\nold/), /^HTTP\/1\.1 200[^]*express/i)
      assert.match(await client.send(format('POST', '/new/teas', '{"name":"a"}'), /\{.*\}/), /^HTTP\/1\.1 201/)
      assert.match(await client.send(format('POST', '/old/teas', '{"name":"b"}'), /\{.*\}\}/), /^HTTP\/1\.1 201/)
      assert.match(await client.send(format('GET', '/old/stream'), /\r\n0\r\n\r\n/), /^HTTP\/1\.1 200/)
      assert.match(await client.send(format('HEAD', '/old'), /\r\n\r\n/), /^HTTP\/1\.1 200/)
      assert.match(await client.send(format('GET', '/new/teas'), /\[.*\]/), /^HTTP\/1\.1 200/)
    }
    client.socket.destroy()
  })

  it('responds to pipelined requests in their order', async (t) => {
    const { url } = await start(t)
    const client = await RawClient.connect(url)
    const requests = [
      format('GET', '/old/stream'),
      format('GET', '/new/teas'),
      format('POST', '/old/teas', '{"name":"b"}'),
      format('POST', '/new/teas', '{"name":"a"}'),
      format('GET', '/old'),
    ]
    const text = await client.send(requests.join(''), /\r\n\r\nold$/)
    const places = ['whole', '[{"name":"green"}]', '{"received"', '{"name":"a"}', '\r\n\r\nold'].map((part) =>
      text.indexOf(part),
    )
    assert.ok(
      places.every((place, index) => place > (places[index - 1] ?? 0)),
      String(places),
    )
    client.socket.destroy()
  })

  it('finishes a request in progress when the app closes', async (t) => {
    let release = (): void => {}
    const opened = new Promise<void>((resolve) => (release = resolve))
    let enter = (): void => {}
    const entered = new Promise<void>((resolve) => (enter = resolve))
    const { app, url } = await start(t, () => {
      enter()
      return opened
    })
    const client = await RawClient.connect(url)
    const idle = await RawClient.connect(url)
    await idle.send(format('GET', '/old'), /\r\n\r\nold/)
    const response = client.send(format('GET', '/old/slow'), /\r\n\r\ndone/)
    await entered
    const closed = app.close()
    await idle.ended()
    release()
    assert.match(await response, /^HTTP\/1\.1 200 OK\r\n/)
    await Promise.all([closed, client.ended()])
    await assert.rejects(fetch(`${url}/old`))
  })
})
