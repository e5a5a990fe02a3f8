/** Default headers of well-known clients, sent over a socket. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import * as zlib from 'node:zlib'
import { createApp, Route } from 'verbena'
import * as z from 'zod'
import { CLIENT_HEADERS } from '#test/client-headers.js'
import { askWire } from '#test/e2e.js'

/** In the order that the server prefers. Node.js before 22.15 has no zstd. */
const CODINGS = ['createZstdCompress' in zlib ? 'zstd' : '', 'br', 'gzip']

class Users extends Route {
  static readonly get = this.contract({ returns: z.array(z.object({ name: z.string() })) })
  get() {
    return Array.from({ length: 200 }, () => ({ name: 'Ada' }))
  }
}

describe('default headers of clients', () => {
  const app = createApp({ routes: { Users }, logger: false, signals: false, compression: {} })
  let port = 0
  before(async () => {
    port = (await app.listen()).port
  })
  after(() => app.close())

  for (const { client, accept, encoding } of CLIENT_HEADERS) {
    it(`respond 200 to the default headers of ${client}`, async () => {
      const headers = {
        ...(accept === undefined ? {} : { accept }),
        ...(encoding === undefined ? {} : { 'accept-encoding': encoding }),
      }
      const response = await askWire(port, { target: '/users', headers })
      assert.equal(response.status, 200)
      assert.equal(response.headers.get('content-type'), 'application/json')
      const coding = CODINGS.find((name) => encoding?.split(/[,;] ?/).includes(name))
      assert.equal(response.headers.get('content-encoding') ?? undefined, coding)
    })
  }
})
