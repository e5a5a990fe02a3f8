// own process: hooks outside of suites start its server
/**
 * Event streams from the side of a client, based on the event-stream folder of Web Platform Tests: response headers and reconnects.
 */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { events, HttpError, redirect, reply, Route, type Context, type StreamEvent } from 'verbena'
import * as z from 'zod'
import { createUntypedApp } from '#test/apps.js'
import { follow, buildEventRequest, type ReadEvent } from '#test/event-reader.js'
import { assertAlive, rowBytes, exchange, formatTitle } from '#test/attack-rows.js'
import { parseAnswers, type StrictAnswer } from '#test/strict-parser.js'

const wpt = (file: string): string => `WPT eventsource/${file}`

/** Ids that `Resumed` sends one after the other. It continues after the id of the client, and responds 204 after the last one. */
const IDS = ['1', 'a b', '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~', 'x'.repeat(2000), '%E4', '"', '__proto__', '0']

class Resumed extends Route {
  static readonly get = this.contract({
    headers: z.object({ 'last-event-id': z.string().optional() }),
    returns: { 200: events(z.string()), 204: null },
  })
  get({ headers }: { readonly headers: { readonly 'last-event-id'?: string | undefined } }) {
    const last = headers['last-event-id']
    const id = last === undefined ? IDS[0] : IDS[IDS.indexOf(last) + 1]
    if (last !== undefined && !IDS.includes(last)) throw new HttpError(400, `No event ${last}`)
    return id === undefined ? reply(204) : reply(200, eventsOf([{ id, data: id }, { data: 'no id of its own' }]))
  }
}

async function* eventsOf<T>(given: readonly StreamEvent<T>[]): AsyncGenerator<StreamEvent<T>> {
  yield* given
}

/** Sends an id, then resets it. */
class Forgetting extends Route {
  static readonly get = this.contract({
    headers: z.object({ 'last-event-id': z.string().optional() }),
    returns: events(z.string()),
  })
  async *get({ headers }: { readonly headers: { readonly 'last-event-id'?: string | undefined } }) {
    yield { data: headers['last-event-id'] ?? 'none', id: '1' }
    yield { data: 'forget', id: '' }
  }
}

class Silent extends Route {
  static readonly get = this.contract({ returns: events(z.number(), { heartbeat: 5 }) })
  async *get() {
    for (let n = 0; n < 3; n++) {
      await sleep(50)
      yield { data: n, id: String(n) }
    }
  }
}

class Broken extends Route {
  static readonly get = this.contract({ returns: events(z.number()) })
  async *get() {
    yield { data: 1 }
    await sleep(20)
    throw new Error('hunter2')
  }
}

const STATUSES = [205, 210, 299, 400, 401, 403, 404, 410, 500, 503]

class Statuses extends Route {
  static readonly path = '/statuses/{status}'
  static readonly get = this.contract({
    returns: { 205: null, 210: events(z.number()), 299: events(z.number()), 307: null },
  })
  get({ params }: Context & { readonly params: { readonly status: string } }) {
    const status = Number(params.status)
    if (status >= 400) throw new HttpError(status, 'no stream')
    if (status === 307) return redirect('/once', 307)
    return status === 205 ? reply(205) : reply(status === 210 ? 210 : 299, eventsOf([{ data: 1 }]))
  }
}

class Alive extends Route {
  get() {
    return 'alive'
  }
}

class Once extends Route {
  static readonly get = this.contract({ returns: events(z.number()) })
  async *get() {
    yield { data: 1 }
  }
}

/** Sets `Cache-Control`. */
class Kept extends Route {
  static readonly get = this.contract({ returns: events(z.number()) })
  get({ response }: Context) {
    response.header('cache-control', 'no-cache')
    return eventsOf([{ data: 1 }])
  }
}

const routes = { Alive, Once, Resumed, Forgetting, Silent, Broken, Statuses, Kept }

const app = createUntypedApp({ routes, signals: false })
let port = 0
before(async () => {
  ;({ port } = await app.listen())
})
after(() => app.close())

const valuesOf = (read: readonly ReadEvent[]): unknown[] =>
  read.map(({ type, lastEventId, data }) => [type, lastEventId, JSON.parse(data) as unknown])

const one = ({ headers }: StrictAnswer, name: string): string | undefined => headers.get(name)?.join(' & ')

describe('the response of an event stream', () => {
  it(
    formatTitle({
      rule: 'has the media type text/event-stream without parameters',
      source: wpt('format-mime-trailing-semicolon.any.js'),
    }),
    async () => {
      const { connections } = await follow(port, '/once')
      const { answer } = connections[0] ?? {}
      assert.ok(answer)
      assert.equal(one(answer, 'content-type'), 'text/event-stream')
      assert.equal(one(answer, 'x-content-type-options'), 'nosniff')
      assert.equal(one(answer, 'content-length'), undefined)
    },
  )

  it(
    formatTitle({
      rule: 'has Cache-Control: no-store, no-transform by default',
      source: wpt('request-cache-control.any.js'),
    }),
    async () => {
      const [first] = (await follow(port, '/once')).connections
      assert.ok(first?.answer)
      assert.deepEqual(
        [one(first.answer, 'cache-control'), one(first.answer, 'x-accel-buffering')],
        ['no-store, no-transform', 'no'],
      )
      const [kept] = (await follow(port, '/kept')).connections
      assert.equal(kept?.answer && one(kept.answer, 'cache-control'), 'no-cache')
    },
  )

  for (const [accept, status] of [
    ['text/event-stream', 200],
    ['text/*', 200],
    ['*/*', 200],
    ['text/html', 406],
    ['text/event-stream;q=0', 406],
  ] as const) {
    it(
      formatTitle({ rule: `has status ${status} for Accept: ${accept}`, source: wpt('request-accept.any.js') }),
      async () => {
        const bytes = await exchange(port, rowBytes({ target: '/once', headers: { accept } }))
        assert.equal(parseAnswers(bytes)[0]?.status, status)
      },
    )
  }

  it(formatTitle({ rule: 'has no body for HEAD', source: 'RFC 9110 §9.3.2' }), async () => {
    const [answer] = parseAnswers(await exchange(port, rowBytes({ method: 'HEAD', target: '/once' })), () => true)
    assert.deepEqual([answer?.status, answer?.body.length], [200, 0])
    assert.equal(answer && one(answer, 'content-type'), 'text/event-stream')
  })

  for (const status of STATUSES) {
    it(
      formatTitle({ rule: `is not a stream with status ${status}`, source: wpt('request-status-error.window.js') }),
      async () => {
        const { state, connections } = await follow(port, `/statuses/${status}`, 2)
        assert.deepEqual([state, connections.length, connections[0]?.events], ['failed', 1, []])
        assert.equal(connections[0]?.answer?.status, status)
      },
    )
  }

  it(formatTitle({ rule: 'can redirect to the stream', source: wpt('request-redirect.window.js') }), async () => {
    const { connections } = await follow(port, '/statuses/307')
    const { answer } = connections[0] ?? {}
    assert.ok(answer)
    assert.deepEqual([answer.status, one(answer, 'location')], [307, '/once'])
  })
})

describe('a client that reconnects', () => {
  it(formatTitle({ rule: 'sends the last id unchanged', source: wpt('format-field-id.any.js') }), async () => {
    const { connections } = await follow(port, '/resumed', IDS.length)
    const seen = connections.flatMap(({ events: read }) => read.map(({ lastEventId }) => lastEventId))
    assert.deepEqual(
      seen,
      IDS.flatMap((id) => [id, id]),
    )
  })

  it(formatTitle({ rule: 'stops after a 204', source: wpt('request-status-error.window.js') }), async () => {
    const { connections, state } = await follow(port, '/resumed', IDS.length + 5)
    assert.deepEqual([state, connections.length], ['failed', IDS.length + 1])
    assert.equal(connections.at(-1)?.answer?.status, 204)
  })

  it(
    formatTitle({
      rule: 'sends no id after the id was reset',
      source: wpt('format-field-id-3.window.js'),
    }),
    async () => {
      const { connections, lastEventId } = await follow(port, '/forgetting', 2)
      assert.deepEqual(
        connections.map(({ events: [first] }) => first?.data),
        ['"none"', '"none"'],
      )
      assert.equal(lastEventId, '')
    },
  )

  it(formatTitle({ rule: 'does not dispatch heartbeats', source: wpt('format-comments.any.js') }), async () => {
    const { connections } = await follow(port, '/silent')
    const { answer, events: read } = connections[0] ?? {}
    assert.match(answer?.body.toString() ?? '', /^:\n\n/)
    assert.deepEqual(valuesOf(read ?? []), [
      ['message', '0', 0],
      ['message', '1', 1],
      ['message', '2', 2],
    ])
  })

  it(
    formatTitle({
      rule: 'receives a failure as an event, and reconnects',
      source: wpt('eventsource-reconnect.window.js'),
    }),
    async () => {
      const { connections, state } = await follow(port, '/broken', 2)
      const types = connections.map(({ events: read }) => read.map(({ type }) => type))
      assert.deepEqual([state, types], ['stopped', connections.map(() => ['message', 'error'])])
      const text = (await exchange(port, buildEventRequest('/broken', ''))).toString('latin1')
      assert.match(text, /data: 1\n\n/)
      assert.doesNotMatch(text, /hunter2/)
      await assertAlive(port)
    },
  )
})
