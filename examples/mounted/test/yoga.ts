/** GraphQL Yoga over sockets. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createClient } from 'graphql-sse'
import { ADA, closeFast, json, readToClose, start } from './start.js'

const SUBSCRIPTION = { query: 'subscription { ticks }' }

describe('GraphQL Yoga', () => {
  it('responds to queries with the value of a provider', async (t) => {
    const { url } = await start(t)
    const ask = async (init: RequestInit) => {
      const response = await fetch(`${url}/graphql`, init)
      return [response.status, response.headers.get('content-type')?.split(';')[0], await response.json()]
    }
    const query = { query: '{ viewer }' }
    assert.deepEqual(await ask(json(query)), [200, 'application/json', { data: { viewer: null } }])
    assert.deepEqual(await ask(json(query, ADA)), [200, 'application/json', { data: { viewer: 'ada' } }])
    const { status } = await fetch(`${url}/graphql`, json(query, { authorization: 'Bearer wrong' }))
    assert.equal(status, 401)
    const got = await fetch(`${url}/graphql?query={viewer}`, { headers: ADA })
    assert.deepEqual(await got.json(), { data: { viewer: 'ada' } })
    const accept = 'application/graphql-response+json'
    const typed = await fetch(`${url}/graphql`, json({ query: '{ nothing }' }, { accept }))
    assert.deepEqual([typed.status, typed.headers.get('content-type')?.split(';')[0]], [400, accept])
  })

  it('sends errors as the library does', async (t) => {
    const { url } = await start(t)
    const broken = await fetch(`${url}/graphql`, json({ query: '{ broken }' }))
    const text = await broken.text()
    assert.equal(broken.status, 200)
    assert.match(text, /Unexpected error/)
    assert.doesNotMatch(text, /inner/)
    const put = await fetch(`${url}/graphql`, { method: 'PUT', body: '{}' })
    assert.deepEqual([put.status, put.headers.get('allow')], [405, 'GET, POST'])
    const text415 = await fetch(`${url}/graphql`, {
      method: 'POST',
      body: 'x',
      headers: { 'content-type': 'text/csv' },
    })
    assert.equal(text415.status, 415)
    const malformed = await fetch(`${url}/graphql`, { ...json(0), body: '{' })
    assert.equal(malformed.status, 400)
    assert.equal((await fetch(`${url}/graphql/none`)).status, 404)
  })

  it('responds to preflights and HEAD, and serves GraphiQL', async (t) => {
    const { url } = await start(t)
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
    const preflight = await fetch(`${url}/graphql`, { method: 'OPTIONS', headers })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://shop.example')
    assert.match(preflight.headers.get('access-control-allow-methods') ?? '', /POST/)
    const page = await fetch(`${url}/graphql`, { headers: { accept: 'text/html' } })
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html'])
    assert.match(await page.text(), /GraphiQL/)
    assert.equal((await fetch(`${url}/graphql`, { method: 'HEAD' })).status, 405)
  })

  it('runs after the guard of its group, whose cors responds to preflights', async (t) => {
    const { url } = await start(t)
    const stranger = await fetch(`${url}/team/graphql`, json({ query: '{ viewer }' }))
    assert.deepEqual([stranger.status, stranger.headers.get('www-authenticate')], [401, 'Bearer'])
    const known = await fetch(`${url}/team/graphql`, json({ query: '{ viewer }' }, ADA))
    assert.deepEqual(await known.json(), { data: { viewer: 'ada' } })
    const headers = { origin: 'https://shop.example', 'access-control-request-method': 'POST' }
    const preflight = await fetch(`${url}/team/graphql`, { method: 'OPTIONS', headers })
    assert.equal(preflight.status, 204)
    assert.equal(preflight.headers.get('access-control-allow-origin'), 'https://shop.example')
  })

  it('ends a subscription when the app closes', async (t) => {
    const { app, url } = await start(t)
    const init = json(SUBSCRIPTION, { accept: 'text/event-stream' })
    const text = await readToClose(app, await fetch(`${url}/graphql`, init), '"ticks":2')
    assert.match(text, /event: next\ndata: \{"data":\{"ticks":1\}\}/)
  })

  it('has a subscription of graphql-sse, which ends without a retry', async (t) => {
    const { app, url } = await start(t)
    const client = createClient({ url: `${url}/graphql`, retryAttempts: 0 })
    const ticks: unknown[] = []
    let closed: Promise<void> | undefined
    const ended = (async () => {
      for await (const { data } of client.iterate(SUBSCRIPTION)) {
        ticks.push(data?.['ticks'])
        if (ticks.length === 2) closed = closeFast(app)
      }
    })().then(
      () => 'complete',
      (error: unknown) => String(error),
    )
    // Without retries. The protocol ends a subscription by an event `complete`, which a closing app does not send.
    assert.match(await ended, /^NetworkError: Connection closed while having active streams/)
    await closed
    assert.deepEqual(ticks, [1, 2])
  })

  it('ends the subscription of a client that disconnects', async (t) => {
    const { app, url } = await start(t)
    const client = createClient({ url: `${url}/graphql`, retryAttempts: 0 })
    for await (const { data } of client.iterate(SUBSCRIPTION)) if (data?.['ticks'] === 2) break
    await closeFast(app)
  })
})
