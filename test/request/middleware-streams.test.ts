import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, it } from 'node:test'
import { events, reply, Route, stream, type Middleware } from 'verbena'
import { sendRequest, looseContract, createUntypedApp } from '#test/apps.js'
import { isAsyncIterable } from '#src/http/chunks.js'
import * as z from 'zod'

async function* letters() {
  yield 'a'
  yield 'b'
  yield 'c'
}

function web(...chunks: (string | Uint8Array)[]): ReadableStream {
  return new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(chunk)
      controller.close()
    },
  })
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const textOf = (chunk: unknown): string => (typeof chunk === 'string' ? chunk : Buffer.from(Object(chunk)).toString())

async function* bracketed(body: unknown) {
  assert.ok(isAsyncIterable(body))
  for await (const chunk of body) yield `<${textOf(chunk)}>`
}

/** Responds with the body of the endpoint, each chunk in brackets. */
const wrapping: Middleware = async (_context, next) => {
  const { body } = await next()
  return reply(200, bracketed(body))
}

function answering(returned: () => unknown, middleware: readonly Middleware[], returns?: unknown) {
  class Probe extends Route {
    static readonly middleware = middleware
    get() {
      return returned()
    }
  }
  if (returns !== undefined) Object.defineProperty(Probe, 'get', { value: looseContract(Probe, { returns }) })
  return createUntypedApp({ routes: { Probe } })
}

type Row = readonly [about: string, returned: () => unknown, returns?: unknown]

const ROWS: readonly Row[] = [
  ['a generator', letters],
  ['a Node stream', () => Readable.from(['a', 'b', 'c'])],
  ['a web stream', () => web('a', 'b', 'c')],
  ['a reply with a type', () => reply(200, letters(), { 'content-type': 'text/csv' })],
  ['a reply without', () => reply(200, web('a', 'b', 'c'))],
  ['a web response', () => new Response(web(bytes('a'), bytes('b'), bytes('c')))],
  [
    'a web response with a type',
    () => new Response(web(bytes('a'), bytes('b'), bytes('c')), { headers: { 'content-type': 'a/b' } }),
  ],
  ['a stream of a contract', letters, stream()],
]

describe('middleware: body of a streamed response', () => {
  for (const [about, returned, returns] of ROWS) {
    it(`passes the whole body to middleware that wraps it: ${about}`, async () => {
      assert.equal((await sendRequest(answering(returned, [wrapping], returns), '/probe')).text, '<a><b><c>')
    })

    it(`sends the whole body if middleware does not change it: ${about}`, async () => {
      const passing: Middleware = async (_context, next) => (await next()).with({ 'x-seen': '1' })
      assert.equal((await sendRequest(answering(returned, [passing], returns), '/probe')).text, 'abc')
    })
  }

  it('passes the whole body through two wrapping middleware', async () => {
    assert.equal((await sendRequest(answering(letters, [wrapping, wrapping]), '/probe')).text, '<<a>><<b>><<c>>')
  })

  it('passes projected and encoded events to middleware', async () => {
    async function* users() {
      yield { data: { id: '1', secret: 'x' } }
      yield { data: { id: '2', secret: 'x' } }
    }
    const app = answering(users, [wrapping], events(z.object({ id: z.string() })))
    assert.equal((await sendRequest(app, '/probe')).text, '<data: {"id":"1"}\n\n><data: {"id":"2"}\n\n>')
  })

  it('ends the source if the client cancels the wrapped stream', async () => {
    const source = Readable.from(['a', 'b', 'c'])
    const response = await answering(() => source, [wrapping]).fetch(new Request('http://localhost/probe'))
    await response.body?.cancel()
    await new Promise(setImmediate)
    assert.equal(source.destroyed, true)
  })

  it('ends the source after middleware has sent another stream', async () => {
    const source = Readable.from(['a', 'b', 'c'])
    const instead: Middleware = async (_context, next) => {
      await next()
      return reply(200, letters())
    }
    assert.equal(
      (
        await sendRequest(
          answering(() => source, [instead]),
          '/probe',
        )
      ).text,
      'abc',
    )
    assert.equal(source.destroyed, true)
  })
})
