/** Proxies that connect over a Unix socket are trusted only with `trustProxy: ['unix']`. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer, request as ask, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { createApp, Route, type Input } from 'verbena'

class Me extends Route {
  get({ request }: Input) {
    return `${request.ip} ${request.id}`
  }
}

const FORWARDED = { 'x-forwarded-for': '192.0.2.66, 203.0.113.7', 'x-request-id': 'trace-7' }

let folder = ''

function appThatTrusts(trustProxy: readonly string[]) {
  return createApp({ routes: { Me }, trustProxy, logger: false, signals: false })
}

async function asked(path: string, headers: Record<string, string>): Promise<string> {
  const { promise, resolve, reject } = latched()
  ask({ socketPath: path, path: '/me', headers }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    response.on('end', () => resolve(text))
  })
    .on('error', reject)
    .end()
  return promise
}

function latched() {
  let resolve: (text: string) => void = () => {}
  let reject: (error: Error) => void = () => {}
  const promise = new Promise<string>((done, failed) => ([resolve, reject] = [done, failed]))
  return { promise, resolve, reject }
}

describe("trustProxy: ['unix']", () => {
  before(() => (folder = mkdtempSync(join(tmpdir(), 'verbena-'))))
  after(() => rmSync(folder, { recursive: true }))

  it('trusts peers on the socket that the app listens on', async () => {
    const path = join(folder, 'trusting')
    await using app = appThatTrusts(['unix'])
    await app.listen({ path })
    assert.equal(await asked(path, FORWARDED), '203.0.113.7 trace-7')
    for (const headers of [{}, { 'x-forwarded-for': 'unknown' }, { 'x-forwarded-for': 'unix' }]) {
      assert.match(await asked(path, headers), /^ (?!trace-7)/, JSON.stringify(headers))
    }
  })

  it('trusts peers on an attached server', async () => {
    const path = join(folder, 'attached')
    await using app = appThatTrusts(['unix'])
    const server: Server = createServer()
    app.attach(server)
    await new Promise<void>((resolve) => server.listen(path, resolve))
    assert.equal(await asked(path, FORWARDED), '203.0.113.7 trace-7')
  })

  it('trusts no Unix peer without the option, and no TCP or fetch request with it', async () => {
    const path = join(folder, 'careful')
    await using careful = appThatTrusts(['127.0.0.1'])
    await careful.listen({ path })
    assert.match(await asked(path, FORWARDED), /^ (?!trace-7)/)

    await using app = appThatTrusts(['unix'])
    const { url } = await app.listen()
    const response = await fetch(`${url}/me`, { headers: FORWARDED })
    assert.match(await response.text(), /^127\.0\.0\.1 (?!trace-7)/)
    const answer = await app.fetch(new Request('http://localhost/me', { headers: FORWARDED }))
    assert.match(await answer.text(), /^ (?!trace-7)/)
  })
})
