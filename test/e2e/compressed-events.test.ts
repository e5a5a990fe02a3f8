/** `compression` of event streams: their default `no-transform` concerns only proxies, but one of the author also compression. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { events, reply, Route, type Middleware } from 'verbena'
import * as z from 'zod'
import { createUntypedApp, looseContract } from '#test/apps.js'

const NO_TRANSFORM = { 'cache-control': 'no-store, no-transform' }

async function* oneEvent() {
  yield { data: 'green tea' }
}

/** Returns the content coding and `Cache-Control` of the result of `get`. */
async function headersOf(get: () => unknown, middleware: readonly Middleware[] = []) {
  class Feed extends Route {
    static readonly get = looseContract({ name: 'Feed' }, { returns: events(z.string()) })
    get() {
      return get()
    }
  }
  const app = createUntypedApp({ routes: { Feed }, compression: {}, middleware })
  const headers = { 'accept-encoding': 'br' }
  const response = await app.fetch(new Request('http://localhost/feed', { headers }))
  await response.arrayBuffer()
  return [response.headers.get('content-encoding'), response.headers.get('cache-control')]
}

describe('compression: event streams', () => {
  it('compresses a stream with the default Cache-Control', async () => {
    const compressed = ['br', NO_TRANSFORM['cache-control']]
    assert.deepEqual(await headersOf(oneEvent), compressed)
    assert.deepEqual(await headersOf(() => reply(200, oneEvent(), { 'x-a': '1' })), compressed)
    const named: Middleware = async (_, next) => (await next()).with({ 'x-a': '1' })
    assert.deepEqual(await headersOf(oneEvent, [named]), compressed)
  })

  it('does not compress a stream with no-transform of its author', async () => {
    const before: Middleware = ({ response }, next) => {
      response.header('cache-control', NO_TRANSFORM['cache-control'])
      return next()
    }
    const after: Middleware = async (_, next) => (await next()).with(NO_TRANSFORM)
    const unchanged = [null, NO_TRANSFORM['cache-control']]
    assert.deepEqual(await headersOf(() => reply(200, oneEvent(), NO_TRANSFORM)), unchanged)
    for (const middleware of [before, after]) assert.deepEqual(await headersOf(oneEvent, [middleware]), unchanged)
  })
})
