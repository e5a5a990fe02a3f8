/** Secrets in every place of a request: no response of the console contains them. */
import '#test/development.js'
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { actionToken, openConsole, post, read, waitForSnapshot, type TestConsole } from '#test/console.js'
import { openFeed } from '#test/console-feed.js'

const SECRET = 'correct-horse-battery'
const JWT = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.c2lnbmF0dXJl'

describe('console: secrets of a request', () => {
  let shown: TestConsole
  before(async () => {
    shown = await openConsole()
  })
  after(() => shown.close())

  it('sends no secret in any response', async () => {
    const { url } = shown
    const base = `${url}/__dev__`
    const feed = await openFeed(url)
    const { stream } = await feed.until('hello')
    await post(`${base}/api/settings`, { stream, want: ['log'] }, { 'x-dev-token': await actionToken(url) })
    const headers = {
      authorization: `Bearer ${SECRET}`,
      cookie: `session=${SECRET}; theme=dark`,
      referer: `http://localhost/login?token=${SECRET}`,
      'x-api-key': SECRET,
      'x-note': JWT,
      'user-agent': `agent token=${SECRET}`,
    }
    const nested = {
      title: 'wrong',
      password: SECRET,
      list: [{ 'Api-Key': SECRET }, JWT],
      link: `https://me:${SECRET}@host/`,
    }
    await fetch(`${url}/books/${JWT}?access_token=${SECRET}&user[pin]=${SECRET}&page=2`, { headers })
    await post(`${url}/books/1?otp=${SECRET}`, nested, headers)
    await post(`${url}/books/1`, { title: 5, password: SECRET }, headers)
    await fetch(`${url}/books/1`, {
      method: 'POST',
      headers: { ...headers, 'content-type': 'application/x-www-form-urlencoded' },
      body: `password=${SECRET}`,
    })
    const { requests } = await waitForSnapshot(url, 4)
    await feed.until('log')
    await feed.until('req', (data) => JSON.stringify(data).includes(requests[0]?.id ?? '-'))
    const records = await Promise.all(requests.map(({ id }) => read<object>(`${base}/api/requests/${id}`)))
    const pages = await Promise.all(requests.map(async ({ id }) => (await fetch(`${base}/requests/${id}`)).text()))
    const all = {
      snapshot: await waitForSnapshot(url, 4),
      records,
      pages,
      list: await (await fetch(`${base}/requests`)).text(),
      archive: await read<object>(`${base}/api/har`),
      events: feed.events,
    }
    feed.close()
    for (const [place, value] of Object.entries(all)) {
      const text = JSON.stringify(value)
      const at = Math.max(text.indexOf(SECRET), text.indexOf(JWT))
      assert.equal(at, -1, `${place}: ${text.slice(Math.max(0, at - 100), at + 50)}`)
    }
    assert.ok(JSON.stringify(records).includes('redacted') && JSON.stringify(records).includes('page=2'))
  })
})
