/** Streams whose generator is still running when the client disconnects: their resources are cleaned up after them. */
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { events, reply, stream, type App, type Middleware } from 'verbena'
import { sendRequest, createGate } from '#test/apps.js'
import { until, Wire } from '#test/e2e.js'
import { createRunning, type Running, type RunningOptions } from '#test/running-methods.js'
import * as z from 'zod'

type Late = () => Promise<string>

const apps: App[] = []
const closeApps = () => Promise.all(apps.splice(0).map((app) => app.close()))

function start(options: RunningOptions): Running {
  const running = createRunning({ ends: 'after-response', ...options })
  apps.push(running.app)
  return running
}

async function* generate(late: Late) {
  yield 'first'
  yield await late()
}

async function* encode(texts: AsyncIterable<string>) {
  for await (const text of texts) yield new TextEncoder().encode(text)
}

async function* generateEvents(late: Late) {
  yield { data: 'first' }
  yield { data: await late() }
}

/** An iterator whose `return` does not wait for the pending `next`. */
function iterate(late: Late): AsyncIterable<string> {
  const steps = [() => Promise.resolve('first'), late]
  const next = async () => ({ done: false as const, value: await (steps.shift() ?? late)() })
  return { [Symbol.asyncIterator]: () => ({ next, return: async () => ({ done: true, value: undefined }) }) }
}

const wrap: Middleware = async (_context, next) => {
  const made = await next()
  async function* wrapped() {
    for await (const chunk of made.body as AsyncIterable<string>) yield chunk.toUpperCase()
  }
  return reply(200, wrapped())
}

const STREAMS: Readonly<Record<string, RunningOptions>> = {
  'a generator': { method: generate },
  'a generator of stream()': { method: generate, spec: { returns: stream() } },
  'a generator of events()': { method: generateEvents, spec: { returns: events(z.string()) } },
  'an iterator that is not a generator': { method: iterate },
  'a Node stream': { method: (late) => Readable.from(generate(late)) },
  'a Node stream of bytes': { method: (late) => Readable.from(generate(late), { objectMode: false }) },
  'a web stream': { method: (late) => ReadableStream.from(generate(late)) },
  'a reply with a generator': { method: (late) => reply(200, generate(late)) },
  'a web response': { method: (late) => new Response(ReadableStream.from(encode(generate(late)))) },
  'a compressed stream': { method: generate, app: { compression: {} } },
  'a stream that middleware wraps': { method: generate, middleware: [wrap] },
}

describe('a client that disconnects from a stream', () => {
  afterEach(closeApps)

  for (const [about, options] of Object.entries(STREAMS)) {
    it(`does not end providers before ${about} has stopped`, async () => {
      const { app, log, begun, finish } = start(options)
      const { port } = await app.listen()
      const wire = new Wire(port)
      wire.send('GET /probe HTTP/1.1\r\nHost: a\r\nAccept-Encoding: gzip\r\n\r\n')
      await begun
      wire.destroy()
      await sleep(40)
      assert.deepEqual(log, ['begin'])
      let isClosed = false
      const closing = app.close().then(() => (isClosed = true))
      await sleep(20)
      assert.equal(isClosed, false)
      finish()
      await closing
      assert.deepEqual(log, ['begin', 'write late, aborted', 'end AbortError'])
    })
  }

  it('does not end providers of app.fetch before the generator has stopped', async () => {
    const { app, log, begun, finish } = start({ method: generate })
    const response = await app.fetch(new Request('http://localhost/probe'))
    const reader = response.body?.getReader() ?? assert.fail()
    await reader.read()
    const second = reader.read()
    await begun
    await reader.cancel()
    await second
    await sleep(20)
    assert.deepEqual(log, ['begin'])
    finish()
    await app.close()
    assert.deepEqual(log.at(-1), 'end AbortError')
  })

  it('logs a generator that does not stop within timeouts.close, and ends its providers', async () => {
    const running = start({ method: generate, app: { timeouts: { close: 60 } } })
    const { port } = await running.app.listen()
    const wire = new Wire(port)
    wire.send('GET /probe HTTP/1.1\r\nHost: a\r\n\r\n')
    await running.begun
    wire.destroy()
    await until(() => running.log.length === 2, 'the cleanup')
    assert.deepEqual(running.log, ['begin', 'end AbortError'])
    const { message, fields } = running.lines.at(-1) ?? assert.fail()
    assert.equal(message, 'Endpoint still running; its providers are cleaned up without it')
    assert.equal(fields['route'], 'Probe')
    running.finish()
  })

  it('ends providers after a Node stream is destroyed, even if it never emits close', async () => {
    const ended = createGate()
    for (const emitClose of [true, false]) {
      const running = start({
        method: () => {
          const source = new Readable({ emitClose, read() {} })
          // oxlint-disable-next-line no-underscore-dangle -- the name that Node gives it
          source._destroy = (_error, done) => {
            done(null)
            ended.open()
          }
          source.push('first')
          return source
        },
        app: { timeouts: { close: 30 } },
      })
      const { port } = await running.app.listen()
      const wire = new Wire(port)
      wire.send('GET /probe HTTP/1.1\r\nHost: a\r\n\r\n')
      await until(() => wire.rest.includes('first'), 'the first chunk')
      wire.destroy()
      await ended.opened
      await until(() => running.log.length === 2, 'the cleanup')
    }
  })
})

describe('a stream that is discarded', () => {
  afterEach(closeApps)

  const replace: Middleware = async (_context, next) => {
    await next()
    return reply(200, 'mine')
  }
  for (const [about, method, middleware] of [
    ['HEAD', 'HEAD', []],
    ['middleware that replaces it', 'GET', [replace]],
  ] as const) {
    it(`ends providers after a discarded stream has stopped: ${about}`, async () => {
      const { app, log, begun, finish } = start({
        middleware,
        method: async function* (late) {
          try {
            yield 'first'
          } finally {
            await late()
          }
        },
      })
      assert.equal((await sendRequest(app, '/probe', { method })).status, 200)
      await begun
      await sleep(20)
      assert.deepEqual(log, ['begin'])
      finish()
      await app.close()
      assert.deepEqual(log, ['begin', 'write late, not aborted', 'end'])
    })
  }
})
