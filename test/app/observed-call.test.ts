/** Requests whose client disconnects: status and `aborted` in the log, in metrics and on the channel. */
import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { describe, it } from 'node:test'
import { provide, Route, type RequestEnd, type Context, type Middleware } from 'verbena'
import { log } from 'verbena/decorators'
import * as z from 'zod'
import { captureLog, createGate, createUntypedApp } from '#test/apps.js'

/** Resolves with the next request that ends. */
async function nextEnd(): Promise<RequestEnd> {
  const channel = 'verbena:request:end'
  let listener: (message: unknown) => void = () => {}
  try {
    // Proof: the channel publishes these messages.
    return await new Promise((resolve) => subscribe(channel, (listener = (message) => resolve(message as RequestEnd))))
  } finally {
    unsubscribe(channel, listener)
  }
}

function untilAborted({ signal }: Context): Promise<unknown> {
  return new Promise((resolve) => signal.addEventListener('abort', resolve))
}

function createOrders() {
  const begun = createGate()
  const waiting = provide({}, async (context) => {
    begun.open()
    await untilAborted(context)
    return 'slow'
  })
  class Orders extends Route {
    static readonly middleware: readonly Middleware[] = [
      (context, next) => {
        if (context.request.method === 'PUT') begun.open()
        return next()
      },
    ]
    @log
    async get(context: Context) {
      begun.open()
      await untilAborted(context)
      return 'nobody reads this'
    }
    static readonly post = this.contract({ uses: { waiting } })
    @log
    async post() {
      throw new Error('after the client disconnected')
    }
    static readonly put = this.contract({ body: z.object({ name: z.string() }) })
    @log
    async put() {
      return 'never'
    }
    @log({ level: 'debug' })
    async *patch(context: Context) {
      yield 'first'
      begun.open()
      await untilAborted(context)
    }
    @log
    async *delete(context: Context) {
      begun.open()
      await untilAborted(context)
      yield 'first'
    }
  }
  const { logger, lines } = captureLog()
  const app = createUntypedApp({
    routes: { Orders },
    logger,
    metrics: '/metrics',
    signals: false,
    timeouts: { close: 500 },
  })
  return { app, begun, lines }
}

function head(method: string, more = ''): string {
  return `${method} /orders HTTP/1.1\r\nHost: a\r\n${more}\r\n`
}

async function open(port: number, bytes: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  socket.write(bytes)
  return socket
}

async function statuses(app: { fetch(request: Request): Promise<Response> }): Promise<string[]> {
  const response = await app.fetch(new Request('http://localhost/metrics'))
  const counts = (await response.text()).matchAll(/_count\{.*method="(\w+)".*status_code="(\d+)".*\} 1$/gm)
  return [...counts].map(([, method, status]) => `${method} ${status}`)
}

describe('a client that disconnects', () => {
  const cases = [
    { title: 'during the method', bytes: head('GET'), status: 499 },
    {
      title: 'during a provider, before the method fails',
      bytes: head('POST', 'Content-Length: 0\r\n'),
      status: 499,
      waits: true,
    },
    { title: 'before the first chunk of a stream', bytes: head('DELETE'), status: 499 },
    { title: 'in the middle of a stream', bytes: head('PATCH', 'Content-Length: 0\r\n'), status: 200 },
    {
      title: 'in the middle of the request body',
      bytes: `${head('PUT', 'Content-Type: application/json\r\nContent-Length: 20\r\n')}{`,
      status: 499,
    },
  ]
  for (const { title, bytes, status } of cases) {
    it(`logs and counts a client that disconnects ${title} with status ${status}`, async () => {
      const { app, begun, lines } = createOrders()
      await using listening = app
      const { port } = await listening.listen()
      const ended = nextEnd()
      const socket = await open(port, bytes)
      await begun.opened
      await new Promise(setImmediate)
      const [method = ''] = bytes.split(' ')
      // A plain end could come from a client that still reads: then the response to half a body is a 400.
      socket.resetAndDestroy()
      const end = await ended
      assert.deepEqual([end.method, end.status, end.aborted], [method, status, true])
      const line = lines.find(({ fields }) => fields['status'] !== undefined)
      assert.deepEqual(
        [line?.fields['status'], line?.fields['aborted'], line?.message],
        [status, true, `${method} /orders ${status}`],
      )
      assert.equal(line?.fields['err'], undefined)
      assert.deepEqual(await statuses(app), [`${method} ${status}`])
    })
  }

  it('logs no aborted field if the response was sent', async () => {
    const { app, lines } = createOrders()
    await using listening = app
    const { url } = await listening.listen()
    const ended = nextEnd()
    const { status: sent } = await fetch(`${url}/orders`, { method: 'PUT' })
    const { status, aborted } = await ended
    assert.deepEqual([status, aborted], [sent, false])
    assert.ok(lines.every(({ fields }) => !('aborted' in fields)))
  })

  it('does not report a request as aborted if a stream of the server fails', async () => {
    class Orders extends Route {
      @log
      async *get() {
        yield 'first'
        throw new Error('broken')
      }
    }
    const { logger, lines } = captureLog()
    await using app = createUntypedApp({ routes: { Orders }, logger, signals: false })
    const { url } = await app.listen()
    const ended = nextEnd()
    await assert.rejects(fetch(`${url}/orders`).then((response) => response.text()))
    const { status, aborted } = await ended
    assert.deepEqual([status, aborted], [200, false])
    assert.ok(lines.every(({ fields }) => !('aborted' in fields)))
  })

  it('reports a request of app.fetch as aborted if the reader cancels the stream', async () => {
    const { app } = createOrders()
    const ended = nextEnd()
    const response = await app.fetch(new Request('http://localhost/orders', { method: 'PATCH' }))
    const reader = response.body?.getReader()
    await reader?.read()
    await reader?.cancel()
    const { status, aborted } = await ended
    assert.deepEqual([status, aborted], [200, true])
  })
})
