/* oxlint-disable import/first -- the environment is read when modules load */
import '#test/development.js'
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createServer, get as httpGet, type IncomingHttpHeaders, type RequestOptions } from 'node:http'
import { get as httpsGet } from 'node:https'
import { networkInterfaces } from 'node:os'
import { after, afterEach, before, describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { createApp, reply, Route, type App, type DevConsoleOptions, type Logger, type Middleware } from 'verbena'
import * as z from 'zod'
import { RecordLinks } from '#src/devconsole/host/record-links.js'
import { parseAddress } from '../../../console/page/pure/address.js'
import type { RequestRecord } from '#src/devconsole/wire/request-types.js'
import { jsonLogger, terminalLogger } from '#src/observe/loggers.js'
import { TrustedProxies } from '#src/http/forwarded.js'
import { read, readStatus } from '#test/console.js'
import { createExchange } from '#test/console-host.js'

class Forms extends Route {
  static readonly path = '/forms/{name}'
  static readonly get = this.contract({ params: z.object({ name: z.string() }) })

  get({ params: { name } }: { params: { name: string } }): unknown {
    if (name === 'broken') throw new Error('As it happens')
    if (name === 'stream') return new Response(new Blob(['a', 'b']).stream())
    if (name === 'own') return reply(200, 'own', { 'X-Dev-Console': 'http://upstream/' })
    return reply(200, { name })
  }

  post(): never {
    throw new Error('not called')
  }
}

/** Sets a header that cannot be sent, so that the response is replaced. */
const unsendable: Middleware = async ({ request }, next) => {
  const answer = await next()
  return request.path === '/forms/unsendable'
    ? Object.assign(answer, { headers: new Map([['bad name', 'x']]) })
    : answer
}

const PAGE = 'https://app.example'
const LINK = /^http:\/\/127\.0\.0\.1:\d+\/__dev__#\/requests\/r_[a-z0-9]+$/

interface Opened {
  readonly app: App
  readonly url: string
  readonly port: number
  /** Fields of the error lines in the log. */
  readonly errors: Record<string, unknown>[]
}

async function start(
  devConsole: DevConsoleOptions | boolean = {},
  more: object = {},
  host = '127.0.0.1',
): Promise<Opened> {
  const errors: Record<string, unknown>[] = []
  const noop = () => {}
  const bound = (outer: object): Logger => ({
    ...{ debug: noop, info: noop, warn: noop },
    error: (fields) => void errors.push({ ...outer, ...fields }),
    child: (fields) => bound({ ...outer, ...fields }),
  })
  const options = {
    routes: { Forms },
    logger: bound({}),
    signals: false,
    middleware: [unsendable],
    devConsole,
    ...more,
  }
  const app: App = createApp(options)
  return { app, errors, ...(await app.listen({ host })) }
}

/** Apps of the current test. They are closed also if the test fails, because an open app keeps the process alive. */
const opened: App[] = []
const closeApps = () => Promise.all(opened.splice(0).map((app) => app.close()))

async function open(...given: Parameters<typeof start>): Promise<Opened> {
  const started = await start(...given)
  opened.push(started.app)
  return started
}

/** Sends a request with any `Host`, which `fetch` does not allow. */
function headersOf(url: string, headers: RequestOptions['headers'] = {}): Promise<IncomingHttpHeaders> {
  return new Promise((resolve, reject) => {
    const send = url.startsWith('https:') ? httpsGet : httpGet
    const options = { headers, agent: false, rejectUnauthorized: false }
    send(url, options, (response) => response.resume().on('end', () => resolve(response.headers))).on('error', reject)
  })
}

async function linkOf(url: string, headers: RequestOptions['headers'] = {}): Promise<string | undefined> {
  return (await headersOf(url, headers))['x-dev-console']?.toString()
}

/** Reads the linked request record. A record is complete shortly after its response. */
async function recordOf(url: string, link = ''): Promise<RequestRecord> {
  const { view, id } = parseAddress(new URL(link).hash)
  assert.equal(view, 'requests')
  for (;;) {
    const record = await read<RequestRecord>(`${url}/__dev__/api/requests/${id}`)
    if (record.id === id) return record
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('X-Dev-Console', () => {
  afterEach(closeApps)

  let shown: Opened
  before(async () => {
    shown = await start({}, { cors: { origins: [PAGE], expose: ['x-rows'] } })
  })
  after(() => shown.app.close())

  const ROWS: readonly (readonly [title: string, status: number, path: string, init?: RequestInit])[] = [
    ['a response of the fast path', 200, '/forms/a'],
    ['HEAD', 200, '/forms/a', { method: 'HEAD' }],
    ['a stream', 200, '/forms/stream'],
    ['an unexpected error', 500, '/forms/broken'],
    ['a response that could not be sent', 500, '/forms/unsendable'],
    ['404', 404, '/nowhere'],
    ['405', 405, '/forms/a', { method: 'DELETE' }],
    ['a malformed request target', 400, '/%zz'],
    ['415', 415, '/forms/a', { method: 'POST', body: 'x', headers: { 'content-type': 'image/gif' } }],
  ]
  for (const [title, status, path, init] of ROWS) {
    it(`leads to ${title} in the console`, async () => {
      const response = await fetch(`${shown.url}${path}`, init)
      await response.arrayBuffer()
      const link = response.headers.get('x-dev-console') ?? ''
      assert.match(link, LINK)
      assert.equal(response.status, status)
      const record = await recordOf(shown.url, link)
      assert.equal(record['http.response.status_code'], status)
      assert.ok(link.startsWith(`${shown.url}/__dev__#`))
      assert.ok(!record.response.headers.some(([name]) => name === 'x-dev-console'))
    })
  }

  it('is missing in responses of the console, and keeps a header of the app', async () => {
    assert.equal(await linkOf(`${shown.url}/__dev__`), undefined)
    assert.equal(await linkOf(`${shown.url}/__dev__/api/snapshot`), undefined)
    assert.equal(await linkOf(`${shown.url}/forms/own`), 'http://upstream/')
  })

  it('is exposed to pages of allowed origins, beside the headers of the app', async () => {
    const exposed = async (url: string, origin: string) =>
      (await headersOf(url, { origin }))['access-control-expose-headers']
    assert.equal(await exposed(`${shown.url}/forms/a`, PAGE), 'x-rows, x-dev-console')
    assert.equal(await exposed(`${shown.url}/forms/broken`, PAGE), 'x-rows, x-dev-console')
    assert.equal(await exposed(`${shown.url}/forms/a`, 'https://other.example'), undefined)
    const { url } = await open({}, { cors: { origins: '*' } })
    assert.equal(await exposed(`${url}/forms/a`, PAGE), 'x-dev-console')
    const off = await open({ header: false }, { cors: { origins: '*' } })
    assert.equal(await exposed(`${off.url}/forms/a`, PAGE), undefined)
  })

  it('has the host of the request if the console can be opened there, otherwise the address of the app', async () => {
    const { url, port } = shown
    const at = async (host: string) => (await linkOf(`${url}/forms/a`, { host }))?.replace(/#.*/, '')
    assert.equal(await at(`localhost:${port}`), `http://localhost:${port}/__dev__`)
    assert.equal(await at(`Api.Localhost:${port}`), `http://api.localhost:${port}/__dev__`)
    for (const host of ['evil.example', 'a b', '', 'localhost@evil.example'])
      assert.equal(await at(host), `${url}/__dev__`)
    assert.equal(await readStatus(port, 'GET /forms/a HTTP/1.0\r\n\r\n'), 200)
  })

  it('is switched off by the option, but the log has the link', async () => {
    const { url, errors } = await open({ header: false })
    assert.equal(await linkOf(`${url}/forms/broken`), undefined)
    assert.match(String(errors[0]?.['console']), LINK)
  })

  it('is never sent in production', async (t) => {
    process.env['NODE_ENV'] = 'production'
    t.after(() => (process.env['NODE_ENV'] = 'development'))
    const token = 'a-token-of-16-characters'
    const { url, errors } = await open({ token, allowInProduction: true, header: true })
    assert.equal(await linkOf(`${url}/forms/broken`), undefined)
    assert.ok(errors.length === 1 && errors.every((fields) => !('console' in fields)))
  })

  it('is missing in responses that are only counted, during a flood, unless they failed', async () => {
    // On a busy machine, the requests are slow, and more of them are recorded because they take longer.
    const { url } = await open({ slow: 60_000 })
    let counted = 0
    for (let burst = 0; burst < 6; burst++) {
      const links = await Promise.all(Array.from({ length: 400 }, () => linkOf(`${url}/forms/a`)))
      counted += links.filter((link) => link === undefined).length
    }
    assert.ok(counted > 100, `${counted} of 2,400 requests`)
    await recordOf(url, await linkOf(`${url}/forms/broken`))
  })

  it('is missing through app.fetch, and if an untrusted proxy forwards the request', async () => {
    const response = await shown.app.fetch(new Request('http://localhost/forms/a'))
    assert.equal(response.headers.get('x-dev-console'), null)
    assert.equal(await linkOf(`${shown.url}/forms/a`, { 'x-forwarded-for': '203.0.113.9' }), undefined)
    assert.equal(await linkOf(`${shown.url}/forms/a`, { forwarded: 'for=203.0.113.9' }), undefined)
  })

  it('has the origin that a trusted proxy reports, for clients that may open the console', async () => {
    const { url } = await open(
      { allow: ['203.0.113.0/24'], token: 'a-token-of-16-characters' },
      { trustProxy: ['127.0.0.1'] },
    )
    const forwarded = (client: string) => ({
      ...{ host: 'localhost', 'x-forwarded-for': client },
      ...{ 'x-forwarded-proto': 'https', 'x-forwarded-host': 'dev.example' },
    })
    assert.match(
      (await linkOf(`${url}/forms/a`, forwarded('203.0.113.9'))) ?? '',
      /^https:\/\/dev\.example\/__dev__#\/requests\/r_/,
    )
    assert.equal(await linkOf(`${url}/forms/a`, forwarded('198.51.100.1')), undefined)
  })

  it('is sent to other machines only if the console allows them', async (t) => {
    const address = Object.values(networkInterfaces())
      .flatMap((each) => each ?? [])
      .find(({ internal, family }) => !internal && family === 'IPv4')?.address
    if (address === undefined) return t.skip('this machine has no other address')
    const closed = await open({}, {}, '0.0.0.0')
    const allowed = await open({ allow: [address], token: 'a-token-of-16-characters' }, {}, '0.0.0.0')
    assert.equal(await linkOf(`http://${address}:${closed.port}/forms/a`), undefined)
    assert.match(
      (await linkOf(`http://${address}:${allowed.port}/forms/a`)) ?? '',
      new RegExp(`^http://localhost:${allowed.port}/__dev__#`),
    )
  })

  it('has the scheme of the connection', async () => {
    const app: App = createApp({ routes: { Forms }, logger: false, signals: false })
    const folder = 'test/fixtures/tls'
    const tls = { key: readFileSync(`${folder}/key.pem`), cert: readFileSync(`${folder}/cert.pem`) }
    const { port } = await app.listen({ tls })
    assert.match(
      (await linkOf(`https://localhost:${port}/forms/a`)) ?? '',
      new RegExp(`^https://localhost:${port}/__dev__#`),
    )
    await app.close()
  })

  it('has the address of the app if another server passes the request', async () => {
    const outer = createServer(shown.app.handler)
    await new Promise<void>((resolve) => outer.listen(0, '127.0.0.1', resolve))
    const { port }: { readonly port?: number } = Object(outer.address())
    assert.ok((await linkOf(`http://localhost:${port}/forms/a`))?.startsWith(`${shown.url}/__dev__#`))
    outer.close()
  })
})

describe('console: link in the log', () => {
  afterEach(closeApps)

  it('is a field of error lines, but not of the recorded line', async () => {
    const { url, errors } = await open()
    const link = (await linkOf(`${url}/forms/broken`)) ?? ''
    assert.equal(errors.length, 1)
    assert.equal(errors[0]?.['console'], link)
    const { logs } = await recordOf(url, link)
    assert.deepEqual(
      logs.map(({ fields }) => Object.keys(fields ?? {}).includes('console')),
      [false],
    )
    await linkOf(`${url}/nowhere`)
    assert.equal(errors.length, 1)
  })

  it('is in the first line of an error in the terminal, and a member in JSON', async () => {
    const written: string[] = []
    const write = (text: string): void => void (text.includes('failed') && written.push(stripVTControlCharacters(text)))
    for (const logger of [terminalLogger(write), jsonLogger(write)]) {
      const { app, url } = await open({}, { logger })
      await linkOf(`${url}/forms/broken`)
      await app.close()
    }
    const [terminal = '', json = ''] = written
    assert.match(terminal.split('\n')[0] ?? '', / console=http:\/\/127\.0\.0\.1:\d+\/__dev__#\/requests\/r_\w+$/)
    assert.match(terminal, /\n +at Forms\.get /)
    assert.match(String(JSON.parse(json).console), LINK)
  })

  it('is missing if the console is off', async () => {
    const { url, errors } = await open(false)
    assert.equal(await linkOf(`${url}/forms/broken`), undefined)
    assert.equal(errors.length, 1)
    assert.ok(errors.every((fields) => !('console' in fields)))
  })
})

describe('RecordLinks', () => {
  afterEach(closeApps)

  const settings = {
    links: 'header',
    proxies: new TrustedProxies([]),
    allows: () => false,
    allowedHosts: new Set<string>(),
  } as const

  it('returns null if neither the host nor the address of the app is known', () => {
    const links = new RecordLinks(settings)
    const { exchange } = createExchange({})
    links.opened('/__dev__')
    assert.equal(links.urlFor(exchange, 'r_1'), null)
    const answer = { status: 200, headers: new Map(), payload: { type: undefined, data: null } }
    assert.equal(links.addTo(answer, exchange, 'r_1'), answer)
  })
})
