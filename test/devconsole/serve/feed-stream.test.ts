import '#test/development.js'
import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import { after, before, describe, it } from 'node:test'
import type { Middleware } from 'verbena'
import { MAX_VIEWERS } from '#src/devconsole/serve/feed.js'
import type { RequestSummary } from '#src/devconsole/wire/request-types.js'
import { actionToken, openConsole, post, waitForSnapshot, type TestConsole } from '#test/console.js'
import { openFeed, type FeedReader } from '#test/console-feed.js'

function pathsOf(feed: FeedReader): string[] {
  const batches = feed.events.filter(({ type }) => type === 'req')
  return batches.flatMap(({ data }): string[] => {
    const { items }: { items: readonly RequestSummary[] } = JSON.parse(data)
    return items.map((item) => item['url.path'])
  })
}

const hasPath = (path: string) => (data: Readonly<Record<string, unknown>>) =>
  JSON.stringify(data).includes(`"${path}"`)

/** Computes on the thread that serves all. */
const blocking: Middleware = (_input, next) => {
  const end = performance.now() + 300
  while (performance.now() < end);
  return next()
}

describe('console feed', () => {
  let shown: TestConsole
  before(async () => {
    shown = await openConsole()
  })
  after(() => shown.close())

  it('sends hello, then batches of requests with the id of the newest', async () => {
    const feed = await openFeed(shown.url)
    const hello = await feed.until('hello')
    const { boot, seq } = await waitForSnapshot(shown.url, 0)
    assert.deepEqual([hello['v'], hello['boot'], hello['resumed'], hello['pid']], [1, boot, false, process.pid])
    assert.equal(feed.lastEventId(), `${boot}-${seq}`)
    await fetch(`${shown.url}/books/1`)
    await feed.until('req', hasPath('/books/1'))
    assert.equal(feed.lastEventId(), `${boot}-${seq + 1}`)
    await feed.until('tick')
    feed.close()
  })

  it('resumes after the last event id of a client', async () => {
    const first = await openFeed(shown.url)
    await first.until('hello')
    first.close()
    for (const path of ['/missed-1', '/missed-2']) await fetch(shown.url + path)
    await waitForSnapshot(shown.url, 2)
    const second = await openFeed(shown.url, first.lastEventId())
    const hello = await second.until('hello')
    assert.equal(hello['resumed'], true)
    await second.until('req', hasPath('/missed-2'))
    assert.deepEqual(pathsOf(second), ['/missed-1', '/missed-2'])
    second.close()
  })

  it('reports a gap for missed records that are no longer stored', async () => {
    const { boot, seq } = await waitForSnapshot(shown.url, 0)
    await fetch(`${shown.url}/cleared`)
    while ((await waitForSnapshot(shown.url, 1)).seq === seq) await sleep(5)
    await post(`${shown.url}/__dev__/api/clear`, {}, { 'x-dev-token': await actionToken(shown.url) })
    const feed = await openFeed(shown.url, `${boot}-${seq}`)
    assert.equal((await feed.until('hello'))['resumed'], false)
    assert.deepEqual(await feed.until('gap'), { v: 1, from: seq + 1, to: seq + 1 })
    feed.close()
  })

  it('treats an invalid id or an id of another process as a new client', async () => {
    for (const id of ['000000-7', 'nonsense', '-', `${'9'.repeat(40)}`]) {
      const feed = await openFeed(shown.url, id)
      assert.equal((await feed.until('hello'))['resumed'], false, id)
      assert.ok(!feed.events.some(({ type }) => type === 'gap'), id)
      feed.close()
    }
  })

  it('sends log lines and requests in progress only to clients that subscribe', async () => {
    const feed = await openFeed(shown.url)
    const { stream } = await feed.until('hello')
    await fetch(`${shown.url}/books/2`)
    await feed.until('req', hasPath('/books/2'))
    assert.ok(!feed.events.some(({ type }) => type === 'log'))
    const token = { 'x-dev-token': await actionToken(shown.url) }
    await post(`${shown.url}/__dev__/api/settings`, { stream, want: ['log', 'open'] }, token)
    await fetch(`${shown.url}/books/3`)
    const { items } = await feed.until('log')
    assert.deepEqual(
      (items as { message: string }[]).map(({ message }) => message),
      ['looking', 'GET /books/3 200'],
    )
    feed.close()
  })

  it('sends pins, clears and problems', async () => {
    const feed = await openFeed(shown.url)
    await feed.until('hello')
    await fetch(`${shown.url}/lists`)
    const problem = await feed.until('problem')
    assert.equal(problem['kind'], 'repeated')
    const { requests } = await waitForSnapshot(shown.url, 1)
    const id = requests[0]?.id
    const token = { 'x-dev-token': await actionToken(shown.url) }
    await post(`${shown.url}/__dev__/api/pin`, { id, pinned: true }, token)
    assert.deepEqual(await feed.until('pinned'), { v: 1, ids: [id] })
    await post(`${shown.url}/__dev__/api/clear`, {}, token)
    assert.deepEqual(await feed.until('cleared'), { v: 1 })
    feed.close()
  })

  it('sends a stall of the event loop with the requests in progress', async () => {
    const quick = await openConsole({ stall: 50 }, { middleware: [blocking] })
    const feed = await openFeed(quick.url)
    await fetch(`${quick.url}/streams`)
    const stall = await feed.until(
      'problem',
      ({ kind, detail }) => kind === 'stall' && /In progress/.test(String(detail)),
    )
    assert.match(String(stall['detail']), /^No other code ran for \d{3,} ms\. In progress: GET \/streams\.$/)
    feed.close()
    await quick.close()
  })

  it('stores stalls for later clients', async () => {
    const quick = await openConsole({ stall: 50 }, { middleware: [blocking] })
    await fetch(`${quick.url}/streams`)
    for (let details: string[] = []; !details.some((detail) => detail.includes('In progress: GET /streams'));) {
      const { problems } = await waitForSnapshot(quick.url, 0)
      details = problems.filter(({ kind }) => kind === 'stall').map(({ detail }) => detail)
    }
    await quick.close()
  })

  it('limits the number of clients, and accepts another when one disconnects', async () => {
    const feeds: FeedReader[] = []
    while (feeds.length < MAX_VIEWERS) {
      const feed = await openFeed(shown.url)
      if (feed.status === 200) feeds.push(feed)
      else await sleep(5)
    }
    assert.equal((await openFeed(shown.url)).status, 429)
    feeds[0]?.close()
    let next = await openFeed(shown.url)
    while (next.status === 429) {
      await sleep(5)
      next = await openFeed(shown.url)
    }
    for (const feed of [next, ...feeds]) feed.close()
  })
})

describe('console feed: close', () => {
  it('sends bye and ends, without delaying the close of the app', async () => {
    const shown = await openConsole()
    const feed = await openFeed(shown.url)
    await feed.until('hello')
    const began = performance.now()
    await shown.close()
    assert.ok(performance.now() - began < 5_000)
    await feed.ended
    assert.equal(feed.events.at(-1)?.type, 'bye')
  })
})
