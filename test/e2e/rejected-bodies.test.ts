/** The response to a body that is rejected while the client is still sending it. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { text } from 'node:stream/consumers'
import { createApp, json, Route, type App } from 'verbena'
import { z } from 'zod'

const PART = new Uint8Array(64 * 1024).fill(0x20)
/** More than the buffers of both kernels and the 4 MiB that Verbena discards of other input. */
const PARTS = 320
const TYPE = { 'content-type': 'application/json' }

class Uploads extends Route {
  static readonly post = this.contract({ body: json(z.unknown(), { limit: 1024 * 1024 }) })
  async post() {
    return 'received'
  }
}

function stream(): ReadableStream<Uint8Array> {
  let left = PARTS
  return new ReadableStream({
    pull(controller) {
      if (left-- > 0) controller.enqueue(PART)
      else controller.close()
    },
  })
}

/** Sends the whole body before it reads, as httpx, wget and some proxies do. Returns the status line. */
async function sendThenRead(port: number, framing: string): Promise<string | undefined> {
  const client = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  client.pause()
  client.write(`POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${framing}\r\n\r\n`)
  if (framing.includes('chunked')) client.write(`${(PARTS * PART.length).toString(16)}\r\n`)
  for (let part = 0; part < PARTS; part++) {
    if (!client.write(PART)) await once(client, 'drain')
  }
  client.end()
  await once(client, 'finish')
  return (await text(client)).split('\r\n')[0]
}

for (const fastPath of [true, false]) {
  describe(`a rejected body of 20 MB with fastPath ${fastPath}`, () => {
    const app: App = createApp({ routes: { Uploads }, logger: false, signals: false, fastPath })
    let [url, port] = ['', 0]
    before(async () => {
      ;({ url, port } = await app.listen({ port: 0, host: '127.0.0.1' }))
    })
    after(() => app.close())

    it('has its 413 at fetch with a stream', async () => {
      for (let turn = 0; turn < 4; turn++) {
        const init = { method: 'POST', headers: TYPE, body: stream(), duplex: 'half' } as const
        const response = await fetch(`${url}/uploads`, init)
        assert.equal(response.status, 413)
        assert.match(await response.text(), /The body is larger than 1048576 bytes/)
      }
    })

    for (const framing of [`Content-Length: ${PARTS * PART.length}`, 'Transfer-Encoding: chunked']) {
      it(`has its 413 at a client that sends everything before it reads: ${framing}`, async () => {
        assert.equal(await sendThenRead(port, framing), 'HTTP/1.1 413 Content Too Large')
      })
    }
  })
}
