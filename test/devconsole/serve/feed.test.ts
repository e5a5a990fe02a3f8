import assert from 'node:assert/strict'
import { describe, it, type TestContext } from 'node:test'
import { Feed, type FeedSource, Pending } from '#src/devconsole/serve/feed.js'
import type { Viewer } from '#src/devconsole/serve/viewer.js'
import type { OpenCall } from '#src/devconsole/wire/feed-types.js'
import { createRecorded } from '#test/console-records.js'

const HELLO = { pid: 1, name: 'a', version: '1', node: '20', started: 0 }
const POINT = { time: 1, classes: [], durations: [], inFlight: 0, loopDelay: 0, loopUse: 0, heap: 1, rss: 1, gc: 0 }
const BUFFER = { count: 0, maxCount: 1, bytes: 0, maxBytes: 1, total: 0, skipped: 0 }
const CALL: OpenCall = { id: 'r_1', method: 'GET', route: '/slow', since: 0 }

function storeOf(given: Partial<FeedSource['store']> = {}): FeedSource['store'] {
  return { seq: 7, summary: ({ record }) => record, since: () => null, ...given }
}

function feedOf(test: TestContext, given: Partial<FeedSource> = {}) {
  test.mock.timers.enable({ apis: ['setTimeout', 'setInterval'] })
  const watched: boolean[] = []
  const feed = new Feed({
    boot: 'abcdef',
    store: storeOf(),
    buffer: () => BUFFER,
    hello: () => HELLO,
    point: () => POINT,
    openFor: () => [],
    watched: (isWatched) => void watched.push(isWatched),
    ...given,
  })
  const tick = (ms: number): void => test.mock.timers.tick(ms)
  return { feed, watched, tick }
}

/** Names of the events that wait for a viewer. */
async function eventsOf(viewer: Viewer): Promise<string[]> {
  viewer.write('')
  const { value } = await viewer.next()
  return Array.from(String(value).matchAll(/^event: (\w+)$/gm), ([, name = '']) => name)
}

describe('Feed', () => {
  it('stores nothing and does not tick without clients', (test) => {
    const { feed, watched, tick } = feedOf(test, { point: () => assert.fail('It ticked') })
    feed.request(createRecorded())
    feed.passed()
    feed.incident({
      key: 'a',
      kind: 'slow',
      endpoint: null,
      title: [],
      detail: '',
      count: 1,
      unit: '',
      trend: [],
      first: 0,
      last: 0,
      facts: [],
      query: '',
      sample: null,
    })
    feed.line({ line: { seq: 1, time: 0, level: 'info', message: '', fields: null, request: null }, bytes: 1 })
    tick(60_000)
    assert.deepEqual(watched, [])
  })

  it('reports when the first client connects and the last disconnects', (test) => {
    const { feed, watched } = feedOf(test)
    const [first, second] = [feed.open(undefined, () => {}), feed.open(undefined, () => {})]
    assert.equal(feed.size, 2)
    first.cancel()
    first.cancel()
    second.cancel()
    assert.deepEqual(watched, [true, false])
    feed.open(undefined, () => {})
    assert.deepEqual(watched, [true, false, true])
  })

  it('discards pending events when the last client disconnects', async (test) => {
    const { feed, tick } = feedOf(test)
    const first = feed.open(undefined, () => {})
    feed.request(createRecorded())
    first.cancel()
    const second = feed.open(undefined, () => {})
    tick(100)
    assert.deepEqual(await eventsOf(second), ['hello'])
  })

  it('sends events at most ten times per second, ordered by importance', async (test) => {
    const { feed, tick } = feedOf(test)
    const viewer = feed.open(undefined, () => {})
    assert.ok(feed.want(viewer.id, new Set(['log'])))
    feed.line({ line: { seq: 1, time: 0, level: 'info', message: '', fields: null, request: null }, bytes: 1 })
    feed.request(createRecorded({ seq: 8 }))
    feed.incident({
      key: 'a',
      kind: 'slow',
      endpoint: null,
      title: [],
      detail: '',
      count: 1,
      unit: '',
      trend: [],
      first: 0,
      last: 0,
      facts: [],
      query: '',
      sample: null,
    })
    tick(99)
    assert.deepEqual(await eventsOf(viewer), ['hello'])
    tick(1)
    assert.deepEqual(await eventsOf(viewer), ['req', 'log', 'problem'])
    feed.passed()
    tick(100)
    const { value } = await viewer.next()
    assert.match(String(value), /data: \{"v":1,"items":\[\],"dropped":1\}/)
  })

  it('reports the number of dropped lines only to clients that subscribe to lines', async (test) => {
    const { feed, tick } = feedOf(test)
    feed.lineLost()
    const viewer = feed.open(undefined, () => {})
    feed.lineLost()
    tick(100)
    assert.deepEqual(await eventsOf(viewer), ['hello'])
    feed.want(viewer.id, new Set(['log']))
    feed.lineLost()
    feed.lineLost()
    tick(100)
    assert.match(String((await viewer.next()).value), /event: log\ndata: \{"v":1,"items":\[\],"dropped":2\}/)
  })

  it('sends no request event if only a line is new', async (test) => {
    const { feed, tick } = feedOf(test)
    const viewer = feed.open(undefined, () => {})
    feed.want(viewer.id, new Set(['log']))
    feed.line({ line: { seq: 1, time: 0, level: 'info', message: '', fields: null, request: null }, bytes: 1 })
    tick(100)
    assert.deepEqual(await eventsOf(viewer), ['hello', 'log'])
  })

  it('sends a tick each second, and a keep-alive comment each 15 s', async (test) => {
    const { feed, tick } = feedOf(test)
    const viewer = feed.open(undefined, () => {})
    await eventsOf(viewer)
    tick(999)
    assert.deepEqual(await eventsOf(viewer), [])
    tick(1)
    assert.deepEqual(await eventsOf(viewer), ['tick'])
    tick(14_000)
    assert.match(String((await viewer.next()).value), /\n:\n\n/)
  })

  it('sends no tick before the first point', async (test) => {
    const { feed, tick } = feedOf(test, { point: () => null })
    const viewer = feed.open(undefined, () => {})
    tick(1_000)
    assert.deepEqual(await eventsOf(viewer), ['hello'])
  })

  it('sends requests in progress to subscribed clients, and one empty list at the end', async (test) => {
    let open = [CALL]
    const { feed, tick } = feedOf(test, { openFor: () => open })
    const [wanting, other] = [feed.open(undefined, () => {}), feed.open(undefined, () => {})]
    feed.want(wanting.id, new Set(['open']))
    tick(500)
    assert.deepEqual(await eventsOf(wanting), ['hello', 'open'])
    open = []
    tick(500)
    tick(500)
    assert.deepEqual(await eventsOf(wanting), ['open', 'tick'])
    assert.deepEqual(await eventsOf(other), ['hello', 'tick'])
    assert.ok(!feed.want('nobody', new Set()))
  })

  it('resends missed requests in batches of 100, each with the id of its last request', async (test) => {
    const missed = Array.from({ length: 250 }, (_, index) => createRecorded({ seq: index + 4 }))
    const { feed } = feedOf(test, { store: storeOf({ seq: 253, since: (seq) => (seq === 3 ? missed : null) }) })
    const resumed = feed.open('abcdef-3', () => {})
    resumed.write('')
    const text = String((await resumed.next()).value)
    assert.deepEqual(
      Array.from(text.matchAll(/^id: (.+)\nevent: (\w+)$/gm), ([, id, name]) => `${name} ${id}`),
      ['hello abcdef-3', 'req abcdef-103', 'req abcdef-203', 'req abcdef-253'],
    )
    assert.deepEqual(await eventsOf(feed.open('abcdef-4', () => {})), ['hello', 'gap'])
  })

  it('ends with a bye event', async (test) => {
    const { feed, watched } = feedOf(test)
    const viewer = feed.open(undefined, () => {})
    feed.request(createRecorded())
    feed.close()
    assert.deepEqual([await eventsOf(viewer), watched, feed.size], [['hello', 'bye'], [true, false], 0])
    assert.equal((await viewer.next()).done, true)
  })
})

describe('Pending', () => {
  it('keeps the newest 100 items and counts the others', () => {
    const pending = new Pending<number>()
    for (let seq = 1; seq <= 130; seq++) pending.add(seq)
    const { items, dropped } = pending.take()
    assert.deepEqual([items.length, items[0], dropped], [100, 31, 30])
    assert.deepEqual(pending.take(), { items: [], dropped: 0 })
  })
})
