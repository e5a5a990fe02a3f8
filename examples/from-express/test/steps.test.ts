/** The same 17 calls to the Express app and to the app after each step, over real sockets. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { createExpress } from '../express.js'
import { ORIGIN } from '../settings.js'
import { createStep1 } from '../step-1.js'
import { createStep2 } from '../step-2.js'
import { createStep3 } from '../step-3.js'
import { CALLS, type Call } from './calls.js'

interface Opened {
  readonly url: string
  close(): unknown
}

async function openExpress(listener: RequestListener): Promise<Opened> {
  const server = createServer(listener)
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const close = (): void => {
    server.closeAllConnections()
    server.close()
  }
  // Proof: the server listens on a TCP port.
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close }
}

async function openStep3(): Promise<Opened> {
  const app = createStep3()
  const { url } = await app.listen()
  return { url, close: () => app.close() }
}

/** The server by name, and the calls that Verbena handles. */
const SERVERS: readonly (readonly [name: string, open: () => Promise<Opened>, moved: RegExp])[] = [
  ['the Express app', () => openExpress(createExpress()), /^$/],
  ['step 1', () => openExpress(createStep1()), /^\/notes(\/[0-9]+)?$/],
  ['step 2', () => openExpress(createStep2()), /^\/(notes|me|report)/],
  ['step 3', openStep3, /^/],
]

class Visitor {
  readonly #url: string
  readonly #cookies = new Map<string, string>()

  constructor(url: string) {
    this.#url = url
  }

  async send({ method, path, init = {} }: Call): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...init.headers, origin: ORIGIN, cookie }
    const response = await fetch(this.#url + path, { ...init, method, headers })
    for (const text of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(text) ?? []
      this.#cookies.set(name, value)
    }
    return response
  }
}

function isError(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'error' in value && typeof value.error === 'string'
}

for (const [name, open, moved] of SERVERS) {
  describe(name, () => {
    let server: Opened
    let visitor: Visitor

    before(async () => {
      server = await open()
      visitor = new Visitor(server.url)
    })
    after(() => server.close())

    for (const [index, call] of CALLS.entries()) {
      const { method, path, status, body, headers = {} } = call
      const isMoved = moved.test(path) && method !== 'OPTIONS'
      it(`responds ${status} to call ${index + 1}, ${method} ${path}`, async () => {
        const response = await visitor.send(call)
        const text = await response.text()
        assert.equal(response.status, status, text)
        if (body === 'error') assert.ok(isError(JSON.parse(text)), text)
        else if (body !== undefined) assert.deepEqual(JSON.parse(text), body)
        for (const [field, value] of Object.entries(headers)) assert.equal(response.headers.get(field), value, field)
        assert.equal(response.headers.get('access-control-allow-origin'), ORIGIN)
        assert.match(String(response.headers.get('vary')), /\borigin\b/i)
        // Only Verbena sends this header with each response that has content.
        if (text !== '') assert.equal(response.headers.has('x-content-type-options'), isMoved)
      })
    }
  })
}
