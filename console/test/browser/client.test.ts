/** The typed client in a browser: requests of a page arrive, and an aborted request also ends on the server. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { request as ask } from 'node:http'
import { createSecureServer, type Http2SecureServer } from 'node:http2'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it, type TestContext } from 'node:test'
import { build } from 'esbuild'
import type { Page } from 'playwright-core'
import { bytes, createApp, events, reply, Route, stream, text, type Input, type Result } from 'verbena'
import * as z from 'zod'
import type { Client } from '#src/client/client-types.js'
import { openBrowser } from '../support/browser.js'
import { createGate } from '#test/apps.js'

const FOLDER = 'test/fixtures/tls'
const CERTIFICATE = { key: readFileSync(`${FOLDER}/key.pem`), cert: readFileSync(`${FOLDER}/cert.pem`) }

const PAGE = `<!doctype html><title>Client</title><link rel="icon" href="data:,"><script type="module">
import { createClient } from '/client.js'
Object.assign(globalThis, { createClient })
</script>`

async function bundled(): Promise<string> {
  const contents = `export { createClient } from 'verbena/client'`
  const alias = { 'verbena/client': new URL(import.meta.resolve('verbena/client')).pathname }
  const options = { bundle: true, minify: true, write: false, format: 'esm', platform: 'browser' } as const
  const { outputFiles } = await build({ ...options, stdin: { contents, resolveDir: '.' }, alias, target: 'es2022' })
  return outputFiles.map((file) => file.text).join('')
}

const script = await bundled()

class Home extends Route {
  static readonly path = '/'
  get() {
    return reply(200, PAGE, { 'content-type': 'text/html' })
  }
}
class Script extends Route {
  static readonly path = '/client.js'
  get() {
    return reply(200, script, { 'content-type': 'text/javascript' })
  }
}
class Uploads extends Route {
  static readonly post = this.contract({
    body: bytes({ types: ['multipart/form-data', 'image/*', 'application/octet-stream'] }),
    returns: z.object({ type: z.string(), size: z.int() }),
  })
  async post({ body, request }: Input<typeof Uploads.post>): Result<typeof Uploads.post> {
    return { type: request.headers['content-type'] ?? '', size: body.length }
  }
  static readonly put = this.contract({
    body: bytes({ types: ['multipart/form-data'] }),
    returns: z.record(z.string(), z.string()),
  })
  async put({ body, request }: Input<typeof Uploads.put>): Result<typeof Uploads.put> {
    const headers = { 'content-type': request.headers['content-type'] ?? '' }
    const form = await new Response(new Uint8Array(body), { headers }).formData()
    const entries = [...form].map(async ([name, value]) => [
      name,
      typeof value === 'string' ? value : await value.text(),
    ])
    return Object.fromEntries(await Promise.all(entries))
  }
}
class Texts extends Route {
  static readonly put = this.contract({ body: text({ types: ['text/*'] }), returns: text() })
  async put({ body }: Input<typeof Texts.put>): Result<typeof Texts.put> {
    return body.toUpperCase()
  }
}
/** Opens when the server sees the end of a request. */
let cut = createGate<string>()
class Chunks extends Route {
  static readonly post = this.contract({ body: stream(), returns: z.object({ size: z.int() }) })
  async post({ body }: Input<typeof Chunks.post>): Result<typeof Chunks.post> {
    let size = 0
    for await (const chunk of body) size += chunk.length
    return { size }
  }
  static readonly get = this.contract({ returns: events(z.int()) })
  async *get({ signal }: Input<typeof Chunks.get>) {
    signal.addEventListener('abort', () => cut.open('the events'))
    yield { data: 1 }
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
  }
  async delete({ signal }: Input): Promise<void> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    cut.open('the call')
  }
}

const app = createApp({ routes: { Home, Script, Uploads, Texts, Chunks }, logger: false, signals: false })
let url = ''
/** HTTP/2 proxy of the app, because browsers only send a stream over HTTP/2. */
let proxy: Http2SecureServer
let proxyUrl = ''

before(async () => {
  const listening = await app.listen()
  url = listening.url
  proxy = createSecureServer(CERTIFICATE, (from, to) => {
    const { ':path': path = '/', ':method': method = 'GET', 'content-type': type } = from.headers
    const options = { port: listening.port, path, method, headers: type === undefined ? {} : { 'content-type': type } }
    const onward = ask(options, (answer) => {
      to.writeHead(answer.statusCode ?? 500, { 'content-type': answer.headers['content-type'] })
      answer.pipe(to)
    })
    onward.on('error', () => to.stream.close())
    to.on('close', () => onward.destroy())
    from.pipe(onward)
  }).listen(0, '127.0.0.1')
  await new Promise((resolve) => proxy.once('listening', resolve))
  // Proof: a server that listens on a port has such an address.
  proxyUrl = `https://127.0.0.1:${(proxy.address() as AddressInfo).port}`
})
after(async () => {
  proxy.close()
  await app.close()
})

/** A page with the client in it. */
async function open(t: TestContext, origin: string, allows: readonly RegExp[] = []): Promise<Page> {
  const { context } = await openBrowser(t, origin, { allows, context: { ignoreHTTPSErrors: true } })
  const page = await context.newPage()
  await page.goto(origin)
  await page.waitForFunction('"createClient" in globalThis')
  return page
}

/** The type of `verbena/client` requires Node types, but this directory uses browser types. */
type CreateClient = (baseUrl: string) => Client<typeof app>

describe('typed client in a browser', () => {
  it('sends a form with its files', async (t) => {
    const page = await open(t, url)
    const seen = await page.evaluate(async () => {
      const createClient: CreateClient = Reflect.get(globalThis, 'createClient')
      const body = new FormData()
      body.set('title', 'Tëa')
      body.set('image', new File(['one'], 'a.png', { type: 'image/png' }))
      const { ok, body: answer } = await createClient('/')('/uploads').put({ body })
      return { ok, answer }
    })
    assert.deepEqual(seen, { ok: true, answer: { title: 'Tëa', image: 'one' } })
  })

  it('sends files, bytes and strings', async (t) => {
    const page = await open(t, url)
    const seen = await page.evaluate(async () => {
      const createClient: CreateClient = Reflect.get(globalThis, 'createClient')
      const api = createClient(location.origin)
      const file = await api('/uploads').post({ body: new Blob(['four'], { type: 'image/png' }) })
      const raw = await api('/uploads').post({ body: new Uint8Array(5) })
      const said = await api('/texts').put({ body: 'a,ë', headers: { 'content-type': 'text/csv' } })
      return [file.body, raw.body, said.body]
    })
    assert.deepEqual(seen, [{ type: 'image/png', size: 4 }, { type: 'application/octet-stream', size: 5 }, 'A,Ë'])
  })

  it('sends a stream, through a proxy that speaks HTTP/2', async (t) => {
    const page = await open(t, proxyUrl)
    const seen = await page.evaluate(async () => {
      const createClient: CreateClient = Reflect.get(globalThis, 'createClient')
      let left = 3
      const body = new ReadableStream<Uint8Array>({
        pull(controller) {
          if (left-- > 0) controller.enqueue(new Uint8Array(100_000))
          else controller.close()
        },
      })
      const { status, body: answer } = await createClient('/')('/chunks').post({ body })
      return { status, answer }
    })
    assert.deepEqual(seen, { status: 200, answer: { size: 300_000 } })
  })

  it('aborts a request by signal and by timeout', async (t) => {
    const page = await open(t, url, [/failed request: DELETE .* net::ERR_ABORTED/])
    const give = (how: 'signal' | 'timeout'): Promise<string> =>
      page.evaluate(async (way) => {
        const createClient: CreateClient = Reflect.get(globalThis, 'createClient')
        const controller = new AbortController()
        const given = way === 'signal' ? { signal: controller.signal } : { timeout: 50 }
        const called = createClient('/')('/chunks').delete(given)
        setTimeout(() => controller.abort(new Error('changed my mind')), 50)
        return called.then(String, (error: unknown) => String(error))
      }, how)
    cut = createGate<string>()
    assert.equal(await give('signal'), 'Error: changed my mind')
    assert.equal(await cut.opened, 'the call')
    cut = createGate<string>()
    assert.match(await give('timeout'), /^TimeoutError/)
    assert.equal(await cut.opened, 'the call')
  })

  it('aborts a stream upload and an event stream', async (t) => {
    const page = await open(t, proxyUrl, [/failed request: (?:POST|GET) .* net::ERR_/])
    const give = (what: 'upload' | 'events'): Promise<string> =>
      page.evaluate(async (way) => {
        const createClient: CreateClient = Reflect.get(globalThis, 'createClient')
        const chunks = createClient('/')('/chunks')
        const controller = new AbortController()
        const { signal } = controller
        const reason = new Error('changed my mind')
        try {
          if (way === 'events') {
            const { ok, body } = await chunks.get({ signal })
            if (!ok) return 'refused'
            for await (const { data } of body) if (data === 1) controller.abort(reason)
            return 'ended'
          }
          let pulled = 0
          const body = new ReadableStream<Uint8Array>({
            pull(pulling) {
              pulling.enqueue(new Uint8Array(1000))
              if (++pulled < 50) return
              setTimeout(() => controller.abort(reason), 50)
              return new Promise<void>(() => {})
            },
          })
          await chunks.post({ body, signal })
          return 'ended'
        } catch (error) {
          return String(error)
        }
      }, what)
    assert.equal(await give('upload'), 'Error: changed my mind')
    cut = createGate<string>()
    assert.equal(await give('events'), 'Error: changed my mind')
    assert.equal(await cut.opened, 'the events')
  })
})
