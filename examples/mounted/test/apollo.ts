/** Apollo Server over sockets. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { ADA, json, start } from './start.js'

describe('Apollo Server', () => {
  it('responds to queries with the value of a provider', async (t) => {
    const { url } = await start(t)
    const query = { query: '{ viewer }' }
    const posted = await fetch(`${url}/apollo`, json(query, ADA))
    assert.deepEqual(
      [posted.status, posted.headers.get('content-type'), posted.headers.get('cache-control')],
      [200, 'application/json; charset=utf-8', 'no-store'],
    )
    assert.deepEqual(await posted.json(), { data: { viewer: 'ada' } })
    const got = await fetch(`${url}/apollo?query={viewer}`, { headers: { 'apollo-require-preflight': '1' } })
    assert.deepEqual(await got.json(), { data: { viewer: null } })
    assert.equal((await fetch(`${url}/team/apollo`, json(query))).status, 401)
    assert.equal((await fetch(`${url}/team/apollo`, json(query, ADA))).status, 200)
  })

  it('sends errors as the library does', async (t) => {
    const { url } = await start(t)
    const broken = await fetch(`${url}/apollo`, json({ query: '{ broken }' }))
    assert.equal(broken.status, 200)
    assert.equal(Object(await broken.json()).errors[0].extensions.code, 'INTERNAL_SERVER_ERROR')
    assert.equal((await fetch(`${url}/apollo`, json({ query: '{ nothing }' }))).status, 400)
    assert.equal((await fetch(`${url}/apollo`, { ...json(0), body: '{' })).status, 400)
    // Without a header that needs a preflight, it could be a request of another site.
    assert.equal((await fetch(`${url}/apollo?query={viewer}`)).status, 400)
    for (const method of ['PUT', 'HEAD', 'OPTIONS']) {
      const { status, headers } = await fetch(`${url}/apollo`, { method, headers: { 'apollo-require-preflight': '1' } })
      assert.deepEqual([status, headers.get('allow')], [405, 'GET, POST'], method)
    }
    const csv = { method: 'POST', body: 'x', headers: { 'content-type': 'text/csv' } }
    assert.equal((await fetch(`${url}/apollo`, csv)).status, 415)
  })

  it('serves its page to browsers, and stops with the app', async (t) => {
    const { app, url } = await start(t)
    const page = await fetch(`${url}/apollo`, { headers: { accept: 'text/html' } })
    assert.deepEqual([page.status, page.headers.get('content-type')], [200, 'text/html'])
    await page.text()
    await app.close()
  })
})
