/** Bodies without `Content-Type`, over sockets (RFC 9110 section 8.3). */
import assert from 'node:assert/strict'
import { request, type IncomingMessage } from 'node:http'
import { after, before, describe, it } from 'node:test'
import { text as readText } from 'node:stream/consumers'
import { bytes, createApp, Route, type App, type Input } from 'verbena'

class Uploads extends Route {
  static readonly put = this.contract({ body: bytes({ types: ['*/*'] }) })
  async put({ body }: Input<typeof Uploads.put>) {
    return Buffer.from(body).toString()
  }
}

type Fields = Readonly<Record<string, string | string[]>>

async function put(url: string, headers: Fields): Promise<[status: number | undefined, text: string]> {
  const call = request(`${url}/uploads`, { method: 'PUT', headers: { ...headers } })
  call.end('ab')
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    call.on('response', resolve).on('error', reject)
  })
  return [response.statusCode, await readText(response)]
}

for (const fastPath of [true, false]) {
  describe(`types: ['*/*'] with fastPath ${fastPath}`, () => {
    const app: App = createApp({ routes: { Uploads }, logger: false, signals: false, fastPath })
    let url = ''
    before(async () => {
      ;({ url } = await app.listen({ port: 0, host: '127.0.0.1' }))
    })
    after(() => app.close())

    it('accepts a body without Content-Type', async () => {
      assert.deepEqual(await put(url, { 'content-length': '2' }), [200, 'ab'])
    })

    it('accepts a body in chunks without Content-Type', async () => {
      assert.deepEqual(await put(url, { 'transfer-encoding': 'chunked' }), [200, 'ab'])
    })

    it('rejects a repeated Content-Type', async () => {
      const [status] = await put(url, { 'content-length': '2', 'content-type': ['image/png', 'image/gif'] })
      assert.equal(status, 415)
    })

    it('rejects an encoded body without Content-Type', async () => {
      const [status] = await put(url, { 'content-length': '2', 'content-encoding': 'gzip' })
      assert.equal(status, 415)
    })
  })
}
