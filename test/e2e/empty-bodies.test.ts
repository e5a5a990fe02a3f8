/** Bodies without bytes are treated as missing with any framing, over a socket and through `app.fetch`. */
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { bytes, form, provide, Route, stream, text, type App } from 'verbena'
import { multipart, parts } from 'verbena/multipart'
import { looseContract, createUntypedApp } from '#test/apps.js'
import { until, Wire } from '#test/e2e.js'
import * as z from 'zod'

const OPTIONAL = z.object({ a: z.string().optional() })
const REQUIRED = z.object({ a: z.string() })

/** Name of the endpoint, its body, its `Content-Type`, and the response to no body. */
const KINDS: readonly (readonly [string, unknown, string, number, unknown])[] = [
  ['json', OPTIONAL.optional(), 'application/json', 200, null],
  ['required-json', REQUIRED, 'application/json', 400, undefined],
  ['form', form(OPTIONAL), 'application/x-www-form-urlencoded', 200, {}],
  ['required-form', form(REQUIRED), 'application/x-www-form-urlencoded', 400, undefined],
  ['text', text(), 'text/plain', 200, ''],
  ['bytes', bytes(), 'application/octet-stream', 200, 'bytes: '],
  ['stream', stream(), 'application/octet-stream', 200, 'chunks: '],
  ['parts', parts(), 'multipart/form-data; boundary=x', 200, 'chunks: '],
  ['multipart', multipart(OPTIONAL), 'multipart/form-data; boundary=x', 200, { fields: {}, files: {} }],
  ['required-multipart', multipart(REQUIRED), 'multipart/form-data; boundary=x', 400, undefined],
  ['required-file', multipart({ files: { a: {} } }), 'multipart/form-data; boundary=x', 400, undefined],
  ['optional-file', multipart({ files: { a: { optional: true } } }), 'multipart/form-data; boundary=x', 200, undefined],
]

const signed = provide({ rawBody: true }, ({ rawBody }) => `${rawBody.length} bytes`)

function createEndpoints(): App {
  const routes = KINDS.map(([name, body]) => {
    class Probe extends Route {
      static readonly path = `/${name}`
      async post(input: { body: unknown }) {
        return { shown: await show(input.body) }
      }
    }
    Object.defineProperty(Probe, 'post', { value: looseContract(Probe, { body }) })
    return [name, Probe] as const
  })
  class Open extends Route {
    post({ body }: { body: unknown }) {
      return { shown: body }
    }
  }
  class Signed extends Route {
    static readonly post = this.contract({ uses: { signed } })
    post(input: { readonly signed: string }) {
      return { shown: input.signed }
    }
  }
  return createUntypedApp({
    routes: { ...Object.fromEntries(routes), Open, Signed },
    signals: false,
    limits: { body: 1000 },
  })
}

async function show(body: unknown): Promise<unknown> {
  if (body instanceof Uint8Array) return `bytes: ${Buffer.from(body).toString()}`
  if (typeof body !== 'object' || body === null || !(Symbol.asyncIterator in body)) return body ?? null
  let seen = 'chunks: '
  // Proof: the line above checks that the body is async iterable.
  for await (const chunk of body as AsyncIterable<unknown>) seen += String(chunk)
  return seen
}

interface Sent {
  readonly path: string
  readonly type: string | undefined
  readonly body?: string
}

type Send = (request: Sent) => Promise<{ status: number; body: string }>

/** Header and bytes of a body in each framing. */
const FRAMINGS: Readonly<Record<string, (body: string) => readonly [head: string, body: string]>> = {
  'Content-Length': (body) => [`Content-Length: ${body.length}`, body],
  chunks: (body) => ['Transfer-Encoding: chunked', `${chunk(body)}0\r\n\r\n`],
  'chunks with a trailer': (body) => ['Transfer-Encoding: chunked', `${chunk(body)}0\r\nX-Sum: 1\r\n\r\n`],
}
const chunk = (body: string): string => (body === '' ? '' : `${body.length.toString(16)}\r\n${body}\r\n`)

function sendBy(port: number, framing: string, pause: number, fields = ''): Send {
  return async ({ path, type, body = '' }) => {
    const [head, rest] = FRAMINGS[framing]?.(body) ?? assert.fail()
    const wire = new Wire(port)
    const contentType = type === undefined ? '' : `Content-Type: ${type}\r\n`
    wire.send(`POST ${path} HTTP/1.1\r\nHost: a\r\n${contentType}${fields}${head}\r\n\r\n`)
    if (pause > 0) await sleep(pause)
    wire.send(rest)
    const response = await wire.read()
    wire.destroy()
    return { status: response.status, body: response.body }
  }
}

function sendInMemory(app: App, content: 'a string' | 'a stream' | 'no body'): Send {
  return async ({ path, type, body = '' }) => {
    const headers = new Headers(type === undefined ? {} : { 'content-type': type })
    const streamed = new ReadableStream({
      start(controller) {
        if (body !== '') controller.enqueue(new TextEncoder().encode(body))
        controller.enqueue(new Uint8Array())
        controller.close()
      },
    })
    const bodies = { 'a string': body, 'a stream': streamed, 'no body': null }
    const init = { method: 'POST', headers, body: bodies[content], duplex: 'half' } as const
    const request = new Request(`http://localhost${path}`, init)
    if (type === undefined) request.headers.delete('content-type')
    const response = await app.fetch(request)
    return { status: response.status, body: await response.text() }
  }
}

interface Transports {
  readonly send: Readonly<Record<string, Send>>
  close(): Promise<void>
}

async function openTransports(): Promise<Transports> {
  const app = createEndpoints()
  const { port } = await app.listen()
  const server = createServer(app.handler).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  // Proof: the server listens on a TCP port.
  const documented = (server.address() as AddressInfo).port
  const send: Record<string, Send> = {}
  for (const [path, number] of [
    ['fast path', port],
    ['documented path', documented],
  ] as const) {
    for (const framing of Object.keys(FRAMINGS)) {
      for (const pause of [0, 20]) send[`${path}, ${framing}, pause of ${pause} ms`] = sendBy(number, framing, pause)
    }
  }
  for (const content of ['a string', 'a stream', 'no body'] as const) {
    send[`app.fetch, ${content}`] = sendInMemory(app, content)
  }
  const close = async (): Promise<void> => {
    await new Promise((resolve) => server.close(resolve))
    await app.close()
  }
  return { send, close }
}

describe('a body without bytes', () => {
  for (const [name, , type, status, shown] of KINDS) {
    it(`treats an empty body as missing with any type and framing: ${name}`, async () => {
      const { send, close } = await openTransports()
      for (const [about, request] of Object.entries(send)) {
        for (const sent of [type, undefined, 'image/png', 'multipart/form-data', 'not a type']) {
          const response = await request({ path: `/${name}`, type: sent })
          assert.equal(response.status, status, `${about}, ${sent}: ${response.body}`)
          if (status === 400) assert.match(response.body, /This request needs a body/)
          else if (shown !== undefined) assert.deepEqual(JSON.parse(response.body), { shown }, about)
        }
      }
      await close()
    })
  }

  it('passes undefined without a contract, and an empty rawBody to a provider', async () => {
    const { send, close } = await openTransports()
    for (const [about, request] of Object.entries(send)) {
      assert.deepEqual(await request({ path: '/open', type: 'image/png' }), { status: 200, body: '{}' }, about)
      const signed = await request({ path: '/signed', type: 'image/png' })
      assert.deepEqual(signed, { status: 200, body: '{"shown":"0 bytes"}' }, about)
    }
    await close()
  })
})

describe('the media type of a body with bytes', () => {
  for (const [name] of KINDS) {
    it(`responds 415 to a wrong media type: ${name}`, async () => {
      const { send, close } = await openTransports()
      for (const [about, request] of Object.entries(send)) {
        if (about.endsWith('no body')) continue
        for (const type of [undefined, 'image/png']) {
          // Larger than the limit, too: the type is checked first.
          for (const body of ['a', 'a'.repeat(3000)]) {
            const response = await request({ path: `/${name}`, type, body })
            assert.equal(response.status, 415, `${about}, ${type}: ${response.body}`)
          }
        }
      }
      await close()
    })
  }

  it('checks the media type at the first byte, not at the end', async () => {
    const app = createEndpoints()
    const { port } = await app.listen()
    for (const path of ['/json', '/stream', '/multipart', '/parts']) {
      const wire = new Wire(port)
      wire.send(`POST ${path} HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\nTransfer-Encoding: chunked\r\n\r\n`)
      await sleep(20)
      assert.equal(wire.rest, '')
      wire.send('1\r\na\r\n')
      assert.equal((await wire.read()).status, 415, path)
      wire.destroy()
    }
    await app.close()
  })

  it('checks the media type before sending 100 Continue, and after it at the first byte if the body is optional', async () => {
    const app = createEndpoints()
    const { port } = await app.listen()
    for (const [name, , type, status] of KINDS) {
      const open = async (contentType: string) => {
        const wire = new Wire(port)
        const fields = `Content-Type: ${contentType}\r\nExpect: 100-continue\r\nTransfer-Encoding: chunked`
        wire.send(`POST /${name} HTTP/1.1\r\nHost: a\r\n${fields}\r\n\r\n`)
        await until(() => wire.rest.includes('\r\n\r\n'), 'a response')
        return { wire, isContinued: wire.rest.includes('100 Continue') }
      }
      const accepted = await open(type)
      assert(accepted.isContinued, name)
      accepted.wire.send('0\r\n\r\n')
      assert.equal((await accepted.wire.read()).status, status, name)
      accepted.wire.destroy()
      for (const body of ['', 'x']) {
        const { wire, isContinued } = await open('image/png')
        assert.equal(isContinued, status === 200, name)
        if (isContinued) wire.send(`${chunk(body)}0\r\n\r\n`)
        assert.equal((await wire.read()).status, body === '' && isContinued ? 200 : 415, `${name} ${body}`)
        wire.destroy()
      }
    }
    await app.close()
  })

  it('accepts an empty form of PHP at an endpoint without a contract', async () => {
    const app = createEndpoints()
    const { port } = await app.listen()
    const php = sendBy(port, 'chunks', 20, 'Expect: 100-continue\r\n')
    const type = 'application/x-www-form-urlencoded'
    assert.equal((await php({ path: '/open', type })).status, 200)
    assert.equal((await php({ path: '/open', type, body: 'a=1' })).status, 415)
    await app.close()
  })

  it('rejects a body of the wrong type whose validator fails without a body', async () => {
    const schema = z.unknown().transform(() => {
      throw new Error('out of paper')
    })
    class Notes extends Route {
      static readonly post = this.contract({ body: schema })
      post() {
        return 'stored'
      }
    }
    const app = createUntypedApp({ routes: { Notes }, signals: false })
    const { port } = await app.listen()
    const send = sendBy(port, 'chunks', 20, 'Expect: 100-continue\r\n')
    assert.equal((await send({ path: '/notes', type: 'image/png' })).status, 415)
    await app.close()
  })
})

describe('a connection after a body without bytes', () => {
  it('reuses the connection after an empty body', async () => {
    const app = createEndpoints()
    const { port } = await app.listen()
    const wire = new Wire(port)
    const head = (name: string) => `POST /${name} HTTP/1.1\r\nHost: a\r\nContent-Type: image/png\r\n`
    const requests = KINDS.map(([name]) => `${head(name)}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`)
    wire.send(requests.join(''))
    for (const [name, , , status] of KINDS) assert.equal((await wire.read()).status, status, name)
    wire.destroy()
    await app.close()
  })
})

describe('a chunked multipart body that the method does not read', () => {
  it('keeps the connection after a complete unread body, and closes it after an incomplete one', async () => {
    class Ignore extends Route {
      static readonly post = this.contract({ body: parts() })
      post() {
        return 'ignored'
      }
    }
    const app = createUntypedApp({ routes: { Ignore }, signals: false })
    const { port } = await app.listen()
    const head = 'POST /ignore HTTP/1.1\r\nHost: a\r\nContent-Type: multipart/form-data; boundary=x\r\n'
    const whole = `${head}Transfer-Encoding: chunked\r\n\r\n${chunk('--x\r\n')}0\r\n\r\n`
    const wire = new Wire(port)
    wire.send(whole + whole)
    for (const _ of [1, 2]) assert.equal((await wire.read()).body, 'ignored')
    wire.send(whole.slice(0, -5))
    assert.equal((await wire.read()).headers.get('connection'), 'close')
    await wire.ended()
    await app.close()
  })
})
