/** Failures of event streams: the error event of the server, and connections that are cut. */
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { createApp, events, HttpError, Route, type Input } from 'verbena'
import { createClient, isStreamFailure } from 'verbena/client'
import * as z from 'zod'
import { startCuttingProxy } from '#test/cutting-proxy.js'

class Orders extends Route {
  static readonly get = this.contract({
    query: z.object({ end: z.string() }),
    returns: events(z.number()),
    errors: { 409: z.object({ left: z.number() }) },
  })
  async *get({ query }: Input<typeof Orders.get>) {
    yield { data: 1, event: 'failed' }
    if (query.end === 'declared') throw new HttpError(409, 'Sold out', { left: 0 })
    throw new Error('secret')
  }
}
class Renamed extends Route {
  static readonly get = this.contract({ returns: events(z.number(), { errorEvent: 'failed' }), errors: [409] })
  async *get() {
    yield { data: 1, event: 'error' }
    throw new HttpError(409)
  }
}
const app = createApp({ routes: { Orders, Renamed }, logger: false })
const api = createClient<typeof app>('http://localhost', { fetch: (request) => app.fetch(request) })

/** Reads a stream until it throws. Returns the events and the error. */
async function readAll<T>(body: AsyncIterable<T>): Promise<{ readonly seen: T[]; readonly error: unknown }> {
  const seen: T[] = []
  try {
    for await (const event of body) seen.push(event)
  } catch (error) {
    return { seen, error }
  }
  return { seen, error: undefined }
}

/** Reads the stream of another server. */
async function readText(text: string): Promise<{ readonly seen: unknown[]; readonly error: unknown }> {
  const response = new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  const client = createClient<typeof app>('http://a', { fetch: async () => response })
  const answer = await client('/orders').get({ query: { end: '' } })
  assert.ok(answer.ok)
  return readAll(answer.body)
}

describe('isStreamFailure()', () => {
  it('is true for the error event of a declared problem, with its status and members', async () => {
    const answer = await api('/orders').get({ query: { end: 'declared' } })
    assert.ok(answer.ok)
    const { body } = answer
    const { seen, error } = await readAll(body)
    assert.deepEqual(seen, [{ data: 1, event: 'failed' }])
    assert.ok(isStreamFailure(error, body) && error.status === 409)
    assert.equal(error.body.left, 0)
    assert.equal(
      `${error}`,
      'StreamFailure: Cannot continue the event stream: the server reported the status 409, "Sold out"',
    )
  })

  it('is true for the error event of any other error, without its details', async () => {
    const answer = await api('/orders').get({ query: { end: 'undeclared' } })
    assert.ok(answer.ok)
    const { error } = await readAll(answer.body)
    assert.ok(isStreamFailure(error))
    assert.deepEqual([error.status, error.body.title, error.body.detail], [500, 'Internal Server Error', undefined])
    assert.equal(error.message, 'Cannot continue the event stream: the server reported the status 500')
  })

  it('uses the name of the option "errorEvent"', async () => {
    const answer = await api('/renamed').get({ errorEvent: 'failed' })
    assert.ok(answer.ok)
    const { seen, error } = await readAll(answer.body)
    assert.deepEqual(seen, [{ data: 1, event: 'error' }])
    assert.ok(isStreamFailure(error))
    assert.equal(error.status, 409)
  })

  it('has the status 500 if the data has no status, and the text if it is not JSON', async () => {
    for (const [data, body] of [
      ['{"code":7}', { code: 7 }],
      ['{"status":"404"}', { status: '404' }],
      ['null', null],
      ['out of memory', 'out of memory'],
      ['', ''],
    ] as const) {
      const { seen, error } = await readText(`data: 1\n\nevent: error\ndata: ${data}\n\ndata: 2\n\n`)
      assert.deepEqual(seen, [{ data: 1 }])
      assert.ok(isStreamFailure(error))
      assert.deepEqual([error.status, error.body], [500, body])
    }
  })

  it('is false for other errors', async () => {
    assert.equal(isStreamFailure(new Error('other')), false)
    assert.equal(isStreamFailure({ name: 'StreamFailure' }), false)
    const { error } = await readText('data: [DONE]\n\n')
    assert.ok(error instanceof SyntaxError)
  })

  it('is false for a connection that was cut', async () => {
    class Cut extends Route {
      static readonly get = this.contract({ returns: events(z.number()) })
      async *get({ signal }: Input<typeof Cut.get>) {
        yield { data: 1 }
        await new Promise((resolve) => signal.addEventListener('abort', resolve))
      }
    }
    await using own = createApp({ routes: { Cut }, logger: false, signals: false, timeouts: { close: 100 } })
    const { url } = await own.listen()
    await using proxy = await startCuttingProxy(url)
    const answer = await createClient<typeof own>(proxy.url)('/cut').get()
    assert.ok(answer.ok)
    const seen: unknown[] = []
    await assert.rejects(
      async () => {
        for await (const event of answer.body) {
          seen.push(event)
          proxy.cut()
        }
      },
      (error) => error instanceof TypeError && !isStreamFailure(error),
    )
    assert.deepEqual(seen, [{ data: 1 }])
  })
})
