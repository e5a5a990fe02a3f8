import assert from 'node:assert/strict'
import { once } from 'node:events'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { events, HttpError, provide, Route, stream, type Context, type StreamEvent } from 'verbena'
import * as z from 'zod'
import { assertSetupError, captureLog, createGate, createUntypedApp } from '#test/apps.js'
import { Client, formatRequest } from '#test/wire.js'

type Generate = (context: Context) => AsyncIterable<StreamEvent<unknown>>

interface StreamOptions {
  readonly spec?: object
  readonly kind?: object
  readonly app?: object
  readonly uses?: object
}

const Count = z.object({ n: z.int() })

/** Creates an app whose endpoint `/probe` sends events. */
function createStream(generate: Generate, { spec, kind, app, uses = {} }: StreamOptions = {}) {
  class Probe extends Route {
    static readonly uses = uses
    static readonly get = this.contract({ returns: events(Count, kind), ...spec })
    get(context: Context) {
      // Proof: wrong on purpose; some tests yield events that the contract rejects.
      return generate(context) as AsyncIterable<StreamEvent<{ n: number }>>
    }
  }
  const { logger, lines } = captureLog()
  return { app: createUntypedApp({ routes: { Probe }, logger, signals: false, ...app }), lines }
}

/** Yields one event, then throws. */
function failAfterFirst(error: unknown): Generate {
  return async function* fail() {
    yield { data: { n: 1 } }
    throw error
  }
}

const FIRST = 'data: {"n":1}\n\n'

/** Reads the whole stream of `/probe`, and returns the name and the data of its last event. */
async function readFailure(generate: Generate, options?: StreamOptions) {
  const { app, lines } = createStream(generate, options)
  const response = await app.fetch(new Request('http://localhost/probe'))
  const text = await response.text()
  const id = response.headers.get('x-request-id')
  await app.close()
  const [, name, data] = /^data: \{"n":1\}\n\nevent: (.*)\ndata: (.*)\n\n$/.exec(text) ?? assert.fail(text)
  return { name, data: JSON.parse(data ?? '') as unknown, id, lines, status: response.status }
}

const requestId = { header: true }
const PLAIN = { type: 'about:blank', title: 'Internal Server Error', status: 500 }

describe('events(): a failure after the first event', () => {
  it('ends the stream with the declared problem and its members, and logs the error once', async () => {
    const error = new HttpError(409, 'Sold out', { left: 0, cause: new Error('secret') })
    const spec = { errors: { 409: z.object({ left: z.int() }) } }
    const { name, data, id, lines, status } = await readFailure(failAfterFirst(error), { spec, app: { requestId } })
    assert.equal(status, 200)
    assert.equal(name, 'error')
    const problem = {
      type: 'about:blank',
      title: 'Conflict',
      status: 409,
      detail: 'Sold out',
      requestId: id,
      left: 0,
    }
    assert.deepEqual(data, problem)
    assert.deepEqual(
      lines.map(({ level, message, fields }) => [level, message, fields['route']]),
      [['error', 'Response interrupted', 'Probe']],
    )
    assert.equal(Object(lines[0]?.fields['err']).message, 'Sold out')
  })

  it('sends problems that a provider declares, or that "mapError" returns', async () => {
    const uses = { user: provide({ errors: [402] }, () => ({})) }
    const { data } = await readFailure(failAfterFirst(new HttpError(402)), { uses })
    assert.equal(Object(data).title, 'Payment Required')
    const mapError = (): HttpError => new HttpError(404, 'No such file')
    const mapped = await readFailure(failAfterFirst(new TypeError('ENOENT')), {
      spec: { errors: [404] },
      app: { mapError },
    })
    assert.equal(Object(mapped.data).detail, 'No such file')
    assert.equal(Object(mapped.lines[0]?.fields['err']).message, 'ENOENT')
  })

  for (const [about, error] of [
    ['a status that is not declared', new HttpError(418, 'secret', { secret: 1 })],
    ['another error', new TypeError('secret')],
    ['a value that is not an error', { status: 409, detail: 'secret' }],
    ['no value', undefined],
  ] as const) {
    it(`sends a 500 without details for ${about}`, async () => {
      const options = { spec: { errors: { 409: 'Sold out', 500: z.object({ secret: z.int() }) } }, app: { requestId } }
      const { data, id, lines } = await readFailure(failAfterFirst(error), options)
      assert.deepEqual(data, { ...PLAIN, requestId: id })
      assert.deepEqual(
        lines.map(({ message }) => message),
        ['Response interrupted'],
      )
    })
  }

  it('sends a 500 for an event that violates the contract, and stops the generator', async () => {
    let isStopped = false
    const { data, lines } = await readFailure(async function* wrong() {
      try {
        yield { data: { n: 1 } }
        yield { data: { n: 'secret' } }
      } finally {
        isStopped = true
      }
    })
    assert.equal(Object(data).status, 500)
    assert.doesNotMatch(JSON.stringify(data), /secret/)
    assert.equal(Object(lines[0]?.fields['err']).name, 'ContractBreach')
    assert.equal(isStopped, true)
  })

  it('drops extension members that do not match their schema, also of asynchronous schemas', async () => {
    const left = z.int().refine(async (n) => (await sleep(20)) === undefined && n > 0)
    const spec = { errors: { 409: z.object({ left }) } }
    const heartbeat = { heartbeat: 5 }
    const wrong = await readFailure(failAfterFirst(new HttpError(409, 'Sold out', { left: -1 })), {
      spec,
      kind: heartbeat,
    })
    assert.deepEqual([Object(wrong.data).detail, Object(wrong.data).left], ['Sold out', undefined])
    assert.deepEqual(
      wrong.lines.map(({ message }) => message),
      ['Response interrupted', 'Problem sent without its extension members'],
    )
    const right = await readFailure(failAfterFirst(new HttpError(409, 'Sold out', { left: 1 })), { spec })
    assert.equal(Object(right.data).left, 1)
  })

  it('sends a 500 if the error cannot be serialized', async () => {
    const error = new HttpError(409, 'Sold out', { left: 1n })
    for (const schema of [z.object({ left: z.bigint() }), z.object({ left: z.bigint().refine(async () => true) })]) {
      const { data, lines } = await readFailure(failAfterFirst(error), { spec: { errors: { 409: schema } } })
      assert.equal(Object(data).status, 500)
      assert.deepEqual(
        lines.map(({ message }) => message),
        ['Response interrupted', 'Failed to serialize an HttpError'],
      )
    }
  })

  it('sends the data in the error format of the app', async () => {
    const errorFormat = {
      schema: z.object({ code: z.int(), message: z.string() }),
      write: ({ status, detail = 'unknown' }: { status: number; detail?: string }) => ({
        code: status,
        message: detail,
      }),
    }
    const spec = { errors: [409] }
    const { data } = await readFailure(failAfterFirst(new HttpError(409, 'Sold out')), { spec, app: { errorFormat } })
    assert.deepEqual(data, { code: 409, message: 'Sold out' })
    const other = await readFailure(failAfterFirst(new Error('secret')), { spec, app: { errorFormat } })
    assert.deepEqual(other.data, { code: 500, message: 'unknown' })
  })

  it('sends the problem as the first event if the response has begun without one', async () => {
    const { app } = createStream(
      // oxlint-disable-next-line require-yield -- fails before its first event
      async function* late() {
        await sleep(20)
        throw new HttpError(409, 'Sold out')
      },
      { spec: { errors: [409] } },
    )
    const response = await app.fetch(new Request('http://localhost/probe'))
    assert.equal(response.status, 200)
    assert.match(await response.text(), /^event: error\ndata: \{.*"detail":"Sold out".*\}\n\n$/)
  })

  it('is a problem response if it is thrown before the first event', async () => {
    // oxlint-disable-next-line require-yield -- fails before its first event
    const { app } = createStream(async function* early() {
      throw new HttpError(409, 'Sold out')
    })
    const response = await app.fetch(new Request('http://localhost/probe'))
    assert.deepEqual([response.status, response.headers.get('content-type')], [409, 'application/problem+json'])
  })

  it('runs no tasks, and passes the error to providers', async () => {
    const done: unknown[] = []
    const uses = {
      part: provide(
        {},
        async function* () {
          try {
            yield 1
          } catch (error) {
            done.push(Object(error).message)
          }
        },
        { ends: 'after-response' },
      ),
    }
    await readFailure(
      ({ response }) => {
        response.after(() => done.push('task'))
        return failAfterFirst(new Error('broken'))(Object.create(null))
      },
      { uses },
    )
    assert.deepEqual(done, ['broken'])
  })

  it('completes the response on the socket, and keeps the connection', async () => {
    const { app } = createStream(failAfterFirst(new HttpError(409, 'Sold out')), { spec: { errors: [409] } })
    const { port } = await app.listen()
    const client = new Client(port)
    client.write(formatRequest('GET /probe', { Connection: null }))
    while (!client.text.endsWith('0\r\n\r\n')) await sleep(5)
    assert.match(client.text, /"n":1[^]*event: error\ndata: \{.*Sold out.*\}\n\n\r\n0\r\n\r\n$/)
    client.write(formatRequest('GET /nothing'))
    await client.closed
    assert.match(client.text, /HTTP\/1.1 404/)
    await app.close()
  })

  it('writes nothing for a client that has disconnected', async () => {
    const stopped = createGate()
    const { app, lines } = createStream(async function* wait({ signal }) {
      yield { data: { n: 1 } }
      await once(signal, 'abort')
      stopped.open()
      throw new HttpError(409, 'Sold out')
    })
    const { url } = await app.listen()
    const leaving = new AbortController()
    const response = await fetch(`${url}/probe`, { signal: leaving.signal })
    assert.equal(response.status, 200)
    leaving.abort()
    await stopped.opened
    await app.close()
    assert.deepEqual(lines, [])
  })

  it('cuts the body of "app.fetch" if the request was aborted before the failure', async () => {
    const aborted = createGate()
    const { app } = createStream(async function* wait() {
      yield { data: { n: 1 } }
      await aborted.opened
      throw new HttpError(409, 'Sold out')
    })
    const leaving = new AbortController()
    const response = await app.fetch(new Request('http://localhost/probe', { signal: leaving.signal }))
    const text = response.text()
    leaving.abort()
    aborted.open()
    await assert.rejects(text)
    await app.close()
  })

  it('ends cleanly without an error event when the app closes', async () => {
    const { app, lines } = createStream(async function* wait({ signal }) {
      yield { data: { n: 1 } }
      await sleep(10_000, undefined, { signal })
    })
    const { url } = await app.listen()
    const response = await fetch(`${url}/probe`)
    const text = response.text()
    await app.close()
    assert.equal(await text, FIRST)
    assert.deepEqual(lines, [])
  })

  it('stays cut for streams of other kinds', async () => {
    const fail: () => AsyncIterable<unknown> = async function* fail() {
      yield 'a'
      throw new HttpError(409)
    }
    // Proof: wrong on purpose; chunks instead of events.
    const { app } = createStream(fail as Generate, { spec: { returns: stream(), errors: [409] } })
    const response = await app.fetch(new Request('http://localhost/probe'))
    await assert.rejects(response.text())
  })
})

describe('events(): errorEvent', () => {
  it('names the last event', async () => {
    const { name } = await readFailure(failAfterFirst(new Error('secret')), { kind: { errorEvent: 'failure' } })
    assert.equal(name, 'failure')
  })

  it('must not be the name of an event that the handler yields', async () => {
    const named = (name: string): Generate =>
      async function* yieldNamed() {
        yield { data: { n: 1 } }
        yield { event: name, data: { n: 2 } }
      }
    const { lines } = await readFailure(named('error'))
    assert.match(
      Object(lines[0]?.fields['err']).message,
      /the event "error" reports a failure. Throw an error instead, or set "errorEvent" of events\(\) to another name/,
    )
    const { app } = createStream(named('error'), { kind: { errorEvent: 'failure' } })
    const response = await app.fetch(new Request('http://localhost/probe'))
    assert.equal(await response.text(), `${FIRST}event: error\ndata: {"n":2}\n\n`)
  })

  it('must be Latin-1 without line breaks, and not "message"', () => {
    for (const errorEvent of ['', 'message', 'a\nb', 'a\rb', 'a\0b', '日本', 7]) {
      assertSetupError(() => looseEvents({ errorEvent }), 'OPTION_INVALID', '"errorEvent" of events()')
    }
    assert.doesNotThrow(() => looseEvents({ errorEvent: 'Fehler: größer' }))
  })
})

function looseEvents(options: object): unknown {
  return events(Count, options)
}
