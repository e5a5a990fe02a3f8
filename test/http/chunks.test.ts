import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { AsyncLocalStorage } from 'node:async_hooks'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setImmediate as turn, setTimeout as sleep } from 'node:timers/promises'
import type { NodeExchange } from '#src/http/node-exchange.js'
import { noop } from '#src/values/noop.js'
import { Client, formatRequest, parseResponse, withServer, type WireServer } from '#test/wire.js'
import { checkedChunk, isAsyncIterable, toAsyncIterable, openChunks, peekFirst, type Chunks } from '#src/http/chunks.js'

async function* letters(): AsyncGenerator<string> {
  yield 'a'
  yield 'b'
}

async function readAll(chunks: Chunks): Promise<unknown[]> {
  const { done, value } = await chunks.next()
  return done === true ? [] : [value, ...(await readAll(chunks))]
}

/** An iterable that is neither a stream nor a generator. */
function ownIterable(iterator: Partial<AsyncIterator<unknown>>): AsyncIterable<unknown> {
  const next = (): Promise<IteratorResult<unknown>> => Promise.resolve({ done: true, value: undefined })
  return { [Symbol.asyncIterator]: () => ({ next, ...iterator }) }
}

describe('isAsyncIterable()', () => {
  it('accepts only streams and async iterables', () => {
    for (const value of [Readable.from([]), new ReadableStream(), letters(), ownIterable({})]) {
      assert.equal(isAsyncIterable(value), true)
    }
    for (const value of [null, undefined, 'text', 1, [], new Map(), new Uint8Array(1), letters, Promise.resolve()]) {
      assert.equal(isAsyncIterable(value), false)
    }
  })
})

describe('openChunks()', () => {
  it('passes errors that next() throws synchronously to its reader', async () => {
    const next = (): never => {
      throw new Error('broken')
    }
    const error = await new Promise((failed) => openChunks(ownIterable({ next })).read({ taken: noop, failed }, false))
    assert.match(String(error), /broken/)
  })

  it('runs a generator in the async context of the caller, also after back-pressure', async () => {
    const store = new AsyncLocalStorage<string>()
    const contexts: (string | undefined)[] = []
    const source = async function* (): AsyncGenerator<string> {
      for (let count = 0; count < 300; count++) {
        contexts.push(store.getStore())
        yield 'x'.repeat(100_000)
      }
    }
    let drain = (): unknown => assert.fail('no response')
    const read = async ({ port }: WireServer): Promise<void> => {
      const client = new Client(port).write(formatRequest('GET /'))
      client.socket.pause()
      for (let last = 0; last === 0 || last !== contexts.length; await sleep(100)) last = contexts.length
      assert.ok(contexts.length < 300)
      store.run('other', drain)
      // A second event without a wait must not start a second read.
      drain()
      client.socket.resume()
      await client.all()
    }
    await withServer((exchange) => {
      // Proof: the server creates exchanges over sockets.
      const { response } = exchange as NodeExchange
      drain = () => response.emit('drain')
      const data = store.run('caller', () => openChunks(source()))
      store.run('writer', () => exchange.send(parseResponse({ type: 'a/b', data }), null))
    }, read)
    assert.equal(contexts.length, 300)
    assert.deepEqual([...new Set(contexts)], ['caller'])
  })

  it('returns the chunks of Node streams, web streams and generators', async () => {
    const web = new ReadableStream({
      start(controller) {
        controller.enqueue('a')
        controller.enqueue('b')
        controller.close()
      },
    })
    for (const source of [Readable.from(['a', 'b']), web, letters()]) {
      assert.deepEqual(await readAll(openChunks(source)), ['a', 'b'])
    }
  })

  it('rejects if its source fails', async () => {
    const failing = new ReadableStream({ start: (controller) => controller.error(new Error('broken')) })
    const node = new Readable({ read: () => void node.destroy(new Error('broken')) })
    const iterable = ownIterable({ next: () => Promise.reject(new Error('broken')) })
    for (const source of [failing, node, iterable]) await assert.rejects(openChunks(source).next(), /broken/)
  })

  it('destroys a Node stream immediately, even if a chunk is pending', async () => {
    const stream = new Readable({ read: () => {} })
    const chunks = openChunks(stream)
    const pending = chunks.next()
    chunks.cancel()
    assert.equal(stream.destroyed, true)
    await assert.rejects(pending)
  })

  it('cancels a web stream immediately, even if a chunk is pending', async () => {
    let isCancelled = false
    const stream = new ReadableStream({ cancel: () => void (isCancelled = true) })
    const chunks = openChunks(stream)
    const pending = chunks.next()
    chunks.cancel()
    assert.equal(isCancelled, true)
    assert.equal((await pending).done, true)
  })

  it('ends a generator, so that its `finally` runs', async () => {
    let isEnded = false
    const source = (async function* () {
      try {
        yield 'a'
        yield 'b'
      } finally {
        isEnded = true
      }
    })()
    const chunks = openChunks(source)
    await chunks.next()
    chunks.cancel()
    await turn()
    assert.equal(isEnded, true)
  })

  it('cancels an iterable that has no return()', () => {
    assert.doesNotThrow(() => openChunks(ownIterable({})).cancel())
  })

  it('ignores errors of a source that is canceled', async () => {
    const fail = (): never => {
      throw new Error('broken')
    }
    const sources = [
      ownIterable({ return: fail }),
      ownIterable({ return: () => Promise.reject(new Error('broken')) }),
      Object.assign(ownIterable({}), { destroy: fail }),
      new ReadableStream({ cancel: fail }),
      new Readable({ read: () => {}, destroy: (_error, done) => done(new Error('broken')) }),
    ]
    for (const source of sources) assert.doesNotThrow(() => openChunks(source).cancel())
    await turn()
  })

  it('handles the error of a Node stream that fails before it is read', async () => {
    const chunks = openChunks(createReadStream('missing'))
    await new Promise((resolve) => setTimeout(resolve, 50))
    await assert.rejects(chunks.next(), { code: 'ENOENT' })
    const given = openChunks(createReadStream('missing'))
    given.cancel()
    await new Promise((resolve) => setTimeout(resolve, 50))
  })
})

describe('toAsyncIterable()', () => {
  it('returns the remaining chunks', async () => {
    const chunks = openChunks(letters())
    await chunks.next()
    assert.deepEqual(await readAll(openChunks(toAsyncIterable(chunks))), ['b'])
  })

  it('ends the source if its reader stops early', async () => {
    const stream = Readable.from(['a', 'b'])
    for await (const chunk of toAsyncIterable(openChunks(stream))) {
      assert.equal(chunk, 'a')
      break
    }
    assert.equal(stream.destroyed, true)
  })
})

describe('peekFirst()', () => {
  it('returns the first chunk, and all chunks including the first', async () => {
    const { first, all } = await peekFirst(openChunks(letters()))
    assert.deepEqual(first, { done: false, value: 'a' })
    assert.deepEqual(await readAll(all), ['a', 'b'])
  })

  it('reports the end of an empty source', async () => {
    const { first, all } = await peekFirst(openChunks(Readable.from([])))
    assert.equal(first.done, true)
    assert.deepEqual(await readAll(all), [])
  })

  it('rejects and cancels if the first chunk cannot be sent', async () => {
    for (const chunk of [1, {}, [], true]) {
      const stream = new Readable({ objectMode: true, read: () => {} })
      stream.push(chunk)
      await assert.rejects(peekFirst(openChunks(stream)), /a chunk must be a string or bytes/)
      assert.equal(stream.destroyed, true)
    }
  })

  it('passes on a failure, and cancels the source', async () => {
    const failing = openChunks(ownIterable({ next: () => Promise.reject(new Error('broken')) }))
    await assert.rejects(peekFirst(failing), /broken/)
    const stream = Readable.from(['a', 'b'])
    const { all } = await peekFirst(openChunks(stream))
    all.cancel()
    assert.equal(stream.destroyed, true)
  })
})

describe('checkedChunk()', () => {
  it('accepts only strings and bytes', () => {
    const bytes = new Uint8Array(1)
    for (const chunk of ['', 'a', bytes, Buffer.from('a')]) assert.equal(checkedChunk(chunk), chunk)
    for (const [chunk, name] of [
      [null, 'null'],
      [undefined, 'undefined'],
      [1, 'number'],
      [{}, 'object'],
      [[1], 'object'],
      [new ArrayBuffer(1), 'object'],
      [new Uint16Array(1), 'object'],
    ] as const) {
      assert.throws(() => checkedChunk(chunk), {
        name: 'TypeError',
        message: `Cannot stream the response: a chunk must be a string or bytes, not ${name}`,
      })
    }
  })
})
