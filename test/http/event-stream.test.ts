import assert from 'node:assert/strict'
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import fc from 'fast-check'
import { createGate } from '#test/apps.js'
import { exchangeBytes, formatRequest, parseResponse, withServer } from '#test/wire.js'
import { openChunks } from '#src/http/chunks.js'
import { encodeEvent, EventChunks, type EventSource } from '#src/http/event-stream.js'

describe('encodeEvent()', () => {
  it('writes all fields, and each line of the data (WHATWG HTML section 9.2.5)', () => {
    assert.equal(encodeEvent({ data: 'a' }), 'data: a\n\n')
    assert.equal(encodeEvent({ data: '' }), 'data: \n\n')
    assert.equal(encodeEvent({ data: 'a\nb\r\nc\rd' }), 'data: a\ndata: b\ndata: c\ndata: d\n\n')
    assert.equal(
      encodeEvent({ data: 'a', id: '7', event: 'news', retry: 100 }),
      'id: 7\nevent: news\nretry: 100\ndata: a\n\n',
    )
    assert.equal(encodeEvent({ data: 'a', id: '', retry: 0 }), 'id: \nretry: 0\ndata: a\n\n')
  })

  it('rejects fields with line breaks, and invalid retry times', () => {
    for (const text of ['a\n', 'a\r', '\0', 'a\ndata: forged']) {
      assert.throws(() => encodeEvent({ data: '', id: text }), { name: 'TypeError', message: /its "id"/ })
      assert.throws(() => encodeEvent({ data: '', event: text }), { name: 'TypeError', message: /its "event"/ })
    }
    for (const retry of [-1, 1.5, NaN, Infinity]) {
      assert.throws(() => encodeEvent({ data: '', retry }), { name: 'TypeError', message: /its "retry"/ })
    }
    // @ts-expect-error - an id is a text; untyped code is refused too
    assert.throws(() => encodeEvent({ data: '', id: 7 }), TypeError)
  })

  it('escapes data that looks like a field or an event', () => {
    const unit = fc.constantFrom('a', '\n', '\r', ':', 'data', 'id: 1', ' ')
    fc.assert(
      fc.property(fc.string({ unit }), (data) => {
        const text = encodeEvent({ data })
        assert.match(text, /^(?:data: [^\r\n]*\n)+\n$/)
        const lines = text.slice(0, -2).split('\n')
        assert.equal(lines.map((line) => line.slice(6)).join('\n'), data.replace(/\r\n?/g, '\n'))
      }),
    )
  })
})

/** Returns the event chunks of a source, and a function that returns how often they have ended. */
function eventsOf(
  source: AsyncIterable<unknown>,
  heartbeat = 10_000,
  fail: EventSource['fail'] = () => null,
): { events: EventChunks; ends: () => number } {
  let ends = 0
  const encode = async (event: unknown): Promise<string> => `<${String(event)}>`
  return {
    events: new EventChunks(openChunks(source), { encode, heartbeat, fail, ended: () => ends++ }),
    ends: () => ends,
  }
}

/** Yields the events, then fails. */
async function* refusing(...events: string[]): AsyncGenerator<string> {
  yield* events
  throw new Error('refused')
}

async function* letters(): AsyncGenerator<string> {
  yield 'a'
  await sleep(120)
  yield 'b'
}

describe('EventChunks', () => {
  it('writes the events of the source, then ends', async () => {
    const { events, ends } = eventsOf(letters())
    assert.deepEqual(await events.next(), { done: false, value: '<a>' })
    assert.deepEqual(await events.next(), { done: false, value: '<b>' })
    assert.equal(ends(), 0)
    assert.deepEqual(await events.next(), { done: true, value: undefined })
    assert.equal(ends(), 1)
  })

  it('sends heartbeats while the source is silent, and loses no event', async () => {
    const { events } = eventsOf(letters(), 30)
    const texts: unknown[] = []
    for (let step = await events.next(); step.done !== true; step = await events.next()) texts.push(step.value)
    assert.deepEqual(
      texts.filter((text) => text !== ':\n\n'),
      ['<a>', '<b>'],
    )
    assert.deepEqual([texts[0], texts[1], texts.at(-1)], ['<a>', ':\n\n', '<b>'])
  })

  it('runs a generator in the async context of the caller, also after a heartbeat', async () => {
    const store = new AsyncLocalStorage<string>()
    const contexts: (string | undefined)[] = []
    const source = async function* (): AsyncGenerator<string> {
      for (let count = 0; count < 3; count++) {
        contexts.push(store.getStore())
        await sleep(40)
        contexts.push(store.getStore())
        yield 'a'
      }
    }
    // The first stream starts the timer that both share.
    const first = eventsOf(new ReadableStream(), 20).events
    store.run('first', () => void first.next())
    let text = ''
    await withServer(
      (exchange) => {
        const { events } = store.run('caller', () => eventsOf(source(), 20))
        store.run('writer', () => exchange.send(parseResponse({ type: 'a/b', data: events }), null))
      },
      async ({ port }) => void (text = await exchangeBytes(port, formatRequest('GET /'))),
    )
    first.cancel()
    assert.match(text, /<a>[^]*:\n\n[^]*<a>[^]*:\n\n[^]*<a>/)
    assert.deepEqual(contexts, Array(6).fill('caller'))
  })

  it('calls a reader in the async context of the caller if the event arrived earlier', async () => {
    const store = new AsyncLocalStorage<string>()
    const { events } = store.run('caller', () => eventsOf(letters()))
    await events.begin()
    const context = await new Promise((resolve, failed) => {
      const taken = (): void => resolve(store.getStore())
      store.run('other', () => events.read({ taken, failed }, false))
    })
    assert.equal(context, 'caller')
    events.cancel()
  })

  it('loses no event that arrives while a heartbeat is written', async () => {
    const { opened: said, open: say } = createGate<string>()
    const { events } = eventsOf(
      (async function* () {
        yield await said
      })(),
      5,
    )
    assert.deepEqual(await events.next(), { done: false, value: ':\n\n' })
    say('a')
    await turn()
    assert.deepEqual(await events.next(), { done: false, value: '<a>' })
    assert.deepEqual(await events.next(), { done: true, value: undefined })
  })

  it('resolves overlapping calls of next() in order', { timeout: 5_000 }, async () => {
    const { events } = eventsOf(letters())
    const results = await Promise.all([events.next(), events.next(), events.next()])
    assert.deepEqual(
      results.map(({ value }) => value),
      ['<a>', '<b>', undefined],
    )
    const failing = eventsOf(refusing('a')).events
    const settled = await Promise.allSettled([failing.next(), failing.next(), failing.next()])
    assert.deepEqual(
      settled.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected'],
    )
  })

  it('ends overlapping calls of next() if the server closes', { timeout: 5_000 }, async () => {
    const { events } = eventsOf(new ReadableStream())
    const results = Promise.all([events.next(), events.next()])
    events.cancel()
    assert.deepEqual(
      (await results).map(({ done }) => done),
      [true, true],
    )
  })

  it('rejects if the source or the encoding fails', async () => {
    const failing = new ReadableStream({ start: (controller) => controller.error(new Error('broken')) })
    await assert.rejects(eventsOf(failing).events.next(), /broken/)
    const encode = (): string => {
      throw new TypeError('odd')
    }
    const events = new EventChunks(openChunks(letters()), {
      encode,
      heartbeat: 10_000,
      fail: () => null,
      ended: () => {},
    })
    await assert.rejects(events.next(), /odd/)
  })

  it('sends a heartbeat at most 10 % early, counted from the last read', async () => {
    const { events } = eventsOf(new ReadableStream(), 500)
    const other = eventsOf(new ReadableStream(), 500).events
    void other.next()
    await sleep(110)
    const began = performance.now()
    assert.deepEqual(await events.next(), { done: false, value: ':\n\n' })
    const took = performance.now() - began
    assert.ok(took >= 445 && took < 5_000, `${took} ms`)
    events.cancel()
    other.cancel()
  })

  it('leaves no timer for a stream that is no longer read', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const { events } = eventsOf(letters(), 50)
    await events.next()
    await sleep(50)
    assert.equal(timers(), before)
  })

  it('leaves no timer after the last event, nor after an error', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const before = timers()
    const empty = eventsOf(letters()).events
    await empty.begin()
    while ((await empty.next()).done !== true);
    const early = eventsOf((async function* () {})()).events
    await early.begin()
    assert.deepEqual(await early.next(), { done: true, value: undefined })
    const failing = eventsOf(
      new ReadableStream({ start: (controller) => controller.error(new Error('broken')) }),
    ).events
    await assert.rejects(failing.next(), /broken/)
    assert.equal(timers(), before)
  })

  it('ends cleanly if the server closes while an event is pending', async () => {
    let isCancelled = false
    const silent = new ReadableStream({ cancel: () => void (isCancelled = true) })
    const { events, ends } = eventsOf(silent)
    const pending = events.next()
    events.cancel()
    assert.equal((await pending).done, true)
    assert.equal((await events.next()).done, true)
    assert.equal(isCancelled, true)
    assert.ok(ends() >= 1)
  })

  it('rejects in begin() if the source or the encoding fails immediately, and ends the source', async () => {
    for (const source of [refusing(), Readable.from(refusing())]) {
      const { events, ends } = eventsOf(source)
      await assert.rejects(events.begin(), /refused/)
      assert.equal(ends(), 1)
    }
    let isEnded = false
    const source = (async function* () {
      try {
        yield 'odd'
      } finally {
        isEnded = true
      }
    })()
    const encode = (): string => {
      throw new TypeError('odd')
    }
    await assert.rejects(
      new EventChunks(openChunks(source), { encode, heartbeat: 9, fail: () => null, ended: () => {} }).begin(),
      /odd/,
    )
    await turn()
    assert.equal(isEnded, true)
  })

  it('begins without waiting for the first event, and loses neither event nor failure', async () => {
    const { opened: said, open: say } = createGate<string>()
    const waiting = eventsOf(
      (async function* () {
        yield await said
        throw new Error('broken')
      })(),
    )
    await waiting.events.begin()
    say('a')
    await turn()
    assert.deepEqual(await waiting.events.next(), { done: false, value: '<a>' })
    await assert.rejects(waiting.events.next(), /broken/)

    const { opened: failed, open: fail } = createGate()
    const failing = eventsOf(new ReadableStream({ pull: () => failed.then(() => Promise.reject(new Error('late'))) }))
    await failing.events.begin()
    fail()
    await turn()
    await assert.rejects(failing.events.next(), /late/)

    const { events } = eventsOf(letters())
    await events.begin()
    assert.deepEqual(await events.next(), { done: false, value: '<a>' })
  })

  it('begins without events if the server closes', async () => {
    let isAsked = false
    const early = eventsOf(
      (async function* () {
        isAsked = true
        yield 'a'
      })(),
    )
    early.events.cancel()
    await early.events.begin()
    assert.deepEqual([await early.events.next(), isAsked], [{ done: true, value: undefined }, false])

    // A Node stream that is ended while a chunk is awaited fails of it.
    const { events } = eventsOf(new Readable({ read: () => {} }))
    const begun = events.begin()
    events.cancel()
    await begun
    assert.equal((await events.next()).done, true)
  })

  it('ends with the event that reports the failure, and stops the source', async () => {
    const failures: unknown[] = []
    for (const text of ['<failed>', sleep(20).then(() => '<failed>')]) {
      const { events, ends } = eventsOf(refusing('a'), 10, (error) => {
        failures.push(error)
        return text
      })
      assert.deepEqual(await events.next(), { done: false, value: '<a>' })
      assert.deepEqual(await events.next(), { done: false, value: '<failed>' })
      assert.equal(ends(), 1)
      assert.deepEqual(await events.next(), { done: true, value: undefined })
    }
    assert.deepEqual(failures.map(String), ['Error: refused', 'Error: refused'])
  })

  it('sends no event for a failure if its reader disconnects before it is encoded', async () => {
    const { opened, open } = createGate<string>()
    const { events } = eventsOf(refusing('a'), 10_000, () => opened)
    await events.next()
    const pending = events.next()
    await turn()
    events.cancel()
    open('<failed>')
    assert.deepEqual(await pending, { done: true, value: undefined })
  })

  it('ends the source if its reader disconnects', () => {
    let isCancelled = false
    const { events, ends } = eventsOf(new ReadableStream({ cancel: () => void (isCancelled = true) }))
    events.cancel()
    assert.equal(isCancelled, true)
    assert.equal(ends(), 1)
  })
})

describe('encodeEvent() with non-ASCII characters', () => {
  it('rejects ids that a client could not return unchanged', () => {
    for (const id of ['日本', 'ä', '\x7f', '\x1f', ' a', 'a ', ' ', 'a\tb']) {
      assert.throws(() => encodeEvent({ data: '1', id }), /its "id" must be a string of visible ASCII characters/)
    }
    assert.equal(encodeEvent({ data: '1', id: '! ~' }), 'id: ! ~\ndata: 1\n\n')
  })

  it('rejects event names outside Latin-1', () => {
    for (const event of ['日本', '\ud800']) {
      assert.throws(() => encodeEvent({ data: '1', event }), /its "event" must be a string of Latin-1 characters/)
    }
    assert.equal(encodeEvent({ data: '日本', event: 'ä' }), 'event: ä\ndata: 日本\n\n')
  })
})
