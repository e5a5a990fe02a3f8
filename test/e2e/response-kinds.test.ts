import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { bytes, events, form, HttpError, json, reply, Route, stream, text } from 'verbena'
import { sendRequest, assertSetupError, captureLog, createGate, looseContract, createUntypedApp } from '#test/apps.js'
import { exchangeBytes, formatRequest } from '#test/wire.js'
import * as z from 'zod'

function answering(contract: object, returned: () => unknown, options: object = {}) {
  class Probe extends Route {
    get() {
      return returned()
    }
  }
  Object.defineProperty(Probe, 'get', { value: looseContract(Probe, contract) })
  return createUntypedApp({ routes: { Probe }, ...options })
}

function refuse(status: number): never {
  throw new HttpError(status)
}

const User = z.object({ id: z.string() })
const user = { id: '7', passwordHash: 'x' }
const TEXT = 'text/plain; charset=utf-8'
const BYTES = 'application/octet-stream'
const EVENTS = 'text/event-stream'

async function* userEvents() {
  yield { data: user }
  yield { data: user, id: '2', event: 'user', retry: 5 }
}
async function* texts() {
  yield 'a'
  yield new Uint8Array([98])
}

type Row = readonly [about: string, contract: object, value: () => unknown, type: string, text: string]

const ROWS: readonly Row[] = [
  ['text', { returns: text() }, () => 'ä', TEXT, 'ä'],
  [
    'text of another type',
    { returns: text() },
    () => reply(200, 'a,b', { 'content-type': 'text/csv' }),
    'text/csv',
    'a,b',
  ],
  ['bytes', { returns: bytes() }, () => new Uint8Array([97]), BYTES, 'a'],
  ['a stream', { returns: stream() }, texts, BYTES, 'ab'],
  ['a Node stream', { returns: stream() }, () => Readable.from(['a']), BYTES, 'a'],
  ['a declared status', { returns: { 200: User, 203: text() } }, () => reply(203, 'a'), TEXT, 'a'],
  [
    'events, projected',
    { returns: events(User) },
    userEvents,
    EVENTS,
    'data: {"id":"7"}\n\nid: 2\nevent: user\nretry: 5\ndata: {"id":"7"}\n\n',
  ],
  [
    'events with an asynchronous schema',
    { returns: events(User.refine(async () => true)) },
    userEvents,
    EVENTS,
    'data: {"id":"7"}\n\nid: 2\nevent: user\nretry: 5\ndata: {"id":"7"}\n\n',
  ],
]

describe('kindPayload()', () => {
  for (const [about, contract, value, type, expected] of ROWS) {
    it(`sends ${about}`, async () => {
      const answer = await sendRequest(answering(contract, value), '/probe')
      assert.deepEqual([answer.headers.get('content-type'), answer.text], [type, expected])
    })
  }

  it('sends headers that prevent buffering of events', async () => {
    const { headers } = await sendRequest(answering({ returns: events(User) }, userEvents), '/probe')
    assert.deepEqual([headers.get('cache-control'), headers.get('x-accel-buffering')], ['no-store, no-transform', 'no'])
  })

  for (const [about, returns, value] of [
    ['an object for text', text(), () => ({})],
    ['bytes for text', text(), () => new Uint8Array()],
    ['text for bytes', bytes(), () => 'a'],
    ['text for a stream', stream(), () => 'a'],
    ['a web response for text', text(), () => new Response('a')],
    ['an object for events', events(User), () => user],
    ['nothing for text', text(), () => undefined],
  ] as const) {
    it(`responds 500 and logs ${about}`, async () => {
      const { logger, lines } = captureLog()
      assert.equal((await sendRequest(answering({ returns }, value, { logger }), '/probe')).status, 500)
      assert.match(String(lines[0]?.fields['err']), /Cannot send the response of "Probe\.get": .* does not accept /)
    })
  }

  it('ends a stream that is returned for text()', async () => {
    const source = Readable.from(['a'])
    assert.equal(
      (
        await sendRequest(
          answering({ returns: text() }, () => source),
          '/probe',
        )
      ).status,
      500,
    )
    assert.equal(source.destroyed, true)
  })

  for (const [about, event] of [
    ['a value that is not an event', 7],
    ['an event without data', { id: '1' }],
    ['data of another form', { data: { id: 7 } }],
    ['an id with a line ending', { data: user, id: 'a\nb' }],
  ] as const) {
    it(`ends the event stream with an error at ${about}`, async () => {
      const { logger, lines } = captureLog()
      async function* broken() {
        yield { data: user }
        yield event
      }
      const app = answering({ returns: events(User) }, broken, { logger })
      const response = await app.fetch(new Request('http://localhost/probe'))
      assert.match(await response.text(), /^data: [^\n]+\n\nevent: error\ndata: \{[^\n]*"status":500[^\n]*\}\n\n$/)
      await app.close()
      assert.equal(lines[0]?.message, 'Response interrupted')
    })
  }

  it('ends the event stream with an error at data that JSON cannot represent, and logs it', async () => {
    const { logger, lines } = captureLog()
    async function* nothing() {
      yield { data: user }
      yield { data: undefined }
    }
    const app = answering({ returns: events(z.unknown()) }, nothing, { logger })
    const response = await app.fetch(new Request('http://localhost/probe'))
    assert.match(await response.text(), /event: error\ndata: \{/)
    await app.close()
    assert.match(
      String(lines[0]?.fields['err']),
      /Cannot send the response of "Probe.get": JSON cannot represent the "data"/,
    )
  })

  for (const [about, first, status] of [
    ['an HTTP error', () => Promise.reject(new HttpError(409, 'Taken')), 409],
    ['an error', () => Promise.reject(new Error('secret')), 500],
    ['an HTTP error after a resolved promise', async () => refuse(await Promise.resolve(409)), 409],
    ['an invalid event', () => 7, 500],
    ['data of another form', () => ({ data: { id: 7 } }), 500],
  ] as const) {
    it(`responds with a problem if the first event is ${about}`, async () => {
      async function* refusing() {
        yield await first()
      }
      const answer = await sendRequest(answering({ returns: events(User) }, refusing), '/probe')
      assert.deepEqual([answer.status, answer.headers.get('content-type')], [status, 'application/problem+json'])
      assert.equal(answer.headers.get('x-accel-buffering'), null)
    })
  }

  it('sends headers before the first event is available', async () => {
    const { opened: said, open: say } = createGate()
    async function* late() {
      await said
      yield { data: user }
    }
    const response = await answering({ returns: events(User) }, late).fetch(new Request('http://localhost/probe'))
    assert.equal(response.status, 200)
    say()
    assert.equal(await response.text(), 'data: {"id":"7"}\n\n')
  })

  it('sends the events before an invalid event', async () => {
    async function* broken() {
      yield { data: user }
      yield { data: { id: 7 } }
    }
    const app = answering({ returns: events(User) }, broken, { signals: false })
    const { port } = await app.listen()
    const text = await exchangeBytes(port, formatRequest('GET /probe'))
    await app.close()
    assert.match(text, /^HTTP\/1\.1 200 OK\r\n/)
    assert.match(text, /\r\ndata: \{"id":"7"\}\n\nevent: error\ndata: \{.*"status":500.*\}\n\n\r\n0\r\n\r\n$/)
  })

  it('projects events without validation with validateResponses: false', async () => {
    async function* wrong() {
      yield { data: { ...user, id: 7 } }
    }
    const app = answering({ returns: events(User) }, wrong, { validateResponses: false })
    assert.equal((await sendRequest(app, '/probe')).text, 'data: {"id":7}\n\n')
  })

  it('sends events unchanged with project: false', async () => {
    const own = { '~standard': { version: 1, vendor: 'own', validate: (value: unknown) => ({ value }) } } as const
    const whole = events(own, { project: false })
    assert.match((await sendRequest(answering({ returns: whole }, userEvents), '/probe')).text, /passwordHash/)
    assert.equal((await sendRequest(answering({ returns: events(own) }, userEvents), '/probe')).status, 500)
  })

  it('ends event streams when the app closes', async () => {
    const begun = createGate()
    async function* endless() {
      yield { data: user }
      begun.open()
      await new Promise(() => {})
    }
    const app = answering({ returns: events(User) }, endless, { timeouts: { close: 2000 } })
    const response = await app.fetch(new Request('http://localhost/probe'))
    const answer = response.text()
    await begun.opened
    await app.close()
    assert.equal(await answer, 'data: {"id":"7"}\n\n')
  })
})

describe('kinds in contracts', () => {
  for (const [about, contract, says] of [
    ['json() for a response', { returns: json(User) }, 'Write the schema itself'],
    ['form() for a response', { returns: { 200: form(User) } }, '"form(…)" is only valid as "body"'],
    ['events() for a body', { body: events(User) }, 'Use "stream()"'],
    ['a kind for a query', { query: form(User) }, '"query"'],
    ['text() with 204', { returns: text(), status: 204 }, 'a 204 response has no body'],
  ] as const) {
    it(`rejects ${about}`, () => {
      const code = 'query' in contract ? 'SCHEMA_INVALID' : 'CONTRACT_INVALID'
      assertSetupError(() => looseContract({ name: 'Users' }, contract), code, '"Users"', says)
    })
  }

  it('responds 406 to another Accept only if the contract determines the media type', async () => {
    const html = { headers: { accept: 'text/html' } }
    for (const [contract, value, status] of [
      [{ returns: User }, () => user, 406],
      [{ returns: text() }, () => 'a', 200],
      [{ returns: events(User) }, userEvents, 406],
      [{ returns: { 200: User, 203: text() } }, () => reply(203, 'a'), 203],
      [{ returns: stream() }, texts, 200],
    ] as const) {
      assert.equal((await sendRequest(answering(contract, value), '/probe', html)).status, status)
    }
  })
})
