// own process: it publishes to channels, whose subscribers are all consoles of the process
/** The events of requests, as tracing tools see them in this process. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { describe, it } from 'node:test'
import {
  createApp,
  HttpError,
  Route,
  type RequestEnd,
  type RequestError,
  type RequestRouted,
  type RequestStart,
  type Input,
  type Middleware,
} from 'verbena'
import { Channel } from '#src/observe/channel.js'
import { captureLog, sendRequest, createGate } from '#test/apps.js'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'

class Users extends Route {
  static readonly path = '/users/{id}'
  get({ params }: Input) {
    return { id: params['id'] }
  }
  put() {
    throw new HttpError(409)
  }
  post({ response }: Input) {
    response.after(() => assert.fail('a task'))
    throw new Error('broken')
  }
  delete({ response }: Input) {
    response.after(() => assert.fail('a task'))
  }
}

interface Seen {
  readonly starts: RequestStart[]
  readonly routed: RequestRouted[]
  readonly ends: RequestEnd[]
  readonly errors: RequestError[]
}

/** Returns the events of all channels during a task. */
async function watch(task: (seen: Seen) => Promise<unknown>): Promise<Seen> {
  const seen: Seen = { starts: [], routed: [], ends: [], errors: [] }
  // Proof: these are the documented event types of the channels.
  const listeners = [
    ['verbena:request:start', (event: unknown) => void seen.starts.push(event as RequestStart)],
    // Proof: as above.
    ['verbena:request:routed', (event: unknown) => void seen.routed.push(event as RequestRouted)],
    // Proof: as above.
    ['verbena:request:end', (event: unknown) => void seen.ends.push(event as RequestEnd)],
    // Proof: as above.
    ['verbena:request:error', (event: unknown) => void seen.errors.push(event as RequestError)],
  ] as const
  for (const [name, listener] of listeners) subscribe(name, listener)
  try {
    await task(seen)
  } finally {
    for (const [name, listener] of listeners) unsubscribe(name, listener)
  }
  return seen
}

const app = createApp({ routes: { Users }, logger: false })

describe('verbena:request:*', () => {
  it('publishes the start and the end of each request', async () => {
    const headers = { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` }
    const { starts, ends, errors } = await watch(() => sendRequest(app, '/users/7?a=1', { headers }))
    const [start] = starts
    const [end] = ends
    assert.deepEqual([starts.length, ends.length, errors], [1, 1, []])
    assert.deepEqual([start?.method, start?.url, start?.traceId], ['GET', '/users/7?a=1', TRACE])
    assert.equal(start?.requestId, end?.requestId)
    const { requestId: _, duration, input, meta, endpoint, ...rest } = end ?? assert.fail('no end')
    assert.deepEqual(rest, {
      ...{ traceId: TRACE, route: 'Users', method: 'GET', template: '/users/{id}', path: '/users/7' },
      ...{ version: undefined, status: 200, aborted: false, error: undefined, output: { id: '7' } },
    })
    assert.ok(duration >= 0)
    assert.equal(JSON.stringify([input.params, input.query]), '[{"id":"7"},{"a":"1"}]')
    assert.deepEqual([meta, typeof endpoint], [{}, 'object'])
  })

  it('publishes the matching endpoint before middleware runs', async () => {
    const order: string[] = []
    const noted: Middleware = (_context, next) => {
      order.push('middleware')
      return next()
    }
    const watched = createApp({
      routes: { Users },
      logger: false,
      middleware: [noted],
    })
    const listener = (): void => void order.push('routed')
    const { starts, routed, ends } = await watch(async () => {
      subscribe('verbena:request:routed', listener)
      await sendRequest(watched, '/users/7?a=1')
      unsubscribe('verbena:request:routed', listener)
    })
    assert.deepEqual(order, ['routed', 'middleware'])
    assert.equal(routed.length, 1)
    const { endpoint, requestId, ...rest } = routed[0] ?? assert.fail('nothing routed')
    assert.deepEqual(rest, {
      ...{ traceId: undefined, method: 'GET', route: 'Users', template: '/users/{id}', path: '/users/7' },
    })
    assert.equal(requestId, starts[0]?.requestId)
    assert.ok(endpoint !== undefined && endpoint === ends[0]?.endpoint)
  })

  it('publishes one routed event for 404, 405 and malformed paths, with the template if a path matches', async () => {
    const { routed } = await watch(async () => {
      await sendRequest(app, '/none')
      await sendRequest(app, '/users/7', { method: 'PATCH' })
      await sendRequest(app, '/users/%zz')
    })
    assert.deepEqual(
      routed.map(({ route, template, endpoint, path }) => [route, template, endpoint, path]),
      [
        [undefined, undefined, undefined, '/none'],
        [undefined, '/users/{id}', undefined, '/users/7'],
        [undefined, undefined, undefined, ''],
      ],
    )
  })

  it('publishes the end of requests without a matching endpoint', async () => {
    const { ends, errors } = await watch(() => sendRequest(app, '/none'))
    const [end] = ends
    assert.deepEqual(
      [end?.status, end?.route, end?.template, end?.meta, end?.endpoint],
      [404, ...Array(4).fill(undefined)],
    )
    assert.deepEqual(errors, [])
    const known = await watch(() => sendRequest(app, '/users/7', { method: 'PATCH' }))
    const [refused] = known.ends
    assert.deepEqual([refused?.status, refused?.route, refused?.template], [405, undefined, '/users/{id}'])
  })

  it('publishes server errors, but no client errors', async () => {
    const meant = await watch(() => sendRequest(app, '/users/7', { method: 'PUT' }))
    assert.deepEqual([meant.ends[0]?.status, meant.errors], [409, []])
    const failed = await watch(() => sendRequest(app, '/users/7', { method: 'POST' }))
    const [error] = failed.errors
    assert.deepEqual([error?.message, String(error?.error)], ['The request failed unexpectedly', 'Error: broken'])
    assert.deepEqual([error?.route, error?.requestId], ['Users', failed.ends[0]?.requestId])
    assert.equal(failed.errors.length, 1)
  })

  it('publishes an error of middleware without an endpoint if no path matches', async () => {
    const broken: Middleware = () => {
      throw new Error('broken')
    }
    const guarded = createApp({ routes: { Users }, logger: false, middleware: [broken] })
    const { errors } = await watch(() => sendRequest(guarded, '/none'))
    assert.deepEqual(
      errors.map(({ error, path, route, template, endpoint }) => [String(error), path, route, template, endpoint]),
      [['Error: broken', '/none', undefined, undefined, undefined]],
    )
  })

  it('publishes an error of a task after the response', async () => {
    const { opened, open } = createGate()
    const { errors } = await watch(async () => {
      const failed = (): void => open()
      subscribe('verbena:request:error', failed)
      await sendRequest(app, '/users/7', { method: 'DELETE' })
      await opened
      unsubscribe('verbena:request:error', failed)
    })
    assert.deepEqual(
      errors.map(({ message }) => message),
      ['Task in "response.after" failed'],
    )
  })

  it('creates events only for channels with subscribers', async () => {
    const starts: unknown[] = []
    const listener = (event: unknown): void => void starts.push(event)
    const channel = new Channel()
    subscribe('verbena:request:start', listener)
    assert.deepEqual(
      [channel.hasListeners('start'), channel.hasListeners('routed'), channel.hasListeners('end')],
      [true, false, false],
    )
    await sendRequest(app, '/users/7')
    await sendRequest(app, '/users/7', { method: 'POST' })
    unsubscribe('verbena:request:start', listener)
    await sendRequest(app, '/users/7')
    assert.equal(starts.length, 2)
    assert.equal(channel.hasListeners('start'), false)
  })

  it('ignores a request that started before the first subscription', async () => {
    const { opened, open } = createGate()
    class Slow extends Route {
      async get() {
        await opened
      }
    }
    const slow = createApp({ routes: { Slow }, logger: false })
    const answer = sendRequest(slow, '/slow')
    const { ends } = await watch(async () => {
      open()
      await answer
    })
    assert.deepEqual(ends, [])
  })
})

describe('traceparent', () => {
  it('adds the trace id to each log line of a request', async () => {
    const lines: object[] = []
    const write = (fields: object): void => void lines.push(fields)
    class Home extends Route {
      get({ log }: Input) {
        log.info({ a: 1 })
        throw new Error('broken')
      }
    }
    const logger = { debug: write, info: write, warn: write, error: write }
    const traced = createApp({ routes: { Home }, logger })
    await sendRequest(traced, '/home', { headers: { traceparent: `00-${TRACE}-00f067aa0ba902b7-01` } })
    assert.deepEqual(
      lines.map((fields) => Reflect.get(fields, 'traceId')),
      [TRACE, TRACE],
    )
    await sendRequest(traced, '/home', { headers: { traceparent: 'malformed' } })
    assert.ok(!('traceId' in (lines.at(-1) ?? {})))
  })
})

describe('a subscriber of verbena:request:* that fails', () => {
  /** Sends a request with these subscribers. Returns the lines about them, and the errors that would end the process. */
  async function failWith(...subscribers: readonly (() => unknown)[]) {
    const { logger, lines } = captureLog()
    const failing = createApp({ routes: { Users }, logger })
    const uncaught: unknown[] = []
    const keep = (error: unknown): void => void uncaught.push(error)
    process.on('uncaughtException', keep).on('unhandledRejection', keep)
    for (const each of subscribers) subscribe('verbena:request:routed', each)
    const { status } = await failing.fetch(new Request('http://localhost/users/7'))
    for (const each of subscribers) unsubscribe('verbena:request:routed', each)
    // Node reports both kinds of errors in later ticks.
    await new Promise((resolve) => setTimeout(resolve, 5))
    process.off('uncaughtException', keep).off('unhandledRejection', keep)
    return { status, uncaught, lines: lines.filter(({ level }) => level === 'error') }
  }

  it('is logged with the id of the request, and the next subscriber is called', async () => {
    const err = new Error('of the subscriber')
    let requestId: unknown
    const next = (event?: unknown): void => void (requestId = Object(event).requestId)
    const fail = (): void => {
      throw err
    }
    const { status, uncaught, lines } = await failWith(fail, next)
    assert.deepEqual([status, uncaught], [200, []])
    const fields = { err, requestId, channel: 'verbena:request:routed' }
    assert.deepEqual(lines, [{ level: 'error', fields, message: 'Failed to notify a subscriber' }])
    assert.equal(typeof requestId, 'string')
  })

  it('is logged if it returns a promise that rejects', async () => {
    const err = new Error('of the subscriber, later')
    const { status, uncaught, lines } = await failWith(async () => Promise.reject(err))
    assert.deepEqual([status, uncaught, lines.map(({ fields }) => Object(fields).err)], [200, [], [err]])
  })
})
