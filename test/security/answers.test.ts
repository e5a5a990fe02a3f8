/** Attacks on answers: anything thrown, values without a form, injection into fields, cookies and events, streams that fail. */
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { after, before, describe, it } from 'node:test'
import { events, HttpError, redirect, reply, Route, stream, type App, type Context } from 'verbena'
import * as z from 'zod'
import { keepLog, loosely } from '#test/apps.js'
import { askInProcess, askStrictly, assertAlive, bytesOf, exchange } from '#test/rows.js'
import { parseAnswers } from '#test/strict-parser.js'

const SECRET = 'postgres://root:hunter2@db'

function frozen(): unknown {
  return Object.freeze(new Error(SECRET))
}

function cyclic(): unknown {
  const error = new Error(SECRET)
  error.cause = error
  return error
}

/** Throws at every touch. */
function hostile(): unknown {
  const fail = (): never => {
    throw new Error(SECRET)
  }
  return new Proxy(new Error(SECRET), {
    get: fail,
    has: fail,
    getPrototypeOf: fail,
    ownKeys: fail,
    getOwnPropertyDescriptor: fail,
  })
}

class Getters extends Error {
  override get message(): string {
    throw new Error(SECRET)
  }

  override get stack(): string {
    throw new Error(SECRET)
  }

  get status(): number {
    throw new Error(SECRET)
  }

  override toString(): string {
    throw new Error(SECRET)
  }
}

/** Everything that a handler may throw; each is a 500 that says nothing. */
const THROWN: Readonly<Record<string, () => unknown>> = {
  null: () => null,
  undefined: () => undefined,
  text: () => SECRET,
  number: () => 404,
  zero: () => 0,
  symbol: () => Symbol(SECRET),
  bigint: () => 1n,
  function: () => () => SECRET,
  array: () => [SECRET],
  error: () => new Error(SECRET),
  frozen,
  cyclic,
  hostile,
  getters: () => new Getters(),
  revoked: () => {
    const { proxy, revoke } = Proxy.revocable({}, {})
    revoke()
    return proxy
  },
  status200: () => ({ status: 200, message: SECRET }),
  status404: () => Object.assign(new Error(SECRET), { status: 404, statusCode: 404, expose: true }),
  status999: () => ({ status: 999 }),
  'http-error-999': () => Object.assign(new HttpError(400), { status: 999 }),
  'http-error-200': () => Object.assign(new HttpError(400), { status: 200 }),
  'http-error-text': () => Object.assign(new HttpError(400), { status: 'x' }),
  'http-error-header': () => new HttpError(400, SECRET, { headers: { 'x-a': 'a\r\nSet-Cookie: a=b' } }),
  'http-error-cycle': () => {
    const self: Record<string, unknown> = {}
    self['self'] = self
    return new HttpError(400, SECRET, { self })
  },
  aggregate: () => new AggregateError([new Error(SECRET)], SECRET),
  abort: () => new DOMException(SECRET, 'AbortError'),
  response: () => new Response(SECRET, { status: 201 }),
}

function cycleThrown(): never {
  throw cyclic()
}

function cycle(): object {
  const value: Record<string, unknown> = {}
  value['self'] = value
  return value
}

/** Values without a form; each is a 500 before a byte was written. */
const FORMLESS: Readonly<Record<string, () => unknown>> = {
  cycle,
  bigint: () => ({ n: 1n }),
  symbol: () => Symbol('x'),
  function: () => () => 1,
  toJSON: () => ({
    toJSON() {
      throw new Error(SECRET)
    },
  }),
  getter: () => ({
    get a(): never {
      throw new Error(SECRET)
    },
  }),
  undeclared: () => reply(404, { a: 1 }),
  'failing-first': () =>
    Readable.from(
      (async function* () {
        await new Promise(setImmediate)
        if (Date.now() > 0) throw new Error(SECRET)
        yield 'a'
      })(),
    ),
  'response-error': () => Response.error(),
  thenable: () => Object.defineProperties({}, { [String('then')]: { get: cycleThrown } }),
}

type Act = (context: Context) => unknown

/** Fields that would break out of their place; each is a 500. */
const INJECTED: Readonly<Record<string, Act>> = {
  header: ({ response }) => response.header('x-a', 'a\r\nSet-Cookie: a=b'),
  'header-lf': ({ response }) => response.header('x-a', 'a\nSet-Cookie: a=b'),
  'header-cr': ({ response }) => response.header('x-a', 'a\rb'),
  'header-nul': ({ response }) => response.header('x-a', 'a\0b'),
  'header-wide': ({ response }) => response.header('x-a', 'a\u{10d}\u{10a}b'),
  'header-name': ({ response }) => response.header('x a', 'b'),
  'header-name-crlf': ({ response }) => response.header('x\r\ny', 'b'),
  append: ({ response }) => response.append('vary', 'a\r\nb: c'),
  reply: () => reply(200, 'a', { 'x-a': 'a\r\nb: c' }),
  'reply-with': () => reply(200, 'a').with({ 'x-a': 'a\r\nb: c' }),
  'cookie-name': ({ response }) => response.cookie('a=b; c', 'x'),
  'cookie-path': ({ response }) => response.cookie('a', 'b', { path: '/; Domain=evil' }),
  'cookie-path-crlf': ({ response }) => response.cookie('a', 'b', { path: '/\r\nX: y' }),
  'cookie-domain': ({ response }) => response.cookie('a', 'b', { domain: 'a; Secure' }),
  'cookie-age': ({ response }) => response.cookie('a', 'b', { maxAge: Number.NaN }),
  'location-half': () => redirect('/\ud800'),
}

interface Field {
  readonly name: string
  readonly value: string
}

/** Sets a field by the context, and gives the body. */
function withField({ response }: Context, { name, value }: Field, body: unknown): unknown {
  response.header(name, value)
  return body
}

/** Framing that an author names must not become that of the answer. */
const FRAMED: Readonly<Record<string, Act>> = {
  'length-short': () => reply(200, 'hello', { 'content-length': '2' }),
  'length-long': () => reply(200, 'hello', { 'content-length': '200' }),
  'length-header': (context) => withField(context, { name: 'content-length', value: '1' }, { a: 1 }),
  'length-text': () => reply(200, 'hello', { 'content-length': 'x' }),
  'transfer-encoding': () => reply(200, 'hello', { 'transfer-encoding': 'chunked' }),
  'empty-length': () => reply(204).with({ 'content-length': '5' }),
  'empty-encoding': () => reply(204).with({ 'transfer-encoding': 'chunked' }),
  'none-length': () => reply(200).with({ 'content-length': '5' }),
  'web-length': () => new Response('hello', { headers: { 'content-length': '5' } }),
  'web-encoding': () => new Response('hello', { headers: { 'transfer-encoding': 'chunked' } }),
  'stream-encoding': (context) =>
    withField(context, { name: 'transfer-encoding', value: 'gzip' }, Readable.from(['a', 'b'])),
  'stream-both': ({ response }) => {
    response.header('transfer-encoding', 'chunked')
    response.header('content-length', '2')
    return Readable.from(['a', 'b'])
  },
  'error-length': () => {
    throw new HttpError(400, 'x', { headers: { 'content-length': '2' } })
  },
  'connection-close': () => reply(200, 'hello', { connection: 'close' }),
  'nosniff-twice': () => reply(200, 'hello', { 'x-content-type-options': 'nosniff' }),
}

/** Lengths of streams that do not hold: the connection must break off. */
const LYING: Readonly<Record<string, Act>> = {
  'web-short': () => new Response('hello', { headers: { 'content-length': '2' } }),
  'web-long': () => new Response('hello', { headers: { 'content-length': '200' } }),
  'stream-short': (context) => withField(context, { name: 'content-length', value: '1' }, Readable.from(['a', 'b'])),
  'stream-long': (context) => withField(context, { name: 'content-length', value: '3' }, Readable.from(['a', 'b'])),
}

function routeOf(path: string, acts: Readonly<Record<string, Act>>): unknown {
  return class extends Route {
    static readonly path = `${path}/{name}`
    get(context: Context & { readonly params: { readonly name: string } }): unknown {
      return acts[context.params.name]?.(context) ?? 'done'
    }
  }
}

const throwing = Object.fromEntries(
  Object.entries(THROWN).map(([name, make]) => [
    name,
    () => {
      throw make()
    },
  ]),
)

class Alive extends Route {
  get() {
    return 'alive'
  }
}

class Broken extends Route {
  static readonly get = this.contract({ returns: stream() })
  async *get() {
    yield 'half'
    await new Promise(setImmediate)
    throw new Error(SECRET)
  }
}

class Mixed extends Route {
  async *get() {
    yield 'half'
    await new Promise(setImmediate)
    yield { no: 'chunk' }
  }
}

const EVENTS: Readonly<Record<string, object>> = {
  id: { data: 'a', id: '1\ndata: x' },
  'id-cr': { data: 'a', id: '1\rdata: x' },
  'id-nul': { data: 'a', id: '1\0' },
  event: { data: 'a', event: 'x\n\ndata: y' },
  retry: { data: 'a', retry: 1.5 },
  'retry-text': { data: 'a', retry: '1\n\ndata: x' },
  none: { id: '1' },
}

class Injected extends Route {
  static readonly path = '/events/{name}'
  static readonly get = this.contract({ returns: events(z.unknown()) })
  async *get({ params }: Context & { readonly params: { readonly name: string } }) {
    yield { data: 'first' }
    await new Promise((resolve) => setTimeout(resolve, 20))
    // Proof: the whole point is that it is none.
    yield EVENTS[params.name] as { data: unknown }
  }
}

class Lines extends Route {
  static readonly get = this.contract({ returns: events(z.string()) })
  async *get() {
    yield { data: 'a\r\nid: 7\rdata: x\n\nevent: y' }
  }
}

class Elsewhere extends Route {
  get() {
    return redirect('/a b?x=\r\nSet-Cookie: a=b&y=%41&z=ä')
  }
}

class Mangled extends Route {
  static readonly get = this.contract({ returns: z.object({ a: z.string() }) })
  get() {
    // Proof: it is what the contract must notice.
    return { a: SECRET.length } as unknown as { a: string }
  }
}

const log = keepLog()

function attackedApp(): App {
  return loosely({
    routes: {
      Alive,
      Broken,
      Mixed,
      Injected,
      Lines,
      Elsewhere,
      Mangled,
      Thrown: routeOf('/thrown', throwing),
      Formless: routeOf('/formless', FORMLESS),
      Injection: routeOf('/injected', INJECTED),
      Framed: routeOf('/framed', FRAMED),
      Lying: routeOf('/lying', LYING),
    },
    logger: log.logger,
    signals: false,
  })
}

describe('answers', () => {
  const app = attackedApp()
  let port = 0
  before(async () => {
    ;({ port } = await app.listen())
  })
  after(() => app.close())

  /** Both ways are a plain 500: the same members, and nothing of what was thrown. */
  async function assertSilent(target: string): Promise<void> {
    const overSocket = await askStrictly(port, bytesOf({ target }))
    assert.equal(overSocket.length, 1)
    for (const { status, body, headers } of [...overSocket, await askInProcess(app, { target })]) {
      assert.equal(status, 500, body.toString())
      const { requestId, ...problem } = JSON.parse(body.toString()) as Record<string, unknown>
      assert.equal(headers.get('x-request-id')?.[0], requestId)
      assert.deepEqual(problem, { type: 'about:blank', title: 'Internal Server Error', status: 500 })
    }
    await assertAlive(port)
  }

  for (const name of Object.keys(THROWN)) {
    it(`says nothing of what was thrown: ${name}`, async () => {
      const before = log.lines.length
      await assertSilent(`/thrown/${name}`)
      assert.ok(log.lines.slice(before).some(({ level }) => level === 'error'))
    })
  }

  for (const name of Object.keys(FORMLESS)) {
    it(`answers 500 for a value without a form: ${name}`, () => assertSilent(`/formless/${name}`))
  }

  for (const name of Object.keys(INJECTED)) {
    it(`writes no field that breaks out: ${name}`, () => assertSilent(`/injected/${name}`))
  }

  it('answers 500 for what breaks its contract', () => assertSilent('/mangled'))
  for (const name of Object.keys(FRAMED)) {
    it(`frames by itself, whatever the author names: ${name}`, async () => {
      const target = `/framed/${name}`
      const [answer] = await askStrictly(port, bytesOf({ target }))
      assert.ok(answer)
      assert.ok([200, 204, 400].includes(answer.status), String(answer.status))
      const pair = `GET ${target} HTTP/1.1\r\nHost: a\r\n\r\n${bytesOf({ target: '/alive' })}`
      const answers = await askStrictly(port, pair)
      // Who asks for the end of the connection has it; nobody else may lose the second answer.
      assert.equal(answers.length, name === 'connection-close' ? 1 : 2)
    })
  }

  for (const name of Object.keys(LYING)) {
    it(`breaks off a stream whose length does not hold: ${name}`, async () => {
      const pair = `GET /lying/${name} HTTP/1.1\r\nHost: a\r\n\r\n${bytesOf({ target: '/alive' })}`
      const text = (await exchange(port, pair)).toString('latin1')
      assert.equal(text.split('HTTP/1.1').length - 1 <= 1, true, text)
      const [head = '', body = ''] = text.split('\r\n\r\n')
      const length = Number(/content-length: (\d+)/i.exec(head)?.[1] ?? Infinity)
      assert.ok(body.length < length || text === '', text)
      await assertAlive(port)
    })
  }

  for (const target of ['/broken', '/mixed']) {
    it(`breaks the connection off when a stream fails: ${target}`, async () => {
      const bytes = await exchange(port, bytesOf({ target }))
      assert.match(bytes.toString('latin1'), /half/)
      assert.doesNotMatch(bytes.toString('latin1'), /\r\n0\r\n\r\n$/)
      assert.throws(() => parseAnswers(bytes))
      assert.doesNotMatch(bytes.toString('latin1'), /hunter2/)
      await assertAlive(port)
    })
  }

  for (const name of Object.keys(EVENTS)) {
    it(`writes no event that breaks out: ${name}`, async () => {
      const text = (await exchange(port, bytesOf({ target: `/events/${name}` }))).toString('latin1')
      assert.match(text, /data: "first"/)
      assert.doesNotMatch(text, /\r\n0\r\n\r\n$/)
      assert.doesNotMatch(text, /^data: [xy]/m)
      await assertAlive(port)
    })
  }

  it('writes the data of an event as one line of JSON', async () => {
    const [answer] = await askStrictly(port, bytesOf({ target: '/lines' }))
    assert.equal(answer?.body.toString(), `data: ${JSON.stringify('a\r\nid: 7\rdata: x\n\nevent: y')}\n\n`)
    assert.deepEqual(answer.headers.get('cache-control'), ['no-store'])
  })

  it('encodes a location once, and does not repeat it in the body', async () => {
    const [answer] = await askStrictly(port, bytesOf({ target: '/elsewhere' }))
    assert.deepEqual(answer?.headers.get('location'), ['/a%20b?x=%0D%0ASet-Cookie:%20a=b&y=%41&z=%C3%A4'])
    assert.equal(answer.body.length, 0)
  })
})
