/**
 * Endpoints that read no credentials respond as they did before others got `Vary` and `Cache-Control`, and streams as before the
 * `no-transform` of `events`.
 */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { bearer, events, HttpError, Route, stream, type Input } from 'verbena'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'
import { onCleanup } from '#test/cleanup.js'
import { exchangeBytes } from '#test/wire.js'

const user = bearer((token) => token === 'a1b2' && 'ada')

/** Requests, with the bytes of both responses before credentials had an effect: on a kept and on an ended connection. */
const UNCHANGED: readonly (readonly [request: string, response: string])[] = [
  [
    'GET /open',
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 7\r\nx-content-type-options: nosniff\r\netag: "AVq9f1zFei3ZS3WQ8ErYCEJzkF7"\r\n\r\n{"a":1}',
  ],
  [
    'HEAD /open',
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 7\r\nx-content-type-options: nosniff\r\netag: "AVq9f1zFei3ZS3WQ8ErYCEJzkF7"\r\n\r\n',
  ],
  ['GET /open?a=1\r\nIf-None-Match: *', 'HTTP/1.1 304 Not Modified\r\netag: "AVq9f1zFei3ZS3WQ8ErYCEJzkF7"\r\n\r\n'],
  [
    'GET /open\r\nAuthorization: Bearer a1b2\r\nCookie: a=b',
    'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 7\r\nx-content-type-options: nosniff\r\netag: "AVq9f1zFei3ZS3WQ8ErYCEJzkF7"\r\n\r\n{"a":1}',
  ],
  [
    'POST /open',
    'HTTP/1.1 409 Conflict\r\ncontent-type: application/problem+json\r\ncontent-length: 81\r\nx-content-type-options: nosniff\r\n\r\n{"type":"about:blank","title":"Conflict","status":409}',
  ],
  ['DELETE /open', 'HTTP/1.1 204 No Content\r\n\r\n'],
  [
    'PATCH /open',
    'HTTP/1.1 405 Method Not Allowed\r\ncontent-type: application/problem+json\r\ncontent-length: 164\r\nx-content-type-options: nosniff\r\nallow: DELETE, GET, HEAD, OPTIONS, POST, PUT\r\n\r\n{"type":"about:blank","title":"Method Not Allowed","status":405,"detail":"This path only supports DELETE, GET, HEAD, OPTIONS, POST, PUT"}',
  ],
  [
    'GET /nothing',
    'HTTP/1.1 404 Not Found\r\ncontent-type: application/problem+json\r\ncontent-length: 123\r\nx-content-type-options: nosniff\r\n\r\n{"type":"about:blank","title":"Not Found","status":404,"detail":"No resource matches this path"}',
  ],
  ['OPTIONS /open', 'HTTP/1.1 204 No Content\r\nallow: DELETE, GET, HEAD, OPTIONS, POST, PUT\r\n\r\n'],
  [
    'GET /stream',
    'HTTP/1.1 200 OK\r\ncontent-type: text/plain; charset=utf-8\r\nx-content-type-options: nosniff\r\nTransfer-Encoding: chunked\r\n\r\n1\r\na\r\n0\r\n\r\n',
  ],
  [
    'GET /own-events',
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-content-type-options: nosniff\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n',
  ],
  [
    'GET /cached-events',
    'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nx-content-type-options: nosniff\r\ncache-control: no-cache\r\nx-accel-buffering: no\r\nTransfer-Encoding: chunked\r\n\r\n9\r\ndata: 1\n\n\r\n0\r\n\r\n',
  ],
]

describe('responses of other endpoints', () => {
  class Open extends Route {
    static readonly get = this.contract({ etag: true, returns: z.object({ a: z.number() }) })
    get() {
      return { a: 1 }
    }
    post() {
      throw new HttpError(409)
    }
    static readonly put = this.contract({ uses: { user } })
    put() {}
    delete() {}
  }

  class Stream extends Route {
    async *get() {
      yield 'a'
    }
  }

  class OwnEvents extends Route {
    static readonly get = this.contract({ returns: stream({ types: ['text/event-stream'] }) })
    async *get() {
      yield 'data: 1\n\n'
    }
  }

  class CachedEvents extends Route {
    static readonly get = this.contract({ returns: events(z.number()) })
    async *get({ response }: Input<typeof CachedEvents.get>) {
      response.header('cache-control', 'no-cache')
      yield { data: 1 }
    }
  }

  it('sends the same bytes as before, also at a path with an endpoint that reads credentials', async (t) => {
    const app = createUntypedApp({
      routes: { Open, Stream, OwnEvents, CachedEvents },
      signals: false,
      devConsole: false,
    })
    onCleanup(t, () => app.close())
    const { port } = await app.listen()
    for (const [request, response] of UNCHANGED) {
      const [line = '', ...fields] = request.split('\r\n')
      const head = [`${line} HTTP/1.1`, 'Host: a', ...fields].join('\r\n')
      const bytes = await exchangeBytes(port, `${head}\r\n\r\n${head}\r\nConnection: close\r\n\r\n`)
      const changing = /^(?:Date|Connection|Keep-Alive): .*\r\n|^x-request-id: .*\r\n|,"requestId":"[^"]*"/gm
      assert.equal(bytes.replaceAll(changing, ''), response.repeat(2), request)
    }
  })
})
