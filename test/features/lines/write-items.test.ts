import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { HttpError, reply, Route, type App, type Input } from 'verbena'
import { jsonLines } from 'verbena/lines'
import * as z from 'zod'
import { captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { Client, exchangeBytes, formatRequest } from '#test/wire.js'

const Point = z.object({ x: z.number() })

/** Creates an app whose `GET /probe` returns a value. */
function createResponse(result: (input: Input) => unknown, kind: object = {}, { spec = {}, app = {} } = {}) {
  class Probe extends Route {
    static readonly get = this.contract({ returns: jsonLines(Point, kind), ...spec })
    get(input: Input) {
      // Proof: wrong on purpose; some tests return values that the contract rejects.
      return result(input) as AsyncIterable<{ x: number }>
    }
  }
  const { logger, lines } = captureLog()
  return { app: createUntypedApp({ routes: { Probe }, logger, signals: false, ...app }), lines }
}

/** Requests `/probe`, and reads the response as text. */
async function readLines(app: Pick<App, 'fetch'>, init: RequestInit = {}) {
  const response = await app.fetch(new Request('http://localhost/probe', init))
  const { status, headers } = response
  return { status, headers, text: await response.text() }
}

async function* yieldAll(...items: readonly unknown[]) {
  yield* items
}

describe('jsonLines() as a response', () => {
  it('writes each item as a line, without unknown properties', async () => {
    const { app } = createResponse(() => yieldAll({ x: 1, secret: 1 }, { x: 2 }))
    const { headers, text } = await readLines(app)
    assert.equal(text, '{"x":1}\n{"x":2}\n')
    assert.equal(headers.get('content-type'), 'application/jsonl')
    assert.equal(headers.get('cache-control'), 'no-store, no-transform')
    assert.equal(headers.get('x-accel-buffering'), 'no')
  })

  it('keeps unknown properties with project: false', async () => {
    const Loose = z.looseObject({ x: z.number() })
    const spec = { returns: jsonLines(Loose, { project: false }) }
    const { app } = createResponse(() => yieldAll({ x: 1, y: 2 }), {}, { spec })
    assert.equal((await readLines(app)).text, '{"x":1,"y":2}\n')
  })

  it('keeps the headers of the author', async () => {
    const { app } = createResponse(() => reply(200, yieldAll({ x: 1 }), { 'cache-control': 'max-age=5' }))
    const { headers } = await readLines(app)
    assert.equal(headers.get('cache-control'), 'max-age=5')
  })

  it('sends an empty body without items', async () => {
    const { app } = createResponse(() => yieldAll())
    const { status, text } = await readLines(app)
    assert.deepEqual([status, text], [200, ''])
    await app.close()
  })

  it('waits for an asynchronous schema', async () => {
    const Slow = Point.refine(async () => (await sleep(1)) === undefined)
    const { app } = createResponse(() => yieldAll({ x: 1 }, { x: 2 }), {}, { spec: { returns: jsonLines(Slow) } })
    assert.equal((await readLines(app)).text, '{"x":1}\n{"x":2}\n')
  })

  it('responds with a problem if the first item fails, even after a while', async () => {
    for (const [error, status] of [
      [new HttpError(409), 409],
      [new Error('secret'), 500],
    ] as const) {
      const { app } = createResponse(() => Readable.from(failAfter([], error, 20)))
      assert.equal((await readLines(app)).status, status)
    }
    const { app } = createResponse(() => yieldAll({ x: 'wrong' }))
    assert.equal((await readLines(app)).status, 500)
  })

  it('responds with 500 to a value that is not an async iterable', async () => {
    const { app, lines } = createResponse(() => [{ x: 1 }])
    assert.equal((await readLines(app)).status, 500)
    assert.match(String(lines[0]?.fields['err']), /"jsonLines\(\)" does not accept the returned value/)
  })

  it('cuts the response at an item that fails later, and logs it', async () => {
    for (const source of [
      () => yieldAll({ x: 1 }, { x: 'wrong' }),
      () => failAfter([{ x: 1 }], new Error('late'), 1),
    ]) {
      const { app, lines } = createResponse(source)
      const { url, port } = await app.listen()
      const bytes = await exchangeBytes(port, formatRequest('GET /probe'))
      assert.match(bytes, /\r\n8\r\n\{"x":1\}\n\r\n$/)
      const response = await fetch(`${url}/probe`)
      await assert.rejects(response.text(), /terminated/)
      await app.close()
      assert.deepEqual(
        lines.map(({ message }) => message),
        ['Response interrupted', 'Response interrupted'],
      )
    }
  })

  it('accepts a line of exactly "line" bytes, and fails for one more', async () => {
    const spec = (line: number) => ({ spec: { returns: jsonLines(z.unknown(), { line }) } })
    for (const item of ['é'.repeat(10), 'a'.repeat(20)]) {
      const exact = createResponse(() => yieldAll(item), {}, spec(22))
      assert.equal((await readLines(exact.app)).text, `"${item}"\n`)
      const tooLong = createResponse(() => yieldAll(item), {}, spec(21))
      assert.equal((await readLines(tooLong.app)).status, 500)
      assert.match(String(tooLong.lines[0]?.fields['err']), /it has 22 bytes, but "line" is 21\. Yield smaller items/)
    }
  })

  it('fails for an item that JSON cannot represent', async () => {
    const { app, lines } = createResponse(() => yieldAll(undefined), {}, { spec: { returns: jsonLines(z.unknown()) } })
    assert.equal((await readLines(app)).status, 500)
    assert.match(String(lines[0]?.fields['err']), /Cannot send a line of "Probe.get": JSON cannot represent undefined/)
  })

  it('sends an empty line after each heartbeat without items', async () => {
    const { app } = createResponse(() => failAfter([{ x: 1 }], null, 60), { heartbeat: 20 })
    const { text } = await readLines(app)
    assert.match(text, /^\{"x":1\}\n\n+$/)
    const silent = createResponse(() => failAfter([{ x: 1 }], null, 60))
    assert.equal((await readLines(silent.app)).text, '{"x":1}\n')
  })

  it('begins with a heartbeat if the first item takes longer', async () => {
    const { app } = createResponse(() => failAfter([], new Error('late'), 100), { heartbeat: 20 })
    const response = await app.fetch(new Request('http://localhost/probe'))
    assert.equal(response.status, 200)
    await assert.rejects(response.text())
  })

  it('stops the source if its reader is slow, and continues when it reads', async () => {
    let count = 0
    const { app } = createResponse(
      async function* endless() {
        for (; count < 2_000; count++) yield { x: count, text: 'x'.repeat(10_000) }
      },
      {},
      { spec: { returns: jsonLines(z.object({ x: z.number(), text: z.string() })) } },
    )
    const { port } = await app.listen()
    const socket = connect(port, '127.0.0.1')
    socket.write(formatRequest('GET /probe'))
    let stopped = -1
    while (count !== stopped) {
      stopped = count
      await sleep(200)
    }
    assert.ok(stopped < 2_000, `${stopped}`)
    let size = 0
    for await (const bytes of socket) size += bytes.length
    assert.equal(count, 2_000)
    assert.ok(size > 20_000_000)
    await app.close()
  })

  it('stops the source if the client disconnects', async () => {
    const stopped = createGate()
    const { app, lines } = createResponse(async function* endless({ signal }) {
      try {
        yield { x: 1 }
        await sleep(60_000, undefined, { signal })
      } finally {
        stopped.open()
      }
    })
    const { port } = await app.listen()
    const client = new Client(port).write(formatRequest('GET /probe'))
    while (!client.text.includes('"x"')) await sleep(5)
    client.socket.destroy()
    await stopped.opened
    await app.close()
    assert.deepEqual(lines, [])
  })

  it('cuts the response, aborts the signal and runs no tasks when the app closes', async () => {
    const done: string[] = []
    const { app, lines } = createResponse(({ response, signal }) => {
      response.after(() => done.push('task'))
      signal.addEventListener('abort', () => done.push('aborted'))
      return failAfter([{ x: 1 }], null, 300)
    })
    const { port } = await app.listen()
    const client = new Client(port).write(formatRequest('GET /probe'))
    while (!client.text.includes('"x"')) await sleep(5)
    await Promise.all([app.close(), client.closed])
    assert.match(client.text, /\{"x":1\}\n\r\n$/)
    assert.deepEqual(done, ['aborted'])
    assert.deepEqual(lines, [])
  })

  it('responds with 503 if the app closes before the first item', async () => {
    const begun = createGate()
    const { app, lines } = createResponse(() => {
      begun.open()
      return failAfter([], null, 200)
    })
    const { port } = await app.listen()
    const answer = exchangeBytes(port, formatRequest('GET /probe'))
    await begun.opened
    await sleep(20)
    await app.close()
    assert.match(await answer, /^HTTP\/1.1 503 /)
    assert.deepEqual(lines, [])
  })

  it('sends no body for HEAD, and stops the source', async () => {
    const { app } = createResponse(() => yieldAll({ x: 1 }))
    const { status, text } = await readLines(app, { method: 'HEAD' })
    assert.deepEqual([status, text], [200, ''])
  })

  it('responds with 406 if the client accepts no JSON Lines', async () => {
    const { app } = createResponse(() => yieldAll({ x: 1 }))
    const headers = { accept: 'text/html' }
    assert.equal((await readLines(app, { headers })).status, 406)
  })

  it('is compressed line by line', async () => {
    const { app } = createResponse(() => yieldAll({ x: 1 }), {}, { app: { compression: {} } })
    const { headers } = await readLines(app, { headers: { 'accept-encoding': 'gzip' } })
    assert.equal(headers.get('content-encoding'), 'gzip')
  })
})

/** Yields the items, waits, and throws the error unless it is `null`. */
async function* failAfter(items: readonly unknown[], error: unknown, time: number) {
  yield* items
  await sleep(time)
  if (error !== null) throw error
}
